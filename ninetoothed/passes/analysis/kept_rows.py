"""Kept rows: blocks that stay in registers over an op that combines lanes, and could be loaded, and
computed, again behind it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.alias_sets import AliasAnalysis
from ninetoothed.passes.analysis.lane_moves import COMBINING
from ninetoothed.passes.analysis.loop_nests import NUM_STAGES, blocks_of, enclosing
from ninetoothed.passes.analysis.waiting import waiting_op

LEAST_LANES = 1 << 12
"""Lanes of a row, at least: of eight warps, each thread has 16."""
_MOST_READS = 3
"""Of one row: so many loads differ by their eviction policies."""
_MOST_OPERATIONS = 16
"""With which a row is computed again, at most."""
_ARITHMETIC = nt.ElementwiseOp | nt.CastOp | nt.BitcastOp | nt.StoredOp
_OF_INDICES = nt.ArangeOp | nt.GuardOp | nt.OffsetsOp
_FREE = nt.BroadcastOp | nt.ExpandDimsOp | nt.FullOp | UnrealizedConversionCastOp
_RECOMPUTED = _ARITHMETIC | _OF_INDICES | _FREE
"""What each thread computes by itself."""


@dataclass(frozen=True)
class Use:
    """A use of a row in a later part of its block: operand ``index`` of ``user``, which is, or is
    in, ``op`` of the block.
    """

    user: Operation
    index: int
    value: SSAValue
    op: Operation
    part: int


@dataclass(frozen=True)
class KeptRows:
    """Rows of one block of ops, which the ops that combine lanes cut into parts.

    ``uses``: those in later parts, of rows that can be computed again there, in order. ``rows``:
    all that can be, each with the op that it is the result of. ``loads``: which are then read
    again, each with the first op that it is kept over; ``refusals``: why others are not, likewise.
    """

    uses: tuple[Use, ...]
    rows: dict[SSAValue, Operation]
    loads: dict[nt.LoadOp, Operation]
    refusals: dict[nt.LoadOp, tuple[Operation, str]]


def kept_rows(kernel: nt.KernelOp, aliases: AliasAnalysis) -> Iterator[KeptRows]:
    """The rows of each block of a kernel's ops, from stage ``composed`` on. A block whose size is
    not known yet counts as one.
    """
    # The blocks may change behind each.
    for block in list(blocks_of(kernel)):
        rows = _Rows(kernel, block, aliases)
        if rows.meetings:
            yield rows.found()


@dataclass(frozen=True)
class _Slice:
    """What the result of ``op``, a row, is computed from: loads, and the operations between.
    ``refusal``: why it cannot be computed again; empty: it can.
    """

    op: Operation
    loads: tuple[nt.LoadOp, ...] = ()
    operations: frozenset[Operation] = frozenset()
    refusal: str = ""


@dataclass
class _Rows:
    """The search for rows in one block."""

    kernel: nt.KernelOp
    block: Block
    aliases: AliasAnalysis
    parts: dict[Operation, int] = field(default_factory=dict[Operation, int])
    meetings: list[Operation] = field(default_factory=list[Operation])
    slices: dict[SSAValue, _Slice] = field(default_factory=dict[SSAValue, _Slice])
    too_often: dict[nt.LoadOp, int] = field(default_factory=dict[nt.LoadOp, int])

    def __post_init__(self) -> None:
        for op in self.block.ops:
            self.parts[op] = len(self.meetings)
            if any(isinstance(inner, COMBINING) for inner in op.walk()):
                self.meetings.append(op)

    def found(self) -> KeptRows:
        """The rows, without those that would be read too often."""
        while True:
            self._slice()
            uses = list(self._uses())
            again: dict[nt.LoadOp, set[int]] = {}
            for use, slice_ in uses:
                for load in () if slice_.refusal else slice_.loads:
                    again.setdefault(load, set()).add(use.part)
            often = {load: 1 + len(parts) for load, parts in again.items()}
            often = {load: reads for load, reads in often.items() if reads > _MOST_READS}
            if not often:
                break
            self.too_often |= often
        loads = {load: self.meetings[self.parts[load]] for load in again}
        refusals: dict[nt.LoadOp, tuple[Operation, str]] = {}
        for use, slice_ in uses:
            over = self.meetings[self._made_in(use.value)]
            for load in slice_.loads:
                if slice_.refusal and load not in loads and self._is_used_at_once(load):
                    refusals.setdefault(load, (over, slice_.refusal))
        kept = tuple(use for use, slice_ in uses if not slice_.refusal)
        rows = {value: one.op for value, one in self.slices.items() if not one.refusal}
        return KeptRows(kept, rows, loads, refusals)

    def _made_in(self, value: SSAValue) -> int:
        """The part in which a row is first there: of what combines lanes, the next one."""
        op = self.slices[value].op
        return self.parts[op] + (op in self.meetings)

    def _slice(self) -> None:
        """Find what each row is computed from; operands stand before results."""
        self.slices.clear()
        for op in self.block.ops:
            for result in op.results:
                if _is_row(result.type):
                    self.slices[result] = self._slice_of(op)

    def _slice_of(self, op: Operation) -> _Slice:
        """What the result of ``op`` is computed from; what its operands are is known."""
        if isinstance(op, nt.LoadOp):
            return _Slice(op, (op,), refusal=self._refusal(op))
        found = [self.slices[value] for value in op.operands if value in self.slices]
        loads = tuple(dict.fromkeys(load for one in found for load in one.loads))
        operations = frozenset[Operation]().union(*(one.operations for one in found))
        refusal = next((one.refusal for one in found if one.refusal), "")
        if isinstance(op, _ARITHMETIC):
            operations |= {op}
        if isinstance(op, nt.ElementwiseOp) and "." in op.function.data:
            # A function of a library may be anything.
            refusal = refusal or f"{op.function.data} is not computed twice"
        elif not isinstance(op, _RECOMPUTED):
            refusal = refusal or f"{op.name} is not computed twice"
        elif len(operations) > _MOST_OPERATIONS:
            refusal = refusal or f"over {_MOST_OPERATIONS} operations would be computed twice"
        return _Slice(op, loads, operations, refusal)

    def _uses(self) -> Iterator[tuple[Use, _Slice]]:
        """The uses of rows in later parts, in order."""
        for op, part in self.parts.items():
            for user in op.walk():
                for index, value in enumerate(user.operands):
                    slice_ = self.slices.get(value)
                    if slice_ is not None and slice_.loads and self._made_in(value) < part:
                        yield Use(user, index, value, op, part), slice_

    def _refusal(self, load: nt.LoadOp) -> str:
        """Why a row is not loaded again; empty: it is."""
        effect = self.aliases.effect(load)
        # A number that is passed by value is no row.
        assert effect is not None
        name = ", ".join(f"`{name}`" for name in self.aliases.params(load))
        if not self._is_used_at_once(load):
            return f"{name} is used behind it only"
        if load.evict is not None:
            return f"the eviction policy of {name} is given"
        if load in self.too_often:
            reads = self.too_often[load]
            return f"it would be read {reads} times, and {_MOST_READS} loads differ by their hints"
        if self._of_kernel:
            return self._of_kernel
        for write in self.aliases.effects(self.kernel):
            if write.kind != "read" and write.may_alias(effect.alias_sets):
                return self.aliases.overlap(load, write.op)
        return ""

    @cached_property
    def _of_kernel(self) -> str:
        """Why no row of the block is loaded again."""
        if nt.has_dot(self.kernel.apply):
            return "the kernel has a dot"
        waiting = waiting_op(self.kernel)
        if waiting is not None:
            return f"by {waiting.name} a program may wait for another"
        first = self.block.first_op
        if first is not None and any(NUM_STAGES in loop.attributes for loop in enclosing(first)):
            return "the loop loads ahead"
        return ""

    def _is_used_at_once(self, load: nt.LoadOp) -> bool:
        """True if what is loaded is used in its own part, and not only computed with."""
        part, pending = self.parts[load], [load.result]
        seen: set[SSAValue] = set()
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            for use in value.uses:
                op = self._op_around(use.operation)
                if self.parts[op] != part:
                    continue
                if not isinstance(op, _RECOMPUTED):
                    return True
                pending += op.results
        return False

    def _op_around(self, op: Operation) -> Operation:
        """The op of the block that ``op`` is, or is in."""
        while op.parent is not self.block:
            parent = op.parent_op()
            assert parent is not None
            op = parent
        return op


def _is_row(type: Attribute) -> bool:
    """True for a block of many lanes, or of a number of them that is not known yet."""
    if not isinstance(type, nt.TensorType):
        return False
    sizes = [size.value for size in nt.shape_of(type)]
    known = [size for size in sizes if size is not None]
    return len(known) < len(sizes) or math.prod(known) >= LEAST_LANES
