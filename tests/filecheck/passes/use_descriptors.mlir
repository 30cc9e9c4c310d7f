// RUN: nt-opt %s --print-local-scope -p 'nt-use-descriptors{descriptors=2}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-use-descriptors{descriptors=1}' | filecheck %s --check-prefix=LOADS
// RUN: nt-opt %s --print-local-scope -p nt-use-descriptors | filecheck %s --check-prefix=NONE
// RUN: nt-opt %s --remarks -p 'nt-use-descriptors{descriptors=1}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --print-local-scope -p 'nt-use-descriptors{descriptors=2 host_descriptors=false}' | filecheck %s --check-prefix=DEVICE
// RUN: nt-opt %s --remarks -p 'nt-use-descriptors{descriptors=2 host_descriptors=false}' 2>&1 | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p 'nt-use-descriptors{descriptors=2 index_bits=64}' 2>&1 | filecheck %s --check-prefix=WIDE

// By default, all have pointers.
// NONE-NOT: descriptor

// What is a box in a loop with a dot goes through a descriptor, the contiguous dim last; and what is
// stored where the choice is 2. Guards that are clamped are bounds, too.
// CHECK-LABEL: nt.kernel @product
// CHECK: nt.load %as[%i] other 0.000000e+00 : f16 descriptor [0, 1] by_host
// CHECK: nt.load %bs[%i] guards {{.*}}b1 + k1_0 * 64, k], [b0 + g0 * 64, m]{{.*}} descriptor [1, 0] by_host
// CHECK: nt.store %sum, %cs[] descriptor [0, 1] by_host
// DEVICE-LABEL: nt.kernel @product
// DEVICE: nt.load %as[%i] other 0.000000e+00 : f16 descriptor [0, 1] :
// DEVICE-NOT: by_host
// OFF: remark: box of `a` moved through a descriptor [nt-use-descriptors, passed]
// OFF-NEXT: remark: descriptor of `a` made by each program: host_descriptors is off [nt-use-descriptors, missed]
// LOADS-LABEL: nt.kernel @product
// LOADS: nt.load %as[%i] {{.*}} descriptor [0, 1]
// LOADS-NOT: nt.store {{.*}} descriptor
// REMARK: remark: box of `a` moved through a descriptor [nt-use-descriptors, passed]
// REMARK-NEXT: remark: descriptor of `a` made by the host [nt-use-descriptors, passed]
// REMARK-NEXT: remark: box of `b` moved through a descriptor [nt-use-descriptors, passed]
// REMARK-NEXT: remark: descriptor of `b` made by the host [nt-use-descriptors, passed]
// REMARK-NEXT: remark: pointers to `c` kept: descriptors is 1, and may be 2 where the GPU has them [nt-use-descriptors, analysis]
// WIDE: remark: pointers to `a` kept: its sizes may need more than 32 bits [nt-use-descriptors, missed]
!matrix = !nt.tensor<[m, k] x f16>
!block = !nt.tensor<[64, 64] x f16>
!blocks = !nt.tensor<[k ceildiv 64] x !block>
!product = !nt.tensor<[m ceildiv 64] x !blocks>
nt.kernel @product symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<n size 1 to ? div 16>, #nt.symbol<s stride ? to ? div 16>]
    grid #nt.expr<m ceildiv 64> arrange {
  %a = nt.source "a" "tensor" strides [s, 1] aligned true : !matrix
  %a0 = nt.access %a <[[m ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]
      if [[b0 + g0 * 64, m], [b1 + k1_0 * 64, k]]> : !matrix -> !product
  %b = nt.source "b" "tensor" strides [1, s] aligned true : !matrix
  %b0 = nt.access %b <[[m ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]
      if [[b0 + g0 * 64, m], [b1 + k1_0 * 64, k]]> : !matrix -> !product
  %c = nt.source "c" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, n] x f16>
  %c0 = nt.access %c <[[m ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1] if [[b0 + g0 * 64, m], [b1, n]]>
      : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m ceildiv 64] x !block>
  nt.arranged %a0, %b0, %c0 : !product, !product, !nt.tensor<[m ceildiv 64] x !block>
} apply {
^bb0(%as : !blocks, %bs : !blocks, %cs : !block):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m ceildiv 64] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !block
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %as[%i] other 0.0 : f16 : !blocks[i32] -> !block
    %w = nt.load %bs[%i] guards [[k1_0 * 64 + b1, k]] clamped [[g0 * 64 + b0, m]] : !blocks[i32] -> !block
    %x = nt.dot %v, %w, %acc : !block, !block -> !block
    scf.yield %x : !block
  }
  nt.store %sum, %cs[] : !block, !block[]
  nt.return
}

