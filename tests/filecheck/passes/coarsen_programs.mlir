// RUN: nt-opt %s --print-local-scope -p 'nt-coarsen-programs{factor=8}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-coarsen-programs{factor=8}' | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-coarsen-programs | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p nt-coarsen-programs 2>&1 | filecheck %s --check-prefix=REMARK-OFF
// RUN: nt-opt %s --remarks -p 'nt-coarsen-programs{factor=8}' 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK-COUNT-7: remark: programs coarsened: one does the work of 8 [nt-coarsen-programs, passed]
// REMARK-NEXT: remark: programs kept apart: the branch depends on data [nt-coarsen-programs, missed]
// REMARK-NEXT: remark: programs kept apart: how often the loop iterates depends on data [nt-coarsen-programs, missed]
// REMARK-NEXT: remark: programs kept apart: all programs store to one place [nt-coarsen-programs, missed]
// REMARK-NEXT: remark: programs kept apart: the application asks for the number of its program [nt-coarsen-programs, missed]
// REMARK-NEXT: remark: programs kept apart: sequences of `x` differ in length [nt-coarsen-programs, missed]
// REMARK-NOT: remark:

// With a factor of 1, only what is refused is said.
// REMARK-OFF-NOT: passed
// REMARK-OFF: remark: programs kept apart: the branch depends on data [nt-coarsen-programs, missed]
// REMARK-OFF-NOT: passed

// OFF-NOT: ceildiv 8

