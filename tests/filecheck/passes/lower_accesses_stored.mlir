// RUN: nt-opt %s -p nt-lower-accesses | filecheck %s

// A forwarded value is the stored one; memory is not read, and lanes outside are unspecified.
// CHECK-LABEL: nt.kernel @plain
// CHECK: %v = tt.load
// CHECK-NOT: tt.load
// CHECK: tt.store
// CHECK-NEXT: nt.elementwise "neg"({{%.*}})
// CHECK-NOT: arith.select
// CHECK: nt.return
nt.kernel @plain symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %xs[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  %w = nt.stored %v at %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %e = nt.elementwise "neg"(%w) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.return
}

// Lanes outside the guard read `other`.
// CHECK-LABEL: nt.kernel @other
// CHECK: tt.load
// CHECK: [[mask:%.*]] = arith.cmpi slt
// CHECK: [[one:%.*]] = arith.constant true
// CHECK-NEXT: [[ones:%.*]] = tt.splat [[one]] : i1 -> tensor<64xi1>
// CHECK-NEXT: [[bits:%.*]] = builtin.unrealized_conversion_cast {{%.*}} : !nt.tensor<[64] x i1> to tensor<64xi1>
// CHECK-NEXT: arith.select [[mask]], [[bits]], [[ones]] : tensor<64xi1>, tensor<64xi1>
nt.kernel @other symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i1>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i1> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i1>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i1>>
} apply {
^bb0(%xs : !nt.tensor<[64] x i1>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x i1>[] -> !nt.tensor<[64] x i1>
  %w = nt.stored %v at %xs[] other true : !nt.tensor<[64] x i1>[] -> !nt.tensor<[64] x i1>
  nt.store %w, %xs[] : !nt.tensor<[64] x i1>, !nt.tensor<[64] x i1>[]
  nt.return
}