// A dim with one index is left out, unless a loop changes the index, or a guard is about it; or the
// host makes the descriptor, and the index is not 0.
// CHECK-LABEL: nt.kernel @fixed
// CHECK: nt.load %as[%i] descriptor [0, 1, 2, 3] by_host
// CHECK: nt.load %bs[%i] descriptor [0, 1, 2, 3] by_host
// CHECK: nt.load %cs[%i] descriptor [0, 2, 3] by_host
// DEVICE-LABEL: nt.kernel @fixed
// DEVICE: nt.load %as[%i] descriptor [2, 3] :
// DEVICE: nt.load %bs[%i] descriptor [1, 2, 3] :
// DEVICE: nt.load %cs[%i] descriptor [0, 2, 3] :
// REMARK-COUNT-3: made by the host
!tensor = !nt.tensor<[h, l, m, 64] x f16>
!of_programs = !nt.tensor<[h] x !nt.tensor<[l] x !block>>
nt.kernel @fixed symbols [#nt.symbol<h size 1 to ?>, #nt.symbol<l size 1 to ?>, #nt.symbol<m size 1 to ?>, #nt.symbol<s stride ? to ? div 16>]
    grid #nt.expr<h> arrange {
  %a = nt.source "a" "tensor" strides [s, s, s, 1] aligned true : !tensor
  %a0 = nt.access %a <[[h], [l], [64, 64]] -> [g0, 1, b0 + k1_0 * 64, b1] if [[b0 + k1_0 * 64, m]]> : !tensor -> !of_programs
  %b = nt.source "b" "tensor" strides [s, s, s, 1] aligned true : !tensor
  %b0 = nt.access %b <[[h], [l], [64, 64]] -> [g0, k1_0, b0, b1] if [[b0, m]]> : !tensor -> !of_programs
  %c = nt.source "c" "tensor" strides [s, s, s, 1] aligned true : !tensor
  %c0 = nt.access %c <[[h], [l], [64, 64]] -> [g0 + 1, 0, b0 + k1_0 * 64, b1] if [[g0 + 1, h], [b0 + k1_0 * 64, m]]>
      : !tensor -> !of_programs
  nt.arranged %a0, %b0, %c0 : !of_programs, !of_programs, !of_programs
} apply {
^bb0(%as : !nt.tensor<[l] x !block>, %bs : !nt.tensor<[l] x !block>, %cs : !nt.tensor<[l] x !block>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [h] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <l> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %u = nt.load %as[%i] : !nt.tensor<[l] x !block>[i32] -> !block
    %v = nt.load %bs[%i] : !nt.tensor<[l] x !block>[i32] -> !block
    %w = nt.load %cs[%i] : !nt.tensor<[l] x !block>[i32] -> !block
    %x = nt.dot %u, %v, %w : !block, !block -> !block
  }
  nt.return
}

