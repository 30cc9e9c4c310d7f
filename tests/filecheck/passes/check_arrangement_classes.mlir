// RUN: nt-opt %s --print-local-scope -p 'nt-check-arrangement{agreement=counts}' | filecheck %s

// In the class of equal numbers of elements, shapes may differ.
// CHECK-LABEL: nt.kernel @counts
// CHECK-SAME: checks [#nt.check<agreement [m] = [n], "the outermost levels of x and y must have equally many elements, one a program: they have {left} and {right}">] arrange {
nt.kernel @counts symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x, %y : !nt.tensor<[m] x f32>, !nt.tensor<[n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  %0 = nt.load %a1[] : !nt.tensor<[] x f32>[] -> f32
  nt.return
}

// Where elements lie is asked without a check.
// CHECK-LABEL: nt.kernel @offsets
// CHECK-NOT: checks
nt.kernel @offsets symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x, %y : !nt.tensor<[m] x f32>, !nt.tensor<[n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  %0 = nt.offsets %a1[] along [] : !nt.tensor<[] x f32>[] -> i32
  nt.return
}
