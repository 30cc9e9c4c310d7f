// RUN: nt-opt %s -p nt-insert-barriers | filecheck %s
// RUN: nt-opt %s --print-local-scope --remarks -p nt-insert-barriers | filecheck %s --check-prefix=REMARK

// Each lane is computed from the same loaded lane, maybe among others: no barrier.
// CHECK-LABEL: nt.kernel @in_place
// CHECK-NOT: nt.barrier
// CHECK: nt.return
nt.kernel @in_place symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>, %y : !nt.tensor<[64] x f32>):
  %0 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %1 = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.reduce "sum" %0 axis 0 : !nt.tensor<[64] x f32> -> f32
  %3 = nt.full %2 : f32 -> !nt.tensor<[64] x f32>
  %4 = nt.elementwise "add"(%0, %1) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %5 = nt.elementwise "add"(%4, %3) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %5, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.store %4, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Lanes that come from others.
// CHECK-LABEL: nt.kernel @moved
// CHECK: %1 = nt.flip %0
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: nt.store %1, %x[]
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @moved {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: accesses of `x` may overlap">
nt.kernel @moved symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>):
  %0 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %1 = nt.flip %0 axis 0 : !nt.tensor<[64] x f32>
  nt.store %1, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// The loaded value goes into another store: a thread that reads too late would store the new lanes.
// CHECK-LABEL: nt.kernel @kept
// CHECK: %0 = nt.load %x[]
// CHECK-NEXT: %1 = nt.load %y[]
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: nt.store %1, %x[]
// CHECK-NEXT: nt.store %0, %y[]
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @kept {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: accesses of `x` may overlap">
nt.kernel @kept symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>, %y : !nt.tensor<[64] x f32>):
  %0 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %1 = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %1, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.store %0, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// A sum of the loaded value is stored where other threads may hold it.
