// RUN: nt-opt %s --print-local-scope -p 'nt-defer-reductions{deferred=1}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-defer-reductions{deferred=1}' | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-defer-reductions | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p 'nt-defer-reductions{deferred=1}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --remarks -p nt-defer-reductions 2>&1 | filecheck %s --check-prefix=POSSIBLE

// REMARK-COUNT-6: remark: reduction deferred: it is made once, behind the loop [nt-defer-reductions, passed]
// REMARK-NEXT: remark: reduction kept: the loop uses what it has combined so far [nt-defer-reductions, missed]
// REMARK-NEXT: remark: reduction kept: what it is added to does not begin with 0 [nt-defer-reductions, missed]
// REMARK-NEXT: remark: reduction kept: the loop has a dot [nt-defer-reductions, analysis]
// REMARK-NOT: remark:

// POSSIBLE-COUNT-6: remark: reduction kept: deferred_reductions is 0, and may be 1 [nt-defer-reductions, analysis]

// The loop carries the block, from zeros on that leave a zero its sign.
// CHECK-LABEL: nt.kernel @sum
// CHECK: %[[ZERO:[0-9]+]] = arith.constant -0.000000e+00 : f32
// CHECK-NEXT: %[[ZEROS:.*]] = nt.full %[[ZERO]] : f32 -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %[[ZEROS]]) -> (!nt.tensor<[64] x f32>) : i32
// CHECK-NEXT: %v = nt.load %a[%i]
// CHECK-NEXT: %u = nt.elementwise "add"(%t, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
// CHECK-NEXT: scf.yield %u : !nt.tensor<[64] x f32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[SUM:.*]] = nt.reduce "sum" %total axis 0 : !nt.tensor<[64] x f32> -> f32
// CHECK-NEXT: %[[ALL:.*]] = nt.elementwise "add"(%zero, %[[SUM]]) : (f32, f32) -> f32
// CHECK-NEXT: nt.store %[[ALL]], %b[]
// OFF-LABEL: nt.kernel @sum
// OFF: %v = nt.load %a[%i]
// OFF-NEXT: %s = nt.reduce "sum" %v axis 0
// OFF-NEXT: %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
// OFF-NEXT: scf.yield %u : f32
// OFF-NEXT: }
// OFF-NEXT: nt.store %total, %b[]
nt.kernel @sum symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// What multiplies the number multiplies all lanes.
// CHECK-LABEL: nt.kernel @scaled
// CHECK: scf.for %i = %c0 to %count step %c1 iter_args(%t = %{{.*}}) -> (!nt.tensor<[64] x f32>) : i32
// CHECK-NEXT: %v = nt.load %a[%i]
// CHECK-NEXT: %[[HALVES:.*]] = nt.full %half : f32 -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %[[SCALED:.*]] = nt.elementwise "mul"(%t, %[[HALVES]])
// CHECK-NEXT: %u = nt.elementwise "add"(%[[SCALED]], %v)
// CHECK-NEXT: scf.yield %u : !nt.tensor<[64] x f32>
// CHECK-NEXT: }
// CHECK-NEXT: nt.reduce "sum" %total axis 0
nt.kernel @scaled symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %m = nt.elementwise "mul"(%t, %half) : (f32, f32) -> f32
    %u = nt.elementwise "add"(%m, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// All lanes begin with the identity, and what the loop begins with is combined behind it.
// CHECK-LABEL: nt.kernel @largest
// CHECK: %[[LEAST:[0-9]+]] = arith.constant 0xff800000 : f32
// CHECK-NEXT: %[[INIT:.*]] = nt.full %[[LEAST]] : f32 -> !nt.tensor<[64] x f32>
// CHECK-NEXT: scf.for %i = %c0 to %count step %c1 iter_args(%t = %[[INIT]])
// CHECK-NEXT: %v = nt.load %a[%i]
// CHECK-NEXT: %u = nt.elementwise "maximum"(%t, %v)
// CHECK: }
// CHECK-NEXT: %[[MAX:.*]] = nt.reduce "max" %total axis 0 : !nt.tensor<[64] x f32> -> f32
// CHECK-NEXT: %[[ALL:.*]] = nt.elementwise "maximum"(%first, %[[MAX]]) : (f32, f32) -> f32
// CHECK-NEXT: nt.store %[[ALL]], %b[]
nt.kernel @largest symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 64> : i32
  %first = arith.constant 1.0 : f32
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %first) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0xff800000 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "max" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "maximum"(%s, %t) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// What a sum begins with is added behind the loop.
// CHECK-LABEL: nt.kernel @from_seven
// CHECK: %[[ZERO:[0-9]+]] = arith.constant 0 : i32
// CHECK-NEXT: %[[ZEROS:.*]] = nt.full %[[ZERO]] : i32 -> !nt.tensor<[64] x i32>
// CHECK-NEXT: scf.for %i = %c0 to %count step %c1 iter_args(%t = %[[ZEROS]])
// CHECK: }
// CHECK-NEXT: %[[SUM:.*]] = nt.reduce "sum" %total axis 0 : !nt.tensor<[64] x i32> -> i32
// CHECK-NEXT: %[[ALL:.*]] = nt.elementwise "add"(%c7, %[[SUM]]) : (i32, i32) -> i32
// CHECK-NEXT: nt.store %[[ALL]], %b[]
nt.kernel @from_seven symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x i32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x i32> -> !nt.tensor<[1] x i32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>>, !nt.tensor<[1] x i32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>, %b : !nt.tensor<[] x i32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 64> : i32
  %c7 = arith.constant 7 : i32
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %c7) -> (i32) : i32 {
    %v = nt.load %a[%i] other 0 : i32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>[i32] -> !nt.tensor<[64] x i32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x i32> -> i32
    %u = nt.elementwise "add"(%t, %s) : (i32, i32) -> i32
    scf.yield %u : i32
  }
  nt.store %total, %b[] : i32, !nt.tensor<[] x i32>[]
  nt.return
}

