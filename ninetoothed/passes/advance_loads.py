"""Advance loads: what is read behind an op over which threads meet is read in front of it.

Threads that reduce wait for one another at a barrier, and no compiler moves a load over one. A tile
that is first named behind a reduction, as a norm's weight, is then waited for all by itself; loaded
in front, it arrives while the reduction runs. Its lanes take registers until then, which long rows
may not have: that is for the clock to say, and so it is a choice of the tuner's (see
``compiler.optimizations``). A load moves within its block, and not over what may write its tile.
Loads beside dots stay, for Triton loads ahead what feeds them.

Why here: loads that leave a loop are in front of it, and guards are still to be asked for where
loads are. It requires stage ``scheduled`` and leaves it.

Before:

```mlir
// nt-opt -p 'nt-advance-loads{advanced=1}'
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[n, 64] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[64] x f32>
  %0 = nt.access %x <[[n], [64]] -> [g0, b0]> : !nt.tensor<[n, 64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  %1 = nt.access %y <[[n], [64]] -> [b0]> : !nt.tensor<[64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n] x !nt.tensor<[64] x f32>>, !nt.tensor<[n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  %w = nt.load %b[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %t = nt.full %s : f32 -> !nt.tensor<[64] x f32>
  %r = nt.elementwise "mul"(%w, %t)
      : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %r, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[n, 64] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[64] x f32>
  %0 = nt.access %x <[[n], [64]] -> [g0, b0]> : !nt.tensor<[n, 64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  %1 = nt.access %y <[[n], [64]] -> [b0]> : !nt.tensor<[64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n] x !nt.tensor<[64] x f32>>, !nt.tensor<[n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %w = nt.load %b[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  %t = nt.full %s : f32 -> !nt.tensor<[64] x f32>
  %r = nt.elementwise "mul"(%w, %t)
      : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %r, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ninetoothed.artifacts.occupancy import Legality
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.analysis.alias_sets import AliasAnalysis
from ninetoothed.passes.analysis.lane_moves import COMBINING
from ninetoothed.passes.analysis.loop_nests import blocks_of
from ninetoothed.passes.analysis.waiting import waiting_op
from ninetoothed.passes.option_values import everywhere, require_among


@dataclass(frozen=True)
class _Late:
    """A load behind ``first``, the first op of its block over which threads meet; ``refusal``: why
    it must stay there.
    """

    load: nt.LoadOp
    parameter: str
    first: Operation
    refusal: str


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of advancing loads (see ``compiler.optimizations``), whatever the block sizes."""
    return everywhere if any(not late.refusal for late in _late_loads(kernel)) else None


def _late_loads(kernel: nt.KernelOp) -> Iterator[_Late]:
    """The loads behind an op over which threads meet, of whose values none comes from there."""
    if nt.has_dot(kernel.apply):
        return
    aliases = AliasAnalysis(kernel)
    for block in blocks_of(kernel):
        behind: dict[Operation, None] = {}
        for op in block.ops:
            if not behind and not isinstance(op, COMBINING):
                continue
            # Numbers that are passed by value are not read.
            if isinstance(op, nt.LoadOp) and aliases.effect(op) is not None:
                owners = [index.owner for index in op.indices]
                if not any(isinstance(one, Operation) and one in behind for one in owners):
                    (parameter,) = aliases.params(op)
                    yield _Late(op, parameter, next(iter(behind)), _refusal(aliases, op, behind))
            behind[op] = None


def _refusal(aliases: AliasAnalysis, load: nt.LoadOp, behind: Iterable[Operation]) -> str:
    """Why a load cannot be made in front of what it is behind; or nothing."""
    effect = aliases.effect(load)
    assert effect is not None
    for op in behind:
        for other in aliases.effects(op):
            if other.kind != "read" and other.may_alias(effect.alias_sets):
                return aliases.overlap(load, other.op)
        if any(isinstance(inner, nt.BarrierOp) for inner in op.walk()):
            # It orders loads behind it with a store, maybe one in front of all of these.
            return "a barrier orders it behind a store"
        if (waiting := waiting_op(op)) is not None:
            return f"by {waiting.name} a program may wait for another"
    return ""


@dataclass(frozen=True)
class AdvanceLoadsPass(KernelPass):
    """Advance loads: in front of the first op of their block over which threads meet."""

    name: ClassVar[str] = "nt-advance-loads"

    advanced: int = 0
    """1: loads are made in front of what threads meet over; 0: where they are written."""

    def __post_init__(self) -> None:
        require_among(self.name, "advanced", self.advanced, (0, 1))

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        if not self.advanced and not remarks:
            return
        for late in list(_late_loads(kernel)):
            if late.refusal:
                remarks.missed(late.load, f"load of `{late.parameter}` kept: {late.refusal}")
            elif self.advanced:
                late.load.detach()
                Rewriter.insert_op(late.load, InsertPoint.before(late.first))
                remarks.passed(
                    late.load, f"load of `{late.parameter}` made in front of {late.first.name}"
                )
            else:
                remarks.analysis(
                    late.load,
                    f"load of `{late.parameter}` kept: early_loads is 0, and may be 1",
                )
