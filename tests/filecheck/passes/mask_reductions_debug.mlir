// RUN: nt-opt %s --print-local-scope -p nt-mask-reductions | filecheck %s

// Lanes outside the guard are not asserted, and where there is a mask, neither there.
// CHECK-LABEL: nt.kernel @asserted
// CHECK: %xv = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %0 = nt.guard %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x i1>
// CHECK-NEXT: %m = nt.elementwise "lt"(%xv, %xv) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
// CHECK-NEXT: nt.assert %m, "it holds" mask %0 : !nt.tensor<[64] x i1>
// CHECK-NEXT: %1 = nt.elementwise "and"(%m, %0) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x i1>) -> !nt.tensor<[64] x i1>
// CHECK-NEXT: %2 = nt.elementwise "and"(%1, %0) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x i1>) -> !nt.tensor<[64] x i1>
// CHECK-NEXT: nt.assert %m, "it holds" mask %2 : !nt.tensor<[64] x i1>
nt.kernel @asserted symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %xv = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %m = nt.elementwise "lt"(%xv, %xv) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  nt.assert %m, "it holds" : !nt.tensor<[64] x i1>
  nt.assert %m, "it holds" mask %m : !nt.tensor<[64] x i1>
  nt.return
}

// All lanes are valid.
// CHECK-LABEL: nt.kernel @full
// CHECK: %c = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %v = nt.full %c : f32 -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %m = nt.elementwise "lt"(%v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
// CHECK-NEXT: nt.assert %m, "it holds" : !nt.tensor<[64] x i1>
nt.kernel @full symbols [#nt.symbol<n size 0 to ?>] arrange {
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
  nt.assert %m, "it holds" : !nt.tensor<[64] x i1>
  nt.return
}

// Assembly's lanes are valid where its arguments' are, and a hint's where its operand's are.
// CHECK-LABEL: nt.kernel @assembly
// CHECK: %xv = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %0 = nt.guard %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x i1>
// CHECK-NEXT: %a = nt.inline_asm "" "" pure true pack 1 : i32(%xv) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %h = nt.hint "constancy" [4] %a : !nt.tensor<[64] x f32>
// CHECK-NEXT: %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %2 = nt.full %1 : f32 -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %3 = nt.elementwise "where"(%0, %h, %2) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %s = nt.reduce "sum" %3 axis 0 : !nt.tensor<[64] x f32> -> f32
nt.kernel @assembly symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %xv = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %a = nt.inline_asm "" "" pure true pack 1 : i32(%xv) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %h = nt.hint "constancy" [4] %a : !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %h axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}
