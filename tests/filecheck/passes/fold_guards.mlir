// RUN: nt-opt %s -p 'nt-fold-guards{full=true}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-fold-guards | filecheck %s --check-prefix=GENERAL
// RUN: nt-opt %s -p 'nt-fold-guards{enabled=false}' | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s -p 'nt-specialize{indivisible="k"},nt-fold-guards' | filecheck %s --check-prefix=ODD
// RUN: nt-opt %s -p nt-fold-guards --remarks 2>&1 | filecheck %s --check-prefix=REMARK

// OFF-NOT: vacuous

// REMARK-DAG: guards left out of a second kernel, for calls in which none is above 0: `k mod 64`
// REMARK-DAG: guard `b0 < 9` kept: no call of this class is proved to fulfil it
// REMARK-DAG: comparison folded: it is true in all lanes
// REMARK-DAG: comparison folded: it is false in all lanes

// A guard is dropped where it holds in all uses of its access; a comparison with a size is folded
// with it, one of two offsets is not.
// CHECK-LABEL: nt.kernel @loop
// CHECK-SAME: vacuous #nt.exprs[k mod 64]
// CHECK: nt.access %x <{{.*}} -> [b0 + k1_0 * 64]> :
// CHECK: %o = nt.offsets
// CHECK: nt.elementwise "le"
// CHECK: nt.elementwise "where"
// CHECK-NOT: nt.elementwise "where"
// GENERAL-LABEL: nt.kernel @loop
// GENERAL-SAME: vacuous #nt.exprs[k mod 64]
// GENERAL: nt.access %x {{.*}} if {{\[\[}}b0 + k1_0 * 64, k]]
// GENERAL: nt.elementwise "and"
// ODD-LABEL: nt.kernel @loop symbols [#nt.symbol<k size 0 to ? not div 16>]
// ODD-NOT: vacuous
// ODD: arrange
nt.kernel @loop symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %x0 = nt.access %x <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %zero = arith.constant 0.0 : f32
  %zeros = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %n = nt.size <k ceildiv 64> : i32
  %some = nt.elementwise "minimum"(%n, %c5) : (i32, i32) -> i32
  scf.for %i = %c0 to %some step %c1 : i32 {
    %v = nt.load %a[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %o = nt.offsets %a[%i] dim 0 along [0] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x i32>
    %k = nt.size <k> : i32
    %ks = nt.full %k : i32 -> !nt.tensor<[64] x i32>
    %inside = nt.elementwise "gt"(%ks, %o) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
    %rows = nt.arange <0> : !nt.tensor<[64] x i32>
    %causal = nt.elementwise "le"(%o, %rows) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
    %both = nt.elementwise "and"(%inside, %causal) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x i1>) -> !nt.tensor<[64] x i1>
    %w = nt.elementwise "where"(%both, %v, %zeros) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    %u = nt.elementwise "where"(%inside, %w, %zeros) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    nt.store %u, %a[%i] : !nt.tensor<[64] x f32>, !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32]
  }
  nt.return
}

// A size that is known to be no more than its block is a number where it fills it.
// CHECK-LABEL: nt.kernel @row
// CHECK: nt.access %x <{{.*}} -> [g0, b0]> :
// CHECK: nt.size <64>
// GENERAL-LABEL: nt.kernel @row
// GENERAL-SAME: vacuous #nt.exprs[64 - n]
// GENERAL: nt.elementwise "lt"
nt.kernel @row symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>]
    padded_sizes [#nt.exprs[n, 64]] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m], [64]] -> [g0, b0] if [[b0, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[m] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m] : index
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %rows = nt.arange <0> : !nt.tensor<[64] x i32>
  %n = nt.size <n> : i32
  %ns = nt.full %n : i32 -> !nt.tensor<[64] x i32>
  %inside = nt.elementwise "lt"(%rows, %ns) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
  %f = nt.cast %n : i32 -> f32
  %fs = nt.full %f : f32 -> !nt.tensor<[64] x f32>
  %w = nt.elementwise "where"(%inside, %v, %fs) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %w, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Guards stay that can never hold, of an index that data gives, and of one that is not monotone.
// CHECK-LABEL: nt.kernel @kept
// CHECK: nt.access %x <{{.*}} if {{\[\[}}k1_0, n], [b0, 9], [(b0 + g0 * 16) floordiv 3 - b0, n]]>
// GENERAL-LABEL: nt.kernel @kept
// GENERAL-NOT: vacuous
// GENERAL: arrange
nt.kernel @kept symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n], [n], [16]] -> [k1_0 + b0]
      if [[k1_0, n], [b0, 9], [(g0 * 16 + b0) floordiv 3 - b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n] x !nt.tensor<[n] x !nt.tensor<[16] x i32>>>
  nt.arranged %x0 : !nt.tensor<[n] x !nt.tensor<[n] x !nt.tensor<[16] x i32>>>
} apply {
^bb0(%a : !nt.tensor<[n] x !nt.tensor<[16] x i32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n] : index
  %c0 = arith.constant 0 : i32
  %v = nt.load %a[%c0] : !nt.tensor<[n] x !nt.tensor<[16] x i32>>[i32] -> !nt.tensor<[16] x i32>
  %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[16] x i32> -> i32
  %w = nt.load %a[%s] : !nt.tensor<[n] x !nt.tensor<[16] x i32>>[i32] -> !nt.tensor<[16] x i32>
  nt.store %w, %a[%c0] : !nt.tensor<[16] x i32>, !nt.tensor<[n] x !nt.tensor<[16] x i32>>[i32]
  nt.return
}

