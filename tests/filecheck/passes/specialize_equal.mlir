// RUN: nt-opt %s --print-local-scope -p 'nt-specialize{values="B=64" equal="m=n","n=k","u=v" contiguous="z=0"}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-specialize{values="B=64" equal="m=n","n=k" merges_equal=false}' | filecheck %s --check-prefix APART

// Sizes that the signature says are equal are one, and what is checked of them is known.
// CHECK-LABEL: nt.kernel @equal symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>] arrange {
// CHECK: %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
// CHECK-NEXT: %y0 = nt.access %y <{{\[\[}}m ceildiv 64], [64]] -> [b0 + g0 * 64] if {{\[\[}}b0 + g0 * 64, m]]> : !nt.tensor<[n] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
// CHECK: nt.size <m> : i32
// APART-LABEL: nt.kernel @equal symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>] checks [#nt.check<agreement [m ceildiv 64] = [n ceildiv 64], "{left} {right}">] arrange {
// APART: if {{\[\[}}b0 + g0 * 64, n]]>
// APART: nt.size <k> : i32
nt.kernel @equal symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<B meta 32 to 1024>] checks [#nt.check<agreement [m ceildiv B] = [n ceildiv B], "{left} {right}">] arrange {
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
  %s = nt.size <k> : i32
  nt.return
}

// The strides of a contiguous tensor are products of sizes, which are one with others, too.
// CHECK-LABEL: nt.kernel @contiguous
// CHECK: %z = nt.source "z" "tensor" strides [s, t, 1] computed [l * m, l, 1] aligned false : !nt.tensor<[c, n, l] x f32>
nt.kernel @contiguous symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<l size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>, #nt.symbol<t stride ? to ?>] checks [#nt.check<[m] = [n], "{left} {right}">] arrange {
  %z = nt.source "z" "tensor" strides [s, t, 1] aligned false : !nt.tensor<[c, n, l] x f32>
  %z0 = nt.access %z <[[c]] -> [g0, 0, 0]> : !nt.tensor<[c, n, l] x f32> -> !nt.tensor<[c] x f32>
  nt.arranged %z0 : !nt.tensor<[c] x f32>
} apply {
^bb0(%zs : !nt.tensor<[] x f32>):
  nt.return
}

// Of equal strides one is computed with, and each source keeps its own for the launch.
// CHECK-LABEL: nt.kernel @strides
// CHECK: %x = nt.source "x" "tensor" strides [u, 1] aligned false : !nt.tensor<[c, d] x f32>
// CHECK: %y = nt.source "y" "tensor" strides [v, 1] computed [u, 1] aligned false : !nt.tensor<[c, d] x f32>
nt.kernel @strides symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<d size 0 to ?>, #nt.symbol<u stride ? to ?>, #nt.symbol<v stride ? to ?>] arrange {
  %x = nt.source "x" "tensor" strides [u, 1] aligned false : !nt.tensor<[c, d] x f32>
  %x0 = nt.access %x <[[c]] -> [g0, 0]> : !nt.tensor<[c, d] x f32> -> !nt.tensor<[c] x f32>
  %y = nt.source "y" "tensor" strides [v, 1] aligned false : !nt.tensor<[c, d] x f32>
  %y0 = nt.access %y <[[c]] -> [g0, 0]> : !nt.tensor<[c, d] x f32> -> !nt.tensor<[c] x f32>
  nt.arranged %x0, %y0 : !nt.tensor<[c] x f32>, !nt.tensor<[c] x f32>
} apply {
^bb0(%xs : !nt.tensor<[] x f32>, %ys : !nt.tensor<[] x f32>):
  nt.return
}
