// RUN: nt-opt %s --print-local-scope -p 'nt-specialize{values="B=64","s=1" divisors="n=16" aligned="x"}' | filecheck %s

// Values are substituted in types, accesses, strides and sizes; their symbols are gone. Multiples of
// 16 and aligned parameters are marked, and no others.
// CHECK-LABEL: nt.kernel @values symbols [#nt.symbol<n size 0 to ? div 16>] arrange {
// CHECK: %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
// CHECK-NEXT: %x0 = nt.access %x <{{\[\[}}n ceildiv 64], [64]] -> [b0 + g0 * 64] if {{\[\[}}b0 + g0 * 64, n]]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
// CHECK: %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
// CHECK: %b = nt.size <64> : i32
// CHECK-NEXT: %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
nt.kernel @values symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %x = nt.source "x" "tensor" strides [s] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv B], [B]] -> [g0 * B + b0] if [[g0 * B + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  %y = nt.source "y" "tensor" strides [s] aligned false : !nt.tensor<[n] x f32>
  %y0 = nt.access %y <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %x0, %y0
      : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>, !nt.tensor<[n] x f32>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>, %ys : !nt.tensor<[] x f32>):
  %b = nt.size <B> : i32
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  nt.return
}

// A check that always holds is gone; one that depends on the call, or on its outermost levels, stays.
// CHECK-LABEL: nt.kernel @checks_decided symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ? div 16>] checks [#nt.check<[n ceildiv 64] = [m ceildiv 64], "{left} {right}">, #nt.check<[n] = [64], "{left}">, #nt.check<[64] = [m], "{right}">, #nt.check<agreement [64] = [32], "{left}">] arrange {
nt.kernel @checks_decided symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] checks [#nt.check<[B] = [64], "never {left}">, #nt.check<[n ceildiv B] = [m ceildiv B], "{left} {right}">, #nt.check<[n] = [B], "{left}">, #nt.check<[B] = [m], "{right}">, #nt.check<agreement [B] = [32], "{left}">] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv B], [B]] -> [g0 * B + b0] if [[g0 * B + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  nt.return
}

// Of sizes that a check says are equal, the first stands for both, with what either is a multiple of.
// The check stays, and so do the sources' own sizes, by which a call is checked.
// CHECK-LABEL: nt.kernel @checked symbols [#nt.symbol<m size 0 to ? div 16>, #nt.symbol<n size 0 to ? div 16>] checks [#nt.check<[n] = [m], "{left} {right}">] arrange {
// CHECK: %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[m] x f32>
// CHECK-NEXT: %x0 = nt.access %x <{{\[\[}}m ceildiv 64], [64]] -> [b0 + g0 * 64] if {{\[\[}}b0 + g0 * 64, m]]> : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
// CHECK-NEXT: %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
// CHECK-NEXT: %y0 = nt.access %y <{{\[\[}}m ceildiv 64], [64]] -> [b0 + g0 * 64] if {{\[\[}}b0 + g0 * 64, m]]> : !nt.tensor<[n] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
// CHECK: nt.size <m> : i32
nt.kernel @checked symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] checks [#nt.check<[n] = [m], "{left} {right}">] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %x0 = nt.access %x <[[m ceildiv B], [B]] -> [g0 * B + b0] if [[g0 * B + b0, m]]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv B] x !nt.tensor<[B] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y0 = nt.access %y <[[n ceildiv B], [B]] -> [g0 * B + b0] if [[g0 * B + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[m ceildiv B] x !nt.tensor<[B] x f32>>, !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>, %ys : !nt.tensor<[B] x f32>):
  %s = nt.size <n> : i32
  nt.return
}
