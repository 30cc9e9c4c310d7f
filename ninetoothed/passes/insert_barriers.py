"""Let the threads of a program wait for one another where one may read or write what another has
written, or write what another has yet to read.

Triton spreads the lanes of a block over threads, each block in its own way, and keeps no order
between their accesses of memory. So between two accesses that may share an element, one of them no
read, stands a barrier, unless the same threads do both: a store is another turn of the same store
to lanes that are distinct, or writes what is computed, lane by lane, of what was read there. Atomics
are ordered among themselves; those that order memory also stand apart from all accesses of what the
kernel writes, since one thread alone does them for the whole program. Turns of a loop follow one
another; a barrier that only the first turn needs stands before the loop.

Why here: it asks what ``nt-forward-memory`` asks, of what that leaves: few loads read what the
program has stored. It requires and leaves stage ``arranged``.

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

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.passes.analysis.alias_sets import APART, SAME, Memory, ShareAccess, Touch
from ninetoothed.passes.analysis.lane_origins import updates


@dataclass(frozen=True)
class _Past:
    """An access since the last barrier; with ``loop``, it was in an earlier turn of that."""

    touch: Touch
    loop: Operation | None = None


# In the order of the program.
_Pending = dict[_Past, None]


class _Barriers:
    """One walk through a kernel, in the order of the program."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self.memory = Memory(kernel)

    def block(self, block: Block, before: Iterable[_Past]) -> _Pending:
        """Walk through a block, behind ``before``; the accesses since the last barrier."""
        pending = dict.fromkeys(before)
        for op in list(block.ops):
            touch = self.memory.touch(op)
            if isinstance(op, nt.BarrierOp):
                pending.clear()
            elif touch is not None:
                if self._conflicts(pending, [touch]):
                    Inserter.before(op).insert(nt.BarrierOp())
                    pending.clear()
                pending[_Past(touch)] = None
            elif self.memory.touched(op):
                pending = self._regions(op, pending)
        return pending

    def _regions(self, op: Operation, pending: _Pending) -> _Pending:
        if isinstance(op, scf.IfOp):
            behind: _Pending = {} if op.false_region.blocks else pending
            for region in op.regions:
                for block in region.blocks:
                    behind = {**behind, **self.block(block, pending)}
            return behind
        if self._conflicts(pending, self.memory.touched(op)):
            Inserter.before(op).insert(nt.BarrierOp())
            pending = {}
        while True:
            behind = dict(pending)
            for region in op.regions:
                for block in region.blocks:
                    behind.update(self.block(block, behind))
            # The next turn comes behind this one. It finds barriers that this one has got.
            turned = {**pending, **dict.fromkeys(_turned(past, op) for past in behind)}
            if turned.keys() == pending.keys():
                return behind
            pending = turned

    def _conflicts(self, pending: Iterable[_Past], touches: Iterable[Touch]) -> bool:
        return any(self._conflict(past, touch) for past in pending for touch in touches)

    def _conflict(self, past: _Past, touch: Touch) -> bool:
        before = past.touch
        if before.kind == touch.kind and touch.kind in ("read", "update"):
            return False
        if not before.meets(touch.memories):
            return False
        one, two = before.op, touch.op
        if not (isinstance(one, ShareAccess) and isinstance(two, ShareAccess)):
            return True
        if one is two:
            # The same lanes are the same threads', and others are apart.
            return not self.memory.distinct(two.ref)
        relation = self.memory.relation(one, two, past.loop)
        if relation == SAME and isinstance(one, nt.LoadOp) and isinstance(two, nt.StoreOp):
            return not updates(one, two)
        return relation != APART


def _turned(past: _Past, loop: Operation) -> _Past:
    """The access as the next turn of ``loop`` sees it."""
    return _Past(past.touch, loop) if loop.is_ancestor(past.touch.op) else past


@dataclass(frozen=True)
class InsertBarriersPass(ModulePass):
    """Barriers between accesses of one element."""

    name: ClassVar[str] = "nt-insert-barriers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.ops:
            if isinstance(kernel, nt.KernelOp):
                _Barriers(kernel).block(kernel.apply.block, ())
