"""Store-to-load forwarding, redundant-load elimination and dead-store elimination.

A load of a tile that was loaded before is the earlier value, if nothing between the two may have
written there. A load of a tile that was stored before is the stored value, in the element type as
it lies in memory (``nt.stored``): Triton keeps no order between threads, so memory may not have it
yet. A store that is overwritten before it may be read is erased. Values are available until an op
may write the same elements: stores to other indices, to parameters of the same alias set, through
pointers taken from them, and atomics that order memory. What a loop writes is available neither in
its next iteration nor behind it. No value is available behind a volatile load, which stays, or
assembly that is not pure: by these a program may wait for another one. Stored values are forwarded
where each element is proved to lie at one lane only.

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

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.ir.rewriting import replace as replace_op
from ninetoothed.passes.analysis.alias_sets import DISJOINT, AliasAnalysis, Effect, TileAccess
from ninetoothed.passes.analysis.waiting import may_wait, waiting_op


@dataclass(frozen=True)
class _Available:
    """The available value of a place: the op that accessed it, and the value that was stored there
    or loaded, with which ``other``. A number that is passed by value is in no alias set.
    """

    op: Operation
    alias_sets: frozenset[str] | None
    stored: SSAValue | None = None
    read: SSAValue | None = None
    other: Attribute | None = None


_Place = tuple[object, ...]
_State = dict[_Place, _Available]


class _Forwarding:
    """Forward available values: one walk through a kernel, in program order."""

    def __init__(self, kernel: nt.KernelOp, remarks: nt.RemarkEmitter) -> None:
        self.aliases = AliasAnalysis(kernel)
        self.remarks = remarks
        # For remarks: which access held a place's value, and which one may have changed it.
        self.lost: dict[_Place, tuple[Operation, Operation]] = {}

    def block(self, block: Block, state: _State) -> None:
        """Walk through a block; ``state`` becomes the values available at its end."""
        # Stores of this block that nothing may have read yet.
        unread: dict[_Place, nt.StoreOp] = {}
        for op in list(block.ops):
            for result in op.results:
                self.aliases.numbers.of(result)
            if op.regions:
                self._regions(op, state, unread)
            elif isinstance(op, nt.LoadOp):
                self._load(op, state, unread)
            elif isinstance(op, nt.StoreOp):
                self._store(op, state, unread)
            elif may_wait(op):
                self._wait(op, state, unread)
            elif isinstance(op, nt.PointerLoadOp):
                self._pointer_load(op, state, unread)
            elif (effect := self.aliases.effect(op)) is not None:
                self._invalidate(effect, state)
                self._keep_read(effect, unread)

    def _view(self, op: nt.LoadOp | nt.StoreOp) -> _Place:
        numbers = self.aliases.numbers
        return ("tile", numbers.of(op.ref), *map(numbers.expression, op.indices))

    def _pointers(self, op: nt.PointerLoadOp) -> _Place:
        operands = (op.ptr, op.mask, op.other)
        numbers = (None if value is None else self.aliases.numbers.of(value) for value in operands)
        return ("pointers", *numbers, *sorted(op.properties.items()))

    def _regions(self, op: Operation, state: _State, unread: dict[_Place, nt.StoreOp]) -> None:
        effects = self.aliases.effects(op)
        for effect in effects:
            self._keep_read(effect, unread)
        kept = dict(state)
        for effect in effects:
            self._invalidate(effect, kept)
        waiting = waiting_op(op)
        if waiting is not None:
            self._wait(waiting, kept, unread)
        # A branch begins with the values of the block around it; a loop, and what follows it, may
        # have iterations behind it.
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
            self._remark_on_value(op, held)
            replace_op(op, [held.read])
        elif held is not None and held.stored is not None and self.aliases.distinct(op.ref):
            new = nt.StoredOp(held.stored, op.ref, list(op.indices), op.other)
            read = Inserter.before(op).add(new)
            self._remark_on_value(op, held)
            replace_op(op, [read])
            state[place] = replace(held, read=read, other=op.other)
        else:
            if self.remarks:
                self._remark_on_load(op, place, held)
            effect = self.aliases.effect(op)
            alias_sets = frozenset[str]() if effect is None else effect.alias_sets
            if effect is not None:
                self._keep_read(effect, unread)
            state[place] = _Available(op, alias_sets, read=op.result, other=op.other)

    def _pointer_load(
        self, op: nt.PointerLoadOp, state: _State, unread: dict[_Place, nt.StoreOp]
    ) -> None:
        effect = self.aliases.effect(op)
        assert effect is not None
        self._keep_read(effect, unread)
        place = self._pointers(op)
        held = state.get(place)
        if held is not None and held.read is not None:
            self._remark_on_value(op, held)
            replace_op(op, [held.read])
        else:
            if self.remarks:
                self._remark_on_load(op, place, held)
            state[place] = _Available(op, effect.alias_sets, read=op.result)

    def _store(self, op: nt.StoreOp, state: _State, unread: dict[_Place, nt.StoreOp]) -> None:
        effect = self.aliases.effect(op)
        assert effect is not None
        self._invalidate(effect, state)
        place = self._view(op)
        state[place] = _Available(op, effect.alias_sets, stored=op.value)
        before = unread.pop(place, None)
        if before is not None:
            self.remarks.passed(before, "store erased: it is overwritten before it may be read")
            Rewriter.erase_op(before)
        unread[place] = op

    def _wait(self, op: Operation, state: _State, unread: dict[_Place, nt.StoreOp]) -> None:
        """Let another program read what was stored, and write anything, where ``op`` waits for it."""
        unread.clear()
        self._invalidate(Effect(op, "any", None), state)

    def _invalidate(self, effect: Effect, state: _State) -> None:
        """Drop the values that ``effect`` may overwrite."""
        if effect.kind == "read":
            return
        for place, held in list(state.items()):
            if effect.may_alias(held.alias_sets) and not self._disjoint(effect.op, held.op):
                del state[place]
                if self.remarks:
                    self.lost[place] = (held.op, effect.op)

    def _keep_read(self, effect: Effect, unread: dict[_Place, nt.StoreOp]) -> None:
        """Keep the stores that ``effect`` may read."""
        if effect.kind == "write":
            return
        for place, store in list(unread.items()):
            written = self.aliases.effect(store)
            assert written is not None
            if effect.may_alias(written.alias_sets) and not self._disjoint(effect.op, store):
                del unread[place]

    def _remark_on_value(self, op: nt.LoadOp | nt.PointerLoadOp, held: _Available) -> None:
        # A number that is passed by value is no load.
        if self.remarks and held.alias_sets != frozenset():
            name = self._name(op)
            what = "stored" if held.read is None else "loaded"
            self.remarks.passed(op, f"load of {name} erased: its value was {what} before")

    def _remark_on_load(
        self, op: nt.LoadOp | nt.PointerLoadOp, place: _Place, held: _Available | None
    ) -> None:
        """Remark on a load of what was accessed before."""
        kept = f"load of {self._name(op)} kept"
        if held is not None and held.read is not None:
            self.remarks.missed(op, f"{kept}: lanes that are not valid have another value")
        elif held is not None:
            self.remarks.missed(op, f"{kept}: two lanes may have been stored to one element")
        elif place in self.lost:
            one, two = self.lost[place]
            why = (
                f"by {two.name} a program may wait for another"
                if may_wait(two)
                else self.aliases.overlap(one, two)
            )
            self.remarks.missed(op, f"{kept}: {why}")

    def _name(self, op: Operation) -> str:
        return ", ".join(f"`{name}`" for name in self.aliases.params(op)) or "pointers"

    def _disjoint(self, one: Operation, two: Operation) -> bool:
        """True if two accesses are proved to share no element."""
        if not (isinstance(one, TileAccess) and isinstance(two, TileAccess)):
            return False
        # Blocks without indices are never disjoint.
        return bool(one.indices) and self.aliases.relation(one, two) == DISJOINT


@dataclass(frozen=True)
class ForwardMemoryPass(KernelPass):
    """Store-to-load forwarding and redundant-load elimination."""

    name: ClassVar[str] = "nt-forward-memory"
    drops_reads: ClassVar[bool] = True

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        _Forwarding(kernel, remarks).block(kernel.apply.block, {})
