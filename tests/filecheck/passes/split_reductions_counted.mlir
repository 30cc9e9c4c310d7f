// RUN: nt-opt %s --print-local-scope -p 'nt-split-reductions{parts=4}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-split-reductions{parts=4}' | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --remarks -p 'nt-split-reductions{parts=4}' 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK-COUNT-2: remark: iterations split over 4 programs [nt-split-reductions, passed]
// REMARK-NEXT: remark: iterations kept together: how often the loop iterates is not known at the launch [nt-split-reductions, missed]
// REMARK-NEXT: remark: iterations kept together: where it ends is not known in front of the first loop [nt-split-reductions, missed]
// REMARK-NOT: remark:

// Data say how often the loop iterates: the program shares that out, one more to the first parts; what
// may lie in front of the loop's begin and behind its end is the first part's and the last one's.
// CHECK-LABEL: nt.kernel @counted
// CHECK: %times = nt.cast
// CHECK: %[[GIVEN:.*]] = nt.elementwise "sub"(%times, %c0)
// CHECK: %[[COUNT:.*]] = nt.elementwise "maximum"(%[[GIVEN]],
// CHECK-NEXT: %share = nt.elementwise "floordiv"(%[[COUNT]],
// CHECK-NEXT: %[[LEFT:.*]] = nt.elementwise "mod"(%[[COUNT]],
// CHECK: %[[WHOLE:.*]] = nt.elementwise "mul"(%part, %share)
// CHECK-NEXT: %[[MORE:.*]] = nt.elementwise "minimum"(%part, %[[LEFT]])
// CHECK-NEXT: %[[SUM:.*]] = nt.elementwise "add"(%[[WHOLE]], %[[MORE]])
// CHECK-NEXT: %[[BEGIN:.*]] = nt.elementwise "add"(%c0, %[[SUM]])
// CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK-NEXT: %[[FIRST:.*]] = nt.elementwise "where"(%{{.*}}, %[[LEAST]], %[[BEGIN]])
// CHECK: %[[MOST:.*]] = arith.constant 2147483647 : i32
// CHECK-NEXT: %[[END:.*]] = nt.elementwise "where"(%{{.*}}, %[[MOST]],
// CHECK-NEXT: %[[LOW:.*]] = nt.elementwise "maximum"(%[[FIRST]], %c0)
// CHECK-NEXT: %[[HIGH:.*]] = nt.elementwise "minimum"(%[[END]], %times)
// CHECK-NEXT: scf.for %i = %[[LOW]] to %[[HIGH]] step %c1
// CHECK: nt.scratch "partials0"
nt.kernel @counted symbols [#nt.symbol<n size 0 to ?>] arrange {
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
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %first = nt.load %b[] : !nt.tensor<[] x f32>[] -> f32
  %times = nt.cast %first : f32 -> i32
  %total = scf.for %i = %c0 to %times step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Of two loops the last one's end is computed in front of both. An assertion is made by each part, and
// behind the loops by the last one.
// CHECK-LABEL: nt.kernel @counted_twice
// CHECK: nt.assert %holds, "once"
// CHECK: %more = nt.elementwise "add"(%times, %c2)
// CHECK: nt.elementwise "sub"(%more, %c0)
// CHECK: %some = scf.for %i = {{.*}} to %[[WHOLE:.*]] step %c1
// CHECK: nt.elementwise "maximum"({{.*}}, %times)
// CHECK-NEXT: nt.elementwise "minimum"({{.*}}, %more)
// CHECK-NEXT: %total = scf.for
// CHECK: scf.if %last {
// CHECK: nt.assert %holds, "in the end"
nt.kernel @counted_twice symbols [#nt.symbol<n size 0 to ?>] arrange {
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
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %first = nt.load %b[] : !nt.tensor<[] x f32>[] -> f32
  %times = nt.cast %first : f32 -> i32
  %holds = nt.elementwise "ge"(%times, %c0) : (i32, i32) -> i1
  nt.assert %holds, "once" : i1
  %some = scf.for %i = %c0 to %times step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  %more = nt.elementwise "add"(%times, %c2) : (i32, i32) -> i32
  %total = scf.for %j = %times to %more step %c1 iter_args(%t2 = %some) -> (f32) : i32 {
    %v2 = nt.load %a[%j] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s2 = nt.reduce "sum" %v2 axis 0 : !nt.tensor<[64] x f32> -> f32
    %u2 = nt.elementwise "add"(%t2, %s2) : (f32, f32) -> f32
    scf.yield %u2 : f32
  }
  nt.assert %holds, "in the end" : i1
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Data say where the loop begins.
// CHECK-LABEL: nt.kernel @begun
// CHECK-NOT: nt.scratch
nt.kernel @begun symbols [#nt.symbol<n size 0 to ?>] arrange {
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
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %first = nt.load %b[] : !nt.tensor<[] x f32>[] -> f32
  %times = nt.cast %first : f32 -> i32
  %total = scf.for %i = %times to %count step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Where the loop ends is computed by more than ops that can be moved in front of the first one.
// CHECK-LABEL: nt.kernel @found
// CHECK-NOT: nt.scratch
nt.kernel @found symbols [#nt.symbol<n size 0 to ?>] arrange {
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
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %first = nt.load %b[] : !nt.tensor<[] x f32>[] -> f32
  %times = nt.cast %first : f32 -> i32
  %some = scf.for %i = %c0 to %times step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  %holds = nt.elementwise "ge"(%times, %c1) : (i32, i32) -> i1
  %again = scf.if %holds -> (i32) {
    scf.yield %times : i32
  } else {
    scf.yield %c2 : i32
  }
  %total = scf.for %j = %times to %again step %c1 iter_args(%t2 = %some) -> (f32) : i32 {
    %v2 = nt.load %a[%j] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s2 = nt.reduce "sum" %v2 axis 0 : !nt.tensor<[64] x f32> -> f32
    %u2 = nt.elementwise "add"(%t2, %s2) : (f32, f32) -> f32
    scf.yield %u2 : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}
