// RUN: nt-opt %s -p nt-insert-barriers | filecheck %s

// Blocks whose indices are not known to be equal may be one, or overlap.
// CHECK-LABEL: nt.kernel @unknown_indices
// CHECK: %v = nt.load %x[%i]
// CHECK-NEXT: %w = nt.elementwise "exp"(%v)
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: nt.store %w, %x[%j]
nt.kernel @unknown_indices symbols [#nt.symbol<k size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x2 = nt.tile %x1 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>> -> !nt.tensor<[n ceildiv 64 ceildiv 4] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x2 : !nt.tensor<[n ceildiv 64 ceildiv 4] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %i = nt.size <k> : i32
  %j = nt.size <m> : i32
  %v = nt.load %x[%i] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %w = nt.elementwise "exp"(%v) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %w, %x[%j] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  nt.return
}

// An iteration reads the block that the one before has stored.
// CHECK-LABEL: nt.kernel @behind
// CHECK: scf.for
// CHECK-NEXT: %l = nt.elementwise "add"(%k, %c1)
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: %v = nt.load %x[%k]
nt.kernel @behind symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x2 = nt.tile %x1 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>> -> !nt.tensor<[n ceildiv 64 ceildiv 4] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x2 : !nt.tensor<[n ceildiv 64 ceildiv 4] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %k = %c0 to %c4 step %c1 : i32 {
    %l = nt.elementwise "add"(%k, %c1) : (i32, i32) -> i32
    %v = nt.load %x[%k] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %w = nt.elementwise "exp"(%v) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    nt.store %w, %x[%l] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  }
  nt.return
}

// What a loop turns around is no elementwise update.
// CHECK-LABEL: nt.kernel @turned_by_a_loop
// CHECK: %w = scf.for
// CHECK: nt.barrier
// CHECK-NEXT: nt.store %w, %x[%c0]
nt.kernel @turned_by_a_loop symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x2 = nt.tile %x1 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>> -> !nt.tensor<[n ceildiv 64 ceildiv 4] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x2 : !nt.tensor<[n ceildiv 64 ceildiv 4] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %v = nt.load %x[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %w = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %v) -> (!nt.tensor<[64] x f32>) : i32 {
    %b = nt.flip %a axis 0 : !nt.tensor<[64] x f32>
    scf.yield %b : !nt.tensor<[64] x f32>
  }
  nt.store %w, %x[%c0] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  nt.return
}

// Nor is a product of matrices, one of which was read there.
// CHECK-LABEL: nt.kernel @product
// CHECK: %d = nt.dot %v, %v, %acc
// CHECK-NEXT: nt.barrier
// CHECK-NEXT: nt.store %d, %x[]
nt.kernel @product symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x1 = nt.tile %x0 [16, 16] strides [16, 16] dilation [1, 1] floor false level 0
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 16, n ceildiv 16] x !nt.tensor<[16, 16] x f32>>
  nt.arranged %x1 : !nt.tensor<[m ceildiv 16, n ceildiv 16] x !nt.tensor<[16, 16] x f32>>
} apply {
^bb0(%x : !nt.tensor<[16, 16] x f32>):
  %zero = arith.constant 0.0 : f32
  %acc = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %v = nt.load %x[] : !nt.tensor<[16, 16] x f32>[] -> !nt.tensor<[16, 16] x f32>
  %d = nt.dot %v, %v, %acc : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
  nt.store %d, %x[] : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32>[]
  nt.return
}