// What only programs know is made by them: where their own sequences end, or where a matrix of a
// tensor of many dims begins.
// CHECK-LABEL: nt.kernel @of_programs
// CHECK: nt.load %as[%i] descriptor [0, 1] :
// CHECK: nt.load %bs[] descriptor [4, 5] :
// REMARK-NEXT: remark: box of `a` moved through a descriptor [nt-use-descriptors, passed]
// REMARK-NEXT: remark: descriptor of `a` made by each program: the host does not know `length` [nt-use-descriptors, missed]
// REMARK-NEXT: remark: box of `b` moved through a descriptor [nt-use-descriptors, passed]
// REMARK-NEXT: remark: descriptor of `b` made by each program: one of the whole tensor has 6 dims, and at most 5 may be [nt-use-descriptors, missed]
!deep = !nt.tensor<[h, h, h, h, m, 64] x f16>
!row = !nt.tensor<[h] x !nt.tensor<[1, 64] x f16>>
!of_sequence = !nt.tensor<[length ceildiv 64] x !block>
nt.kernel @of_programs symbols [#nt.symbol<h size 1 to ?>, #nt.symbol<m size 1 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>, #nt.symbol<s stride ? to ? div 16>]
    grid #nt.expr<h> arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[h, n] x f16>
  %x0 = nt.access %x <[[h], [1, 64]] -> [g0, b1] if [[b1, length]]> : !nt.tensor<[h, n] x f16> -> !row
  %a = nt.source "a" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, 64] x f16>
  %a0 = nt.access %a <[[h], [length ceildiv 64], [64, 64]] -> [b0 + k1_0 * 64, b1] if [[b0 + k1_0 * 64, length]]>
      : !nt.tensor<[m, 64] x f16> -> !nt.tensor<[h] x !of_sequence>
  %b = nt.source "b" "tensor" strides [s, s, s, s, s, 1] aligned true : !deep
  %b0 = nt.access %b <[[h], [64, 64]] -> [g0, g0, g0, g0, b0, b1] if [[b0, m]]>
      : !deep -> !nt.tensor<[h] x !block>
  nt.arranged %x0, %a0, %b0 : !row, !nt.tensor<[h] x !of_sequence>, !nt.tensor<[h] x !block>
} apply {
^bb0(%xs : !nt.tensor<[1, 64] x f16>, %as : !of_sequence, %bs : !block):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [h] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <length ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %u = nt.load %as[%i] : !of_sequence[i32] -> !block
    %v = nt.load %bs[] : !block[] -> !block
    %x = nt.dot %u, %v, %v : !block, !block -> !block
  }
  nt.return
}

