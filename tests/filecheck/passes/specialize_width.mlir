// RUN: nt-opt %s -p 'nt-specialize{values="B=64","W=3"}' | filecheck %s
// RUN: nt-opt %s -p 'nt-specialize{values="B=64","W=3" index_bits=64}' | filecheck %s --check-prefix WIDE

// More elements than any tensor has: a call checks that indices hold them.
// CHECK-LABEL: nt.kernel @expanded
// CHECK-SAME: checks [#nt.check<[n * n] = [min(2146435071, n * n)], "the arrangement of x counts up to (n * n,) = {left}, but tensors of these sizes are addressed with 32 bits, which hold 2146435071; arrange it with fewer elements">] arrange
// WIDE-LABEL: nt.kernel @expanded
// WIDE-SAME: checks [#nt.check<[n * n] = [min(9223372036853727231, n * n)], "{{.*}}64 bits{{.*}}">] arrange
nt.kernel @expanded symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[1], [(n * n) ceildiv B], [B]] -> [(b0 + k1_0 * B) floordiv n] if [[b0 + k1_0 * B, n * n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[(n * n) ceildiv B] x !nt.tensor<[B] x f32>>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[(n * n) ceildiv B] x !nt.tensor<[B] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[(n * n) ceildiv B] x !nt.tensor<[B] x f32>>):
  nt.return
}

// What one tensor bounds is held: its sizes, also by another name, what they are cut into, a
// division that is multiplied again, and a few elements more.
// CHECK-LABEL: nt.kernel @bounded
// CHECK-SAME: checks [#nt.check<[m] = [k], "{left} {right}">] arrange
nt.kernel @bounded symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<B meta 32 to 1024>, #nt.symbol<W constexpr 1 to ?>] checks [#nt.check<[m] = [k], "{left} {right}">] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[k, n] x f32>
  %x0 = nt.access %x <[[(m * n) ceildiv B], [m ceildiv W * W, m * (n floordiv m), n + W * 2 - 1], [B]] -> [0, b0] if [[b0, m * n]]>
      : !nt.tensor<[k, n] x f32> -> !nt.tensor<[(m * n) ceildiv B] x !nt.tensor<[m ceildiv W * W, m * (n floordiv m), n + W * 2 - 1] x !nt.tensor<[B] x f32>>>
  nt.arranged %x0 : !nt.tensor<[(m * n) ceildiv B] x !nt.tensor<[m ceildiv W * W, m * (n floordiv m), n + W * 2 - 1] x !nt.tensor<[B] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[m ceildiv W * W, m * (n floordiv m), n + W * 2 - 1] x !nt.tensor<[B] x f32>>):
  nt.return
}

// Sums of sizes, multiples, sizes of two tensors, and what a guard alone compares with.
// CHECK-LABEL: nt.kernel @unbounded
// CHECK-SAME: [n * 3] =
// CHECK-SAME: [m + n] =
// CHECK-SAME: [m * n] =
nt.kernel @unbounded symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>, #nt.symbol<W constexpr 1 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %x0 = nt.access %x <[[1], [n * W ceildiv 2, m + n], [B]] -> [b0]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[1] x !nt.tensor<[n * W ceildiv 2, m + n] x !nt.tensor<[B] x f32>>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y0 = nt.access %y <[[1], [B]] -> [b0] if [[b0, m * n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[B] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[1] x !nt.tensor<[n * W ceildiv 2, m + n] x !nt.tensor<[B] x f32>>>,
      !nt.tensor<[1] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[n * W ceildiv 2, m + n] x !nt.tensor<[B] x f32>>, %ys : !nt.tensor<[B] x f32>):
  nt.return
}
