// RUN: nt-opt %s -p nt-unroll-reductions | filecheck %s
// RUN: nt-opt %s -p nt-unroll-reductions | nt-opt | filecheck %s
// RUN: nt-opt %s -p 'nt-unroll-reductions{enabled=false}' | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p nt-unroll-reductions 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK: remark: reduction of 3 lanes unrolled [nt-unroll-reductions, passed]
// REMARK: remark: reduction kept: lanes of `x` lie one behind the other [nt-unroll-reductions, missed]
// REMARK: remark: reduction kept: what is read is an operand of nt.scan, too [nt-unroll-reductions, missed]
// REMARK: remark: reduction kept: it is reduced along another dim, too [nt-unroll-reductions, missed]

// OFF-NOT: [3], [64]

// Two reductions of one window, and what is computed of it lane by lane.
// CHECK-LABEL: nt.kernel @window
// CHECK: nt.access %x <[{{\[}}n ceildiv 64], [3], [64]] -> [b0 + g0 * 64 + k1_0] if [{{\[}}b0 + g0 * 64 + k1_0, n]]>
// CHECK: ^bb0(%a: !a, %b: !nt.tensor<[64] x f32>):
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-NEXT: %[[W0:.*]] = nt.load %a[%[[C0]]] other 0.000000e+00 : f32 : !a[i32] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %[[W1:.*]] = nt.load %a[%[[C1]]]
// CHECK-NEXT: %[[W2:.*]] = nt.load %a[%[[C2]]]
// CHECK-NEXT: %half = arith.constant
// CHECK-NEXT: nt.full %half : f32 -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %[[H0:.*]] = nt.elementwise "mul"(%[[W0]], %{{.*}})
// CHECK: %[[S1:.*]] = nt.elementwise "add"(%[[H0]], %[[H1:[0-9]+]])
// CHECK-NEXT: %s = nt.elementwise "add"(%[[S1]], %[[H2:[0-9]+]])
// CHECK-NEXT: %[[M1:.*]] = nt.elementwise "maximum"(%[[W0]], %[[W1]])
// CHECK-NEXT: %m = nt.elementwise "maximum"(%[[M1]], %[[W2]])
// CHECK-NEXT: %t = nt.elementwise "add"(%s, %m)
nt.kernel @window symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
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
  %halves = nt.full %half : f32 -> !nt.tensor<[64, 3] x f32>
  %h = nt.elementwise "mul"(%w, %halves) : (!nt.tensor<[64, 3] x f32>, !nt.tensor<[64, 3] x f32>) -> !nt.tensor<[64, 3] x f32>
  %s = nt.reduce "sum" %h axis 1 : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %w axis 1 : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[64] x f32>
  %t = nt.elementwise "add"(%s, %m) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %t, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Lanes outside take the identity of a function that has one, as the other value of the load.
// CHECK-LABEL: nt.kernel @identity
// CHECK-NOT: nt.guard
// CHECK: nt.load %a[%{{.*}}] other 0xff800000 : f32
// CHECK-NOT: nt.guard
// CHECK: nt.elementwise "maximum_nan"
// CHECK: %s = nt.elementwise "maximum_nan"
// CHECK: nt.store
nt.kernel @identity symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64, 3]] -> [g0 * 64 + b0 + b1] if [[g0 * 64 + b0 + b1, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 3] x f32>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 3] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64, 3] x f32>, %b : !nt.tensor<[64] x f32>):
  %w = nt.load %a[] : !nt.tensor<[64, 3] x f32>[] -> !nt.tensor<[64, 3] x f32>
  %g = nt.guard %a[] : !nt.tensor<[64, 3] x f32>[] -> !nt.tensor<[64, 3] x i1>
  %s, %v = nt.reduce_by %w valid %g : !nt.tensor<[64, 3] x i1> axis 1 {
  ^bb1(%l : f32, %r : f32):
    %c = nt.elementwise "maximum_nan"(%l, %r) : (f32, f32) -> f32
    nt.yield %c : f32
  } : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>
  nt.store %s, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Of any other function, where one side is not valid, the other one is the result.
// CHECK-LABEL: nt.kernel @any
// CHECK: %[[W0:.*]] = nt.load %a[%{{.*}}] : !a[i32]
// CHECK: %[[W1:.*]] = nt.load %a[%{{.*}}] : !a[i32]
// CHECK: %[[G0:.*]] = nt.guard %a
// CHECK: %[[G1:.*]] = nt.guard %a
// CHECK: %[[P:.*]] = nt.elementwise "mul"(%[[W0]], %[[W1]])
// CHECK-NEXT: %two = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %[[TWOS:.*]] = nt.full %two
// CHECK-NEXT: %[[Q:.*]] = nt.elementwise "mul"(%[[P]], %[[TWOS]])
// CHECK-NEXT: %[[ONE:.*]] = nt.elementwise "where"(%[[G1]], %[[Q]], %[[W0]])
// CHECK: %[[ACC:.*]] = nt.elementwise "where"(%[[G0]], %[[ONE]], %[[W1]])
// CHECK: %[[SOME:.*]] = nt.elementwise "or"(%[[G0]], %[[G1]])
// CHECK-NEXT: nt.elementwise "mul"(%[[ACC]], %{{.*}})
nt.kernel @any symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64, 3]] -> [g0 * 64 + b0 + b1] if [[g0 * 64 + b0 + b1, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 3] x f32>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 3] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64, 3] x f32>, %b : !nt.tensor<[64] x f32>):
  %w = nt.load %a[] : !nt.tensor<[64, 3] x f32>[] -> !nt.tensor<[64, 3] x f32>
  %g = nt.guard %a[] : !nt.tensor<[64, 3] x f32>[] -> !nt.tensor<[64, 3] x i1>
  %s, %v = nt.reduce_by %w valid %g : !nt.tensor<[64, 3] x i1> axis 1 {
  ^bb1(%l : f32, %r : f32):
    %c = nt.elementwise "mul"(%l, %r) : (f32, f32) -> f32
    %two = arith.constant 2.0 : f32
    %d = nt.elementwise "mul"(%c, %two) : (f32, f32) -> f32
    nt.yield %d : f32
  } : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>
  nt.store %s, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Rows that memory holds one behind the other are read in vectors.
// CHECK-LABEL: nt.kernel @rows
// CHECK: nt.reduce "sum"
nt.kernel @rows symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [3, 1] aligned false : !nt.tensor<[n, 3] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64, 3]] -> [g0 * 64 + b0, b1] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n, 3] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 3] x f32>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 3] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64, 3] x f32>, %b : !nt.tensor<[64] x f32>):
  %w = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64, 3] x f32>[] -> !nt.tensor<[64, 3] x f32>
  %s = nt.reduce "sum" %w axis 1 : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[64] x f32>
  nt.store %s, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// All lanes are needed at once.
// CHECK-LABEL: nt.kernel @scanned
// CHECK: nt.reduce "sum"
nt.kernel @scanned symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
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
  %u = nt.scan "cumsum" %w axis 1 reverse false : !nt.tensor<[64, 3] x f32>
  %s = nt.reduce "sum" %w axis 1 : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[64] x f32>
  nt.store %s, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// CHECK-LABEL: nt.kernel @crossed
// CHECK: nt.reduce "sum"
nt.kernel @crossed symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
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
  %s = nt.reduce "sum" %w axis 1 : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[64] x f32>
  %u = nt.reduce "sum" %w axis 0 : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[3] x f32>
  nt.store %s, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