// CHECK-LABEL: nt.kernel @elsewhere
// CHECK: %2 = nt.elementwise "add"(%0, %0)
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: nt.store %2, %x[]
// CHECK-NEXT: nt.store %1, %y[]
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @elsewhere {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: accesses of `x` may overlap">
nt.kernel @elsewhere symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y1 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n] x f32>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>, %y : !nt.tensor<[] x f32>):
  %0 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %1 = nt.reduce "sum" %0 axis 0 : !nt.tensor<[64] x f32> -> f32
  %2 = nt.elementwise "add"(%0, %0) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %2, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.store %1, %y[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Disjoint blocks, and one that may be any of them.
// CHECK-LABEL: nt.kernel @other_blocks
// CHECK: nt.store %0, %x[%c1]
// CHECK-NEXT: %1 = nt.load %x[%c0]
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: %2 = nt.load %x[%i]
// CHECK-NEXT: nt.store %2, %y[]
// REMARK: nt.kernel @other_blocks {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: accesses of `x` may overlap">
nt.kernel @other_blocks symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x2 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x2 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
      -> !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>, %y : !nt.tensor<[64] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %v = nt.size <n> : i32
  %i = nt.elementwise "sub"(%v, %c1) : (i32, i32) -> i32
  %0 = nt.load %x[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %0, %x[%c1] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  %1 = nt.load %x[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %2 = nt.load %x[%i] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %2, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Two parameters that may be one tensor.
// CHECK-LABEL: nt.kernel @one_memory
// CHECK: %0 = nt.load %x[]
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: nt.store %0, %y[]
// CHECK-NEXT: nt.store %0, %z[]
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @one_memory {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: `x` may share memory with `y`">
nt.kernel @one_memory symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.source "y" "tensor" strides [1] memory "x" aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %z0 = nt.source "z" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %z1 = nt.tile %z0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1, %z1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>, %y : !nt.tensor<[64] x f32>, %z : !nt.tensor<[64] x f32>):
  %0 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %0, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.store %0, %z[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Blocks that differ in each iteration of a loop; a store before the loop needs one barrier.
// CHECK-LABEL: nt.kernel @walk
// CHECK: nt.store %0, %x[%c1]
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: scf.for %k
// CHECK-NEXT: %1 = nt.load %x[%k]
// CHECK-NEXT: %2 = nt.elementwise "add"(%1, %1)
// CHECK-NEXT: nt.store %2, %x[%k]
// CHECK-NEXT: }
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: %3 = nt.load %x[%c0]
// REMARK: nt.kernel @walk {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: accesses of `x` may overlap">
nt.kernel @walk symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x2 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x2 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
      -> !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x1
      : !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %0 = nt.load %x[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %0, %x[%c1] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  scf.for %k = %c0 to %c4 step %c1 : i32 {
    %1 = nt.load %x[%k] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %2 = nt.elementwise "add"(%1, %1) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    nt.store %2, %x[%k] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  }
  %3 = nt.load %x[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %3, %x[%c0] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  nt.return
}

// Each iteration reads what the one before it has stored.
// CHECK-LABEL: nt.kernel @accumulated
// CHECK: scf.for %k
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: %0 = nt.load %y[]
// CHECK-NEXT: %1 = nt.load %x[%k]
// CHECK-NEXT: %2 = nt.elementwise "add"(%0, %1)
// CHECK-NEXT: nt.store %2, %y[]
// CHECK-NEXT: }
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @accumulated {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: accesses of `y` may overlap">
nt.kernel @accumulated symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x2 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x2 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
      -> !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>, %y : !nt.tensor<[64] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %k = %c0 to %c4 step %c1 : i32 {
    %0 = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    %1 = nt.load %x[%k] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %2 = nt.elementwise "add"(%0, %1) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    nt.store %2, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  }
  nt.return
}

// An inner loop goes through the same blocks in each turn of the outer one; the barrier stands
// before it. A store that writes the same block in each turn needs none.
// CHECK-LABEL: nt.kernel @again
// CHECK: scf.for %j
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: scf.for %k
// CHECK-NEXT: %0 = nt.load %x[%k]
// CHECK-NEXT: %1 = nt.elementwise "add"(%0, %0)
// CHECK-NEXT: nt.store %1, %x[%k]
// CHECK-NEXT: nt.store %1, %y[]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @again {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: accesses of `x` may overlap">
nt.kernel @again symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x2 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x2 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
      -> !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>, %y : !nt.tensor<[64] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %j = %c0 to %c4 step %c1 : i32 {
    scf.for %k = %c0 to %c4 step %c1 : i32 {
      %0 = nt.load %x[%k] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
      %1 = nt.elementwise "add"(%0, %0) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
      nt.store %1, %x[%k] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
      nt.store %1, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
    }
  }
  nt.return
}

// Blocks that overlap are written turn by turn.
// CHECK-LABEL: nt.kernel @overlapping
// CHECK: scf.for %k
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: nt.store %0, %x[%k]
// CHECK-NEXT: }
// REMARK: nt.kernel @overlapping {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: accesses of `x` may overlap">
nt.kernel @overlapping symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x2 = nt.tile %x0 [64] strides [32] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 32 - 1] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x2 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 32 - 1] x !nt.tensor<[64] x f32>>
      -> !nt.tensor<[(n + 95) floordiv 128] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[(n + 95) floordiv 128] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>, %y : !nt.tensor<[64] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %0 = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  scf.for %k = %c0 to %c4 step %c1 : i32 {
    nt.store %0, %x[%k] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  }
  nt.return
}

// A barrier on one side is none on the other, and one before both serves both.
// CHECK-LABEL: nt.kernel @sides
// CHECK: nt.store %0, %x[%c1]
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: %1 = nt.load %x[%c1]
// CHECK-NEXT: nt.store %1, %y[]
// CHECK-NEXT: }
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: %2 = nt.load %x[%c1]
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: %3 = nt.load %x[%c1]
// CHECK-NEXT: nt.store %3, %z[]
// CHECK-NEXT: }
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @sides {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: accesses of `x` may overlap">
nt.kernel @sides symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x2 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x2 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
      -> !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %z0 = nt.source "z" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %z1 = nt.tile %z0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1, %z1
      : !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>, %y : !nt.tensor<[64] x f32>, %z : !nt.tensor<[64] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c = arith.constant true
  %0 = nt.load %x[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %0, %x[%c1] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  scf.if %c {
    %1 = nt.load %x[%c1] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    nt.store %1, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  }
  %2 = nt.load %x[%c1] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  scf.if %c {
    %3 = nt.load %x[%c1] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    nt.store %3, %z[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  }
  nt.return
}

// Pointers may point to any element of their tensor; atomics are ordered among themselves.
// CHECK-LABEL: nt.kernel @pointers
// CHECK: nt.store %0, %x[]
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: %1 = nt.pointer_load %p
// CHECK-NEXT: %2 = nt.pointer_load %q
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: %3 = nt.atomic
// CHECK-NEXT: %4 = nt.atomic
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: nt.pointer_store %1, %p
// CHECK-NEXT: nt.pointer_store %2, %q
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @pointers {{.*}}[#nt.remark<analysis "nt-insert-barriers" "barrier before it: accesses of `x` may overlap">
nt.kernel @pointers symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>, %y : !nt.tensor<[64] x f32>):
  %one = arith.constant 1.0 : f32
  %p = nt.pointer %x : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %q = nt.pointer %y : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %0 = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %0, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  %1 = nt.pointer_load %p : !tt.ptr<f32> -> f32
  %2 = nt.pointer_load %q : !tt.ptr<f32> -> f32
  %3 = nt.atomic "add" %p, %one "relaxed" "gpu" : !tt.ptr<f32>, f32
  %4 = nt.atomic "add" %p, %one "relaxed" "gpu" : !tt.ptr<f32>, f32
  nt.pointer_store %1, %p : f32, !tt.ptr<f32>
  nt.pointer_store %2, %q : f32, !tt.ptr<f32>
  nt.return
}

// A barrier that is there already serves.
// CHECK-LABEL: nt.kernel @waited
// CHECK: nt.store %0, %x[%c1]
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: %1 = nt.load %x[%c1]
nt.kernel @waited symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x2 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x2 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
      -> !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>, %y : !nt.tensor<[64] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %0 = nt.load %x[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %0, %x[%c1] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  nt.barrier
  %1 = nt.load %x[%c1] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %1, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
