// RUN: nt-opt %s -p nt-lower-accesses | filecheck %s

// Coordinates vary along their own dim only; those of a loop's block are computed in the loop. The
// guard of `x` is not computed.
// CHECK-LABEL: nt.kernel @coordinates
// CHECK: %b1 = tt.make_range 0 : i32 32 : i32 -> tensor<32xi32>
// CHECK: [[columns:%.*]] = arith.addi {{%.*}}, %b1 : tensor<32xi32>
// CHECK: %columns = builtin.unrealized_conversion_cast [[columns]] : tensor<32xi32> to !nt.tensor<[32] x i32>
// CHECK: scf.for %i
// CHECK: [[rows:%.*]] = arith.addi {{%.*}}, {{%.*}} : tensor<16xi32>
// CHECK: %rows = builtin.unrealized_conversion_cast {{%.*}} : tensor<16xi64> to !nt.tensor<[16] x i64>
// CHECK: %linear = builtin.unrealized_conversion_cast {{%.*}} : tensor<16x32xi32> to !nt.tensor<[16, 32] x i32>
// CHECK-NOT: nt.offsets
// CHECK-NOT: cmpi
nt.kernel @coordinates symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>] grid #nt.expr<n ceildiv 32> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[n ceildiv 32], [m ceildiv 16], [16, 32]] -> [k1_0 * 16 + b0, g0 * 32 + b1] if [[k1_0 * 16 + b0, m], [g0 * 32 + b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[n ceildiv 32] x !nt.tensor<[m ceildiv 16] x !nt.tensor<[16, 32] x f32>>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 32] x !nt.tensor<[m ceildiv 16] x !nt.tensor<[16, 32] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[m ceildiv 16] x !nt.tensor<[16, 32] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 32] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %steps = nt.size <m ceildiv 16> : i32
  %columns = nt.offsets %a[%c0] dim 1 along [1]
      : !nt.tensor<[m ceildiv 16] x !nt.tensor<[16, 32] x f32>>[i32] -> !nt.tensor<[32] x i32>
  scf.for %i = %c0 to %steps step %c1 : i32 {
    %rows = nt.offsets %a[%i] dim 0 along [0]
        : !nt.tensor<[m ceildiv 16] x !nt.tensor<[16, 32] x f32>>[i32] -> !nt.tensor<[16] x i64>
    %linear = nt.offsets %a[%i] along [0, 1]
        : !nt.tensor<[m ceildiv 16] x !nt.tensor<[16, 32] x f32>>[i32] -> !nt.tensor<[16, 32] x i32>
    scf.yield
  }
  nt.return
}

// Of a dim that is left out, the first lane counts.
// CHECK-LABEL: nt.kernel @first
// CHECK: %first = arith.muli %pid, {{%.*}} : i32
nt.kernel @first symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 32> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 32], [32]] -> [g0 * 32 + b0] if [[g0 * 32 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 32] x !nt.tensor<[32] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 32] x !nt.tensor<[32] x f32>>
} apply {
^bb0(%a : !nt.tensor<[32] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 32] : index
  %first = nt.offsets %a[] dim 0 along [] : !nt.tensor<[32] x f32>[] -> i32
  nt.return
}
