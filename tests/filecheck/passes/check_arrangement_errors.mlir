// RUN: nt-opt %s -p nt-check-arrangement --split-input-file --verify-diagnostics | filecheck %s

// Shapes that differ for every n, of which the second is a jagged tensor's.
// CHECK: ArrangementError: the outermost shapes of x and y must be equal, one program an element, but they are (b,) and (b, n); tile, expand or squeeze until they are
nt.kernel @never_equal symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<yl length 0 to ?>, #nt.symbol<ys start 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[b] x f32>
  %y = nt.source "y" "tensor" strides [0, 1] jagged <1 length yl start ys offsets yo i64> aligned false : !nt.tensor<[b, n] x f32>
  nt.arranged %x, %y
      : !nt.tensor<[b] x f32>, !nt.tensor<[b, n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  nt.return
}

// -----

// More elements than programs, which are written.
// CHECK: ArrangementError: y is written, and its outermost level has more elements than there are programs, one an element of x: their outermost shapes are (n + 1,) and (n,); tile, expand or squeeze until they are equal, or return y first
nt.kernel @written symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n + 1] x f32>
  nt.arranged %x, %y
      : !nt.tensor<[n] x f32>, !nt.tensor<[n + 1] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  %0 = nt.load %a0[] : !nt.tensor<[] x f32>[] -> f32
  nt.store %0, %a1[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}