// Every access that has pointers is remarked on, with the fact that is missing.
// CHECK-LABEL: nt.kernel @kept
// CHECK-NOT: nt.load {{.*}} descriptor
// CHECK-NOT: nt.store {{.*}} descriptor
// REMARK-NEXT: remark: pointers to `unaligned` kept: no loop with a dot reads it [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `unaligned` kept: it is not known to begin at a multiple of 16 bytes [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `odd` kept: stride `t` is not known to be a multiple of 8 [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `four` kept: stride `4` is no multiple of 8 [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `spread` kept: no dim of its block, or more than one, has stride 1 [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `bits` kept: its elements are bits [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `ones` kept: lanes outside read 1.0, and not 0 [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `ones` kept: lanes outside read -0.0, and not 0 [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `padded` kept: `b0 < 48` is no bound of a dim [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `second` kept: `b1 * 2` does not go by 1 along dim 1 [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `diagonal` kept: dim 0 of its block goes along no dim of it [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `row` kept: dim 0 of its block goes along no dim of it [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `vector` kept: its block has fewer than two dims [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `long` kept: dim 0 of its block has 512 lanes, over 256 [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `narrow` kept: a row of its block has fewer than 16 bytes [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `written` kept: accesses of `written` may overlap [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `shared` kept: `shared` may share memory with `written` [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `deep` kept: the box has 6 dims, and at most 5 may be [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `twice` kept: dim 0 of its block goes along several dims of it [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `empty` kept: `q` may be 0 [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `inner` kept: iterations that write one element are not ordered [nt-use-descriptors, missed]
// REMARK-NEXT: remark: pointers to `cut` kept: `k` is not known to be a multiple of 8 [nt-use-descriptors, missed]
!one = !nt.tensor<[1] x !block>
!cut = !nt.tensor<[m, k] x f16>
nt.kernel @kept symbols [#nt.symbol<q size 0 to ?>, #nt.symbol<m size 1 to ?>, #nt.symbol<k size 1 to ?>, #nt.symbol<s stride ? to ? div 16>, #nt.symbol<t stride ? to ?>]
    grid #nt.expr<1> arrange {
  %unaligned = nt.source "unaligned" "tensor" strides [s, 1] aligned false : !cut
  %a0 = nt.access %unaligned <[[1], [64, 64]] -> [b0, b1] if [[b0, m], [b1, k]]> : !cut -> !one
  %odd = nt.source "odd" "tensor" strides [t, 1] aligned true : !cut
  %a1 = nt.access %odd <[[1], [64, 64]] -> [b0, b1] if [[b0, m], [b1, k]]> : !cut -> !one
  %four = nt.source "four" "tensor" strides [4, 1] aligned true : !cut
  %a2 = nt.access %four <[[1], [64, 64]] -> [b0, b1] if [[b0, m], [b1, k]]> : !cut -> !one
  %spread = nt.source "spread" "tensor" strides [s, s] aligned true : !cut
  %a3 = nt.access %spread <[[1], [64, 64]] -> [b0, b1] if [[b0, m], [b1, k]]> : !cut -> !one
  %bits = nt.source "bits" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, k] x i1>
  %a4 = nt.access %bits <[[1], [64, 64]] -> [b0, b1] if [[b0, m], [b1, k]]>
      : !nt.tensor<[m, k] x i1> -> !nt.tensor<[1] x !nt.tensor<[64, 64] x i1>>
  %ones = nt.source "ones" "tensor" strides [s, 1] aligned true : !cut
  %a5 = nt.access %ones <[[1], [64, 64]] -> [b0, b1] if [[b0, m], [b1, k]]> : !cut -> !one
  %padded = nt.source "padded" "tensor" strides [s, 1] aligned true : !cut
  %a6 = nt.access %padded <[[1], [64, 64]] -> [b0 + 1, b1] if [[b0 + 1, m], [b1, k], [b0, 48]]> : !cut -> !one
  %second = nt.source "second" "tensor" strides [s, 1] aligned true : !cut
  %a7 = nt.access %second <[[1], [64, 64]] -> [b0, b1 * 2] if [[b0, m], [b1 * 2, k]]> : !cut -> !one
  %diagonal = nt.source "diagonal" "tensor" strides [s, 1] aligned true : !cut
  %a8 = nt.access %diagonal <[[1], [64, 64]] -> [b1, b1] if [[b1, m], [b1, k]]> : !cut -> !one
  %row = nt.source "row" "tensor" strides [s, 1] aligned true : !cut
  %a9 = nt.access %row <[[1], [64, 64]] -> [0, b1] if [[b1, k]]> : !cut -> !one
  %vector = nt.source "vector" "tensor" strides [1] aligned true : !nt.tensor<[k] x f16>
  %a10 = nt.access %vector <[[1], [64]] -> [b0] if [[b0, k]]>
      : !nt.tensor<[k] x f16> -> !nt.tensor<[1] x !nt.tensor<[64] x f16>>
  %long = nt.source "long" "tensor" strides [s, 1] aligned true : !cut
  %a11 = nt.access %long <[[1], [512, 64]] -> [b0, b1] if [[b0, m], [b1, k]]>
      : !cut -> !nt.tensor<[1] x !nt.tensor<[512, 64] x f16>>
  %narrow = nt.source "narrow" "tensor" strides [s, 1] aligned true : !cut
  %a12 = nt.access %narrow <[[1], [64, 4]] -> [b0, b1] if [[b0, m], [b1, k]]>
      : !cut -> !nt.tensor<[1] x !nt.tensor<[64, 4] x f16>>
  %written = nt.source "written" "tensor" strides [s, 1] aligned true : !cut
  %a13 = nt.access %written <[[1], [64, 64]] -> [b0, b1] if [[b0, m]]> : !cut -> !one
  %shared = nt.source "shared" "tensor" strides [s, 1] memory "written" aligned true : !cut
  %a14 = nt.access %shared <[[1], [64, 64]] -> [b0, b1] if [[b0, m], [b1, k]]> : !cut -> !one
  %inner = nt.source "inner" "tensor" strides [s, 1] aligned true : !cut
  %a15 = nt.access %inner <[[1], [64, 64]] -> [b0, b1] if [[b0, m]]> : !cut -> !one
  %cut = nt.source "cut" "tensor" strides [s, 1] aligned true : !cut
  %a16 = nt.access %cut <[[1], [64, 64]] -> [b0, b1] if [[b0, m], [b1, k]]> : !cut -> !one
  %deep = nt.source "deep" "tensor" strides [s, s, s, s, s, 1] aligned true : !nt.tensor<[m, m, m, m, m, k] x f16>
  %a17 = nt.access %deep <[[1], [64, 64]] -> [t, t, t, t, b0, b1] if [[t, m], [b0, m], [b1, k]]>
      : !nt.tensor<[m, m, m, m, m, k] x f16> -> !one
  %twice = nt.source "twice" "tensor" strides [s, s, 1] aligned true : !nt.tensor<[m, m, k] x f16>
  %a18 = nt.access %twice <[[1], [64, 64]] -> [b0, b0, b1] if [[b0, m], [b1, k]]> : !nt.tensor<[m, m, k] x f16> -> !one
  %empty = nt.source "empty" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, q] x f16>
  %a19 = nt.access %empty <[[1], [64, 64]] -> [b0, b1] if [[b0, m], [b1, q]]> : !nt.tensor<[m, q] x f16> -> !one
  nt.arranged %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19
      : !one, !one, !one, !one, !nt.tensor<[1] x !nt.tensor<[64, 64] x i1>>, !one, !one, !one, !one, !one,
        !nt.tensor<[1] x !nt.tensor<[64] x f16>>, !nt.tensor<[1] x !nt.tensor<[512, 64] x f16>>,
        !nt.tensor<[1] x !nt.tensor<[64, 4] x f16>>, !one, !one, !one, !one, !one, !one, !one
} apply {
^bb0(%unaligned : !block, %odd : !block, %four : !block, %spread : !block, %bits : !nt.tensor<[64, 64] x i1>,
    %ones : !block, %padded : !block, %second : !block, %diagonal : !block, %row : !block, %vector : !nt.tensor<[64] x f16>,
    %long : !nt.tensor<[512, 64] x f16>, %narrow : !nt.tensor<[64, 4] x f16>, %written : !block, %shared : !block,
    %inner : !block, %cut : !block, %deep : !block, %twice : !block, %empty : !block):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = nt.load %unaligned[] : !block[] -> !block
  %sum = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %first) -> (!block) : i32 {
    %v0 = nt.load %unaligned[] other 0.0 : f16 : !block[] -> !block
    %v1 = nt.load %odd[] : !block[] -> !block
    %v2 = nt.load %four[] : !block[] -> !block
    %v3 = nt.load %spread[] : !block[] -> !block
    %v4 = nt.load %bits[] : !nt.tensor<[64, 64] x i1>[] -> !nt.tensor<[64, 64] x i1>
    %v5 = nt.load %ones[] other 1.0 : f16 : !block[] -> !block
    %v5_2 = nt.load %ones[] other -0.0 : f16 : !block[] -> !block
    %v6 = nt.load %padded[] : !block[] -> !block
    %v7 = nt.load %second[] : !block[] -> !block
    %v8 = nt.load %diagonal[] : !block[] -> !block
    %v9 = nt.load %row[] : !block[] -> !block
    %v10 = nt.load %vector[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
    %v11 = nt.load %long[] : !nt.tensor<[512, 64] x f16>[] -> !nt.tensor<[512, 64] x f16>
    %v12 = nt.load %narrow[] : !nt.tensor<[64, 4] x f16>[] -> !nt.tensor<[64, 4] x f16>
    %v13 = nt.load %written[] : !block[] -> !block
    %v14 = nt.load %shared[] : !block[] -> !block
    %v15 = nt.load %deep[] : !block[] -> !block
    %v16 = nt.load %twice[] : !block[] -> !block
    %v17 = nt.load %empty[] : !block[] -> !block
    nt.store %acc, %inner[] : !block, !block[]
    %w = nt.dot %v0, %v1, %acc : !block, !block -> !block
    scf.yield %w : !block
  }
  nt.store %sum, %written[] : !block, !block[]
  nt.store %sum, %cut[] : !block, !block[]
  nt.return
}

