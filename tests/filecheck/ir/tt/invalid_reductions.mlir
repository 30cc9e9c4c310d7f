// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: tt.scan: the region must take two scalars of each operand
tt.func @f(%v: tensor<64xf32>, %n: tensor<64xi32>) {
  %r = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: i32):
    tt.scan.return %a : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return
}

// -----

// CHECK: tt.histogram: the operand must be a row of i32
tt.func @f(%v: tensor<64xf32>, %n: tensor<64xi32>) {
  %r = tt.histogram %v : tensor<64xf32> -> tensor<16xi32>
  tt.return
}

// -----

// CHECK: tt.histogram: the result must be a row of i32
tt.func @f(%v: tensor<64xf32>, %n: tensor<64xi32>) {
  %r = tt.histogram %n : tensor<64xi32> -> tensor<16xi64>
  tt.return
}

// -----

// CHECK: tt.histogram: the mask must be bits of the operand's shape
tt.func @f(%v: tensor<64xf32>, %n: tensor<64xi32>) {
  %r = tt.histogram %n, %n : tensor<64xi32> : tensor<64xi32> -> tensor<16xi32>
  tt.return
}
