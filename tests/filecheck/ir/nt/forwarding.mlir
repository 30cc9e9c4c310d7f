// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt --print-local-scope | filecheck %s

// CHECK-LABEL: nt.kernel @ops
// CHECK: %x = nt.source "x" "tensor" strides [1] repeated aligned false : !nt.tensor<[n] x f16>
// CHECK: %y = nt.source "y" "tensor" strides [1] packed [s] memory "x" aligned true : !nt.tensor<[n] x f16>
nt.kernel @ops symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] repeated aligned false : !nt.tensor<[n] x f16>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  %y = nt.source "y" "tensor" strides [1] packed [s] memory "x" aligned true : !nt.tensor<[n] x f16>
  %1 = nt.tile %y [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  %2 = nt.tile %1 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
      -> !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f16>>>
  nt.arranged %0, %2 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>,
      !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f16>>>
} apply {
^bb0(%a : !nt.tensor<[64] x f16>, %b : !nt.tensor<[4] x !nt.tensor<[64] x f16>>):
  %k = arith.constant 2 : i32
  %v = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  // CHECK: %w = nt.stored %v at %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %w = nt.stored %v at %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  // CHECK-NEXT: nt.barrier
  nt.barrier
  // CHECK-NEXT: %u = nt.stored %w at %b[%k] other 1.000000e+00 : f16 : !nt.tensor<[4] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x f16>
  %u = nt.stored %w at %b[%k] other 1.0 : f16
      : !nt.tensor<[4] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x f16>
  nt.return
}
