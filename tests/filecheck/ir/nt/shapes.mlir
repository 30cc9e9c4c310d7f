// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt --print-local-scope | filecheck %s

// CHECK-LABEL: nt.kernel @k
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  // CHECK: %r = nt.reshape %v : !nt.tensor<[8, 2] x f32> -> !nt.tensor<[4, 4] x f32>
  %r = nt.reshape %v : !nt.tensor<[8, 2] x f32> -> !nt.tensor<[4, 4] x f32>
  // CHECK: %b, %c = nt.split %v : !nt.tensor<[8, 2] x f32> -> !nt.tensor<[8] x f32>
  %b, %c = nt.split %v : !nt.tensor<[8, 2] x f32> -> !nt.tensor<[8] x f32>
  // CHECK: %d = nt.join %c, %b : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 2] x f32>
  %d = nt.join %c, %b : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 2] x f32>
  // CHECK: %e = nt.size <n> : i32
  %e = nt.size <n> : i32
  // CHECK: %f = nt.join %e, %e : i32 -> !nt.tensor<[2] x i32>
  %f = nt.join %e, %e : i32 -> !nt.tensor<[2] x i32>
  // CHECK: %g, %h = nt.split %f : !nt.tensor<[2] x i32> -> i32
  %g, %h = nt.split %f : !nt.tensor<[2] x i32> -> i32
  // CHECK: %p, %q = nt.address %a[] [%i, %i] : !nt.tensor<[8, 2] x f32>[] [!nt.tensor<[4] x i32>, !nt.tensor<[4] x i32>] -> !nt.tensor<[4] x !tt.ptr<f32>>, !nt.tensor<[4] x i1>
  %p, %q = nt.address %a[] [%i, %i] : !nt.tensor<[8, 2] x f32>[] [!nt.tensor<[4] x i32>, !nt.tensor<[4] x i32>] -> !nt.tensor<[4] x !tt.ptr<f32>>, !nt.tensor<[4] x i1>
  // CHECK: %s, %t = nt.address %a[] [%e, %e] : !nt.tensor<[8, 2] x f32>[] [i32, i32] -> !tt.ptr<f32>, i1
  %s, %t = nt.address %a[] [%e, %e] : !nt.tensor<[8, 2] x f32>[] [i32, i32] -> !tt.ptr<f32>, i1
  nt.return
}
