// RUN: nt-opt %s --print-local-scope -p nt-unroll-reductions | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-unroll-reductions | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --remarks -p nt-unroll-reductions 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK: remark: reduction of 2 lanes unrolled [nt-unroll-reductions, passed]
// REMARK-NEXT: remark: reduction kept: an operand of it is neither read nor computed lane by lane [nt-unroll-reductions, missed]
// REMARK-NOT: remark:

// A filter has the window's dim alone: each of its numbers is read by itself.
// CHECK-LABEL: nt.kernel @filter
// CHECK: nt.access %f <[{{\[}}n ceildiv 64], [2], []] -> [k1_0]>
// CHECK: %[[F0:.*]] = nt.load %c[%{{.*}}] : !nt.tensor<[2] x !nt.tensor<[] x f32>>[i32] -> f32
// CHECK-NEXT: %[[F1:.*]] = nt.load %c[%{{.*}}] : !nt.tensor<[2] x !nt.tensor<[] x f32>>[i32] -> f32
// CHECK-NEXT: %[[E0:.*]] = nt.expand_dims %[[F0]] axis 0 : f32 -> !nt.tensor<[1] x f32>
// CHECK-NEXT: %[[E1:.*]] = nt.expand_dims %[[F1]] axis 0 : f32 -> !nt.tensor<[1] x f32>
// CHECK-NEXT: %[[B0:.*]] = nt.broadcast %[[E0]] : !nt.tensor<[1] x f32> -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %[[B1:.*]] = nt.broadcast %[[E1]] : !nt.tensor<[1] x f32> -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %[[M0:.*]] = nt.elementwise "mul"(%{{.*}}, %[[B0]])
// CHECK-NEXT: %[[M1:.*]] = nt.elementwise "mul"(%{{.*}}, %[[B1]])
// CHECK-NEXT: %s = nt.elementwise "add"(%[[M0]], %[[M1]])
nt.kernel @filter symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %f = nt.source "f" "tensor" strides [1] aligned false : !nt.tensor<[2] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64, 2]] -> [g0 * 64 + b0 + b1] if [[g0 * 64 + b0 + b1, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 2] x f32>>
  %1 = nt.access %f <[[n ceildiv 64], [2]] -> [b0]>
      : !nt.tensor<[2] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[2] x f32>>
  %2 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1, %2 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 2] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[2] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64, 2] x f32>, %c : !nt.tensor<[2] x f32>, %b : !nt.tensor<[64] x f32>):
  %w = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64, 2] x f32>[] -> !nt.tensor<[64, 2] x f32>
  %g = nt.load %c[] : !nt.tensor<[2] x f32>[] -> !nt.tensor<[2] x f32>
  %e = nt.expand_dims %g axis 0 : !nt.tensor<[2] x f32> -> !nt.tensor<[1, 2] x f32>
  %same = builtin.unrealized_conversion_cast %e : !nt.tensor<[1, 2] x f32> to !nt.tensor<[1, 2] x f32>
  %h = nt.broadcast %same : !nt.tensor<[1, 2] x f32> -> !nt.tensor<[64, 2] x f32>
  %p = nt.elementwise "mul"(%w, %h) : (!nt.tensor<[64, 2] x f32>, !nt.tensor<[64, 2] x f32>) -> !nt.tensor<[64, 2] x f32>
  %s = nt.reduce "sum" %p axis 1 : !nt.tensor<[64, 2] x f32> -> !nt.tensor<[64] x f32>
  nt.store %s, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// What is the same in all lanes of a window would have to lose a dim.
// CHECK-LABEL: nt.kernel @uniform
// CHECK: nt.reduce "sum" %p axis 1
nt.kernel @uniform symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64, 2]] -> [g0 * 64 + b0 + b1] if [[g0 * 64 + b0 + b1, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 2] x f32>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 2] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64, 2] x f32>, %b : !nt.tensor<[64] x f32>):
  %w = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64, 2] x f32>[] -> !nt.tensor<[64, 2] x f32>
  %g = nt.load %b[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %e = nt.expand_dims %g axis 1 : !nt.tensor<[64] x f32> -> !nt.tensor<[64, 1] x f32>
  %h = nt.broadcast %e : !nt.tensor<[64, 1] x f32> -> !nt.tensor<[64, 2] x f32>
  %p = nt.elementwise "mul"(%w, %h) : (!nt.tensor<[64, 2] x f32>, !nt.tensor<[64, 2] x f32>) -> !nt.tensor<[64, 2] x f32>
  %s = nt.reduce "sum" %p axis 1 : !nt.tensor<[64, 2] x f32> -> !nt.tensor<[64] x f32>
  nt.store %s, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