// Of a block, what multiplies the numbers gets the dim.
// CHECK-LABEL: nt.kernel @blocks
// CHECK: scf.for %i = %c0 to %count step %c1 iter_args(%t = %{{.*}}) -> (!nt.tensor<[8, 64] x f32>) : i32
// CHECK-NEXT: %v = nt.load %a[%i]
// CHECK-NEXT: %[[HALF:.*]] = nt.expand_dims %halves axis 1 : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 1] x f32>
// CHECK-NEXT: %[[HALVES:.*]] = nt.broadcast %[[HALF]] : !nt.tensor<[8, 1] x f32> -> !nt.tensor<[8, 64] x f32>
// CHECK-NEXT: %[[SCALED:.*]] = nt.elementwise "mul"(%t, %[[HALVES]])
// CHECK-NEXT: %u = nt.elementwise "add"(%[[SCALED]], %v)
// CHECK: }
// CHECK-NEXT: %[[SUM:.*]] = nt.reduce "sum" %total axis 1 : !nt.tensor<[8, 64] x f32> -> !nt.tensor<[8] x f32>
// CHECK-NEXT: %[[ALL:.*]] = nt.elementwise "add"(%zeros, %[[SUM]])
// CHECK-NEXT: nt.expand_dims %[[ALL]] axis 1
nt.kernel @blocks symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[8, n] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [8, 64]] -> [b0, k1_0 * 64 + b1] if [[k1_0 * 64 + b1, n]]>
      : !nt.tensor<[8, n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[8, 64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[8, 64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[8, 64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %zeros = nt.full %zero : f32 -> !nt.tensor<[8] x f32>
  %half = arith.constant 0.5 : f32
  %halves = nt.full %half : f32 -> !nt.tensor<[8] x f32>
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zeros) -> (!nt.tensor<[8] x f32>) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[8, 64] x f32>>[i32] -> !nt.tensor<[8, 64] x f32>
    %s = nt.reduce "sum" %v axis 1 : !nt.tensor<[8, 64] x f32> -> !nt.tensor<[8] x f32>
    %m = nt.elementwise "mul"(%t, %halves) : (!nt.tensor<[8] x f32>, !nt.tensor<[8] x f32>) -> !nt.tensor<[8] x f32>
    %u = nt.elementwise "add"(%m, %s) : (!nt.tensor<[8] x f32>, !nt.tensor<[8] x f32>) -> !nt.tensor<[8] x f32>
    scf.yield %u : !nt.tensor<[8] x f32>
  }
  %e = nt.expand_dims %total axis 1 : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 1] x f32>
  %r = nt.broadcast %e : !nt.tensor<[8, 1] x f32> -> !nt.tensor<[8, 64] x f32>
  nt.store %r, %a[%c0] : !nt.tensor<[8, 64] x f32>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[8, 64] x f32>>[i32]
  nt.return
}

