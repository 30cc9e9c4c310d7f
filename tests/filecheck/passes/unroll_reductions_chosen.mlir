// RUN: nt-opt %s -p nt-unroll-reductions | filecheck %s

// Lanes that are the identity where a condition does not hold: what is combined so far is kept there, so that a product
// and the sum that it is added to stay side by side. The first one has nothing to be combined with.
// CHECK-LABEL: nt.kernel @chosen
// CHECK: %[[P0:.*]] = nt.elementwise "mul"(%[[W0:[0-9]+]], %{{.*}})
// CHECK: %[[F0:.*]] = nt.elementwise "where"(%[[M0:[0-9]+]], %[[P0]], %{{.*}})
// CHECK: %[[SUM:.*]] = nt.elementwise "add"(%[[F0]], %[[P1:[0-9]+]])
// CHECK-NEXT: %[[S1:.*]] = nt.elementwise "where"(%[[M1:[0-9]+]], %[[SUM]], %[[F0]])
// CHECK: %[[MORE:.*]] = nt.elementwise "add"(%[[S1]], %[[P2:[0-9]+]])
// CHECK-NEXT: %s = nt.elementwise "where"(%[[M2:[0-9]+]], %[[MORE]], %[[S1]])
// Another number than the identity is combined as it is.
// CHECK-NOT: nt.elementwise "where"({{.*}}, %[[P2]],
// CHECK: %[[ONE:.*]] = nt.elementwise "maximum"(%[[G0:[0-9]+]], %[[G1:[0-9]+]])
// CHECK: %m = nt.elementwise "maximum"(%[[ONE]], %[[G2:[0-9]+]])
nt.kernel @chosen symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64, 3]] -> [g0 * 64 + b0 + b1] if [[g0 * 64 + b0 + b1, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 3] x f32>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 3] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64, 3] x f32>, %b : !nt.tensor<[64] x f32>):
  %w = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64, 3] x f32>[] -> !nt.tensor<[64, 3] x f32>
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %halves = nt.full %half : f32 -> !nt.tensor<[64, 3] x f32>
  %zeros = nt.full %zero : f32 -> !nt.tensor<[64, 3] x f32>
  %c = nt.elementwise "lt"(%w, %halves) : (!nt.tensor<[64, 3] x f32>, !nt.tensor<[64, 3] x f32>) -> !nt.tensor<[64, 3] x i1>
  %p = nt.elementwise "mul"(%w, %halves) : (!nt.tensor<[64, 3] x f32>, !nt.tensor<[64, 3] x f32>) -> !nt.tensor<[64, 3] x f32>
  %f = nt.elementwise "where"(%c, %p, %zeros) : (!nt.tensor<[64, 3] x i1>, !nt.tensor<[64, 3] x f32>, !nt.tensor<[64, 3] x f32>) -> !nt.tensor<[64, 3] x f32>
  %s = nt.reduce "sum" %f axis 1 : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[64] x f32>
  %g = nt.elementwise "where"(%c, %w, %zeros) : (!nt.tensor<[64, 3] x i1>, !nt.tensor<[64, 3] x f32>, !nt.tensor<[64, 3] x f32>) -> !nt.tensor<[64, 3] x f32>
  %m = nt.reduce "max" %g axis 1 : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[64] x f32>
  %t = nt.elementwise "add"(%s, %m) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %t, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