// Lanes that are moved are others: the difference of two is not 0. A sum may wrap.
// CHECK-LABEL: nt.kernel @lanes
// CHECK: %below = nt.elementwise "lt"
// CHECK: %wraps = nt.elementwise "lt"
// CHECK: nt.elementwise "and"(%below, %wraps)
// GENERAL-LABEL: nt.kernel @lanes
nt.kernel @lanes symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i1>
  %x0 = nt.access %x <[[1], [8, 8]] -> [b0 * 8 + b1]>
      : !nt.tensor<[n] x i1> -> !nt.tensor<[1] x !nt.tensor<[8, 8] x i1>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[8, 8] x i1>>
} apply {
^bb0(%a : !nt.tensor<[8, 8] x i1>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %r = nt.arange <0> : !nt.tensor<[8] x i32>
  %r0 = nt.expand_dims %r axis 0 : !nt.tensor<[8] x i32> -> !nt.tensor<[1, 8] x i32>
  %r1 = nt.expand_dims %r axis 1 : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 1] x i32>
  %b0 = nt.broadcast %r0 : !nt.tensor<[1, 8] x i32> -> !nt.tensor<[8, 8] x i32>
  %b1 = nt.broadcast %r1 : !nt.tensor<[8, 1] x i32> -> !nt.tensor<[8, 8] x i32>
  %d = nt.elementwise "sub"(%b0, %b1) : (!nt.tensor<[8, 8] x i32>, !nt.tensor<[8, 8] x i32>) -> !nt.tensor<[8, 8] x i32>
  %c1 = arith.constant 1 : i32
  %ones = nt.full %c1 : i32 -> !nt.tensor<[8, 8] x i32>
  %below = nt.elementwise "lt"(%d, %ones) : (!nt.tensor<[8, 8] x i32>, !nt.tensor<[8, 8] x i32>) -> !nt.tensor<[8, 8] x i1>
  %most = arith.constant 2147483647 : i32
  %mosts = nt.full %most : i32 -> !nt.tensor<[8, 8] x i32>
  %over = nt.elementwise "add"(%b0, %mosts) : (!nt.tensor<[8, 8] x i32>, !nt.tensor<[8, 8] x i32>) -> !nt.tensor<[8, 8] x i32>
  %wraps = nt.elementwise "lt"(%over, %ones) : (!nt.tensor<[8, 8] x i32>, !nt.tensor<[8, 8] x i32>) -> !nt.tensor<[8, 8] x i1>
  %both = nt.elementwise "and"(%below, %wraps) : (!nt.tensor<[8, 8] x i1>, !nt.tensor<[8, 8] x i1>) -> !nt.tensor<[8, 8] x i1>
  nt.store %both, %a[] : !nt.tensor<[8, 8] x i1>, !nt.tensor<[8, 8] x i1>[]
  nt.return
}

// What always holds is folded in both kernels, and what never does.
// GENERAL-LABEL: nt.kernel @known
// GENERAL-NOT: nt.elementwise
// GENERAL: arith.constant true
// GENERAL-NEXT: %[[TRUE:.*]] = nt.full
// GENERAL-NEXT: nt.store %[[TRUE]], %a[]
nt.kernel @known symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i1>
  %x0 = nt.access %x <[[1], [8]] -> [b0]> : !nt.tensor<[n] x i1> -> !nt.tensor<[1] x !nt.tensor<[8] x i1>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[8] x i1>>
} apply {
^bb0(%a : !nt.tensor<[8] x i1>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %r = nt.arange <0> : !nt.tensor<[8] x i32>
  %c0 = arith.constant 0 : i32
  %zeros = nt.full %c0 : i32 -> !nt.tensor<[8] x i32>
  %c8 = arith.constant 8 : i32
  %eights = nt.full %c8 : i32 -> !nt.tensor<[8] x i32>
  %low = nt.elementwise "ge"(%r, %zeros) : (!nt.tensor<[8] x i32>, !nt.tensor<[8] x i32>) -> !nt.tensor<[8] x i1>
  %high = nt.elementwise "le"(%eights, %r) : (!nt.tensor<[8] x i32>, !nt.tensor<[8] x i32>) -> !nt.tensor<[8] x i1>
  %not = nt.elementwise "invert"(%high) : (!nt.tensor<[8] x i1>) -> !nt.tensor<[8] x i1>
  %both = nt.elementwise "and"(%low, %not) : (!nt.tensor<[8] x i1>, !nt.tensor<[8] x i1>) -> !nt.tensor<[8] x i1>
  nt.store %both, %a[] : !nt.tensor<[8] x i1>, !nt.tensor<[8] x i1>[]
  nt.return
}
