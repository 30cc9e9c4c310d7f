// RUN: nt-opt %s --print-local-scope -p 'nt-lower-to-tt{target="gfx942"}' | filecheck %s

// Functions of AMD's libraries.
// CHECK-LABEL: tt.func @floats
// CHECK: %c = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %v = arith.constant dense<2.000000e+00> : tensor<64xf32>
// CHECK-NEXT: %r0 = tt.extern_elementwise %v {libname = "", libpath = "", symbol = "__ocml_tanh_f32", pure = true} : (tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %r1 = tt.extern_elementwise %v, %v {libname = "", libpath = "", symbol = "__ocml_hypot_f32", pure = true} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %r2 = tt.extern_elementwise %v {libname = "", libpath = "", symbol = "__ocml_isnan_f32", pure = true} : (tensor<64xf32>) -> tensor<64xi32>
nt.kernel @floats symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %c = arith.constant 2.0 : f32
  %v = nt.full %c : f32 -> !nt.tensor<[64] x f32>
  %r0 = nt.elementwise "libdevice.tanh"(%v) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %r1 = nt.elementwise "libdevice.hypot"(%v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %r2 = nt.elementwise "libdevice.isnan"(%v) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i32>
  nt.return
}

// Its function of 64 bits gives 64.
// CHECK-LABEL: tt.func @integers
// CHECK: %c = arith.constant 2 : i64
// CHECK-NEXT: %v = arith.constant dense<2> : tensor<64xi64>
// CHECK-NEXT: %0 = tt.extern_elementwise %v {libname = "", libpath = "", symbol = "__ockl_clz_u64", pure = true} : (tensor<64xi64>) -> tensor<64xi64>
// CHECK-NEXT: %r = arith.trunci %0 : tensor<64xi64> to tensor<64xi32>
nt.kernel @integers symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %c = arith.constant 2 : i64
  %v = nt.full %c : i64 -> !nt.tensor<[64] x i64>
  %r = nt.elementwise "libdevice.clz"(%v) : (!nt.tensor<[64] x i64>) -> !nt.tensor<[64] x i32>
  nt.return
}
