// RUN: nt-opt %s --print-local-scope -p 'nt-specialize{divisors="m=4","n=8","s=8" indivisible="m","n","k"}' | filecheck %s

// What is told of equal sizes holds of both: the largest power of two. A multiple of 8 may be none of
// 16, by which the last block is never full.
// CHECK: nt.kernel @told symbols [#nt.symbol<m size 0 to ? div 8 not div 16>, #nt.symbol<n size 0 to ? div 8 not div 16>, #nt.symbol<k size 0 to ? not div 16>, #nt.symbol<s stride ? to ? div 8>] checks [#nt.check<[n] = [m], "{left} {right}">] arrange {
nt.kernel @told symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ?>] checks [#nt.check<[n] = [m], "{left} {right}">] arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[k, m] x f16>
  %x0 = nt.access %x <[[k, m]] -> [g0, g1]> : !nt.tensor<[k, m] x f16> -> !nt.tensor<[k, m] x f16>
  nt.arranged %x0 : !nt.tensor<[k, m] x f16>
} apply {
^bb0(%xs : !nt.tensor<[] x f16>):
  nt.return
}

// What is declared stays.
// CHECK: nt.kernel @declared symbols [#nt.symbol<m size 0 to ? div 16>, #nt.symbol<n size 0 to ? div 8 not div 16>, #nt.symbol<k size 0 to ? not div 16>, #nt.symbol<s stride ? to ? div 16>] arrange {
nt.kernel @declared symbols [#nt.symbol<m size 0 to ? div 16>, #nt.symbol<n size 0 to ? not div 16>, #nt.symbol<k size 0 to ? not div 16>, #nt.symbol<s stride ? to ? div 16>] arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[k, m] x f16>
  %x0 = nt.access %x <[[k, m]] -> [g0, g1]> : !nt.tensor<[k, m] x f16> -> !nt.tensor<[k, m] x f16>
  nt.arranged %x0 : !nt.tensor<[k, m] x f16>
} apply {
^bb0(%xs : !nt.tensor<[] x f16>):
  nt.return
}
