// RUN: nt-opt %s -p nt-lower-to-tt | filecheck %s

// CHECK-LABEL: tt.func @moved
// CHECK: %r = tt.reshape %v : tensor<8x2xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %b, %c = tt.split %v : tensor<8x2xf32> -> tensor<8xf32>
// CHECK-NEXT: %d = tt.join %c, %b : tensor<8xf32> -> tensor<8x2xf32>
nt.kernel @moved grid #nt.expr<1> arrange {
  nt.arranged
} apply {
  %z = arith.constant 1.0 : f32
  %v = nt.full %z : f32 -> !nt.tensor<[8, 2] x f32>
  %r = nt.reshape %v : !nt.tensor<[8, 2] x f32> -> !nt.tensor<[4, 4] x f32>
  %b, %c = nt.split %v : !nt.tensor<[8, 2] x f32> -> !nt.tensor<[8] x f32>
  %d = nt.join %c, %b : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 2] x f32>
  nt.return
}

// Triton joins and splits blocks of one dim more.
// CHECK-LABEL: tt.func @scalars
// CHECK: [[l:%.*]] = tt.splat %n : i32 -> tensor<1xi32>
// CHECK-NEXT: [[r:%.*]] = tt.splat %n : i32 -> tensor<1xi32>
// CHECK-NEXT: [[j:%.*]] = tt.join [[l]], [[r]] : tensor<1xi32> -> tensor<1x2xi32>
// CHECK-NEXT: %p = tt.reshape [[j]] : tensor<1x2xi32> -> tensor<2xi32>
// CHECK-NEXT: [[e:%.*]] = tt.expand_dims %p 0 : i32 : tensor<2xi32> -> tensor<1x2xi32>
// CHECK-NEXT: [[a:%.*]], [[b:%.*]] = tt.split [[e]] : tensor<1x2xi32> -> tensor<1xi32>
// CHECK-NEXT: %a = tt.unsplat [[a]] : tensor<1xi32> -> i32
// CHECK-NEXT: %b = tt.unsplat [[b]] : tensor<1xi32> -> i32
// CHECK-NEXT: [[o:%.*]] = tt.splat %a : i32 -> tensor<1xi32>
// CHECK-NEXT: %s = tt.unsplat [[o]] : tensor<1xi32> -> i32
nt.kernel @scalars symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<1> arrange {
  nt.arranged
} apply {
  %n = nt.size <n> : i32
  %p = nt.join %n, %n : i32 -> !nt.tensor<[2] x i32>
  %a, %b = nt.split %p : !nt.tensor<[2] x i32> -> i32
  %o = nt.full %a : i32 -> !nt.tensor<[1] x i32>
  %s = nt.reshape %o : !nt.tensor<[1] x i32> -> i32
  nt.return
}
