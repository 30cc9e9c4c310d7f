"""Insert barriers between conflicting accesses.

Triton spreads the lanes of a block over threads, each block in its own way, and keeps no order
between their accesses of memory. Two accesses conflict if they may share an element and one of them
is no load, unless the same threads do both: a store in another iteration to distinct lanes, or a
store of what is computed elementwise from what was loaded there. Atomics are ordered among
themselves; those that order memory also conflict with all accesses of what the kernel writes, since
one thread alone does them for the whole program. Iterations of a loop follow one another; a barrier
that only the first iteration needs stands before the loop.

Why here: it uses the alias analysis of ``nt-forward-memory``, on what that leaves: few loads read
what the program has stored. It requires and leaves stage ``arranged``.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%a : !nt.tensor<[64] x f16>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %2 = nt.flip %1 axis 0 : !nt.tensor<[64] x f16>
  nt.store %2, %a[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%a : !nt.tensor<[64] x f16>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %2 = nt.flip %1 axis 0 : !nt.tensor<[64] x f16>
  nt.barrier
  nt.store %2, %a[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.passes.analysis.alias_sets import DISJOINT, SAME, AliasAnalysis, Effect, TileAccess
from ninetoothed.passes.analysis.lane_origins import updates


@dataclass(frozen=True)
class _Access:
    """An access since the last barrier; with ``loop``, in an earlier iteration of that."""

    effect: Effect
    loop: Operation | None = None


# In program order.
_Pending = dict[_Access, None]


class _Barriers:
    """Insert barriers: one walk through a kernel, in program order."""

    def __init__(self, kernel: nt.KernelOp, remarks: nt.RemarkEmitter) -> None:
        self.aliases = AliasAnalysis(kernel)
        self.remarks = remarks

    def block(self, block: Block, before: Iterable[_Access]) -> _Pending:
        """Insert the barriers of a block behind ``before``; the accesses since the last barrier."""
        pending = dict.fromkeys(before)
        for op in list(block.ops):
            effect = self.aliases.effect(op)
            if isinstance(op, nt.BarrierOp):
                pending.clear()
            elif effect is not None:
                if conflict := self._conflict_of(pending, [effect]):
                    self._insert(op, *conflict)
                    pending.clear()
                pending[_Access(effect)] = None
            elif self.aliases.effects(op):
                pending = self._regions(op, pending)
        return pending

    def _regions(self, op: Operation, pending: _Pending) -> _Pending:
        if isinstance(op, scf.IfOp):
            behind: _Pending = {} if op.false_region.blocks else pending
            for region in op.regions:
                for block in region.blocks:
                    behind = {**behind, **self.block(block, pending)}
            return behind
        if conflict := self._conflict_of(pending, self.aliases.effects(op)):
            self._insert(op, *conflict)
            pending = {}
        while True:
            behind = dict(pending)
            for region in op.regions:
                for block in region.blocks:
                    behind.update(self.block(block, behind))
            # The next iteration comes behind this one, with the barriers inserted so far.
            carried = {**pending, **dict.fromkeys(_carried(past, op) for past in behind)}
            if carried.keys() == pending.keys():
                return behind
            pending = carried

    def _insert(self, op: Operation, one: Operation, two: Operation) -> None:
        """Insert a barrier before ``op``, between two accesses."""
        if self.remarks:
            self.remarks.analysis(op, f"barrier before it: {self.aliases.overlap(one, two)}")
        Inserter.before(op).insert(nt.BarrierOp())

    def _conflict_of(
        self, pending: Iterable[_Access], effects: Iterable[Effect]
    ) -> tuple[Operation, Operation] | None:
        """Two accesses that conflict; None: none do."""
        pairs = ((past, effect) for past in pending for effect in effects)
        found = (
            (past.effect.op, effect.op) for past, effect in pairs if self._conflict(past, effect)
        )
        return next(found, None)

    def _conflict(self, past: _Access, effect: Effect) -> bool:
        before = past.effect
        if before.kind == effect.kind and effect.kind in ("read", "update"):
            return False
        if not before.may_alias(effect.alias_sets):
            return False
        one, two = before.op, effect.op
        if not (isinstance(one, TileAccess) and isinstance(two, TileAccess)):
            return True
        if one is two:
            # The same lanes are the same threads', and others are disjoint.
            return not self.aliases.distinct(two.ref)
        relation = self.aliases.relation(one, two, past.loop)
        if relation == SAME and isinstance(one, nt.LoadOp) and isinstance(two, nt.StoreOp):
            return not updates(one, two)
        return relation != DISJOINT


def _carried(past: _Access, loop: Operation) -> _Access:
    """The access as the next iteration of ``loop`` sees it."""
    return _Access(past.effect, loop) if loop.is_ancestor(past.effect.op) else past


@dataclass(frozen=True)
class InsertBarriersPass(KernelPass):
    """Insert barriers between conflicting accesses."""

    name: ClassVar[str] = "nt-insert-barriers"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        _Barriers(kernel, remarks).block(kernel.apply.block, ())