// What differs between programs gets a dim of lanes in front, and a guard by the number of programs.
// What is the same in all is read once, and repeated.
// CHECK-LABEL: nt.kernel @rows
// CHECK: nt.access %x <{{\[\[}}n ceildiv 8], [8, 64]] -> [b0 + g0 * 8, b1] if {{\[\[}}b0 + g0 * 8, n]]>
// CHECK: nt.access %w <{{\[\[}}n ceildiv 8], [64]] -> [b0]>
// CHECK: ^bb0(%a: !nt.tensor<[8, 64] x f32>, %b: !nt.tensor<[64] x f32>):
// CHECK-NEXT: %v = nt.load %a[] : !nt.tensor<[8, 64] x f32>[] -> !nt.tensor<[8, 64] x f32>
// CHECK-NEXT: %sum = nt.reduce "sum" %v axis 1 : !nt.tensor<[8, 64] x f32> -> !nt.tensor<[8] x f32>
// CHECK-NEXT: %[[SUM:.*]] = nt.expand_dims %sum axis 1 : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 1] x f32>
// CHECK-NEXT: %sums = nt.broadcast %[[SUM]] : !nt.tensor<[8, 1] x f32> -> !nt.tensor<[8, 64] x f32>
// CHECK-NEXT: %u = nt.load %b[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %[[ROW:.*]] = nt.expand_dims %u axis 0 : !nt.tensor<[64] x f32> -> !nt.tensor<[1, 64] x f32>
// CHECK-NEXT: %[[ROWS:.*]] = nt.broadcast %[[ROW]] : !nt.tensor<[1, 64] x f32> -> !nt.tensor<[8, 64] x f32>
// CHECK-NEXT: %p = nt.elementwise "mul"(%sums, %[[ROWS]])
// CHECK-NEXT: %s = nt.scan "cumsum" %p axis 1 reverse false : !nt.tensor<[8, 64] x f32>
// CHECK-NEXT: nt.store %s, %a[] : !nt.tensor<[8, 64] x f32>, !nt.tensor<[8, 64] x f32>[]
// OFF-LABEL: nt.kernel @rows
// OFF: nt.access %x <{{\[\[}}n], [64]] -> [g0, b0]>
// OFF: %sum = nt.reduce "sum" %v axis 0
// OFF-NEXT: %sums = nt.full %sum
nt.kernel @rows symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[n, 64] x f32>
  %w = nt.source "w" "tensor" strides [1] aligned false : !nt.tensor<[64] x f32>
  %0 = nt.access %x <[[n], [64]] -> [g0, b0]>
      : !nt.tensor<[n, 64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  %1 = nt.access %w <[[n], [64]] -> [b0]>
      : !nt.tensor<[64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n] x !nt.tensor<[64] x f32>>, !nt.tensor<[n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  %sums = nt.full %sum : f32 -> !nt.tensor<[64] x f32>
  %u = nt.load %b[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %p = nt.elementwise "mul"(%sums, %u) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.scan "cumsum" %p axis 0 reverse false : !nt.tensor<[64] x f32>
  nt.store %s, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Of the grid's dims it is the innermost one; what differs along others alone is the same here.
// CHECK-LABEL: nt.kernel @heads
// CHECK: nt.access %x <{{\[\[}}m, n ceildiv 8], [8, 64]] -> [g0, b0 + g1 * 8, b1] if {{\[\[}}b0 + g1 * 8, n]]>
// CHECK: nt.access %w <{{\[\[}}m, n ceildiv 8], [64]] -> [g0, b0]>
// CHECK: %u = nt.load %b[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: nt.expand_dims %u axis 0
// CHECK-NEXT: %[[ROWS:.*]] = nt.broadcast
// CHECK-NEXT: nt.store %[[ROWS]], %a[] : !nt.tensor<[8, 64] x f32>, !nt.tensor<[8, 64] x f32>[]
nt.kernel @heads symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n * 64, 64, 1] aligned false : !nt.tensor<[m, n, 64] x f32>
  %w = nt.source "w" "tensor" strides [64, 1] aligned false : !nt.tensor<[m, 64] x f32>
  %0 = nt.access %x <[[m, n], [64]] -> [g0, g1, b0]>
      : !nt.tensor<[m, n, 64] x f32> -> !nt.tensor<[m, n] x !nt.tensor<[64] x f32>>
  %1 = nt.access %w <[[m, n], [64]] -> [g0, b0]>
      : !nt.tensor<[m, 64] x f32> -> !nt.tensor<[m, n] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m, n] x !nt.tensor<[64] x f32>>, !nt.tensor<[m, n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %u = nt.load %b[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %u, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Of a tensor of one level, a tile is a scalar; a block of the lanes takes its place, as of scalars.
// CHECK-LABEL: nt.kernel @scalars
// CHECK: nt.access %x <{{\[\[}}n ceildiv 8], [8]] -> [b0 + g0 * 8] if {{\[\[}}b0 + g0 * 8, n]]>
// CHECK: nt.access %y <{{\[\[}}n ceildiv 8], [8]] -> [b0 + g0 * 8] if {{\[\[}}b0 + g0 * 8, n]]>
// CHECK: ^bb0(%a: !nt.tensor<[8] x f32>, %b: !nt.tensor<[8] x f32>):
// CHECK-NEXT: %v = nt.load %a[] : !nt.tensor<[8] x f32>[] -> !nt.tensor<[8] x f32>
// CHECK-NEXT: %half = arith.constant
// CHECK-NEXT: %[[HALF:.*]] = nt.full %half : f32 -> !nt.tensor<[8] x f32>
// CHECK-NEXT: %h = nt.elementwise "mul"(%v, %[[HALF]])
// CHECK-NEXT: nt.store %h, %b[] : !nt.tensor<[8] x f32>, !nt.tensor<[8] x f32>[]
nt.kernel @scalars symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  %1 = nt.access %y <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0, %1 : !nt.tensor<[n] x f32>, !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>, %b : !nt.tensor<[] x f32>):
  %v = nt.load %a[] : !nt.tensor<[] x f32>[] -> f32
  %half = arith.constant 0.5 : f32
  %h = nt.elementwise "mul"(%v, %half) : (f32, f32) -> f32
  nt.store %h, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// A loop carries lanes, and begins with them.
// CHECK-LABEL: nt.kernel @loop
// CHECK: nt.access %x <{{\[\[}}n ceildiv 8], [m ceildiv 64], [8, 64]] -> [b0 + g0 * 8, b1 + k1_0 * 64] if {{\[\[}}b1 + k1_0 * 64, m], [b0 + g0 * 8, n]]>
// CHECK: %[[ZERO:.*]] = nt.full %zero : f32 -> !nt.tensor<[8] x f32>
// CHECK-NEXT: scf.for %i = %c0 to %count step %c1 iter_args(%t = %[[ZERO]], %j = %c0) -> (!nt.tensor<[8] x f32>, i32)
// CHECK-NEXT: %v = nt.load %a[%i] other 0.000000e+00 : f32 : {{.*}} -> !nt.tensor<[8, 64] x f32>
// CHECK-NEXT: %s = nt.reduce "sum" %v axis 1
// CHECK-NEXT: %u = nt.elementwise "add"(%t, %s) : (!nt.tensor<[8] x f32>, !nt.tensor<[8] x f32>) -> !nt.tensor<[8] x f32>
// CHECK-NEXT: %k = nt.elementwise "add"(%j, %c1) : (i32, i32) -> i32
// CHECK-NEXT: scf.yield %u, %k : !nt.tensor<[8] x f32>, i32
nt.kernel @loop symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n], [m ceildiv 64], [64]] -> [g0, k1_0 * 64 + b0] if [[k1_0 * 64 + b0, m]]>
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n] x !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0, %1 : !nt.tensor<[n] x !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <m ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %total, %last = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero, %j = %c0) -> (f32, i32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    %k = nt.elementwise "add"(%j, %c1) : (i32, i32) -> i32
    scf.yield %u, %k : f32, i32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// A branch that is the same in all programs; what it gives has lanes if one side's does.
// CHECK-LABEL: nt.kernel @either
// CHECK: %r = scf.if %few -> (!nt.tensor<[8] x f32>)
// CHECK: scf.yield %v : !nt.tensor<[8] x f32>
// CHECK: else
// CHECK-NEXT: %[[ZERO:.*]] = nt.full %zero : f32 -> !nt.tensor<[8] x f32>
// CHECK-NEXT: scf.yield %[[ZERO]] : !nt.tensor<[8] x f32>
nt.kernel @either symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0 : !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>):
  %count = nt.size <n> : i32
  %c9 = arith.constant 9 : i32
  %few = nt.elementwise "lt"(%count, %c9) : (i32, i32) -> i1
  %zero = arith.constant 0.0 : f32
  %r = scf.if %few -> (f32) {
    %v = nt.load %a[] : !nt.tensor<[] x f32>[] -> f32
    scf.yield %v : f32
  } else {
    scf.yield %zero : f32
  }
  nt.store %r, %a[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Offsets have lanes along the dim of the programs only where they differ between programs.
// CHECK-LABEL: nt.kernel @offsets
// CHECK: %row = nt.offsets %a[] dim 0 along [0] : !nt.tensor<[8, 64] x i32>[] -> !nt.tensor<[8] x i32>
// CHECK-NEXT: %columns = nt.offsets %a[] dim 1 along [1] : !nt.tensor<[8, 64] x i32>[] -> !nt.tensor<[64] x i32>
// CHECK-NEXT: %linear = nt.offsets %a[] along [0, 1] : !nt.tensor<[8, 64] x i32>[] -> !nt.tensor<[8, 64] x i32>
nt.kernel @offsets symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[n, 64] x i32>
  %0 = nt.access %x <[[n], [64]] -> [g0, b0]>
      : !nt.tensor<[n, 64] x i32> -> !nt.tensor<[n] x !nt.tensor<[64] x i32>>
  nt.arranged %0 : !nt.tensor<[n] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%a : !nt.tensor<[64] x i32>):
  %row = nt.offsets %a[] dim 0 along [] : !nt.tensor<[64] x i32>[] -> i32
  %columns = nt.offsets %a[] dim 1 along [0] : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %linear = nt.offsets %a[] along [0] : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %rows = nt.full %row : i32 -> !nt.tensor<[64] x i32>
  %s = nt.elementwise "add"(%rows, %columns) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %t = nt.elementwise "add"(%s, %linear) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  nt.store %t, %a[] : !nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>[]
  nt.return
}