// Where a row is never cut, it may have any number of bytes; where lanes outside do not exist, it
// does not matter what they read.
// CHECK-LABEL: nt.kernel @whole
// CHECK: nt.load %as[] other 1.000000e+00 : f16 descriptor [0, 1]
// CHECK: nt.store %sum, %bs[] descriptor [0, 1]
nt.kernel @whole symbols [#nt.symbol<m size 1 to ?>, #nt.symbol<k size 1 to ?>, #nt.symbol<s stride ? to ? div 16>]
    grid #nt.expr<1> arrange {
  %a = nt.source "a" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, k] x f16>
  %a0 = nt.access %a <[[1], [64, 64]] -> [b0, b1]> : !nt.tensor<[m, k] x f16> -> !one
  %b = nt.source "b" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, k] x f16>
  %b0 = nt.access %b <[[1], [64, 64]] -> [b0, b1] if [[b0, m]]> : !nt.tensor<[m, k] x f16> -> !one
  nt.arranged %a0, %b0 : !one, !one
} apply {
^bb0(%as : !block, %bs : !block):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !block
  %sum = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %as[] other 1.0 : f16 : !block[] -> !block
    %x = nt.dot %v, %v, %acc : !block, !block -> !block
    scf.yield %x : !block
  }
  nt.store %sum, %bs[] : !block, !block[]
  nt.return
}

