// RUN: nt-opt %s -p 'nt-lower-accesses' | filecheck %s

// A contiguous tensor was flattened: its offset is the index, and no lane divides.
// CHECK-LABEL: nt.kernel @whole
// CHECK-NOT: {{arith.div|arith.rem|nt.quotient}}
// CHECK: tt.addptr %x
// CHECK-NOT: {{arith.div|arith.rem|nt.quotient}}
// CHECK: tt.load
nt.kernel @whole symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>] grid #nt.expr<m * n ceildiv 32> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] computed [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m * n ceildiv 32], [32]] -> [(g0 * 32 + b0) floordiv n, (g0 * 32 + b0) mod n] if [[g0 * 32 + b0, m * n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m * n ceildiv 32] x !nt.tensor<[32] x f32>>
  nt.arranged %0 : !nt.tensor<[m * n ceildiv 32] x !nt.tensor<[32] x f32>>
} apply {
^bb0(%a : !nt.tensor<[32] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m * n ceildiv 32] : index
  %1 = nt.load %a[] : !nt.tensor<[32] x f32>[] -> !nt.tensor<[32] x f32>
  nt.return
}

// From dim 1 on: the remainders are one, by the stride that the product is.
// CHECK-LABEL: nt.kernel @from_dim_1
// CHECK: nt.size <t> : i32
// CHECK: nt.quotient {{%.*}} by <t>
// CHECK-NOT: nt.quotient
// CHECK: tt.load
nt.kernel @from_dim_1 symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>, #nt.symbol<t stride ? to ?>, #nt.symbol<u stride ? to ?>] grid #nt.expr<c * m * n ceildiv 32> arrange {
  %x = nt.source "x" "tensor" strides [s, u, 1] computed [s, n, 1] aligned false : !nt.tensor<[c, m, n] x f32>
  %y = nt.source "y" "tensor" strides [t, u, 1] computed [m * n, n, 1] aligned false : !nt.tensor<[c, m, n] x f32>
  %0 = nt.access %x <[[c * m * n ceildiv 32], [32]] -> [(g0 * 32 + b0) floordiv (m * n), (g0 * 32 + b0) floordiv n mod m, (g0 * 32 + b0) mod n] if [[g0 * 32 + b0, c * m * n]]>
      : !nt.tensor<[c, m, n] x f32> -> !nt.tensor<[c * m * n ceildiv 32] x !nt.tensor<[32] x f32>>
  %1 = nt.access %y <[[c * m * n ceildiv 32]] -> [0, 0, 0]>
      : !nt.tensor<[c, m, n] x f32> -> !nt.tensor<[c * m * n ceildiv 32] x f32>
  nt.arranged %0, %1 : !nt.tensor<[c * m * n ceildiv 32] x !nt.tensor<[32] x f32>>, !nt.tensor<[c * m * n ceildiv 32] x f32>
} apply {
^bb0(%a : !nt.tensor<[32] x f32>, %b : !nt.tensor<[] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [c * m * n ceildiv 32] : index
  %1 = nt.load %a[] : !nt.tensor<[32] x f32>[] -> !nt.tensor<[32] x f32>
  nt.return
}