// Lanes of the programs stay in front.
// CHECK-LABEL: nt.kernel @transposed
// CHECK: %t = nt.trans %v order [0, 2, 1] : !nt.tensor<[8, 16, 32] x f32> -> !nt.tensor<[8, 32, 16] x f32>
nt.kernel @transposed symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [512, 32, 1] aligned false : !nt.tensor<[n, 16, 32] x f32>
  %y = nt.source "y" "tensor" strides [512, 16, 1] aligned false : !nt.tensor<[n, 32, 16] x f32>
  %0 = nt.access %x <[[n], [16, 32]] -> [g0, b0, b1]>
      : !nt.tensor<[n, 16, 32] x f32> -> !nt.tensor<[n] x !nt.tensor<[16, 32] x f32>>
  %1 = nt.access %y <[[n], [32, 16]] -> [g0, b0, b1]>
      : !nt.tensor<[n, 32, 16] x f32> -> !nt.tensor<[n] x !nt.tensor<[32, 16] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n] x !nt.tensor<[16, 32] x f32>>, !nt.tensor<[n] x !nt.tensor<[32, 16] x f32>>
} apply {
^bb0(%a : !nt.tensor<[16, 32] x f32>, %b : !nt.tensor<[32, 16] x f32>):
  %v = nt.load %a[] : !nt.tensor<[16, 32] x f32>[] -> !nt.tensor<[16, 32] x f32>
  %t = nt.trans %v order [1, 0] : !nt.tensor<[16, 32] x f32> -> !nt.tensor<[32, 16] x f32>
  nt.store %t, %b[] : !nt.tensor<[32, 16] x f32>, !nt.tensor<[32, 16] x f32>[]
  nt.return
}

