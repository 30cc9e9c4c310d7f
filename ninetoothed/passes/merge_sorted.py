"""Merge sorted blocks: two blocks that are sorted, side by side, are merged, not sorted anew.

A loop over the tiles of a row that keeps the best k sorts them together with the best k of each
tile: ``topk(cat(best, topk(tile, k)), k)``. Both are in order. With the second in the opposite
order, they rise and fall once, which one merge sorts; and a sort gives its lanes in the opposite
order at no cost. A block is known to be sorted if a sort made it, all its lanes are equal, or each
path of a branch, or the start and each iteration of a loop, leaves it so.

Why here: lanes that are not valid, and those behind true sizes, are filled once blocks are padded,
and a ``cat`` is as the user wrote it only where neither moves its lanes. Before what copies a
program's work, so that it is done once. It requires stage ``scheduled`` and leaves it.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%a : !nt.tensor<[64] x i32>):
  %1 = nt.load %a[] other 0 : i32 : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %zero = arith.constant 0 : i32
  %best = nt.full %zero : i32 -> !nt.tensor<[8] x i32>
  %new = nt.sort %1 axis 0 descending true
      : !nt.tensor<[64] x i32> -> !nt.tensor<[8] x i32>
  %pairs = nt.join %best, %new : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 2] x i32>
  %rows = nt.trans %pairs order [1, 0] : !nt.tensor<[8, 2] x i32> -> !nt.tensor<[2, 8] x i32>
  %both = nt.reshape %rows : !nt.tensor<[2, 8] x i32> -> !nt.tensor<[16] x i32>
  %2 = nt.sort %both axis 0 descending true
      : !nt.tensor<[16] x i32> -> !nt.tensor<[8] x i32>
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%a : !nt.tensor<[64] x i32>):
  %1 = nt.load %a[] other 0 : i32 : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %zero = arith.constant 0 : i32
  %best = nt.full %zero : i32 -> !nt.tensor<[8] x i32>
  %new = nt.sort %1 axis 0 descending true reversed
      : !nt.tensor<[64] x i32> -> !nt.tensor<[8] x i32>
  %pairs = nt.join %best, %new : !nt.tensor<[8] x i32> -> !nt.tensor<[8, 2] x i32>
  %rows = nt.trans %pairs order [1, 0] : !nt.tensor<[8, 2] x i32> -> !nt.tensor<[2, 8] x i32>
  %both = nt.reshape %rows : !nt.tensor<[2, 8] x i32> -> !nt.tensor<[16] x i32>
  %2 = nt.sort bitonic %both axis 0 descending true
      : !nt.tensor<[16] x i32> -> !nt.tensor<[8] x i32>
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.analysis.sorted_lanes import is_sorted
from ninetoothed.symbolic.normal_form import normalize

_KEPT = "sorted blocks are sorted again: neither is made by a sort that could turn it around"


@dataclass(frozen=True)
class MergeSortedPass(KernelPass):
    """Merge sorted blocks: two that are sorted, side by side, are merged."""

    name: ClassVar[str] = "nt-merge-sorted"

    enabled: bool = True
    """False: they are sorted as any others."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        if not self.enabled:
            return
        sorts = [op for op in kernel.apply.walk() if isinstance(op, nt.SortOp)]
        remarks = nt.RemarkEmitter(kernel, self.name)
        for op in sorts:
            parts = _concatenated(op.value, op.dim)
            if parts is None or not all(is_sorted(one, op.dim, op.falls) for one in parts):
                continue
            turned = next(filter(None, map(_only_used_here, reversed(parts))), None)
            if turned is None:
                remarks.missed(op, _KEPT)
                continue
            turned.reversed = UnitAttr()
            op.bitonic = UnitAttr()
            remarks.passed(op, "sorted blocks are merged")


def _concatenated(value: SSAValue, dim: int) -> tuple[SSAValue, SSAValue] | None:
    """The blocks that a ``cat`` along ``dim`` puts side by side: a join, whose new dim is moved
    before that dim, and merged with it.
    """
    reshape = value.owner
    if not isinstance(reshape, nt.ReshapeOp) or not isinstance(reshape.value.owner, nt.TransOp):
        return None
    trans = reshape.value.owner
    join = trans.value.owner
    if not isinstance(join, nt.JoinOp):
        return None
    left, right = join.operands
    sizes = list(nt.shape_of(left.type))
    order = list(range(len(sizes)))
    order.insert(dim, len(sizes))
    sizes[dim] = normalize(sizes[dim] * 2)
    merged = list(nt.shape_of(value.type)) == sizes and list(trans.dims) == order
    return (left, right) if merged else None


def _only_used_here(value: SSAValue) -> nt.SortOp | None:
    """The sort that gives a value of one use."""
    op = value.owner
    return op if isinstance(op, nt.SortOp) and value.has_one_use() else None
