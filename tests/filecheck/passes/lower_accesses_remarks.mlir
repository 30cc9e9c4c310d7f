// RUN: nt-opt %s --print-local-scope --remarks -p nt-lower-accesses | filecheck %s
// RUN: nt-opt %s --print-local-scope --remarks -p 'nt-lower-accesses{pointer_blocks=1}' | filecheck %s --check-prefix=BLOCKS

// A guard that always holds, and others: the comparison that is not proved.
// CHECK: nt.kernel @always_inside {{.*}}[#nt.remark<passed "nt-lower-accesses" "`x` needs no mask: its guards always hold">]}
nt.kernel @always_inside symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n * 64] x f32>
  %x0 = nt.access %x <[[n], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n * 64]]>
      : !nt.tensor<[n * 64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// CHECK: nt.kernel @below_zero
// CHECK-SAME: "`x` accessed element by element: `-1` is no multiple of 4">
// CHECK-SAME: #nt.remark<missed "nt-lower-accesses" "mask of `x` kept: `0 <= b0 + g0 * 64 - 1 < n` is not proved">]}
nt.kernel @below_zero symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0 - 1] if [[g0 * 64 + b0 - 1, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// CHECK: nt.kernel @two_dims
// CHECK-SAME: #nt.remark<missed "nt-lower-accesses" "mask of `x` kept: `b0 + g0 * 16 < m` is not proved">
// CHECK-SAME: #nt.remark<missed "nt-lower-accesses" "mask of `x` kept: `b1 + g1 * 32 < n` is not proved">]}
nt.kernel @two_dims symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>] grid #nt.expr<(m ceildiv 16) * (n ceildiv 32)> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m ceildiv 16, n ceildiv 32], [16, 32]] -> [g0 * 16 + b0, g1 * 32 + b1] if [[g0 * 16 + b0, m], [g1 * 32 + b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !nt.tensor<[16, 32] x f32>>
  nt.arranged %x0
      : !nt.tensor<[m ceildiv 16, n ceildiv 32] x !nt.tensor<[16, 32] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[16, 32] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [m ceildiv 16, n ceildiv 32] : index, index
  %v = nt.load %xs[] : !nt.tensor<[16, 32] x f32>[] -> !nt.tensor<[16, 32] x f32>
  nt.return
}

// Blocks of pointers in front of a loop are another configuration's, of too many pointers nobody's.
// CHECK: nt.kernel @many_pointers
// CHECK-SAME: #nt.remark<missed "nt-lower-accesses" "pointers to `x` computed in each iteration: there are 16384, and more than 8192 would not stay in registers">
// CHECK-SAME: #nt.remark<missed "nt-lower-accesses" "pointers to `y` computed in each iteration: the choice pointer_blocks is 0">
// BLOCKS: nt.kernel @many_pointers
// BLOCKS-SAME: #nt.remark<missed "nt-lower-accesses" "pointers to `x` computed in each iteration: there are 16384, and more than 8192 would not stay in registers">
// BLOCKS-SAME: #nt.remark<passed "nt-lower-accesses" "pointers to `y` computed in front of the loop">
nt.kernel @many_pointers symbols [#nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ?>, #nt.symbol<t stride ? to ? div 16>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[128, k] x i8>
  %x0 = nt.access %x <[[1], [k floordiv 128], [128, 128]] -> [b0, k1_0 * 128 + b1] if []>
      : !nt.tensor<[128, k] x i8> -> !nt.tensor<[1] x !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>>
  %y = nt.source "y" "tensor" strides [t, 1] aligned true : !nt.tensor<[128, k] x i8>
  %y0 = nt.access %y <[[1], [k floordiv 128], [128, 128]] -> [b0, k1_0 * 128 + b1] if []>
      : !nt.tensor<[128, k] x i8> -> !nt.tensor<[1] x !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>>
  nt.arranged %x0, %y0
      : !nt.tensor<[1] x !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>>, !nt.tensor<[1] x !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>>
} apply {
^bb0(%xs : !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>, %ys : !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k floordiv 128> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>[i32] -> !nt.tensor<[128, 128] x i8>
    %w = nt.load %ys[%i] : !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>[i32] -> !nt.tensor<[128, 128] x i8>
    scf.yield
  }
  nt.return
}
