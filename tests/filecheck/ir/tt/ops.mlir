// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt --print-local-scope | filecheck %s

// CHECK-LABEL: tt.func @ops(%x: !tt.ptr<f16> {nt.param = "x", tt.divisibility = 16 : i32}, %n: i32) attributes {nt.params = [#nt.param<"x" tensor [n] [1]>], nt.grid = #nt.expr<n>} {
tt.func @ops(%x: !tt.ptr<f16> {"nt.param" = "x", "tt.divisibility" = 16 : i32}, %n: i32)
    attributes {"nt.params" = [#nt.param<"x" tensor [n] [1]>], "nt.grid" = #nt.expr<n>} {
  // CHECK-NEXT: %pid = tt.get_program_id 0 : i32
  %pid = tt.get_program_id 0 : i32
  // CHECK-NEXT: %q = tt.addptr %x, %pid : !tt.ptr<f16>, i32
  %q = tt.addptr %x, %pid : !tt.ptr<f16>, i32
  // CHECK-NEXT: %one = tt.load %q : !tt.ptr<f16>
  %one = tt.load %q : !tt.ptr<f16>
  // CHECK-NEXT: %lanes = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
  %lanes = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
  // CHECK-NEXT: %p = tt.splat %q : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %p = tt.splat %q : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  // CHECK-NEXT: %a = tt.addptr %p, %lanes : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %a = tt.addptr %p, %lanes : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %lanes, %ns : tensor<64xi32>
  %o = tt.splat %one : f16 -> tensor<64xf16>
  // CHECK: %plain = tt.load %a : tensor<64x!tt.ptr<f16>>
  %plain = tt.load %a : tensor<64x!tt.ptr<f16>>
  // CHECK-NEXT: %masked = tt.load %a, %m : tensor<64x!tt.ptr<f16>>
  %masked = tt.load %a, %m : tensor<64x!tt.ptr<f16>>
  // CHECK-NEXT: %other = tt.load %a, %m, %o : tensor<64x!tt.ptr<f16>>
  %other = tt.load %a, %m, %o : tensor<64x!tt.ptr<f16>>
  // CHECK-NEXT: tt.store %a, %other : tensor<64x!tt.ptr<f16>>
  tt.store %a, %other : tensor<64x!tt.ptr<f16>>
  // CHECK-NEXT: tt.store %a, %other, %m : tensor<64x!tt.ptr<f16>>
  tt.store %a, %other, %m : tensor<64x!tt.ptr<f16>>
  // CHECK-NEXT: %e = tt.expand_dims %other 1 : i32 : tensor<64xf16> -> tensor<64x1xf16>
  %e = tt.expand_dims %other 1 : i32 : tensor<64xf16> -> tensor<64x1xf16>
  // CHECK-NEXT: %b = tt.broadcast %e : tensor<64x1xf16> -> tensor<64x32xf16>
  %b = tt.broadcast %e : tensor<64x1xf16> -> tensor<64x32xf16>
  // CHECK-NEXT: %t = tt.trans %b array<i32: 1, 0> : tensor<64x32xf16> -> tensor<32x64xf16>
  %t = tt.trans %b array<i32: 1, 0> : tensor<64x32xf16> -> tensor<32x64xf16>
  %i = arith.constant dense<3> : tensor<64x16xi32>
  // CHECK: %g = tt.gather %b[%i] 1 : i32 : tensor<64x32xf16>[tensor<64x16xi32>] -> tensor<64x16xf16>
  %g = tt.gather %b[%i] 1 : i32 : tensor<64x32xf16>[tensor<64x16xi32>] -> tensor<64x16xf16>
  // CHECK-NEXT: %h = tt.mulhiui %i, %i : tensor<64x16xi32>
  %h = tt.mulhiui %i, %i : tensor<64x16xi32>
  %acc = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: %d = tt.dot %b, %t, %acc 2 : i32 0 : i32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  %d = tt.dot %b, %t, %acc 2 : i32 0 : i32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  // CHECK-NEXT: %r = "tt.reduce"(%d) <{axis = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%lhs: f32, %rhs: f32):
  // CHECK-NEXT: %sum = arith.addf %lhs, %rhs : f32
  // CHECK-NEXT: tt.reduce.return %sum : f32
  // CHECK-NEXT: }) : (tensor<64x64xf32>) -> tensor<64xf32>
  %r = "tt.reduce"(%d) <{axis = 1 : i32}> ({
  ^bb0(%lhs: f32, %rhs: f32):
    %sum = arith.addf %lhs, %rhs : f32
    tt.reduce.return %sum : f32
  }) : (tensor<64x64xf32>) -> tensor<64xf32>
  // CHECK-NEXT: %small = tt.fp_to_fp %r rounding 1 : i32 : tensor<64xf32> -> tensor<64xf8E5M2>
  %small = tt.fp_to_fp %r rounding 1 : i32 : tensor<64xf32> -> tensor<64xf8E5M2>
  // CHECK-NEXT: %large = tt.fp_to_fp %small : tensor<64xf8E5M2> -> tensor<64xf16>
  %large = tt.fp_to_fp %small : tensor<64xf8E5M2> -> tensor<64xf16>
  // CHECK-NEXT: tt.return
  tt.return
}
