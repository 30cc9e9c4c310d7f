// RUN: nt-opt %s --print-local-scope -p nt-lower-to-tt | filecheck %s
// RUN: nt-opt %s -p nt-lower-to-tt | nt-opt --print-local-scope | filecheck %s

// A descriptor of the host is an argument, its tensor's sizes and strides behind it; equal ones are
// one. Of what nothing else is asked, no pointer is passed.
// CHECK-LABEL: tt.func @descriptors(
// CHECK-NOT: nt.param = "x"
// CHECK-SAME: %y: !tt.ptr<f16> {nt.param = "y", tt.divisibility = 16 : i32},
// CHECK-SAME: %x_desc: !tt.tensordesc<tensor<8x64xf16>> {nt.descriptor = "x"},
// CHECK-SAME: %x_desc_size: i32 {nt.of_descriptor = "x_desc_size_0", nt.number = #nt.expr<m>},
// CHECK-SAME: %x_desc_size_1: i32 {nt.of_descriptor = "x_desc_size_1", nt.number = #nt.expr<n>},
// CHECK-SAME: %x_desc_stride: i64 {nt.of_descriptor = "x_desc_stride_0", nt.number = #nt.expr<s>},
// CHECK-SAME: %x_desc_stride_1: i64 {nt.of_descriptor = "x_desc_stride_1", nt.number = #nt.expr<1>},
// CHECK-SAME: %y_desc: !tt.tensordesc<tensor<8x64xf16>> {nt.descriptor = "y"},
// CHECK: tt.descriptor_load %x_desc
// CHECK-NEXT: tt.descriptor_load %x_desc
// CHECK-NEXT: tt.descriptor_store %y_desc
nt.kernel @descriptors symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, n] x f16>
  %x0 = nt.access %x <[[n], []] -> [0, g0]> : !nt.tensor<[m, n] x f16> -> !nt.tensor<[n] x !nt.tensor<[] x f16>>
  %y = nt.source "y" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, n] x f16>
  %y0 = nt.access %y <[[n], []] -> [0, g0]> : !nt.tensor<[m, n] x f16> -> !nt.tensor<[n] x !nt.tensor<[] x f16>>
  nt.arranged %x0, %y0 : !nt.tensor<[n] x !nt.tensor<[] x f16>>, !nt.tensor<[n] x !nt.tensor<[] x f16>>
} apply {
^bb0(%xs : !nt.tensor<[] x f16>, %ys : !nt.tensor<[] x f16>):
  %i = arith.constant 0 : i32
  %p = nt.pointer %ys : !nt.tensor<[] x f16> -> !tt.ptr<f16>
  %d = nt.host_descriptor %xs [m, n] strides [s, 1] : !nt.tensor<[] x f16> -> !tt.tensordesc<tensor<8x64xf16>>
  %e = nt.host_descriptor %xs [m, n] strides [s, 1] : !nt.tensor<[] x f16> -> !tt.tensordesc<tensor<8x64xf16>>
  %f = nt.host_descriptor %ys [m, n] strides [s, 1] : !nt.tensor<[] x f16> -> !tt.tensordesc<tensor<8x64xf16>>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>
  %w = tt.descriptor_load %e[%i, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>
  tt.descriptor_store %f[%i, %i], %v : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf16>
  nt.return
}
