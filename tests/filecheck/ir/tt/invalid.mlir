// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: tt.func: the arguments must have the types of function_type
"tt.func"() <{sym_name = "f", function_type = (i32) -> (), sym_visibility = "public"}> ({
^bb0(%a: f32):
  tt.return
}) : () -> ()

// -----

// CHECK: tt.func: the body must end in tt.return
tt.func @f(%c: i32) {
  tt.reduce.return %c : i32
}

// -----

// CHECK: tt.make_range: the length 48 must be a power of two
tt.func @f() {
  %r = tt.make_range 0 : i32 48 : i32 -> tensor<48xi32>
  tt.return
}

// -----

// CHECK: tt.make_range: the result must be a tensor<64xi32>
tt.func @f() {
  %r = tt.make_range 0 : i32 64 : i32 -> tensor<32xi32>
  tt.return
}

// -----

// CHECK: tt.splat: the lanes must have the scalar's type
tt.func @f(%a: i32) {
  %r = tt.splat %a : i32 -> tensor<64xf32>
  tt.return
}

// -----

// CHECK: tt.expand_dims: the result's shape must be (64, 1)
tt.func @f(%a: tensor<64xi32>) {
  %r = tt.expand_dims %a 1 : i32 : tensor<64xi32> -> tensor<1x64xi32>
  tt.return
}

// -----

// CHECK: tt.broadcast: (64, 2) cannot become (64, 4)
tt.func @f(%a: tensor<64x2xi32>) {
  %r = tt.broadcast %a : tensor<64x2xi32> -> tensor<64x4xi32>
  tt.return
}

// -----

// CHECK: tt.trans: order must name each dim once
tt.func @f(%a: tensor<4x8xi32>) {
  %r = tt.trans %a array<i32: 0, 0> : tensor<4x8xi32> -> tensor<4x8xi32>
  tt.return
}

// -----

// CHECK: tt.trans: the result's shape must be the operand's, reordered
tt.func @f(%a: tensor<4x8xi32>) {
  %r = tt.trans %a array<i32: 1, 0> : tensor<4x8xi32> -> tensor<4x8xi32>
  tt.return
}

// -----

// CHECK: tt.dot: shapes (16, 32), (16, 32) and (16, 16) do not multiply
tt.func @f(%a: tensor<16x32xf16>, %c: tensor<16x16xf32>) {
  %r = tt.dot %a, %a, %c 0 : i32 0 : i32 : tensor<16x32xf16> * tensor<16x32xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

// CHECK: tt.reduce: the region must take two scalars of each operand
tt.func @f(%a: tensor<64xf32>) {
  %r = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32):
    tt.reduce.return %x : f32
  }) : (tensor<64xf32>) -> f32
  tt.return
}

// -----

// CHECK: tt.addptr: one offset a pointer
tt.func @f(%p: tensor<64x!tt.ptr<f32>>, %o: i32) {
  %r = tt.addptr %p, %o : tensor<64x!tt.ptr<f32>>, i32
  tt.return
}

// -----

// CHECK: tt.load: the result must be what the pointers point to
tt.func @f(%p: !tt.ptr<f32>) {
  %r = "tt.load"(%p) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> i32
  tt.return
}

// -----

// CHECK: tt.load: one bit of mask a pointer
tt.func @f(%p: tensor<64x!tt.ptr<f32>>, %m: i1) {
  %r = "tt.load"(%p, %m) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<64x!tt.ptr<f32>>, i1) -> tensor<64xf32>
  tt.return
}

// -----

// CHECK: tt.load: other needs a mask, and the result's type
tt.func @f(%p: !tt.ptr<f32>, %o: f32) {
  %r = "tt.load"(%p, %o) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

// CHECK: tt.store: the value must be what the pointers point to
tt.func @f(%p: !tt.ptr<f32>, %v: i32) {
  "tt.store"(%p, %v) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<f32>, i32) -> ()
  tt.return
}

// -----

// CHECK: tt.store: one bit of mask a pointer
tt.func @f(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>, %m: i1) {
  "tt.store"(%p, %v, %m) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, i1) -> ()
  tt.return
}

// -----

// CHECK: tt.gather: (4,) does not index (4, 8) along 0
tt.func @f(%a: tensor<4x8xf32>, %i: tensor<4xi32>) {
  %r = tt.gather %a[%i] 0 : i32 : tensor<4x8xf32>[tensor<4xi32>] -> tensor<4xf32>
  tt.return
}

// -----

// CHECK: tt.gather: (4, 2) does not index (4, 8) along 2
tt.func @f(%a: tensor<4x8xf32>, %i: tensor<4x2xi32>) {
  %r = tt.gather %a[%i] 2 : i32 : tensor<4x8xf32>[tensor<4x2xi32>] -> tensor<4x2xf32>
  tt.return
}

// -----

// CHECK: tt.gather: the indices must be integers
tt.func @f(%a: tensor<4x8xf32>, %i: tensor<4x2xi32>) {
  %r = tt.gather %a[%a] 1 : i32 : tensor<4x8xf32>[tensor<4x8xf32>] -> tensor<4x8xf32>
  tt.return
}

// -----

// CHECK: tt.gather: the other dims must be those of the indices
tt.func @f(%a: tensor<4x8xf32>, %i: tensor<4x2xi32>) {
  %r = tt.gather %a[%i] 0 : i32 : tensor<4x8xf32>[tensor<4x2xi32>] -> tensor<4x2xf32>
  tt.return
}

// -----

// CHECK: tt.gather: the result must be a tensor<4x2xf32>
tt.func @f(%a: tensor<4x8xf32>, %i: tensor<4x2xi32>) {
  %r = tt.gather %a[%i] 1 : i32 : tensor<4x8xf32>[tensor<4x2xi32>] -> tensor<4x2xf16>
  tt.return
}

// -----

// CHECK: tt.mulhiui: the operands must be integers of 32 or 64 bits
tt.func @f(%a: tensor<4xi16>) {
  %r = tt.mulhiui %a, %a : tensor<4xi16>
  tt.return
}

// -----

// CHECK: tt.expand_dims: there is no axis 2147483647
tt.func @f(%a: tensor<64xi32>) {
  %r = tt.expand_dims %a 2147483647 : i32 : tensor<64xi32> -> tensor<64x1xi32>
  tt.return
}

// -----

// CHECK: tt.get_program_id: the axes of the grid are 0, 1 and 2
tt.func @f() {
  %r = tt.get_program_id 31 : i32
  tt.return
}
