// RUN: nt-opt %s --print-local-scope -p nt-check-definedness | filecheck %s

// Every lane that is written was read: nothing to check.
// CHECK-LABEL: nt.kernel @same
// CHECK-NOT: #nt.check
// CHECK: arrange
nt.kernel @same symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %1, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// What is written must be read, for each of two operands.
// CHECK-LABEL: nt.kernel @sum
// CHECK-SAME: #nt.check<defined [m, n] = [min(m, n), n], "y is written where x has no element
nt.kernel @sum symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %1 = nt.tile %y [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %2 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %3 = nt.elementwise "add"(%2, %2) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %3, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// A load with other has a value everywhere.
// CHECK-LABEL: nt.kernel @other
// CHECK-NOT: #nt.check
// CHECK: arrange
nt.kernel @other symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %1 = nt.tile %y [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %2 = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %2, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
