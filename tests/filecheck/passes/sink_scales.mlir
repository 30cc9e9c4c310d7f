// RUN: nt-opt %s --print-local-scope -p 'nt-sink-scales{moderate=c}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-sink-scales{moderate=c}' | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-sink-scales | filecheck %s --check-prefix=UNKNOWN
// RUN: nt-opt %s --print-local-scope -p 'nt-sink-scales{enabled=false moderate=c}' | filecheck %s --check-prefix=UNKNOWN
// RUN: nt-opt %s --remarks -p 'nt-sink-scales{moderate=c}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --remarks -p nt-sink-scales 2>&1 | filecheck %s --check-prefix=KEPT

// REMARK: remark: the max is taken before lanes are scaled [nt-sink-scales, passed]
// REMARK-NEXT: remark: the min is taken before lanes are scaled [nt-sink-scales, passed]
// REMARK-NEXT: remark: scale kept: it may be 0, negative or infinite [nt-sink-scales, missed]
// REMARK-NOT: remark:
// KEPT-COUNT-2: remark: scale kept: `c` may be 0, negative or infinite in such calls [nt-sink-scales, missed]
// KEPT-NEXT: remark: scale kept: it may be 0, negative or infinite [nt-sink-scales, missed]

// The product stays for the difference.
// CHECK-LABEL: nt.kernel @largest
// CHECK: %scores = nt.elementwise "mul"(%v, %{{.*}})
// CHECK-NEXT: %[[MAX:.*]] = nt.reduce "max" %v axis 0 : !nt.tensor<[64] x f32> -> f32
// CHECK-NEXT: %m = nt.elementwise "mul"(%[[MAX]], %k) : (f32, f32) -> f32
// CHECK-NEXT: %[[FULL:.*]] = nt.full %m : f32 -> !nt.tensor<[64] x f32>
// CHECK-NEXT: nt.elementwise "sub"(%scores, %[[FULL]])
// UNKNOWN-LABEL: nt.kernel @largest
// UNKNOWN: nt.reduce "max" %scores axis 0
nt.kernel @largest symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %c = nt.source "c" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %1 = nt.access %c <[[]] -> []> : !nt.tensor<[] x f32> -> !nt.tensor<[] x f32>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[] x f32>):
  %c = nt.load %b[] : !nt.tensor<[] x f32>[] -> f32
  %half = arith.constant 0.5 : f32
  %k = nt.elementwise "mul"(%c, %half) : (f32, f32) -> f32
  %v = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %f = nt.full %k : f32 -> !nt.tensor<[64] x f32>
  %scores = nt.elementwise "mul"(%v, %f) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %scores axis 0 : !nt.tensor<[64] x f32> -> f32
  %s = nt.full %m : f32 -> !nt.tensor<[64] x f32>
  %d = nt.elementwise "sub"(%scores, %s) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %d, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Lanes that a mask makes infinite are so before they are scaled.
// CHECK-LABEL: nt.kernel @masked
// CHECK: %[[WHERE:.*]] = nt.elementwise "where"(%inside, %v, %others)
// CHECK-NEXT: %[[FACTOR:.*]] = nt.full %c_{{.*}} : f32 -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %scores = nt.elementwise "mul"(%[[WHERE]], %[[FACTOR]])
// CHECK-NEXT: %[[MIN:.*]] = nt.reduce "min" %[[WHERE]] axis 0
// CHECK-NEXT: %m = nt.elementwise "mul"(%[[MIN]], %c_{{.*}}) : (f32, f32) -> f32
// CHECK-NOT: nt.elementwise "where"
// CHECK: nt.elementwise "sub"(%scores,
// UNKNOWN-LABEL: nt.kernel @masked
// UNKNOWN: %scores = nt.elementwise "where"(%inside, %product, %others)
// UNKNOWN: nt.reduce "min" %scores axis 0
nt.kernel @masked symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %c = nt.source "c" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %1 = nt.access %c <[[]] -> []> : !nt.tensor<[] x f32> -> !nt.tensor<[] x f32>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[] x f32>):
  %c = nt.load %b[] : !nt.tensor<[] x f32>[] -> f32
  %v = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %f = nt.full %c : f32 -> !nt.tensor<[64] x f32>
  %product = nt.elementwise "mul"(%f, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %inside = nt.elementwise "lt"(%v, %f) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %infinite = arith.constant 0x7F800000 : f32
  %others = nt.full %infinite : f32 -> !nt.tensor<[64] x f32>
  %scores = nt.elementwise "where"(%inside, %product, %others) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %m = nt.reduce "min" %scores axis 0 : !nt.tensor<[64] x f32> -> f32
  %s = nt.full %m : f32 -> !nt.tensor<[64] x f32>
  %d = nt.elementwise "sub"(%scores, %s) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %d, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// A scale below 0 turns the order around.
// CHECK-LABEL: nt.kernel @negative
// CHECK: nt.reduce "max" %scores axis 0
// UNKNOWN-LABEL: nt.kernel @negative
nt.kernel @negative symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %c = arith.constant -2.0 : f32
  %v = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %f = nt.full %c : f32 -> !nt.tensor<[64] x f32>
  %scores = nt.elementwise "mul"(%v, %f) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %scores axis 0 : !nt.tensor<[64] x f32> -> f32
  %s = nt.full %m : f32 -> !nt.tensor<[64] x f32>
  nt.store %s, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
