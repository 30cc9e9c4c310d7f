// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: tt.reshape: tensor<64xi32> cannot become tensor<32xi32>
tt.func @f(%a: tensor<64xi32>) {
  %r = tt.reshape %a : tensor<64xi32> -> tensor<32xi32>
  tt.return
}

// -----

// CHECK: tt.reshape: tensor<64xi32> cannot become tensor<64xf32>
tt.func @f(%a: tensor<64xi32>) {
  %r = tt.reshape %a : tensor<64xi32> -> tensor<64xf32>
  tt.return
}

// -----

// CHECK: tt.unsplat: tensor<2xi32> has more than one lane
tt.func @f(%a: tensor<2xi32>) {
  %r = tt.unsplat %a : tensor<2xi32> -> i32
  tt.return
}

// -----

// CHECK: tt.unsplat: the result must be a i32
tt.func @f(%a: tensor<1xi32>) {
  %r = tt.unsplat %a : tensor<1xi32> -> f32
  tt.return
}

// -----

// CHECK: tt.join: the result must be a tensor<4x2xi32>
tt.func @f(%a: tensor<4xi32>) {
  %r = tt.join %a, %a : tensor<4xi32> -> tensor<2x4xi32>
  tt.return
}

// -----

// CHECK: tt.split: the last dim of (2,) must be 2, behind others
tt.func @f(%a: tensor<2xi32>) {
  %r, %s = tt.split %a : tensor<2xi32> -> tensor<1xi32>
  tt.return
}

// -----

// CHECK: tt.split: the last dim of (2, 4) must be 2, behind others
tt.func @f(%a: tensor<2x4xi32>) {
  %r, %s = tt.split %a : tensor<2x4xi32> -> tensor<2xi32>
  tt.return
}

// -----

// CHECK: tt.split: the results must be a tensor<4xi32> each
tt.func @f(%a: tensor<4x2xi32>) {
  %r, %s = tt.split %a : tensor<4x2xi32> -> tensor<2xi32>
  tt.return
}
