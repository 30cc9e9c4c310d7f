// RUN: nt-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: tt.tensordesc: a box is a block, not f16
tt.func @f(%d: !tt.tensordesc<f16>) {
  tt.return
}

// -----

// CHECK: tt.tensordesc: tensor<1x1x1x1x1x64xf16> is no box of at most 5 dims, each of which is a power of two
tt.func @f(%d: !tt.tensordesc<tensor<1x1x1x1x1x64xf16>>) {
  tt.return
}

// -----

// CHECK: tt.tensordesc: tensor<48x64xf16> is no box of at most 5 dims, each of which is a power of two
tt.func @f(%d: !tt.tensordesc<tensor<48x64xf16>>) {
  tt.return
}

// -----

// CHECK: tt.tensordesc: a row of tensor<64x4xf16> has fewer than 16 bytes
tt.func @f(%d: !tt.tensordesc<tensor<64x4xf16>>) {
  tt.return
}

// -----

// CHECK: tt.make_tensor_descriptor: !tt.ptr<f32> does not point to tensor<8x64xf16>
tt.func @f(%x: !tt.ptr<f32>, %n: i32, %s: i64) {
  %d = tt.make_tensor_descriptor %x, [%n, %n], [%s, %s] : !tt.ptr<f32>, !tt.tensordesc<tensor<8x64xf16>>
  tt.return
}

// -----

// CHECK: f16 is no pointer, nor a block of them
tt.func @f(%x: f16, %n: i32, %s: i64) {
  %d = tt.make_tensor_descriptor %x, [%n, %n], [%s, %s] : f16, !tt.tensordesc<tensor<8x64xf16>>
  tt.return
}

// -----

// CHECK: tt.make_tensor_descriptor: 1 sizes for a box tensor<8x64xf16>
tt.func @f(%x: !tt.ptr<f16>, %n: i32, %s: i64) {
  %d = tt.make_tensor_descriptor %x, [%n], [%s] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x64xf16>>
  tt.return
}

// -----

// CHECK: Operation has 3 operands for 2 variadic operands marked as having the same size.
tt.func @f(%x: !tt.ptr<f16>, %n: i32, %s: i64) {
  %d = "tt.make_tensor_descriptor"(%x, %n, %n, %s) : (!tt.ptr<f16>, i32, i32, i64) -> !tt.tensordesc<tensor<8x64xf16>>
  tt.return
}

// -----

// CHECK: tt.descriptor_load: !tt.tensordesc<tensor<8x64xf16>> does not move tensor<64x8xf16>
tt.func @f(%x: !tt.ptr<f16>, %i: i32, %s: i64) {
  %d = tt.make_tensor_descriptor %x, [%i, %i], [%s, %s] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x64xf16>>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<64x8xf16>
  tt.return
}

// -----

// CHECK: tt.descriptor_load: 1 indices of a box tensor<8x64xf16>
tt.func @f(%x: !tt.ptr<f16>, %i: i32, %s: i64) {
  %d = tt.make_tensor_descriptor %x, [%i, %i], [%s, %s] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x64xf16>>
  %v = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>
  tt.return
}

// -----

// CHECK: tt.descriptor_store: !tt.tensordesc<tensor<8x64xf16>> does not move tensor<8x64xf32>
tt.func @f(%x: !tt.ptr<f16>, %i: i32, %s: i64, %v: tensor<8x64xf32>) {
  %d = tt.make_tensor_descriptor %x, [%i, %i], [%s, %s] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x64xf16>>
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf32>
  tt.return
}

// -----

// CHECK: tt.descriptor_store: 3 indices of a box tensor<8x64xf16>
tt.func @f(%x: !tt.ptr<f16>, %i: i32, %s: i64, %v: tensor<8x64xf16>) {
  %d = tt.make_tensor_descriptor %x, [%i, %i], [%s, %s] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x64xf16>>
  tt.descriptor_store %d[%i, %i, %i], %v : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf16>
  tt.return
}

// -----

// CHECK: tt.descriptor_load: the descriptor is neither made by an op nor an argument of the kernel
tt.func @f(%d: !tt.tensordesc<tensor<8x64xf16>>, %m: i32, %n: i32, %s: i64, %t: i64) {
  %i = arith.constant 0 : i32
  %r = scf.for %k = %i to %m step %m iter_args(%e = %d) -> (!tt.tensordesc<tensor<8x64xf16>>) : i32 {
    %v = tt.descriptor_load %e[%i, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>
    scf.yield %e : !tt.tensordesc<tensor<8x64xf16>>
  }
  tt.return
}

// -----

// CHECK: tt.func: behind a descriptor of 2 dims are as many i32 and i64, its tensor's sizes and strides
tt.func @f(%d: !tt.tensordesc<tensor<8x64xf16>>, %m: i32, %n: i32, %s: i64) {
  tt.return
}
