// RUN: nt-opt %s --print-local-scope -p 'nt-reread-rows{reread=1}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-reread-rows{reread=1}' | nt-opt --print-local-scope -p 'nt-reread-rows{reread=1}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-reread-rows | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p 'nt-reread-rows{reread=1}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --remarks -p nt-reread-rows 2>&1 | filecheck %s --check-prefix=POSSIBLE

// OFF-NOT: evict "evict_first"

// REMARK: remark: row of `x` loaded again behind nt.reduce [nt-reread-rows, passed]
// REMARK-NEXT: remark: row of `x` loaded again behind nt.reduce [nt-reread-rows, passed]
// REMARK-NEXT: remark: row of `w` loaded again behind nt.reduce [nt-reread-rows, passed]
// REMARK-NEXT: remark: row of `x` loaded again behind nt.scan [nt-reread-rows, passed]
// REMARK-NEXT: remark: row of `x` loaded again behind nt.reduce [nt-reread-rows, passed]
// REMARK-NEXT: remark: row of `x` loaded again behind scf.for [nt-reread-rows, passed]
// REMARK-COUNT-2: remark: row of `x` loaded again behind nt.reduce [nt-reread-rows, passed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: `w` is used behind it only [nt-reread-rows, missed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: accesses of `x` may overlap [nt-reread-rows, missed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: `x` may share memory with `y` [nt-reread-rows, missed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: by nt.pointer_load a program may wait for another [nt-reread-rows, missed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: the kernel has a dot [nt-reread-rows, missed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: the loop loads ahead [nt-reread-rows, missed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: it would be read 4 times, and 3 loads differ by their hints [nt-reread-rows, missed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: over 16 operations would be computed twice [nt-reread-rows, missed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: nt.scan is not computed twice [nt-reread-rows, missed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: libdevice.tanh is not computed twice [nt-reread-rows, missed]
// REMARK-NEXT: remark: row of `x` kept over nt.reduce: the eviction policy of `x` is given [nt-reread-rows, missed]
// REMARK-NOT: remark:

// POSSIBLE: remark: row of `x` kept over nt.reduce: reread_rows is 0, and may be 1 [nt-reread-rows, analysis]
// POSSIBLE: remark: row of `w` kept over nt.reduce: reread_rows is 0, and may be 1 [nt-reread-rows, analysis]

