// RUN: nt-opt %s --print-local-scope | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt --print-local-scope | filecheck %s

// A descriptor is pure, a box is read and written like any other memory.
// RUN: nt-opt %s --print-local-scope -p cse,canonicalize,dce | filecheck %s --check-prefix=KEPT

// CHECK-LABEL: tt.func @ops
// KEPT-LABEL: tt.func @ops
tt.func @ops(%x: !tt.ptr<f16> {nt.param = "x"}, %m: i32, %n: i32, %s: i64) {
  %i = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  // CHECK: %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x64xf16>>
  // KEPT: tt.make_tensor_descriptor
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x64xf16>>
  // KEPT-NOT: tt.make_tensor_descriptor
  %e = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x64xf16>>
  // CHECK: %v = tt.descriptor_load %d[%m, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>
  // KEPT: %v = tt.descriptor_load %d
  %v = tt.descriptor_load %d[%m, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>
  // KEPT-NEXT: tt.descriptor_store %d
  tt.descriptor_store %e[%i, %m], %v : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf16>
  // KEPT-NEXT: %w = tt.descriptor_load %d
  %w = tt.descriptor_load %d[%m, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>
  // CHECK: tt.descriptor_store %d[%i, %i], %w : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf16>
  // KEPT-NEXT: tt.descriptor_store %d
  tt.descriptor_store %d[%i, %i], %w : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf16>
  tt.return
}

// One that is an argument has its tensor's sizes and strides behind it.
// CHECK-LABEL: tt.func @argument(
// CHECK-SAME: %d: !tt.tensordesc<tensor<8x64xf16>> {nt.descriptor = "x"}, %m: i32
// KEPT-LABEL: tt.func @argument(
tt.func @argument(%d: !tt.tensordesc<tensor<8x64xf16>> {nt.descriptor = "x"}, %m: i32, %n: i32, %s: i64, %t: i64) {
  %i = arith.constant 0 : i32
  // CHECK: %v = tt.descriptor_load %d[%m, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>
  %v = tt.descriptor_load %d[%m, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>
  // CHECK: tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf16>
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf16>
  tt.return
}
