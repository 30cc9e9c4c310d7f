// RUN: nt-opt %s -p nt-check-arrangement --split-input-file --verify-diagnostics | filecheck %s

// Outermost shapes of two ranks.
// CHECK: ArrangementError: the outermost shapes of x and y must be equal, one program an element, but they are (-(-n // 64),) and (m, n); tile, expand or squeeze until they are
nt.kernel @ranks symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  nt.arranged %x0, %y
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[m, n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[64] x f32>, %a1 : !nt.tensor<[] x f32>):
  nt.return
}

// -----

// Shapes that differ for every n.
// CHECK: ArrangementError: the outermost shapes of x and y must be equal, one program an element, but they are (n,) and (n + 1,); tile, expand or squeeze until they are
nt.kernel @never_equal symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n + 1] x f32>
  nt.arranged %x, %y
      : !nt.tensor<[n] x f32>, !nt.tensor<[n + 1] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  nt.return
}