// A softmax: what the first reduction gives is used lane by lane in front of the second, and behind it.
// The row is read three times, and no lane of it is kept.
// CHECK-LABEL: nt.kernel @softmax
// CHECK: %v = nt.load %a[] other -1.000000e+00 : f32 evict "evict_last" :
// CHECK-NEXT: %most = nt.reduce "max" %v axis 0
// CHECK-NEXT: %s = nt.full %most
// CHECK-NEXT: %[[SECOND:v_.*]] = nt.load %a[] other -1.000000e+00 : f32 :
// CHECK-NEXT: %d = nt.elementwise "sub"(%[[SECOND]], %s)
// CHECK-NEXT: %e = nt.elementwise "exp"(%d)
// CHECK-NEXT: %sum = nt.reduce "sum" %e axis 0
// CHECK-NEXT: %t = nt.full %sum
// CHECK-NEXT: %[[THIRD:v_.*]] = nt.load %a[] other -1.000000e+00 : f32 evict "evict_first" :
// CHECK-NEXT: %[[MOST:s_.*]] = nt.full %most
// CHECK-NEXT: %[[LESS:d_.*]] = nt.elementwise "sub"(%[[THIRD]], %[[MOST]])
// CHECK-NEXT: %[[POWER:e_.*]] = nt.elementwise "exp"(%[[LESS]])
// CHECK-NEXT: %q = nt.elementwise "truediv"(%[[POWER]], %t)
// CHECK-NEXT: nt.store %q, %b[]
// OFF-LABEL: nt.kernel @softmax
// OFF: %v = nt.load %a[] other -1.000000e+00 : f32 :
// OFF: %q = nt.elementwise "truediv"(%e, %t)
nt.kernel @softmax symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] other -1.0 : f32 : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %most = nt.reduce "max" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
  %s = nt.full %most : f32 -> !nt.tensor<[4096] x f32>
  %d = nt.elementwise "sub"(%v, %s) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e = nt.elementwise "exp"(%d) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %e axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "truediv"(%e, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// Two rows of which one is computed. The guards stay; what is used behind alone is read once, there.
// CHECK-LABEL: nt.kernel @two_rows
// CHECK: %v = nt.load %a[] guards [] evict "evict_last"
// CHECK-NEXT: %u = nt.load %b[] evict "evict_last"
// CHECK-NEXT: %p = nt.elementwise "mul"(%v, %u)
// CHECK-NEXT: %sum = nt.reduce "sum" %p axis 0
// CHECK-NEXT: %t = nt.full %sum
// CHECK-NEXT: %[[V:v_.*]] = nt.load %a[] guards [] evict "evict_first"
// CHECK-NEXT: %[[U:u_.*]] = nt.load %b[] evict "evict_first"
// CHECK-NEXT: %[[P:p_.*]] = nt.elementwise "mul"(%[[V]], %[[U]])
// CHECK-NEXT: %q = nt.elementwise "mul"(%[[P]], %t)
// CHECK-NEXT: nt.store %q, %c[]
nt.kernel @two_rows symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %w = nt.source "w" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %w <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %2 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1, %2 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>, %c : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] guards [] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %u = nt.load %b[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %p = nt.elementwise "mul"(%v, %u) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %p axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%p, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %c[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// A row is read again behind a scan, whose own result is kept over the next one.
// CHECK-LABEL: nt.kernel @scan
// CHECK: %v = nt.load %a[] evict "evict_last"
// CHECK-NEXT: %sums = nt.scan "cumsum" %v
// CHECK-NEXT: %most = nt.reduce "max" %sums axis 0
// CHECK-NEXT: %t = nt.full %most
// CHECK-NEXT: %[[V:v_.*]] = nt.load %a[] evict "evict_first"
// CHECK-NEXT: %p = nt.elementwise "mul"(%[[V]], %t)
// CHECK-NEXT: %q = nt.elementwise "add"(%p, %sums)
nt.kernel @scan symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %sums = nt.scan "cumsum" %v axis 0 reverse false : !nt.tensor<[4096] x f32>
  %most = nt.reduce "max" %sums axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %most : f32 -> !nt.tensor<[4096] x f32>
  %p = nt.elementwise "mul"(%v, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "add"(%p, %sums) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// Programs that do something: in the branch, and in a loop in front of the last use.
// CHECK-LABEL: nt.kernel @branch
// CHECK: scf.if %is {
// CHECK-NEXT: %v = nt.load %a[] evict "evict_last"
// CHECK-NEXT: %sum = nt.reduce "sum" %v axis 0
// CHECK-NEXT: %[[V:v_.*]] = nt.load %a[] evict "evict_first"
// CHECK-NEXT: scf.for %i = %c0 to %c2 step %c1 : i32 {
// CHECK-NEXT: nt.store %[[V]], %b[]
nt.kernel @branch symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %is = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  scf.if %is {
    %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
    %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
    scf.for %i = %c0 to %c2 step %c1 : i32 {
      nt.store %v, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
    }
  }
  nt.return
}

// A loop that reduces is one op over which a row is kept, and in it.
// CHECK-LABEL: nt.kernel @loop
// CHECK: %v = nt.load %a[] evict "evict_last"
// CHECK-NEXT: scf.for %i = %c0 to %c2 step %c1 : i32 {
// CHECK-NEXT: %s = nt.reduce "sum" %v axis 0
// CHECK-NEXT: %t = nt.full %s
// CHECK-NEXT: %p = nt.elementwise "mul"(%v, %t)
// CHECK-NEXT: nt.store %p, %b[]
// CHECK-NEXT: }
// CHECK-NEXT: %[[V:v_.*]] = nt.load %a[] evict "evict_first"
// CHECK-NEXT: nt.store %[[V]], %b[]
nt.kernel @loop symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  scf.for %i = %c0 to %c2 step %c1 : i32 {
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
    %t = nt.full %s : f32 -> !nt.tensor<[4096] x f32>
    %p = nt.elementwise "mul"(%v, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
    nt.store %p, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  }
  nt.store %v, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// All programs read one row: it is no row to let go.
// CHECK-LABEL: nt.kernel @all_read
// CHECK: %v = nt.load %a[] :
// CHECK: nt.load %a[] evict "evict_last"
nt.kernel @all_read symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%v, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// Of three loads, one has to differ.
// CHECK-LABEL: nt.kernel @all_read_often
// CHECK: %v = nt.load %a[] evict "evict_first"
// CHECK: nt.load %a[] :
// CHECK: nt.load %a[] evict "evict_last"
nt.kernel @all_read_often symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %most = nt.reduce "max" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
  %s = nt.full %most : f32 -> !nt.tensor<[4096] x f32>
  %p = nt.elementwise "mul"(%v, %s) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %p axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%p, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// A row that is read early, and used behind alone, is not read later; nor is what it is part of.
// CHECK-LABEL: nt.kernel @early
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @early symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %w = nt.source "w" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %w <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %2 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1, %2 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>, %c : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %u = nt.load %b[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %p = nt.elementwise "mul"(%v, %u) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%p, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %c[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// The kernel writes the row.
// CHECK-LABEL: nt.kernel @written
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @written symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%v, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %a[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// It writes memory that may be the row's.
// CHECK-LABEL: nt.kernel @shared
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @shared symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] memory "x" aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%v, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// Another program may write the row, and this one wait for it.
// CHECK-LABEL: nt.kernel @waiting
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @waiting symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%v, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  %p = nt.pointer %b : !nt.tensor<[4096] x f32> -> !tt.ptr<f32>
  %w = nt.pointer_load %p volatile : !tt.ptr<f32> -> f32
  nt.return
}

// Dots have no registers to spare.
// CHECK-LABEL: nt.kernel @dot
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @dot symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%v, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  %0 = arith.constant 0.0 : f32
  %z = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %d = nt.dot %z, %z, %z : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// What a loop loads ahead is in shared memory.
// CHECK-LABEL: nt.kernel @staged
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @staged symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  scf.for %i = %c0 to %c2 step %c1 : i32 {
    %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
    %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
    %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
    %q = nt.elementwise "mul"(%v, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
    nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  } {"tt.num_stages" = 2 : i32}
  nt.return
}

// Of four loads, two would be one again.
// CHECK-LABEL: nt.kernel @often
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @often symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %most = nt.reduce "max" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
  %s = nt.full %most : f32 -> !nt.tensor<[4096] x f32>
  %p = nt.elementwise "mul"(%v, %s) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %p axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%p, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %least = nt.reduce "min" %q axis 0 : !nt.tensor<[4096] x f32> -> f32
  %u = nt.full %least : f32 -> !nt.tensor<[4096] x f32>
  %r = nt.elementwise "mul"(%q, %u) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %r, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// Much would be computed twice.
// CHECK-LABEL: nt.kernel @long
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @long symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %e1 = nt.elementwise "exp"(%v) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e2 = nt.elementwise "exp"(%e1) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e3 = nt.elementwise "exp"(%e2) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e4 = nt.elementwise "exp"(%e3) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e5 = nt.elementwise "exp"(%e4) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e6 = nt.elementwise "exp"(%e5) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e7 = nt.elementwise "exp"(%e6) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e8 = nt.elementwise "exp"(%e7) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e9 = nt.elementwise "exp"(%e8) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e10 = nt.elementwise "exp"(%e9) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e11 = nt.elementwise "exp"(%e10) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e12 = nt.elementwise "exp"(%e11) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e13 = nt.elementwise "exp"(%e12) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e14 = nt.elementwise "exp"(%e13) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e15 = nt.elementwise "exp"(%e14) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e16 = nt.elementwise "exp"(%e15) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %e17 = nt.elementwise "exp"(%e16) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %e17 axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%e17, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// A scan is not made twice.
// CHECK-LABEL: nt.kernel @scanned
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @scanned symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %sums = nt.scan "cumsum" %v axis 0 reverse false : !nt.tensor<[4096] x f32>
  %sum = nt.reduce "max" %sums axis 0 : !nt.tensor<[4096] x f32> -> f32
  nt.store %sums, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// Nor is a function of a library.
// CHECK-LABEL: nt.kernel @extern
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @extern symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %p = nt.elementwise "libdevice.tanh"(%v) : (!nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %p axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%p, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// Somebody else has said what caches are to do.
// CHECK-LABEL: nt.kernel @given
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @given symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f32>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f32>, %b : !nt.tensor<[4096] x f32>):
  %v = nt.load %a[] evict "evict_last" : !nt.tensor<[4096] x f32>[] -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[4096] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %q = nt.elementwise "mul"(%v, %t) : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %q, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}

// A short row takes few registers.
// CHECK-LABEL: nt.kernel @short
// CHECK: %v = nt.load %a[]
// CHECK-NOT: nt.load %a[]
// CHECK: nt.return
nt.kernel @short symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 2048>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.access %x <[[m], [2048]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[2048] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [2048]] -> [g0, b0] if [[b0, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[2048] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[2048] x f32>>, !nt.tensor<[m] x !nt.tensor<[2048] x f32>>
} apply {
^bb0(%a : !nt.tensor<[2048] x f32>, %b : !nt.tensor<[2048] x f32>):
  %v = nt.load %a[] : !nt.tensor<[2048] x f32>[] -> !nt.tensor<[2048] x f32>
  %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[2048] x f32> -> f32
  %t = nt.full %sum : f32 -> !nt.tensor<[2048] x f32>
  %q = nt.elementwise "mul"(%v, %t) : (!nt.tensor<[2048] x f32>, !nt.tensor<[2048] x f32>) -> !nt.tensor<[2048] x f32>
  nt.store %q, %b[] : !nt.tensor<[2048] x f32>, !nt.tensor<[2048] x f32>[]
  nt.return
}
