// RUN: nt-opt %s -p nt-pad-blocks --split-input-file --verify-diagnostics | filecheck %s

// Nothing says how large the block may get.
// CHECK: ShapeError: a block has the size n, which is known at run time only; give it a block size
nt.kernel @no_extent symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[1], [n]] -> [b0]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n] x f32>>
  nt.arranged %x0
      : !nt.tensor<[1] x !nt.tensor<[n] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[n] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[n] x f32>[] -> !nt.tensor<[n] x f32>
  nt.return
}

// -----

// Padded differently, sizes cannot be equal.
// CHECK: ShapeError: blocks of shapes (256) and (512) must have equal shapes
nt.kernel @different_extents symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] padded_sizes [#nt.exprs[m, 256], #nt.exprs[n, 512]] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %x0 = nt.access %x <[[1], [m]] -> [b0]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[1] x !nt.tensor<[m] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y0 = nt.access %y <[[1], [n]] -> [b0]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[1] x !nt.tensor<[m] x f32>>, !nt.tensor<[1] x !nt.tensor<[n] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[m] x f32>, %ys : !nt.tensor<[n] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[m] x f32>[] -> !nt.tensor<[m] x f32>
  %c = builtin.unrealized_conversion_cast %v : !nt.tensor<[m] x f32> to !nt.tensor<[n] x f32>
  nt.return
}
