// RUN: nt-opt %s --print-local-scope -p nt-merge-sorted | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-merge-sorted | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-merge-sorted{enabled=false}' | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p nt-merge-sorted 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK-COUNT-4: remark: sorted blocks are merged [nt-merge-sorted, passed]
// REMARK-NEXT: remark: sorted blocks are sorted again: neither is made by a sort that could turn it around [nt-merge-sorted, missed]
// REMARK-NOT: remark:

// OFF-NOT: bitonic

// The block that all iterations and both paths leave sorted, and the first lanes of another.
// CHECK-LABEL: nt.kernel @carried
// CHECK: %new = nt.sort %v axis 0 descending true reversed : !nt.tensor<[64] x i32> -> !nt.tensor<[8] x i32>
// CHECK: %merged = nt.sort bitonic %both axis 0 descending true : !nt.tensor<[16] x i32> -> !nt.tensor<[8] x i32>
nt.kernel @carried grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[64] x i32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n> : i32
  %start = nt.full %c0 : i32 -> !nt.tensor<[8] x i32>
  %last = scf.for %i = %c0 to %count step %c1 iter_args(%best = %start) -> (!nt.tensor<[8] x i32>) : i32 {
    %c = nt.elementwise "lt"(%i, %c1) : (i32, i32) -> i1
    %next = scf.if %c -> (!nt.tensor<[8] x i32>) {
      %new = nt.sort %v axis 0 descending true : !nt.tensor<[64] x i32> -> !nt.tensor<[8] x i32>
      %pairs = nt.join %best, %new : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 2] x i32>
      %rows = nt.trans %pairs order [1, 0] : !nt.tensor<[8, 2] x i32> -> !nt.tensor<[2, 8] x i32>
      %both = nt.reshape %rows : !nt.tensor<[2, 8] x i32> -> !nt.tensor<[16] x i32>
      %merged = nt.sort %both axis 0 descending true : !nt.tensor<[16] x i32> -> !nt.tensor<[8] x i32>
      scf.yield %merged : !nt.tensor<[8] x i32>
    } else {
      scf.yield %best : !nt.tensor<[8] x i32>
    }
    scf.yield %next : !nt.tensor<[8] x i32>
  }
  nt.return
}

// All lanes of both, the first of which is turned around: the second has another use.
// CHECK-LABEL: nt.kernel @all
// CHECK: %best = nt.sort %v axis 0 descending false reversed
// CHECK: %new = nt.sort %w axis 0 descending false :
// CHECK: nt.sort bitonic %both axis 0 descending false : !nt.tensor<[16] x i32> -> !nt.tensor<[16] x i32>
nt.kernel @all grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[8] x i32>
  %w = nt.arange <3> : !nt.tensor<[8] x i32>
  %best = nt.sort %v axis 0 descending false : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
  %new = nt.sort %w axis 0 descending false : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
  %pairs = nt.join %best, %new : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 2] x i32>
  %rows = nt.trans %pairs order [1, 0] : !nt.tensor<[8, 2] x i32> -> !nt.tensor<[2, 8] x i32>
  %both = nt.reshape %rows : !nt.tensor<[2, 8] x i32> -> !nt.tensor<[16] x i32>
  %merged = nt.sort %both axis 0 descending false : !nt.tensor<[16] x i32> -> !nt.tensor<[16] x i32>
  %sum = nt.reduce "sum" %new axis 0 : !nt.tensor<[8] x i32> -> i32
  nt.return
}

// Along any dim, beside one number in all lanes.
// CHECK-LABEL: nt.kernel @columns
// CHECK: %new = nt.sort %v axis 0 descending true reversed
// CHECK: nt.sort bitonic %both axis 0 descending true
nt.kernel @columns grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %c0 = arith.constant 0 : i32
  %zeros = nt.full %c0 : i32 -> !nt.tensor<[4] x i32>
  %row = nt.expand_dims %zeros axis 0 : !nt.tensor<[4] x i32> -> !nt.tensor<[1, 4] x i32>
  %best = nt.broadcast %row : !nt.tensor<[1, 4] x i32> -> !nt.tensor<[8, 4] x i32>
  %i = nt.arange <0> : !nt.tensor<[8] x i32>
  %e = nt.expand_dims %i axis 1 : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 1] x i32>
  %v = nt.broadcast %e : !nt.tensor<[8, 1] x i32> -> !nt.tensor<[8, 4] x i32>
  %new = nt.sort %v axis 0 descending true : !nt.tensor<[8, 4] x i32> -> !nt.tensor<[8, 4] x i32>
  %pairs = nt.join %best, %new : !nt.tensor<[8, 4] x i32> -> !nt.tensor<[8, 4, 2] x i32>
  %rows = nt.trans %pairs order [2, 0, 1] : !nt.tensor<[8, 4, 2] x i32> -> !nt.tensor<[2, 8, 4] x i32>
  %both = nt.reshape %rows : !nt.tensor<[2, 8, 4] x i32> -> !nt.tensor<[16, 4] x i32>
  %merged = nt.sort %both axis 0 descending true : !nt.tensor<[16, 4] x i32> -> !nt.tensor<[8, 4] x i32>
  nt.return
}

