// RUN: nt-opt %s --print-local-scope --remarks -p nt-lower-accesses | filecheck %s

// Nothing is missing: 16 bytes begin at a multiple of as much, and are valid or not all at once.
// CHECK: nt.kernel @whole
// CHECK-NOT: accessed
nt.kernel @whole symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ? div 8>, #nt.symbol<s stride ? to ? div 16>] grid #nt.expr<m * (n ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, n] x f16>
  %x0 = nt.access %x <[[m, n ceildiv 64], [64]] -> [g0, g1 * 64 + b0] if [[g1 * 64 + b0, n]]>
      : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %x0 : !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f16>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [m, n ceildiv 64] : index, index
  %v = nt.load %xs[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  nt.return
}

// The size, the start of a row, that of the tensor, and lanes that lie apart.
// CHECK: nt.kernel @missing
// CHECK-SAME: "`a` accessed 2 lanes at a time: `b0 + g1 * 64 < n` may change within 8 lanes"
// CHECK-SAME: "`b` accessed 4 lanes at a time: `g0 * s` is not known to be a multiple of 8"
// CHECK-SAME: "`c` accessed element by element: `c` is not known to begin at a multiple of 16 bytes"
// CHECK-SAME: "`d` accessed element by element: no stride is 1"
// CHECK-SAME: "`e` accessed 2 lanes at a time: more lanes are not known to be neighbours in memory"
nt.kernel @missing symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 1 to ? div 2>, #nt.symbol<s stride ? to ? div 4>, #nt.symbol<t stride ? to ? div 16>] grid #nt.expr<m * (n ceildiv 64)> arrange {
  %a = nt.source "a" "tensor" strides [t, 1] aligned true : !nt.tensor<[m, n] x f16>
  %a0 = nt.access %a <[[m, n ceildiv 64], [64]] -> [g0, g1 * 64 + b0] if [[g1 * 64 + b0, n]]>
      : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>
  %b = nt.source "b" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, n] x f16>
  %b0 = nt.access %b <[[m, n ceildiv 64], [64]] -> [g0, g1 * 64 + b0] if []>
      : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>
  %c = nt.source "c" "tensor" strides [t, 1] aligned false : !nt.tensor<[m, n] x f16>
  %c0 = nt.access %c <[[m, n ceildiv 64], [64]] -> [g0, g1 * 64 + b0] if []>
      : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>
  %d = nt.source "d" "tensor" strides [t, 16] aligned true : !nt.tensor<[m, n] x f16>
  %d0 = nt.access %d <[[m, n ceildiv 64], [64]] -> [g0, g1 * 64 + b0] if []>
      : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>
  %e = nt.source "e" "tensor" strides [t, 1] aligned true : !nt.tensor<[m, n] x f16>
  %e0 = nt.access %e <[[m, n ceildiv 64], [64]] -> [(g1 * 64 + b0) floordiv n, (g1 * 64 + b0) mod n] if []>
      : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %a0, %b0, %c0, %d0, %e0
      : !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>, !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>, !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>, !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>, !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%as : !nt.tensor<[64] x f16>, %bs : !nt.tensor<[64] x f16>, %cs : !nt.tensor<[64] x f16>, %ds : !nt.tensor<[64] x f16>, %es : !nt.tensor<[64] x f16>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [m, n ceildiv 64] : index, index
  %1 = nt.load %as[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %2 = nt.load %bs[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %3 = nt.load %cs[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %4 = nt.load %ds[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %5 = nt.load %es[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  nt.return
}
