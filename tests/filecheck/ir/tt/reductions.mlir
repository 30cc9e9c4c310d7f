// RUN: nt-opt %s | nt-opt | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt | filecheck %s

// CHECK-LABEL: tt.func @folds
tt.func @folds(%v: tensor<64x2xf32>, %n: tensor<64xi32>, %m: tensor<64xi1>) {
  // CHECK-NEXT: %r = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%a: f32, %b: f32):
  // CHECK-NEXT:   %c = arith.addf %a, %b : f32
  // CHECK-NEXT:   tt.reduce.return %c : f32
  // CHECK-NEXT: }) : (tensor<64x2xf32>) -> tensor<64xf32>
  %r = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x2xf32>) -> tensor<64xf32>
  // CHECK-NEXT: %s, %t = "tt.scan"(%r, %n) <{axis = 0 : i32, reverse = true}> ({
  // CHECK-NEXT: ^bb0(%a1: f32, %a2: i32, %b1: f32, %b2: i32):
  // CHECK-NEXT:   tt.scan.return %a1, %b2 : f32, i32
  // CHECK-NEXT: }) : (tensor<64xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>)
  %s, %t = "tt.scan"(%r, %n) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a1: f32, %a2: i32, %b1: f32, %b2: i32):
    tt.scan.return %a1, %b2 : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>)
  // CHECK-NEXT: %h = tt.histogram %n : tensor<64xi32> -> tensor<16xi32>
  %h = tt.histogram %n : tensor<64xi32> -> tensor<16xi32>
  // CHECK-NEXT: %k = tt.histogram %n, %m : tensor<64xi1> : tensor<64xi32> -> tensor<16xi32>
  %k = tt.histogram %n, %m : tensor<64xi1> : tensor<64xi32> -> tensor<16xi32>
  tt.return
}