// A block that is in the order by being reversed.
// CHECK-LABEL: nt.kernel @reversed
// CHECK: nt.sort bitonic %both axis 0 descending true
nt.kernel @reversed grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[8] x i32>
  %best = nt.sort %v axis 0 descending false reversed : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
  %new = nt.sort %v axis 0 descending true : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
  %pairs = nt.join %best, %new : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 2] x i32>
  %rows = nt.trans %pairs order [1, 0] : !nt.tensor<[8, 2] x i32> -> !nt.tensor<[2, 8] x i32>
  %both = nt.reshape %rows : !nt.tensor<[2, 8] x i32> -> !nt.tensor<[16] x i32>
  %merged = nt.sort %both axis 0 descending true : !nt.tensor<[16] x i32> -> !nt.tensor<[8] x i32>
  nt.return
}

// Both are sorted, and read as they are.
// CHECK-LABEL: nt.kernel @read
// CHECK-NOT: bitonic
nt.kernel @read grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[8] x i32>
  %best = nt.sort %v axis 0 descending true : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
  %new = nt.sort %v axis 0 descending true : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
  %least = nt.reduce "min" %best axis 0 : !nt.tensor<[8] x i32> -> i32
  %most = nt.reduce "max" %new axis 0 : !nt.tensor<[8] x i32> -> i32
  %pairs = nt.join %best, %new : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 2] x i32>
  %rows = nt.trans %pairs order [1, 0] : !nt.tensor<[8, 2] x i32> -> !nt.tensor<[2, 8] x i32>
  %both = nt.reshape %rows : !nt.tensor<[2, 8] x i32> -> !nt.tensor<[16] x i32>
  %merged = nt.sort %both axis 0 descending true : !nt.tensor<[16] x i32> -> !nt.tensor<[8] x i32>
  nt.return
}

// One is sorted in the other order.
// CHECK-LABEL: nt.kernel @opposite
// CHECK-NOT: bitonic
nt.kernel @opposite grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[8] x i32>
  %best = nt.sort %v axis 0 descending false : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
  %new = nt.sort %v axis 0 descending true : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
  %pairs = nt.join %best, %new : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 2] x i32>
  %rows = nt.trans %pairs order [1, 0] : !nt.tensor<[8, 2] x i32> -> !nt.tensor<[2, 8] x i32>
  %both = nt.reshape %rows : !nt.tensor<[2, 8] x i32> -> !nt.tensor<[16] x i32>
  %merged = nt.sort %both axis 0 descending true : !nt.tensor<[16] x i32> -> !nt.tensor<[8] x i32>
  nt.return
}

// What an iteration leaves is not sorted.
// CHECK-LABEL: nt.kernel @unsorted
// CHECK-NOT: bitonic
nt.kernel @unsorted grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[8] x i32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n> : i32
  %start = nt.full %c0 : i32 -> !nt.tensor<[8] x i32>
  %last = scf.for %i = %c0 to %count step %c1 iter_args(%best = %start) -> (!nt.tensor<[8] x i32>) : i32 {
    %new = nt.sort %v axis 0 descending true : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
    %pairs = nt.join %best, %new : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 2] x i32>
    %rows = nt.trans %pairs order [1, 0] : !nt.tensor<[8, 2] x i32> -> !nt.tensor<[2, 8] x i32>
    %both = nt.reshape %rows : !nt.tensor<[2, 8] x i32> -> !nt.tensor<[16] x i32>
    %merged = nt.sort %both axis 0 descending true : !nt.tensor<[16] x i32> -> !nt.tensor<[8] x i32>
    %added = nt.elementwise "add"(%merged, %v) : (!nt.tensor<[8] x i32>, !nt.tensor<[8] x i32>) -> !nt.tensor<[8] x i32>
    scf.yield %added : !nt.tensor<[8] x i32>
  }
  nt.return
}

// Side by side along another dim.
// CHECK-LABEL: nt.kernel @interleaved
// CHECK-NOT: bitonic
nt.kernel @interleaved grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[8] x i32>
  %best = nt.sort %v axis 0 descending true : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
  %new = nt.sort %v axis 0 descending true : !nt.tensor<[8] x i32> -> !nt.tensor<[8] x i32>
  %pairs = nt.join %best, %new : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 2] x i32>
  %both = nt.reshape %pairs : !nt.tensor<[8, 2] x i32> -> !nt.tensor<[16] x i32>
  %merged = nt.sort %both axis 0 descending true : !nt.tensor<[16] x i32> -> !nt.tensor<[8] x i32>
  nt.return
}
