// RUN: nt-opt %s -p 'nt-specialize{values="B=32"}' --split-input-file --verify-diagnostics | filecheck %s

// A check that fails for certain says so, its numbers filled in.
// CHECK: ShapeError: blocks of (32,) must have (64,)
nt.kernel @check_fails symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] checks [#nt.check<[B] = [64], "blocks of {left} must have {right}">] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv B], [B]] -> [g0 * B + b0]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  nt.return
}