// A branch that depends on data.
// CHECK-LABEL: nt.kernel @branch
// CHECK: scf.if %negative {
// CHECK-NEXT: nt.store %zero, %a[] : f32
nt.kernel @branch symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0 : !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>):
  %v = nt.load %a[] : !nt.tensor<[] x f32>[] -> f32
  %zero = arith.constant 0.0 : f32
  %negative = nt.elementwise "lt"(%v, %zero) : (f32, f32) -> i1
  scf.if %negative {
    nt.store %zero, %a[] : f32, !nt.tensor<[] x f32>[]
  }
  nt.return
}

// A loop that iterates as often as data says.
// CHECK-LABEL: nt.kernel @count
// CHECK: scf.for %i = %c0 to %v step %c1 iter_args(%t = %c0) -> (i32)
nt.kernel @count symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x i32> -> !nt.tensor<[n] x i32>
  nt.arranged %0 : !nt.tensor<[n] x i32>
} apply {
^bb0(%a : !nt.tensor<[] x i32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = nt.load %a[] : !nt.tensor<[] x i32>[] -> i32
  %r = scf.for %i = %c0 to %v step %c1 iter_args(%t = %c0) -> (i32) : i32 {
    %u = nt.elementwise "add"(%t, %i) : (i32, i32) -> i32
    scf.yield %u : i32
  }
  nt.store %r, %a[] : i32, !nt.tensor<[] x i32>[]
  nt.return
}

// What all programs store to one place.
// CHECK-LABEL: nt.kernel @one_place
// CHECK: nt.store %one, %b[] : f32
nt.kernel @one_place symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  %1 = nt.access %y <[[n]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0, %1 : !nt.tensor<[n] x f32>, !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>, %b : !nt.tensor<[] x f32>):
  %one = arith.constant 1.0 : f32
  nt.store %one, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// The number of a program.
// CHECK-LABEL: nt.kernel @number
// CHECK: %number = nt.program_number : i32
// CHECK-NEXT: nt.store %number, %a[] : i32
nt.kernel @number symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x i32> -> !nt.tensor<[n] x i32>
  nt.arranged %0 : !nt.tensor<[n] x i32>
} apply {
^bb0(%a : !nt.tensor<[] x i32>):
  %number = nt.program_number : i32
  nt.store %number, %a[] : i32, !nt.tensor<[] x i32>[]
  nt.return
}

// Where there are dots, programs have enough to do; no remark says so.
// CHECK-LABEL: nt.kernel @dot
// CHECK: %d = nt.dot %v, %v, %zeros : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
nt.kernel @dot symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [256, 16, 1] aligned false : !nt.tensor<[n, 16, 16] x f32>
  %0 = nt.access %x <[[n], [16, 16]] -> [g0, b0, b1]>
      : !nt.tensor<[n, 16, 16] x f32> -> !nt.tensor<[n] x !nt.tensor<[16, 16] x f32>>
  nt.arranged %0 : !nt.tensor<[n] x !nt.tensor<[16, 16] x f32>>
} apply {
^bb0(%a : !nt.tensor<[16, 16] x f32>):
  %zero = arith.constant 0.0 : f32
  %zeros = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %v = nt.load %a[] : !nt.tensor<[16, 16] x f32>[] -> !nt.tensor<[16, 16] x f32>
  %d = nt.dot %v, %v, %zeros : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
  nt.store %d, %a[] : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32>[]
  nt.return
}

// Sequences, each of its own length.
// CHECK-LABEL: nt.kernel @sequences
// CHECK: nt.access %x <{{\[\[}}b], [n]] -> [g0, b0] if {{\[\[}}b0, length]]>
nt.kernel @sequences symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] padded_sizes [#nt.exprs[n, 128]] arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.access %x <[[b], [n]] -> [g0, b0] if [[b0, length]]>
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b] x !nt.tensor<[n] x f32>>
  nt.arranged %0 : !nt.tensor<[b] x !nt.tensor<[n] x f32>>
} apply {
^bb0(%a : !nt.tensor<[length] x f32>):
  %v = nt.load %a[] : !nt.tensor<[length] x f32>[] -> !nt.tensor<[length] x f32>
  nt.store %v, %a[] : !nt.tensor<[length] x f32>, !nt.tensor<[length] x f32>[]
  nt.return
}
