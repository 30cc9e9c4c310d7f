// RUN: nt-opt %s --print-local-scope -p nt-lower-to-tt | filecheck %s

// Prints, assertions, assumptions, hints, assembly, and Triton's own arithmetic.
// CHECK-LABEL: tt.func @debug
// CHECK: %c = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %v = arith.constant dense<2.000000e+00> : tensor<64xf32>
// CHECK-NEXT: %m = arith.cmpf olt, %v, %v : tensor<64xf32>
// CHECK-NEXT: %0 = arith.constant dense<true> : tensor<64xi1>
// CHECK-NEXT: %1 = arith.xori %m, %0 : tensor<64xi1>
// CHECK-NEXT: %2 = arith.ori %m, %1 : tensor<64xi1>
// CHECK-NEXT: tt.assert %2, "it holds" : tensor<64xi1>
// CHECK-NEXT: tt.assert %m, "the assertion does not hold" : tensor<64xi1>
// CHECK-NEXT: %n = tt.get_num_programs 0 : i32
// CHECK-NEXT: tt.print " 100%% x: " %v, %n {hex = true, isSigned = array<i32: 1, 1>} : tensor<64xf32>, i32
// CHECK-NEXT: tt.print " nothing" {hex = false, isSigned = array<i32>}
// CHECK-NEXT: %b = arith.constant true
// CHECK-NEXT: llvm.intr.assume %b {op_bundle_sizes = array<i32>} : i1
// CHECK-NEXT: %f = math.fma %v, %v, %v {tt.constancy = dense<4> : tensor<1xi32>} : tensor<64xf32>
// CHECK-NEXT: %s, %t = tt.elementwise_inline_asm "mov.b32 $0, $2;\0Amov.b32 $1, $2;" %f {constraints = "=r,=r,r", pure = false, packed_element = 1 : i32} : (tensor<64xf32>) -> (tensor<64xi32>, tensor<64xi32>)
// CHECK-NEXT: %k = tt.clampf %v, %v, %v {propagateNan = 0 : i32} : tensor<64xf32>
// CHECK-NEXT: %l = tt.clampf %v, %v, %v {propagateNan = 65535 : i32} : tensor<64xf32>
// CHECK-NEXT: %o = arith.maximumf %v, %v : tensor<64xf32>
// CHECK-NEXT: %q = tt.precise_sqrt %v : tensor<64xf32>
// CHECK-NEXT: %w = tt.precise_divf %v, %v : tensor<64xf32>
nt.kernel @debug symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %c = arith.constant 2.0 : f32
  %v = nt.full %c : f32 -> !nt.tensor<[64] x f32>
  %m = nt.elementwise "lt"(%v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  nt.assert %m, "it holds" mask %m : !nt.tensor<[64] x i1>
  nt.assert %m, "" : !nt.tensor<[64] x i1>
  %n = nt.program_count : i32
  nt.print "100% x" hex true(%v, %n) : !nt.tensor<[64] x f32>, i32
  nt.print "nothing" hex false()
  %b = arith.constant true
  nt.assume %b : i1
  %f = nt.elementwise "fma"(%v, %v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %h = nt.hint "constancy" [4] %f : !nt.tensor<[64] x f32>
  %s, %t = nt.inline_asm "mov.b32 $0, $2;\nmov.b32 $1, $2;" "=r,=r,r" pure false pack 1 : i32(%h) : (!nt.tensor<[64] x f32>) -> (!nt.tensor<[64] x i32>, !nt.tensor<[64] x ui32>)
  %k = nt.elementwise "clamp"(%v, %v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %l = nt.elementwise "clamp_nan"(%v, %v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %o = nt.elementwise "maximum_nan"(%v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %q = nt.elementwise "sqrt_rn"(%v) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %w = nt.elementwise "div_rn"(%v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.return
}

// Triton cannot clamp fp64 between opposite numbers.
// CHECK-LABEL: tt.func @wide
// CHECK: %c = arith.constant 2.000000e+00 : f64
// CHECK-NEXT: %v = arith.constant dense<2.000000e+00> : tensor<64xf64>
// CHECK-NEXT: %0 = arith.maxnumf %v, %v : tensor<64xf64>
// CHECK-NEXT: %k = arith.minnumf %0, %v : tensor<64xf64>
// CHECK-NEXT: %1 = arith.maximumf %v, %v : tensor<64xf64>
// CHECK-NEXT: %l = arith.minimumf %1, %v : tensor<64xf64>
nt.kernel @wide symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %c = arith.constant 2.0 : f64
  %v = nt.full %c : f64 -> !nt.tensor<[64] x f64>
  %k = nt.elementwise "clamp"(%v, %v, %v) : (!nt.tensor<[64] x f64>, !nt.tensor<[64] x f64>, !nt.tensor<[64] x f64>) -> !nt.tensor<[64] x f64>
  %l = nt.elementwise "clamp_nan"(%v, %v, %v) : (!nt.tensor<[64] x f64>, !nt.tensor<[64] x f64>, !nt.tensor<[64] x f64>) -> !nt.tensor<[64] x f64>
  nt.return
}
