// RUN: nt-opt %s --split-input-file --verify-diagnostics -p nt-lower-accesses | filecheck %s

// A descriptor that an access cannot have is refused, wherever it comes from.
// CHECK: a descriptor of x: `b0 * 2` does not go by 1 along dim 0
!block = !nt.tensor<[64, 64] x f16>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[n, n] x f16>
  %0 = nt.access %x <[[1], [64, 64]] -> [b0 * 2, b1] if [[b0 * 2, n], [b1, n]]>
      : !nt.tensor<[n, n] x f16> -> !nt.tensor<[1] x !block>
  nt.arranged %0 : !nt.tensor<[1] x !block>
} apply {
^bb0(%a : !block):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %v = nt.load %a[] descriptor [0, 1] : !block[] -> !block
  nt.return
}

// -----

// CHECK: a descriptor of x is of its dims 0, 1, one of stride 1 last
!block = !nt.tensor<[64, 64] x f16>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[n, n] x f16>
  %0 = nt.access %x <[[1], [64, 64]] -> [b0, b1] if [[b0, n], [b1, n]]>
      : !nt.tensor<[n, n] x f16> -> !nt.tensor<[1] x !block>
  nt.arranged %0 : !nt.tensor<[1] x !block>
} apply {
^bb0(%a : !block):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %v = nt.load %a[] descriptor [1, 0] : !block[] -> !block
  nt.return
}
