// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A NaN becomes a NaN or a number.
// CHECK: tt.clampf: propagateNan is 0 or 65535
tt.func @f(%x: tensor<64xf32>, %p: !tt.ptr<f32>) attributes {} {
  %y = tt.clampf %x, %x, %x {propagateNan = 1 : i32} : tensor<64xf32>
  tt.return
}

// -----

// Elementwise: one shape.
// CHECK: tt.extern_elementwise: the operands and the results must have one shape
tt.func @f(%x: tensor<64xf32>, %p: !tt.ptr<f32>) attributes {} {
  %y = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "f", pure = true} : (tensor<64xf32>) -> f32
  tt.return
}

// -----

// Assembly is elementwise.
// CHECK: tt.elementwise_inline_asm: the operands and the results must have one shape
tt.func @f(%x: tensor<64xf32>, %p: !tt.ptr<f32>) attributes {} {
  %y = tt.elementwise_inline_asm "" %x {constraints = "", pure = true, packed_element = 1 : i32} : (tensor<64xf32>) -> tensor<32xf32>
  tt.return
}

// -----

// Assembly without a result.
// CHECK: tt.elementwise_inline_asm: assembly must give a result
tt.func @f(%x: tensor<64xf32>, %p: !tt.ptr<f32>) attributes {} {
  "tt.elementwise_inline_asm"(%x) <{asm_string = "", constraints = "", pure = false, packed_element = 1 : i32}> : (tensor<64xf32>) -> ()
  tt.return
}

// -----

// A sign an operand.
// CHECK: tt.print: isSigned has one entry an operand
tt.func @f(%x: tensor<64xf32>, %p: !tt.ptr<f32>) attributes {} {
  tt.print "x" %x {hex = false, isSigned = array<i32>} : tensor<64xf32>
  tt.return
}

// -----

// Only bits hold or do not.
// CHECK: tt.assert: the condition must hold bits
tt.func @f(%x: tensor<64xf32>, %p: !tt.ptr<f32>) attributes {} {
  tt.assert %x, "" : tensor<64xf32>
  tt.return
}

// -----

// A cache policy that Triton has not.
// CHECK: tt.load: there is no cache policy 9
tt.func @f(%x: tensor<64xf32>, %p: !tt.ptr<f32>) attributes {} {
  %y = "tt.load"(%p) <{boundaryCheck = array<i32>, cache = 9 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32
  tt.return
}

// -----

// An eviction policy that Triton has not.
// CHECK: tt.store: there is no cache policy 0
tt.func @f(%x: tensor<64xf32>, %p: !tt.ptr<f32>) attributes {} {
  %y = arith.constant 1.0 : f32
  "tt.store"(%p, %y) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 0 : i32}> : (!tt.ptr<f32>, f32) -> ()
  tt.return
}