// A dim of size 1 that stays in the place of the reduced one is put back behind the loop.
// CHECK-LABEL: nt.kernel @keep_dims
// CHECK: %[[LEAST:[0-9]+]] = arith.constant 0xff800000 : f32
// CHECK-NEXT: %[[INIT:.*]] = nt.full %[[LEAST]] : f32 -> !nt.tensor<[8, 64] x f32>
// CHECK: %largest, %total = scf.for %i = %c0 to %count step %c1 iter_args(%l = %[[INIT]], %t = %{{.*}}) -> (!nt.tensor<[8, 64] x f32>, !nt.tensor<[8, 64] x f32>) : i32
// CHECK-NEXT: %v = nt.load %a[%i]
// CHECK-NEXT: %m = nt.elementwise "maximum"(%l, %v)
// CHECK-NEXT: %u = nt.elementwise "add"(%t, %v)
// CHECK-NEXT: scf.yield %m, %u
// CHECK-NEXT: }
// CHECK-NEXT: %[[SUM:.*]] = nt.reduce "sum" %total axis 1 : !nt.tensor<[8, 64] x f32> -> !nt.tensor<[8] x f32>
// CHECK-NEXT: %[[SUMS:.*]] = nt.expand_dims %[[SUM]] axis 1 : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 1] x f32>
// CHECK-NEXT: %[[ADDED:.*]] = nt.elementwise "add"(%zeros, %[[SUMS]])
// CHECK-NEXT: %[[MAX:.*]] = nt.reduce "max" %largest axis 1 : !nt.tensor<[8, 64] x f32> -> !nt.tensor<[8] x f32>
// CHECK-NEXT: %[[MAXES:.*]] = nt.expand_dims %[[MAX]] axis 1 : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 1] x f32>
// CHECK-NEXT: %[[ALL:.*]] = nt.elementwise "maximum"(%first, %[[MAXES]])
// CHECK-NEXT: %p = nt.elementwise "mul"(%[[ALL]], %[[ADDED]])
nt.kernel @keep_dims symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[8, n] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [8, 64]] -> [b0, k1_0 * 64 + b1] if [[k1_0 * 64 + b1, n]]>
      : !nt.tensor<[8, n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[8, 64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[8, 64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[8, 64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %zeros = nt.full %zero : f32 -> !nt.tensor<[8, 1] x f32>
  %one = arith.constant 1.0 : f32
  %first = nt.full %one : f32 -> !nt.tensor<[8, 1] x f32>
  %largest, %total = scf.for %i = %c0 to %count step %c1 iter_args(%l = %first, %t = %zeros) -> (!nt.tensor<[8, 1] x f32>, !nt.tensor<[8, 1] x f32>) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[8, 64] x f32>>[i32] -> !nt.tensor<[8, 64] x f32>
    %g = nt.reduce "max" %v axis 1 : !nt.tensor<[8, 64] x f32> -> !nt.tensor<[8] x f32>
    %h = nt.expand_dims %g axis 1 : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 1] x f32>
    %m = nt.elementwise "maximum"(%l, %h) : (!nt.tensor<[8, 1] x f32>, !nt.tensor<[8, 1] x f32>) -> !nt.tensor<[8, 1] x f32>
    %s = nt.reduce "sum" %v axis 1 : !nt.tensor<[8, 64] x f32> -> !nt.tensor<[8] x f32>
    %e = nt.expand_dims %s axis 1 : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 1] x f32>
    %u = nt.elementwise "add"(%t, %e) : (!nt.tensor<[8, 1] x f32>, !nt.tensor<[8, 1] x f32>) -> !nt.tensor<[8, 1] x f32>
    scf.yield %m, %u : !nt.tensor<[8, 1] x f32>, !nt.tensor<[8, 1] x f32>
  }
  %p = nt.elementwise "mul"(%largest, %total) : (!nt.tensor<[8, 1] x f32>, !nt.tensor<[8, 1] x f32>) -> !nt.tensor<[8, 1] x f32>
  %r = nt.broadcast %p : !nt.tensor<[8, 1] x f32> -> !nt.tensor<[8, 64] x f32>
  nt.store %r, %a[%c0] : !nt.tensor<[8, 64] x f32>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[8, 64] x f32>>[i32]
  nt.return
}

// What is carried is used elsewhere in the loop.
// CHECK-LABEL: nt.kernel @running
// CHECK: scf.for
// CHECK: %s = nt.reduce "sum" %v axis 0
nt.kernel @running symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %total, %seen = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero, %r = %zero) -> (f32, f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    %m = nt.elementwise "maximum"(%r, %t) : (f32, f32) -> f32
    scf.yield %u, %m : f32, f32
  }
  %sum = nt.elementwise "add"(%total, %seen) : (f32, f32) -> f32
  nt.store %sum, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// What multiplies the sum would have to multiply its first number, too.
// CHECK-LABEL: nt.kernel @horner
// CHECK: scf.for
// CHECK: %s = nt.reduce "sum" %v axis 0
nt.kernel @horner symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 64> : i32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %one) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %m = nt.elementwise "mul"(%t, %half) : (f32, f32) -> f32
    %u = nt.elementwise "add"(%m, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Where there is a dot, blocks are large.
// CHECK-LABEL: nt.kernel @dot
// CHECK: scf.for
// CHECK: %s = nt.reduce "sum" %v axis 1
nt.kernel @dot symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[16, n] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 16], [16, 16]] -> [b0, k1_0 * 16 + b1] if [[k1_0 * 16 + b1, n]]>
      : !nt.tensor<[16, n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 16] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 16] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 16] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 16> : i32
  %zero = arith.constant 0.0 : f32
  %zeros = nt.full %zero : f32 -> !nt.tensor<[16] x f32>
  %start = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %total, %product = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zeros, %d = %start) -> (!nt.tensor<[16] x f32>, !nt.tensor<[16, 16] x f32>) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 16] x f32>>[i32] -> !nt.tensor<[16, 16] x f32>
    %w = nt.dot %v, %v, %d : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
    %s = nt.reduce "sum" %v axis 1 : !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16] x f32>
    %u = nt.elementwise "add"(%t, %s) : (!nt.tensor<[16] x f32>, !nt.tensor<[16] x f32>) -> !nt.tensor<[16] x f32>
    scf.yield %u, %w : !nt.tensor<[16] x f32>, !nt.tensor<[16, 16] x f32>
  }
  nt.store %product, %a[%c0] : !nt.tensor<[16, 16] x f32>, !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 16] x f32>>[i32]
  nt.return
}