// Boxes are not ordered with other accesses, so no program may wait for another.
// CHECK-LABEL: nt.kernel @ordered
// CHECK-NOT: nt.load {{.*}} descriptor
// REMARK: remark: pointers to `a` kept: by nt.atomic a program may wait for another [nt-use-descriptors, missed]
nt.kernel @ordered symbols [#nt.symbol<m size 1 to ?>, #nt.symbol<k size 1 to ?>, #nt.symbol<s stride ? to ? div 16>]
    grid #nt.expr<1> arrange {
  %a = nt.source "a" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, k] x f16>
  %a0 = nt.access %a <[[1], [64, 64]] -> [b0, b1]> : !nt.tensor<[m, k] x f16> -> !one
  %b = nt.source "b" "tensor" strides [1] aligned true : !nt.tensor<[k] x i32>
  %b0 = nt.access %b <[[1], []] -> [0]> : !nt.tensor<[k] x i32> -> !nt.tensor<[1] x !nt.tensor<[] x i32>>
  nt.arranged %a0, %b0 : !one, !nt.tensor<[1] x !nt.tensor<[] x i32>>
} apply {
^bb0(%as : !block, %bs : !nt.tensor<[] x i32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !block
  %p = nt.pointer %bs : !nt.tensor<[] x i32> -> !tt.ptr<i32>
  %before = nt.atomic "add" %p, %c1 "acq_rel" "gpu" : !tt.ptr<i32>, i32
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    %v = nt.load %as[] : !block[] -> !block
    %x = nt.dot %v, %v, %start : !block, !block -> !block
  }
  nt.return
}

// Without a dot there is nothing to do, and nothing to tell.
// CHECK-LABEL: nt.kernel @without_dot
// CHECK-NOT: nt.load {{.*}} descriptor
// REMARK-NOT: `without_dot`
nt.kernel @without_dot symbols [#nt.symbol<m size 1 to ?>, #nt.symbol<k size 1 to ?>, #nt.symbol<s stride ? to ? div 16>]
    grid #nt.expr<1> arrange {
  %a = nt.source "without_dot" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, k] x f16>
  %a0 = nt.access %a <[[1], [64, 64]] -> [b0, b1]> : !nt.tensor<[m, k] x f16> -> !one
  nt.arranged %a0 : !one
} apply {
^bb0(%as : !block):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    %v = nt.load %as[] : !block[] -> !block
  }
  nt.return
}
