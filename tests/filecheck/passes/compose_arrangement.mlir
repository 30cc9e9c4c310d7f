// RUN: nt-opt %s --print-local-scope -p nt-compose-arrangement | filecheck %s

// A tile: the guard ends the last block. No meta-operation is left.
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
  nt.return
}

// No meta-operation: one element a program.
// CHECK-LABEL: nt.kernel @none
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
nt.kernel @none symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x : !nt.tensor<[n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}

// Whole rows: no index can lie outside, so there is no guard; an index of a dim of size 1 is 0.
// CHECK-LABEL: nt.kernel @whole_row
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}m, 1], [1, n]] -> [g0, b1]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>>
nt.kernel @whole_row symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 16 to 128>] arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.tile %x [1, n] strides [1, n] dilation [1, 1] floor false level 0
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>>
  nt.arranged %0 : !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[1, n] x f32>):
  nt.return
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
  nt.return
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
  nt.return
}

// An expanded dim has no part in the source index.
// CHECK-LABEL: nt.kernel @expand
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}4, m, n]] -> [g1, g2]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[4, m, n] x f32>
nt.kernel @expand symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 16 to 128>] arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.unsqueeze %x dim 0 level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[1, m, n] x f32>
  %1 = nt.expand %0 [4, -1, -1] level 0 : !nt.tensor<[1, m, n] x f32> -> !nt.tensor<[4, m, n] x f32>
  nt.arranged %1 : !nt.tensor<[4, m, n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}

// Levels side by side: each index goes to its own level.
// CHECK-LABEL: nt.kernel @ravel
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n ceildiv B, B]] -> [B * g0 + g1] if {{\[\[}}B * g0 + g1, n]]>
nt.kernel @ravel symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<B meta 16 to 128>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  %1 = nt.ravel %0 level 0
      : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>> -> !nt.tensor<[n ceildiv B, B] x f32>
  nt.arranged %1 : !nt.tensor<[n ceildiv B, B] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}

// Elements around do not exist.
// CHECK-LABEL: nt.kernel @pad
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n + 3]] -> [g0 - 1] if {{\[\[}}g0 - 1, n]]>
nt.kernel @pad symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.pad %x [1] [2] level 0 : !nt.tensor<[n] x f32> -> !nt.tensor<[n + 3] x f32>
  nt.arranged %0 : !nt.tensor<[n + 3] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}

// Fewer elements exist all: no guard.
// CHECK-LABEL: nt.kernel @crop
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n - 3]] -> [g0 + 1]> :
nt.kernel @crop symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.pad %x [-1] [-2] level 0 : !nt.tensor<[n] x f32> -> !nt.tensor<[n - 3] x f32>
  nt.arranged %0 : !nt.tensor<[n - 3] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}

// Backwards. That the slice fits is a check of the call, so there is no guard.
// CHECK-LABEL: nt.kernel @slice
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n]] -> [n - g0 - 1]> :
nt.kernel @slice symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.slice %x from [n - 1] steps [-1] sizes [n] level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0 : !nt.tensor<[n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}

// Blocks that are 0 apart are one block, whichever program reads it.
// CHECK-LABEL: nt.kernel @repeated
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n], [4]] -> [b0] if {{\[\[}}b0, n]]>
nt.kernel @repeated symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [4] strides [0] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[4] x f32>>
  %1 = nt.expand %0 [n] level 0
      : !nt.tensor<[1] x !nt.tensor<[4] x f32>> -> !nt.tensor<[n] x !nt.tensor<[4] x f32>>
  nt.arranged %1 : !nt.tensor<[n] x !nt.tensor<[4] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[4] x f32>):
  nt.return
}

// Two counts of windows that do not fit make no product above 0.
// CHECK-LABEL: nt.kernel @windows
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}max(0, m - 2) * max(0, n - 2)], [3, 3]] -> [b0 + g0 floordiv (n - 2), b1 + g0 mod (n - 2)]
nt.kernel @windows symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.tile %x [3, 3] strides [1, 1] dilation [1, 1] floor false level 0
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m - 2, n - 2] x !nt.tensor<[3, 3] x f32>>
  %1 = nt.flatten %0 [0, 2] level 0
      : !nt.tensor<[m - 2, n - 2] x !nt.tensor<[3, 3] x f32>>
      -> !nt.tensor<[max(m - 2, 0) * max(n - 2, 0)] x !nt.tensor<[3, 3] x f32>>
  nt.arranged %1 : !nt.tensor<[max(m - 2, 0) * max(n - 2, 0)] x !nt.tensor<[3, 3] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[3, 3] x f32>):
  nt.return
}

// A squeezed dim of size 1 costs no guard.
// CHECK-LABEL: nt.kernel @squeezed
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n]] -> [0, g0]> :
nt.kernel @squeezed symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.squeeze %x [0] level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0 : !nt.tensor<[n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}

// Where it has the size 0, no element exists.
// CHECK-LABEL: nt.kernel @empty
// CHECK: {{%.*}} = nt.access %x <{{\[\[}}n]] -> [0, g0] if {{\[\[}}0, 0]]> :
nt.kernel @empty symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.squeeze %x [0] empty level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0 : !nt.tensor<[n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}
