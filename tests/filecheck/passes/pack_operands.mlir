// RUN: nt-opt %s --print-local-scope -p 'nt-pack-operands{packed=1}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-pack-operands | filecheck %s --check-prefix=NONE
// RUN: nt-opt %s --remarks -p 'nt-pack-operands{packed=1}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --remarks -p nt-pack-operands 2>&1 | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --print-local-scope -p 'nt-pack-operands{packed=1 equal="k=l"}' | filecheck %s --check-prefix=EQUAL

// By default, operands are read where they are.
// NONE-NOT: packed

// Rows of the copy begin at multiples of 16 elements, along the dim of stride 1; guards of lanes
// along it go up to the end of the packed row, those of rows to the end of the tensor.
// CHECK-LABEL: nt.kernel @product
// CHECK: nt.source "a" "tensor" strides [k ceildiv 16 * 16, 1] packed [s, 1] aligned true
// CHECK-NEXT: nt.access {{.*}} if {{\[\[}}b0 + g0 * 64, m], [b1 + k1_0 * 64, k ceildiv 16 * 16]]
// CHECK: nt.source "b" "tensor" strides [1, l ceildiv 16 * 16] packed [1, t] aligned true
// EQUAL-LABEL: nt.kernel @product
// A size that is told to be the source's is the end of its row, too.
// EQUAL: nt.source "b"
// EQUAL-NEXT: nt.access {{.*}} if {{\[\[}}b0 + k1_0 * 64, k ceildiv 16 * 16], [b1 + g1 * 64, n]]
// CHECK-NEXT: nt.access {{.*}} if {{\[\[}}b0 + k1_0 * 64, k], [b1 + g1 * 64, n]]
// What is stored, and what no dot reads, stays.
// CHECK: nt.source "c" "tensor" strides [u, 1] aligned false
// REMARK: remark: `a` read from a packed copy: its rows begin at multiples of 16 elements [nt-pack-operands, passed]
// REMARK-NEXT: remark: `b` read from a packed copy: its rows begin at multiples of 16 elements [nt-pack-operands, passed]
// OFF: remark: `a` read where it is: stride `s` is not known to be a multiple of 8; packed_operands is 0, and may be 1 [nt-pack-operands, analysis]
// OFF-NEXT: remark: `b` read where it is: it is not known to begin at a multiple of 16 bytes; packed_operands is 0, and may be 1 [nt-pack-operands, analysis]
!a_matrix = !nt.tensor<[m, k] x f16>
!b_matrix = !nt.tensor<[l, n] x f16>
!c_matrix = !nt.tensor<[m, n] x f16>
!block = !nt.tensor<[64, 64] x f16>
!blocks = !nt.tensor<[k ceildiv 64] x !block>
!product = !nt.tensor<[m ceildiv 64, n ceildiv 64] x !blocks>
!stored = !nt.tensor<[m ceildiv 64, n ceildiv 64] x !block>
nt.kernel @product symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<l size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>, #nt.symbol<t stride ? to ?>, #nt.symbol<u stride ? to ?>] arrange {
  %a = nt.source "a" "tensor" strides [s, 1] aligned true : !a_matrix
  %a0 = nt.access %a <[[m ceildiv 64, n ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]
      if [[b0 + g0 * 64, m], [b1 + k1_0 * 64, k]]> : !a_matrix -> !product
  %b = nt.source "b" "tensor" strides [1, t] aligned false : !b_matrix
  %b0 = nt.access %b <[[m ceildiv 64, n ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + k1_0 * 64, b1 + g1 * 64]
      if [[b0 + k1_0 * 64, k], [b1 + g1 * 64, n]]> : !b_matrix -> !product
  %c = nt.source "c" "tensor" strides [u, 1] aligned false : !c_matrix
  %c0 = nt.access %c <[[m ceildiv 64, n ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + g1 * 64]
      if [[b0 + g0 * 64, m], [b1 + g1 * 64, n]]> : !c_matrix -> !stored
  nt.arranged %a0, %b0, %c0 : !product, !product, !stored
} apply {
^bb0(%as : !blocks, %bs : !blocks, %cs : !block):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !block
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %as[%i] other 0.0 : f16 : !blocks[i32] -> !block
    %w = nt.load %bs[%i] other 0.0 : f16 : !blocks[i32] -> !block
    %x = nt.dot %v, %w, %acc : !block, !block -> !block
    scf.yield %x : !block
  }
  nt.store %sum, %cs[] : !block, !block[]
  nt.return
}

// What is written, read as something else than 0 outside, asked for its addresses, or read by one
// program alone, is not packed; nor is what begins where it should.
// CHECK-LABEL: nt.kernel @others
// CHECK-NOT: packed
// REMARK-NEXT: remark: `a` read where it is: its rows begin at multiples of 16 bytes [nt-pack-operands, analysis]
// REMARK-NEXT: remark: `b` read where it is: lanes outside read 1.0, and not 0 [nt-pack-operands, missed]
// REMARK-NEXT: remark: `c` read where it is: no two programs read the same of it [nt-pack-operands, missed]
// REMARK-NEXT: remark: `d` read where it is: `d` may share memory with `f` [nt-pack-operands, missed]
// REMARK-NEXT: remark: `e` read where it is: nt.offsets asks for more than its elements [nt-pack-operands, missed]
// REMARK-NEXT: remark: `f` read where it is: it is written [nt-pack-operands, missed]
!matrix = !nt.tensor<[m, k] x f16>
!shared = !nt.tensor<[m ceildiv 64, n ceildiv 64] x !blocks>
!own = !nt.tensor<[m ceildiv 64, 1] x !blocks>
nt.kernel @others symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ? div 16>, #nt.symbol<t stride ? to ?>] arrange {
  %a = nt.source "a" "tensor" strides [s, 1] aligned true : !matrix
  %a0 = nt.access %a <[[m ceildiv 64, n ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]> : !matrix -> !shared
  %b = nt.source "b" "tensor" strides [t, 1] aligned true : !matrix
  %b0 = nt.access %b <[[m ceildiv 64, n ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]> : !matrix -> !shared
  %c = nt.source "c" "tensor" strides [t, 1] aligned true : !matrix
  %c0 = nt.access %c <[[m ceildiv 64, 1], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]> : !matrix -> !own
  %d = nt.source "d" "tensor" strides [t, 1] memory "f" aligned true : !matrix
  %d0 = nt.access %d <[[m ceildiv 64, n ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]> : !matrix -> !shared
  %e = nt.source "e" "tensor" strides [t, 1] aligned true : !matrix
  %e0 = nt.access %e <[[m ceildiv 64, n ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]> : !matrix -> !shared
  %f = nt.source "f" "tensor" strides [t, 1] aligned true : !matrix
  %f0 = nt.access %f <[[m ceildiv 64, n ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]> : !matrix -> !shared
  nt.arranged %a0, %b0, %c0, %d0, %e0, %f0 : !shared, !shared, !own, !shared, !shared, !shared
} apply {
^bb0(%as : !blocks, %bs : !blocks, %cs : !blocks, %ds : !blocks, %es : !blocks, %fs : !blocks):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !block
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %as[%i] : !blocks[i32] -> !block
    %w = nt.load %bs[%i] other 1.0 : f16 : !blocks[i32] -> !block
    %x = nt.dot %v, %w, %start : !block, !block -> !block
    %y = nt.load %cs[%i] : !blocks[i32] -> !block
    %z = nt.load %ds[%i] : !blocks[i32] -> !block
    %u = nt.dot %y, %z, %x : !block, !block -> !block
    %p = nt.load %es[%i] : !blocks[i32] -> !block
    %q = nt.load %fs[%i] : !blocks[i32] -> !block
    %r = nt.dot %p, %q, %u : !block, !block -> !block
    %places = nt.offsets %es[%i] along [0, 1] : !blocks[i32] -> !nt.tensor<[64, 64] x i32>
    nt.store %r, %fs[%i] : !block, !blocks[i32]
  }
  nt.return
}
