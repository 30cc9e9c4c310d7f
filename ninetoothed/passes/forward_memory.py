"""Make reads of what is known one: reads of the same place with no store between them, and reads
of what the program itself has just stored.

A load of a share that was loaded before is the earlier value, if nothing between the two may have
written there. A load of a share that was stored before is what was stored, in the element type as
it lies in memory (``nt.stored``): Triton keeps no order between threads, so memory may not have it
yet. A store that is overwritten before anybody reads it is none. Values hold until an op may write
the same elements: stores to overlapping indices, to parameters that may share memory, through
pointers taken from them, and atomics that order memory. What a loop writes holds neither in its
next turn nor behind it. Stored values are handed on where each element is proved to lie at one lane
only. Volatile reads read.

Why here: the proofs follow the meta-operations, so it comes before they are composed, and before
``nt-mask-reductions`` gives loads that are one by now different identities. It requires and leaves
stage ``arranged``.

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
  %2 = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %3 = nt.elementwise "add"(%1, %2)
      : (!nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>) -> !nt.tensor<[64] x f16>
  nt.store %3, %a[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
  %4 = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %5 = nt.elementwise "mul"(%4, %1)
      : (!nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>) -> !nt.tensor<[64] x f16>
  nt.store %5, %a[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
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
  %3 = nt.elementwise "add"(%1, %1)
      : (!nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>) -> !nt.tensor<[64] x f16>
  %4 = nt.stored %3 at %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %5 = nt.elementwise "mul"(%4, %1)
      : (!nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>) -> !nt.tensor<[64] x f16>
  nt.store %5, %a[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.ir.rewriting import replace as replace_op
from ninetoothed.passes.analysis.alias_sets import APART, Memory, ShareAccess, Touch


@dataclass(frozen=True)
class _Held:
    """What is known of a place: the op that accessed it, what was stored there, and what was read,
    with which ``other``. A number that is passed by value is in none of the ``memories``.
    """

    op: Operation
    memories: frozenset[str] | None
    stored: SSAValue | None = None
    read: SSAValue | None = None
    other: Attribute | None = None


_Place = tuple[object, ...]
_State = dict[_Place, _Held]


class _Forwarding:
    """One walk through a kernel, in the order of the program."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self.memory = Memory(kernel)

    def block(self, block: Block, state: _State) -> None:
        """Walk through a block; ``state`` becomes what holds at its end."""
        # Stores of this block that nobody has read yet.
        unread: dict[_Place, nt.StoreOp] = {}
        for op in list(block.ops):
            for result in op.results:
                self.memory.numbers.of(result)
            if op.regions:
                self._regions(op, state, unread)
            elif isinstance(op, nt.LoadOp):
                self._load(op, state, unread)
            elif isinstance(op, nt.StoreOp):
                self._store(op, state, unread)
            elif isinstance(op, nt.PointerLoadOp):
                self._pointer_load(op, state, unread)
            elif (touch := self.memory.touch(op)) is not None:
                self._forget(touch, state)
                self._keep(touch, unread)

    def _view(self, op: nt.LoadOp | nt.StoreOp) -> _Place:
        numbers = self.memory.numbers
        return ("share", numbers.of(op.ref), *map(numbers.expression, op.indices))

    def _pointers(self, op: nt.PointerLoadOp) -> _Place:
        operands = (op.ptr, op.mask, op.other)
        numbers = (None if value is None else self.memory.numbers.of(value) for value in operands)
        return ("pointers", *numbers, *sorted(op.properties.items()))

    def _regions(self, op: Operation, state: _State, unread: dict[_Place, nt.StoreOp]) -> None:
        touched = self.memory.touched(op)
        for touch in touched:
            self._keep(touch, unread)
        kept = dict(state)
        for touch in touched:
            self._forget(touch, kept)
        # A branch begins as the block around it stands; a loop, and what follows it, may have
        # turns behind it.
        before = state if op.name == "scf.if" else kept
        for region in op.regions:
            for block in region.blocks:
                self.block(block, dict(before))
        state.clear()
        state.update(kept)

    def _load(self, op: nt.LoadOp, state: _State, unread: dict[_Place, nt.StoreOp]) -> None:
        place = self._view(op)
        held = state.get(place)
        if held is not None and held.read is not None and held.other == op.other:
            replace_op(op, [held.read])
        elif held is not None and held.stored is not None and self.memory.distinct(op.ref):
            new = nt.StoredOp(held.stored, op.ref, list(op.indices), op.other)
            read = Inserter.before(op).add(new)
            replace_op(op, [read])
            state[place] = replace(held, read=read, other=op.other)
        else:
            touch = self.memory.touch(op)
            memories = frozenset[str]() if touch is None else touch.memories
            if touch is not None:
                self._keep(touch, unread)
            state[place] = _Held(op, memories, read=op.result, other=op.other)

    def _pointer_load(
        self, op: nt.PointerLoadOp, state: _State, unread: dict[_Place, nt.StoreOp]
    ) -> None:
        touch = self.memory.touch(op)
        assert touch is not None
        self._keep(touch, unread)
        if op.volatile is not None:
            return
        place = self._pointers(op)
        held = state.get(place)
        if held is not None and held.read is not None:
            replace_op(op, [held.read])
        else:
            state[place] = _Held(op, touch.memories, read=op.result)

    def _store(self, op: nt.StoreOp, state: _State, unread: dict[_Place, nt.StoreOp]) -> None:
        touch = self.memory.touch(op)
        assert touch is not None
        self._forget(touch, state)
        place = self._view(op)
        state[place] = _Held(op, touch.memories, stored=op.value)
        before = unread.pop(place, None)
        if before is not None:
            Rewriter.erase_op(before)
        unread[place] = op

    def _forget(self, touch: Touch, state: _State) -> None:
        """Drop what ``touch`` may change."""
        if touch.kind == "read":
            return
        for place, held in list(state.items()):
            if touch.meets(held.memories) and not self._apart(touch.op, held.op):
                del state[place]

    def _keep(self, touch: Touch, unread: dict[_Place, nt.StoreOp]) -> None:
        """The stores that ``touch`` may read stay."""
        if touch.kind == "write":
            return
        for place, store in list(unread.items()):
            written = self.memory.touch(store)
            assert written is not None
            if touch.meets(written.memories) and not self._apart(touch.op, store):
                del unread[place]

    def _apart(self, one: Operation, two: Operation) -> bool:
        """Whether two accesses are proved to share no element."""
        if not (isinstance(one, ShareAccess) and isinstance(two, ShareAccess)):
            return False
        # Of blocks without indices, none is apart.
        return bool(one.indices) and self.memory.relation(one, two) == APART


@dataclass(frozen=True)
class ForwardMemoryPass(ModulePass):
    """Reads of what is known."""

    name: ClassVar[str] = "nt-forward-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.ops:
            if isinstance(kernel, nt.KernelOp):
                _Forwarding(kernel).block(kernel.apply.block, {})
