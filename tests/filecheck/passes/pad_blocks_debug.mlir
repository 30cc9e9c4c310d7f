// RUN: nt-opt %s -p nt-pad-blocks | filecheck %s

// Lanes that are added are not asserted.
// CHECK-LABEL: nt.kernel @asserted
// CHECK: %c = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %v = nt.full %c : f32 -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %m = nt.elementwise "lt"(%v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
// CHECK-NEXT: %0 = nt.arange <0> : !nt.tensor<[64] x i32>
// CHECK-NEXT: %1 = nt.size <48> : i32
// CHECK-NEXT: %2 = nt.full %1 : i32 -> !nt.tensor<[64] x i32>
// CHECK-NEXT: %3 = nt.elementwise "lt"(%0, %2) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
// CHECK-NEXT: nt.assert %m, "it holds" mask %3 : !nt.tensor<[64] x i1>
// CHECK-NEXT: %4 = nt.arange <0> : !nt.tensor<[64] x i32>
// CHECK-NEXT: %5 = nt.size <48> : i32
// CHECK-NEXT: %6 = nt.full %5 : i32 -> !nt.tensor<[64] x i32>
// CHECK-NEXT: %7 = nt.elementwise "lt"(%4, %6) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
// CHECK-NEXT: %8 = nt.elementwise "and"(%m, %7) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x i1>) -> !nt.tensor<[64] x i1>
// CHECK-NEXT: nt.assert %m, "it holds" mask %8 : !nt.tensor<[64] x i1>
nt.kernel @asserted symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %c = arith.constant 2.0 : f32
  %v = nt.full %c : f32 -> !nt.tensor<[48] x f32>
  %m = nt.elementwise "lt"(%v, %v) : (!nt.tensor<[48] x f32>, !nt.tensor<[48] x f32>) -> !nt.tensor<[48] x i1>
  nt.assert %m, "it holds" : !nt.tensor<[48] x i1>
  nt.assert %m, "it holds" mask %m : !nt.tensor<[48] x i1>
  nt.return
}
