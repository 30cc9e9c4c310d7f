// RUN: nt-opt %s --print-local-scope -p nt-split-loops | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-split-loops | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-split-loops{enabled=false}' | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p nt-split-loops 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK: remark: iterations below `n floordiv 16` run a copy without the comparison [nt-split-loops, passed]
// REMARK-NEXT: remark: iterations below `g0` run a copy without the comparison [nt-split-loops, passed]
// REMARK-NEXT: remark: iterations from `g0 - 2` run a copy without the comparison [nt-split-loops, passed]
// REMARK-NEXT: remark: iterations below `j` run a copy without the comparison [nt-split-loops, passed]
// REMARK-NEXT: remark: iterations below `length floordiv 16` run a copy without the comparison [nt-split-loops, passed]
// REMARK-NOT: remark:

// OFF-COUNT-12: scf.for
// OFF-NOT: scf.for

!block = !nt.tensor<[16, 16] x f32>
!blocks = !nt.tensor<[n ceildiv 16] x !block>
!numbers = !nt.tensor<[16, 16] x i32>
!bits = !nt.tensor<[16, 16] x i1>

// The guard of the load says the same, and goes too.
// CHECK-LABEL: nt.kernel @below
// CHECK: %[[SIZE:.*]] = nt.size <n> : i64
// CHECK: %[[LIMIT:.*]] = nt.elementwise "floordiv"(%{{.*}}, %{{.*}}) : (i64, i64) -> i64
// CHECK-NEXT: %[[MOST:.*]] = nt.elementwise "minimum"(%{{.*}}, %[[LIMIT]]) : (i64, i64) -> i64
// CHECK-NEXT: %[[WIDE:.*]] = nt.elementwise "maximum"(%[[MOST]], %{{.*}}) : (i64, i64) -> i64
// CHECK-NEXT: %[[LAST:.*]] = nt.cast %[[WIDE]] : i64 -> i32
// CHECK-NEXT: %sum = scf.for %i = %c0 to %[[LAST]] step %c1 iter_args(%acc = %start)
// CHECK-NEXT: %v = nt.load %k[%i] guards [] other
// CHECK-NOT: where
// CHECK: %next = nt.dot %v, %v, %acc
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %[[LAST]] to %count step %c1 iter_args(%[[ACC:.*]] = %sum)
// CHECK-NEXT: %[[V:.*]] = nt.load %k[%[[I]]] other
// CHECK: nt.elementwise "lt"
// CHECK: nt.elementwise "where"
// CHECK: nt.store %[[SUM]], %q[]
nt.kernel @below symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [16, 1] other 0 : f32 aligned false : !nt.tensor<[n, 16] x f32>
  %l = nt.source "l" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  %0 = nt.access %x <[[n ceildiv 16], [n ceildiv 16], [16, 16]] -> [k1_0 * 16 + b0, b1] if [[k1_0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !blocks>
  %1 = nt.access %x <[[n ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !block>
  %2 = nt.access %l <[[]] -> []> : !nt.tensor<[] x i32> -> !nt.tensor<[] x i32>
  nt.arranged %0, %1, %2 : !nt.tensor<[n ceildiv 16] x !blocks>, !nt.tensor<[n ceildiv 16] x !block>, !nt.tensor<[] x i32>
} apply {
^bb0(%k : !blocks, %q : !block, %given : !nt.tensor<[] x i32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 16> : i32
  %n = nt.size <n> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !block
  %ends = nt.full %n : i32 -> !numbers
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %inside = nt.elementwise "lt"(%places, %ends) : (!numbers, !numbers) -> !bits
    %kept = nt.elementwise "where"(%inside, %v, %start) : (!bits, !block, !block) -> !block
    %next = nt.dot %kept, %v, %acc : !block, !block -> !block
    scf.yield %next : !block
  }
  nt.store %sum, %q[] : !block, !block[]
  nt.return
}

// Of a window, there are iterations in front and behind. A negated comparison is false where less is left to do.
// CHECK-LABEL: nt.kernel @window
// CHECK: scf.for %{{.*}} = %c0 to %[[FIRST:.*]] step %c1 iter_args(%{{.*}} = %start)
// CHECK: nt.elementwise "ge"
// CHECK: nt.elementwise "lt"
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST:.*]] step %c1
// CHECK-NOT: nt.elementwise "lt"
// CHECK-NOT: nt.elementwise "ge"
// CHECK-NOT: where
// CHECK: nt.dot
// CHECK: scf.for %{{.*}} = %[[LAST]] to %count step %c1
// CHECK: nt.elementwise "ge"
// CHECK: nt.elementwise "lt"
nt.kernel @window symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [16, 1] other 0 : f32 aligned false : !nt.tensor<[n, 16] x f32>
  %l = nt.source "l" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  %0 = nt.access %x <[[n ceildiv 16], [n ceildiv 16], [16, 16]] -> [k1_0 * 16 + b0, b1] if [[k1_0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !blocks>
  %1 = nt.access %x <[[n ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !block>
  %2 = nt.access %l <[[]] -> []> : !nt.tensor<[] x i32> -> !nt.tensor<[] x i32>
  nt.arranged %0, %1, %2 : !nt.tensor<[n ceildiv 16] x !blocks>, !nt.tensor<[n ceildiv 16] x !block>, !nt.tensor<[] x i32>
} apply {
^bb0(%k : !blocks, %q : !block, %given : !nt.tensor<[] x i32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 16> : i32
  %n = nt.size <n> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !block
  %m = nt.offsets %q[] dim 0 along [0] : !block[] -> !nt.tensor<[16] x i32>
  %column = nt.expand_dims %m axis 1 : !nt.tensor<[16] x i32> -> !nt.tensor<[16, 1] x i32>
  %rows = nt.broadcast %column : !nt.tensor<[16, 1] x i32> -> !numbers
  %c47 = arith.constant 47 : i32
  %width = nt.full %c47 : i32 -> !numbers
  %firsts = nt.elementwise "sub"(%rows, %width) : (!numbers, !numbers) -> !numbers
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %behind = nt.elementwise "ge"(%places, %rows) : (!numbers, !numbers) -> !bits
    %before = nt.elementwise "lt"(%places, %firsts) : (!numbers, !numbers) -> !bits
    %outside = nt.elementwise "or"(%behind, %before) : (!bits, !bits) -> !bits
    %kept = nt.elementwise "where"(%outside, %start, %v) : (!bits, !block, !block) -> !block
    %next = nt.dot %kept, %v, %acc : !block, !block -> !block
    scf.yield %next : !block
  }
  nt.store %sum, %q[] : !block, !block[]
  nt.return
}

// The loop around it counts what the limit depends on.
// CHECK-LABEL: nt.kernel @within
// CHECK: scf.for %j = %c0 to %count
// CHECK: nt.cast %j : i32 -> i64
// CHECK: scf.for %i = %c0 to %[[LAST:.*]] step %c1
// CHECK: scf.for %{{.*}} = %[[LAST]] to %count step %c1
nt.kernel @within symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [16, 1] other 0 : f32 aligned false : !nt.tensor<[n, 16] x f32>
  %l = nt.source "l" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  %0 = nt.access %x <[[n ceildiv 16], [n ceildiv 16], [16, 16]] -> [k1_0 * 16 + b0, b1] if [[k1_0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !blocks>
  %1 = nt.access %x <[[n ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !block>
  %2 = nt.access %l <[[]] -> []> : !nt.tensor<[] x i32> -> !nt.tensor<[] x i32>
  nt.arranged %0, %1, %2 : !nt.tensor<[n ceildiv 16] x !blocks>, !nt.tensor<[n ceildiv 16] x !block>, !nt.tensor<[] x i32>
} apply {
^bb0(%k : !blocks, %q : !block, %given : !nt.tensor<[] x i32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 16> : i32
  %n = nt.size <n> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !block
  %c16 = arith.constant 16 : i32
  %c8 = arith.constant 8 : i32
  %sum = scf.for %j = %c0 to %count step %c1 iter_args(%total = %start) -> (!block) : i32 {
    %most = nt.elementwise "mul"(%j, %c16) : (i32, i32) -> i32
    %end = nt.elementwise "add"(%most, %c8) : (i32, i32) -> i32
    %ends = nt.full %end : i32 -> !numbers
  %part = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %total) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %inside = nt.elementwise "lt"(%places, %ends) : (!numbers, !numbers) -> !bits
    %kept = nt.elementwise "where"(%inside, %v, %start) : (!bits, !block, !block) -> !block
    %next = nt.dot %kept, %v, %acc : !block, !block -> !block
    scf.yield %next : !block
    }
    scf.yield %part : !block
  }
  nt.store %sum, %q[] : !block, !block[]
  nt.return
}

// A number of the call, of which nothing is known.
// CHECK-LABEL: nt.kernel @given
// CHECK: nt.cast %length : i32 -> i64
// CHECK: scf.for %i = %c0 to %[[LAST:.*]] step %c1
// CHECK-NEXT: %v = nt.load %k[%i] other
// CHECK: scf.for %{{.*}} = %[[LAST]] to %count step %c1
nt.kernel @given symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [16, 1] other 0 : f32 aligned false : !nt.tensor<[n, 16] x f32>
  %l = nt.source "l" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  %0 = nt.access %x <[[n ceildiv 16], [n ceildiv 16], [16, 16]] -> [k1_0 * 16 + b0, b1] if [[k1_0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !blocks>
  %1 = nt.access %x <[[n ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !block>
  %2 = nt.access %l <[[]] -> []> : !nt.tensor<[] x i32> -> !nt.tensor<[] x i32>
  nt.arranged %0, %1, %2 : !nt.tensor<[n ceildiv 16] x !blocks>, !nt.tensor<[n ceildiv 16] x !block>, !nt.tensor<[] x i32>
} apply {
^bb0(%k : !blocks, %q : !block, %given : !nt.tensor<[] x i32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 16> : i32
  %n = nt.size <n> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !block
  %length = nt.load %given[] : !nt.tensor<[] x i32>[] -> i32
  %ends = nt.full %length : i32 -> !numbers
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %inside = nt.elementwise "lt"(%places, %ends) : (!numbers, !numbers) -> !bits
    %kept = nt.elementwise "where"(%inside, %v, %start) : (!bits, !block, !block) -> !block
    %next = nt.dot %kept, %v, %acc : !block, !block -> !block
    scf.yield %next : !block
  }
  nt.store %sum, %q[] : !block, !block[]
  nt.return
}

// What is compared depends on data, or on the square of the iteration; a loop begins where another may end; a number
// has 64 bits, whose sums may not fit; a scalar is compared; all that holds, holds behind the last iteration.
// CHECK-LABEL: nt.kernel @kept
// CHECK-COUNT-6: scf.for
// CHECK-NOT: scf.for
nt.kernel @kept symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [16, 1] other 0 : f32 aligned false : !nt.tensor<[n, 16] x f32>
  %l = nt.source "l" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  %0 = nt.access %x <[[n ceildiv 16], [n ceildiv 16], [16, 16]] -> [k1_0 * 16 + b0, b1] if [[k1_0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !blocks>
  %1 = nt.access %x <[[n ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !block>
  %2 = nt.access %l <[[]] -> []> : !nt.tensor<[] x i32> -> !nt.tensor<[] x i32>
  nt.arranged %0, %1, %2 : !nt.tensor<[n ceildiv 16] x !blocks>, !nt.tensor<[n ceildiv 16] x !block>, !nt.tensor<[] x i32>
} apply {
^bb0(%k : !blocks, %q : !block, %given : !nt.tensor<[] x i32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 16> : i32
  %n = nt.size <n> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !block
  %length = nt.load %given[] : !nt.tensor<[] x i32>[] -> i32
  %ends = nt.full %n : i32 -> !numbers
  %one = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %found = nt.cast %v : !block -> !numbers
    %inside = nt.elementwise "lt"(%found, %ends) : (!numbers, !numbers) -> !bits
    %kept = nt.elementwise "where"(%inside, %v, %start) : (!bits, !block, !block) -> !block
    %next = nt.dot %kept, %v, %acc : !block, !block -> !block
    scf.yield %next : !block
  }
  %two = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %one) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %square = nt.elementwise "mul"(%i, %i) : (i32, i32) -> i32
    %squares = nt.full %square : i32 -> !numbers
    %inside = nt.elementwise "lt"(%squares, %ends) : (!numbers, !numbers) -> !bits
    %kept = nt.elementwise "where"(%inside, %v, %start) : (!bits, !block, !block) -> !block
    %next = nt.dot %kept, %v, %acc : !block, !block -> !block
    scf.yield %next : !block
  }
  %three = scf.for %i = %length to %count step %c1 iter_args(%acc = %two) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %inside = nt.elementwise "lt"(%places, %ends) : (!numbers, !numbers) -> !bits
    %kept = nt.elementwise "where"(%inside, %v, %start) : (!bits, !block, !block) -> !block
    %next = nt.dot %kept, %v, %acc : !block, !block -> !block
    scf.yield %next : !block
  }
  %four = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %two) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %p64 = nt.cast %places : !numbers -> !nt.tensor<[16, 16] x i64>
    %l64 = nt.cast %length : i32 -> i64
    %r64 = nt.bitcast %l64 : i64 -> i64
    %e64 = nt.full %r64 : i64 -> !nt.tensor<[16, 16] x i64>
    %inside = nt.elementwise "lt"(%p64, %e64) : (!nt.tensor<[16, 16] x i64>, !nt.tensor<[16, 16] x i64>) -> !bits
    %kept = nt.elementwise "where"(%inside, %v, %start) : (!bits, !block, !block) -> !block
    %next = nt.dot %kept, %v, %acc : !block, !block -> !block
    scf.yield %next : !block
  }
  %five = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %two) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %early = nt.elementwise "lt"(%i, %length) : (i32, i32) -> i1
    %next = nt.dot %v, %v, %acc : !block, !block -> !block
    scf.yield %next : !block
  }
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %five) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %found2 = nt.cast %v : !block -> !numbers
    %inside = nt.elementwise "lt"(%places, %ends) : (!numbers, !numbers) -> !bits
    %other = nt.elementwise "lt"(%found2, %ends) : (!numbers, !numbers) -> !bits
    %any = nt.elementwise "or"(%inside, %other) : (!bits, !bits) -> !bits
    %kept = nt.elementwise "where"(%any, %v, %start) : (!bits, !block, !block) -> !block
    %next = nt.dot %kept, %v, %acc : !block, !block -> !block
    scf.yield %next : !block
  }
  nt.store %sum, %q[] : !block, !block[]
  nt.return
}

// Without a dot, an iteration waits for memory.
// CHECK-LABEL: nt.kernel @sum
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
nt.kernel @sum symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [16, 1] other 0 : f32 aligned false : !nt.tensor<[n, 16] x f32>
  %l = nt.source "l" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  %0 = nt.access %x <[[n ceildiv 16], [n ceildiv 16], [16, 16]] -> [k1_0 * 16 + b0, b1] if [[k1_0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !blocks>
  %1 = nt.access %x <[[n ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, n]]>
      : !nt.tensor<[n, 16] x f32> -> !nt.tensor<[n ceildiv 16] x !block>
  %2 = nt.access %l <[[]] -> []> : !nt.tensor<[] x i32> -> !nt.tensor<[] x i32>
  nt.arranged %0, %1, %2 : !nt.tensor<[n ceildiv 16] x !blocks>, !nt.tensor<[n ceildiv 16] x !block>, !nt.tensor<[] x i32>
} apply {
^bb0(%k : !blocks, %q : !block, %given : !nt.tensor<[] x i32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 16> : i32
  %n = nt.size <n> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !block
  %ends = nt.full %n : i32 -> !numbers
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %k[%i] other 0.0 : f32 : !blocks[i32] -> !block
    %o = nt.offsets %k[%i] dim 0 along [0] : !blocks[i32] -> !nt.tensor<[16] x i32>
    %row = nt.expand_dims %o axis 0 : !nt.tensor<[16] x i32> -> !nt.tensor<[1, 16] x i32>
    %places = nt.broadcast %row : !nt.tensor<[1, 16] x i32> -> !numbers
    %inside = nt.elementwise "lt"(%places, %ends) : (!numbers, !numbers) -> !bits
    %kept = nt.elementwise "where"(%inside, %v, %start) : (!bits, !block, !block) -> !block
    %next = nt.elementwise "add"(%kept, %acc) : (!block, !block) -> !block
    scf.yield %next : !block
  }
  nt.store %sum, %q[] : !block, !block[]
  nt.return
}
