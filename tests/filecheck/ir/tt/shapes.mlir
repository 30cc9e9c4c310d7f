// RUN: nt-opt %s | nt-opt | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt | filecheck %s

// CHECK-LABEL: tt.func @ops
tt.func @ops(%x: !tt.ptr<f32>, %m: i1) attributes {} {
  %r = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
  // CHECK: %a = tt.reshape %r : tensor<64xi32> -> tensor<32x2xi32>
  %a = tt.reshape %r : tensor<64xi32> -> tensor<32x2xi32>
  // CHECK-NEXT: %b, %c = tt.split %a : tensor<32x2xi32> -> tensor<32xi32>
  %b, %c = tt.split %a : tensor<32x2xi32> -> tensor<32xi32>
  // CHECK-NEXT: %d = tt.join %c, %b : tensor<32xi32> -> tensor<32x2xi32>
  %d = tt.join %c, %b : tensor<32xi32> -> tensor<32x2xi32>
  %one = tt.make_range 0 : i32 1 : i32 -> tensor<1xi32>
  // CHECK: %e = tt.unsplat %one : tensor<1xi32> -> i32
  %e = tt.unsplat %one : tensor<1xi32> -> i32
  tt.return
}
