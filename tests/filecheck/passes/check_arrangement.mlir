// RUN: nt-opt %s --print-local-scope -p nt-check-arrangement | filecheck %s

// One size, one block: nothing to check.
// CHECK-LABEL: nt.kernel @proved symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
nt.kernel @proved symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y0 = nt.tile %y [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[64] x f32>, %a1 : !nt.tensor<[64] x f32>):
  %0 = nt.load %a1[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// Two sizes: the call decides.
// CHECK-LABEL: nt.kernel @left_to_the_call symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] checks [#nt.check<agreement [n ceildiv 64] = [m ceildiv 64], "the outermost shapes of x and y must be equal, one program an element: they are {left} and {right}">] arrange {
nt.kernel @left_to_the_call symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y0 = nt.tile %y [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[64] x f32>, %a1 : !nt.tensor<[64] x f32>):
  %0 = nt.load %a1[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// A check that is there already is not added again.
// CHECK-LABEL: nt.kernel @once symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] checks [#nt.check<agreement [n ceildiv 64] = [m ceildiv 64], "the outermost shapes of x and y must be equal, one program an element: they are {left} and {right}">] arrange {
nt.kernel @once symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] checks [#nt.check<agreement [n ceildiv 64] = [m ceildiv 64], "the outermost shapes of x and y must be equal, one program an element: they are {left} and {right}">] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y0 = nt.tile %y [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[64] x f32>, %a1 : !nt.tensor<[64] x f32>):
  %0 = nt.load %a1[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// Numbers have no outermost shape.
// CHECK-LABEL: nt.kernel @scalars_do_not_count symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
nt.kernel @scalars_do_not_count symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %s = nt.source "s" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %s, %x0
      : !nt.tensor<[] x f32>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[64] x f32>):
  nt.return
}

// What is expanded must have size 1; so must what is squeezed.
// CHECK-LABEL: nt.kernel @ones symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] checks [#nt.check<[n] = [1], "expand of x needs the size n to be at most 1: it is {left}">] arrange {
nt.kernel @ones symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.expand %x [m] level 0 : !nt.tensor<[n] x f32> -> !nt.tensor<[m] x f32>
  nt.arranged %x0
      : !nt.tensor<[m] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}

// The same of a squeeze.
// CHECK-LABEL: nt.kernel @squeezed symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] checks [#nt.check<[m] = [1], "squeeze of x needs the size m to be at most 1: it is {left}">] arrange {
nt.kernel @squeezed symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.squeeze %x [0] level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %x0
      : !nt.tensor<[n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}

// Another is for the size 0.
// CHECK-LABEL: nt.kernel @empty symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] checks [#nt.check<[m] = [min(1, m)], "squeeze of x needs the size m to be at most 1: it is {left}">] arrange {
nt.kernel @empty symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.squeeze %x [0] empty level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0 : !nt.tensor<[n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>):
  nt.return
}

// What is neither read nor written through its arrangement imposes nothing.
// CHECK-LABEL: nt.kernel @only_asked symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
nt.kernel @only_asked symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  nt.arranged %x, %y : !nt.tensor<[n] x f32>, !nt.tensor<[m] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  %p = nt.pointer %a1 : !nt.tensor<[] x f32> -> !tt.ptr<f32>
  nt.return
}

// Shapes of two ranks cannot be equal; numbers of elements can.
// CHECK-LABEL: nt.kernel @ranks symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] checks [#nt.check<agreement [n] = [m * n], "the outermost levels of x and y must have equally many elements, one a program: they have {left} and {right}">] arrange {
nt.kernel @ranks symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  nt.arranged %x, %y : !nt.tensor<[n] x f32>, !nt.tensor<[m, n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  %0 = nt.load %a1[] : !nt.tensor<[] x f32>[] -> f32
  nt.return
}

// They are equal for all sizes.
// CHECK-LABEL: nt.kernel @counts symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
nt.kernel @counts symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m * n] x f32>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  nt.arranged %x, %y : !nt.tensor<[m * n] x f32>, !nt.tensor<[m, n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  %0 = nt.load %a1[] : !nt.tensor<[] x f32>[] -> f32
  nt.return
}
