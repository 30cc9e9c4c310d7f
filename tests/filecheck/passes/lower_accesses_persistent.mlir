// RUN: nt-opt %s --print-local-scope -p 'nt-lower-accesses,nt-hoist-invariants' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-lower-accesses{index_bits=64},nt-hoist-invariants' | filecheck %s --check-prefix=WIDE

// All that a program does stands in a loop over the numbers that are its own and a multiple of the
// programs launched behind it. What no number changes stays in front.
// CHECK-LABEL: nt.kernel @scaled
// CHECK: %[[N:.*]] = nt.size <n> : i32
// CHECK: %first = tt.get_program_id 0 : i32
// CHECK: %[[BY:.*]] = arith.constant 64 : i32
// CHECK: %[[END:.*]] = arith.divsi %{{.*}}, %[[BY]] : i32
// CHECK: %[[STEP:.*]] = tt.get_num_programs 0 : i32
// CHECK: tt.make_range
// CHECK: scf.for %pid = %first to %[[END]] step %[[STEP]]  : i32 {
// CHECK-NOT: nt.size
// CHECK-NOT: tt.make_range
// CHECK-NOT: tt.get_program_id
// CHECK: arith.muli %pid, %{{.*}} : i32
// CHECK: tt.load
// CHECK: tt.store
// CHECK: } {nt.over_programs, tt.flatten}
// CHECK-NEXT: nt.return

// Numbers of programs have 32 bits, however many indices have.
// WIDE: %[[GRID:.*]] = arith.divsi %{{.*}}, %{{.*}} : i64
// WIDE: %[[END:.*]] = arith.trunci %[[GRID]] : i64 to i32
// WIDE: scf.for %pid = %first to %[[END]] step %{{.*}}  : i32 {
nt.kernel @scaled symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id persistent : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %1, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
