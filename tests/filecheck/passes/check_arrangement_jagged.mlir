// RUN: nt-opt %s --print-local-scope -p nt-check-arrangement --split-input-file --verify-diagnostics | filecheck %s

// Where longest lengths must be equal, so must the offsets; what is equal block by block is checked
// as a call can check it.
// CHECK-LABEL: nt.kernel @two_lengths
// CHECK-SAME: checks [#nt.check<[n] = [m], "sizes {left} and {right}">,
// CHECK-SAME: #nt.check<[xo] = [yo], "the sequences of x and y must have equal lengths, but their offsets differ; make one with " "torch.nested.nested_tensor_from_jagged(values, x.offsets())">,
// CHECK-SAME: #nt.check<[b, n ceildiv 64] = [b, m ceildiv 64], "the outermost shapes of x and y must be equal, one program an element: they are {left} and {right}">]
nt.kernel @two_lengths symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<xl length 0 to ?>, #nt.symbol<yl length 0 to ?>]
    checks [#nt.check<[xl] = [yl], "sizes {left} and {right}">, #nt.check<[xl] = [n], "one size">] arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length xl start xs offsets xo i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.tile %x [1, 64] strides [1, 64] dilation [1, 1] floor false level 0
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  %y = nt.source "y" "tensor" strides [0, 1] jagged <1 length yl start ys offsets yo i32> aligned false : !nt.tensor<[b, m] x f32>
  %1 = nt.tile %y [1, 64] strides [1, 64] dilation [1, 1] floor false level 0
      : !nt.tensor<[b, m] x f32> -> !nt.tensor<[b, m ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>, !nt.tensor<[b, m ceildiv 64] x !nt.tensor<[1, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[1, 64] x f32>, %c : !nt.tensor<[1, 64] x f32>):
  nt.return
}

// -----

// One symbol is one length.
// CHECK-LABEL: nt.kernel @one_symbol
// CHECK-SAME: checks [#nt.check<[xo] = [yo], "the sequences of x and y must
nt.kernel @one_symbol symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length xl start xs offsets xo i64> aligned false : !nt.tensor<[b, n] x f32>
  %y = nt.source "y" "tensor" strides [0, 1] jagged <1 length yl start ys offsets yo i64> aligned false : !nt.tensor<[b, n] x f32>
  nt.arranged %x, %y : !nt.tensor<[b, n] x f32>, !nt.tensor<[b, n] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>, %c : !nt.tensor<[] x f32>):
  nt.return
}

// -----

// Sequences that only share the batch may differ.
// CHECK-LABEL: nt.kernel @only_the_batch
// CHECK-NOT: checks
nt.kernel @only_the_batch symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length xl start xs offsets xo i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.tile %x [1, n] strides [1, n] dilation [1, 1] floor false level 0
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b, n ceildiv n] x !nt.tensor<[1, n] x f32>>
  %y = nt.source "y" "tensor" strides [0, 1] jagged <1 length yl start ys offsets yo i64> aligned false : !nt.tensor<[b, m] x f32>
  %1 = nt.tile %y [1, m] strides [1, m] dilation [1, 1] floor false level 0
      : !nt.tensor<[b, m] x f32> -> !nt.tensor<[b, m ceildiv m] x !nt.tensor<[1, m] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[b, n ceildiv n] x !nt.tensor<[1, n] x f32>>, !nt.tensor<[b, m ceildiv m] x !nt.tensor<[1, m] x f32>>
} apply {
^bb0(%a : !nt.tensor<[1, xl] x f32>, %c : !nt.tensor<[1, yl] x f32>):
  nt.return
}

// -----

// CHECK: ArrangementError: a program sees several sequences of x, which differ in length; tile dim 0 of a jagged tensor by 1, so that a program sees one sequence
nt.kernel @several symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length xl start xs offsets xo i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.tile %x [2, 64] strides [2, 64] dilation [1, 1] floor false level 0
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b ceildiv 2, n ceildiv 64] x !nt.tensor<[2, 64] x f32>>
  nt.arranged %0 : !nt.tensor<[b ceildiv 2, n ceildiv 64] x !nt.tensor<[2, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[2, 64] x f32>):
  nt.return
}
