// RUN: nt-opt %s -p nt-compose-arrangement | filecheck %s

// A tile: the guard says where the last block ends. No meta-operation is left.
// CHECK-LABEL: nt.kernel @tile
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n ceildiv B], [B]] -> [B * g0 + b0] if {{\[\[}}B * g0 + b0, n]]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
// CHECK-NOT: nt.tile
nt.kernel @tile symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 16 to 128>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[B] x f32>):
  nt.finish
}

// No meta-operation: one element a program.
// CHECK-LABEL: nt.kernel @none
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
nt.kernel @none symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x : !nt.tensor<[n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.finish
}

// Whole rows: no index can lie outside, so there is no guard.
// CHECK-LABEL: nt.kernel @whole_row
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}m, 1], [1, n]] -> [b0 + g0, g1 * n + b1]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>>
nt.kernel @whole_row symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 16 to 128>] arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.tile %x [1, n] strides [1, n] dilation [1, 1] floor false level 0
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>>
  nt.arranged %0 : !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[1, n] x f32>):
  nt.finish
}

// Indices change places.
// CHECK-LABEL: nt.kernel @permute
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n, m]] -> [g1, g0]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[n, m] x f32>
nt.kernel @permute symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 16 to 128>] arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.permute %x [1, 0] level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[n, m] x f32>
  nt.arranged %0 : !nt.tensor<[n, m] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.finish
}

// Flattened: row and column are quotient and remainder.
// CHECK-LABEL: nt.kernel @flatten_then_tile
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}m * n ceildiv B], [B]] -> [(B * g0 + b0) floordiv n, (B * g0 + b0) mod n] if {{\[\[}}B * g0 + b0, m * n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m * n ceildiv B] x !nt.tensor<[B] x f32>>
nt.kernel @flatten_then_tile symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 16 to 128>] arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.flatten %x [0, 2] level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m * n] x f32>
  %1 = nt.tile %0 [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[m * n] x f32> -> !nt.tensor<[(m * n) ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %1 : !nt.tensor<[(m * n) ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[B] x f32>):
  nt.finish
}

// An expanded dim has no part in the source index.
// CHECK-LABEL: nt.kernel @expand
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}4, m, n]] -> [g1, g2]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[4, m, n] x f32>
nt.kernel @expand symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 16 to 128>] arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.unsqueeze %x [0] level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[1, m, n] x f32>
  %1 = nt.expand %0 [4, -1, -1] level 0 : !nt.tensor<[1, m, n] x f32> -> !nt.tensor<[4, m, n] x f32>
  nt.arranged %1 : !nt.tensor<[4, m, n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.finish
}
