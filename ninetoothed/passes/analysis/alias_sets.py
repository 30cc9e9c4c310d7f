"""Which memory ops read and write, and which elements of it two accesses may share.

Parameters have memory of their own, but those that a call gave overlapping tensors to (``memory``
of ``nt.source``). A pointer stays in the memory that it was taken from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from ninetoothed.ir import nt
from ninetoothed.layout.inverse import Placement
from ninetoothed.passes.analysis.value_numbering import ValueNumbering
from ninetoothed.passes.analysis.writes import pointed
from ninetoothed.symbolic.expr import IndexExpr, substitute, sym, symbol_names
from ninetoothed.symbolic.normal_form import normalize


@dataclass(frozen=True)
class Touch:
    """What an op does: ``kind`` is ``"read"``, ``"write"``, ``"update"`` of atomics, or ``"any"``.

    ``memories`` are the names of the memories; None: any. An atomic that orders memory touches all
    that the kernel writes: what it orders may be the work of other programs.
    """

    op: Operation
    kind: str
    memories: frozenset[str] | None

    def meets(self, memories: frozenset[str] | None) -> bool:
        """Whether one of ``memories`` may be touched."""
        if self.memories is None or memories is None:
            # Numbers that are passed by value lie in none.
            return memories != frozenset()
        return not self.memories.isdisjoint(memories)


ShareAccess = nt.LoadOp | nt.StoreOp
"""The accesses whose places :meth:`Memory.relation` compares."""

SAME, APART, UNKNOWN = "same", "apart", "unknown"


class Memory:
    """What is asked of a kernel in stage ``arranged``."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self._kernel = kernel
        self._sources = kernel.sources
        self.numbers = ValueNumbering()
        self.distinct = cache(self._distinct)
        self.touched = cache(self._touched)

    def of(self, ref: SSAValue) -> str | None:
        """The memory of a share; None for a number, which has none."""
        assert isinstance(ref, BlockArgument)
        source = self._sources[ref.index]
        if source.kind.data != "tensor":
            return None
        return (source.param if source.memory is None else source.memory).data

    def touch(self, op: Operation) -> Touch | None:
        """What ``op`` itself does, without its regions; None: nothing."""
        match op:
            case nt.LoadOp():
                memory = self.of(op.ref)
                return None if memory is None else Touch(op, "read", frozenset((memory,)))
            case nt.StoreOp():
                memory = self.of(op.ref)
                assert memory is not None
                return Touch(op, "write", frozenset((memory,)))
            case nt.PointerLoadOp():
                return Touch(op, "read", self._pointed(op.ptr))
            case nt.PointerStoreOp():
                return Touch(op, "write", self._pointed(op.ptr))
            case nt.AtomicOp() | nt.AtomicCasOp():
                memories = self._pointed(op.ptr)
                if memories is not None and op.sem.data != "relaxed":
                    memories = None if self._written is None else memories | self._written
                return Touch(op, "update", memories)
            case _:
                return self._unknown(op)

    def _unknown(self, op: Operation) -> Touch | None:
        """What an op does that is given pointers and does not say what for."""
        pointers = [value for value in op.operands if nt.is_pointer(value.type)]
        if not pointers or op.regions or is_side_effect_free(op) or op.has_trait(IsTerminator):
            return None
        found = [self._pointed(pointer) for pointer in pointers]
        known = [memories for memories in found if memories is not None]
        joined = frozenset[str]().union(*known)
        return Touch(op, "any", joined if len(known) == len(found) else None)

    @cached_property
    def _written(self) -> frozenset[str] | None:
        """The memories that stores go to."""
        stores = [
            self.touch(op)
            for op in self._kernel.apply.walk()
            if isinstance(op, nt.StoreOp | nt.PointerStoreOp)
        ]
        found: set[str] = set()
        for store in stores:
            if store is None or store.memories is None:
                return None
            found |= store.memories
        return frozenset(found)

    def _touched(self, op: Operation) -> tuple[Touch, ...]:
        found = [self.touch(op)]
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    found += self.touched(inner)
        return tuple(touch for touch in found if touch is not None)

    def _pointed(self, ptr: SSAValue) -> frozenset[str] | None:
        found: set[str] = set()
        for start in pointed(ptr):
            name = self.of(start.ref)
            assert name is not None
            # Where sequences begin lies apart from their elements, and nobody writes it.
            found.add(f"{name} offsets" if isinstance(start, nt.SequencesOp) else name)
        return frozenset(found) or None

    def _distinct(self, ref: SSAValue) -> bool:
        """Whether it is proved that in one program each element of the source lies at one index of
        the levels below it only, lanes and all.
        """
        assert isinstance(ref, BlockArgument)
        arranged = self._kernel.arranged.values[ref.index]
        source = self._sources[ref.index]
        if source.repeated is not None or isinstance(arranged.owner, nt.AccessOp):
            return False
        _, ops = nt.chain(arranged)
        algebra = tuple(op.algebra for op in ops)
        return Placement(source.sizes, algebra, self._kernel.assumptions, source.own).distinct()

    def relation(self, one: ShareAccess, two: ShareAccess, loop: Operation | None = None) -> str:
        """Where two accesses of shares lie: the same lanes, elements apart, or it is not known.

        With ``loop``, ``one`` happened in an earlier turn of it than ``two``.
        """
        if one.ref is not two.ref:
            return UNKNOWN
        found = [
            self._indices(self.numbers.expression(left), self.numbers.expression(right), loop)
            for left, right in zip(one.indices, two.indices, strict=True)
        ]
        told = APART if APART in found else UNKNOWN if UNKNOWN in found else SAME
        # The proof comes last: most accesses are not asked for it.
        return told if told != UNKNOWN and self.distinct(one.ref) else UNKNOWN

    def _indices(self, left: IndexExpr, right: IndexExpr, loop: Operation | None) -> str:
        difference = normalize(left - right).value
        names = symbol_names(left, right)
        turning = [name for name in names if loop is not None and self._turns(name, loop)]
        if not turning:
            if difference is None:
                return UNKNOWN
            return APART if difference else SAME
        # The same expression has another value in each turn if it is linear in the counter alone.
        counter = self.numbers.meant(turning[0])
        if difference != 0 or len(turning) > 1 or not _counts(counter, loop):
            return UNKNOWN
        step = normalize(substitute(left, {turning[0]: sym(turning[0]) + 1}) - left).value
        return APART if step else UNKNOWN

    def _turns(self, name: str, loop: Operation) -> bool:
        """Whether a symbol may have another value in each turn of ``loop``."""
        value = self.numbers.meant(name)
        return value is not None and value.owner is not loop and loop.is_ancestor(value.owner)


def _counts(value: SSAValue | None, loop: Operation | None) -> bool:
    """Whether ``value`` is the variable of ``loop``, which grows in each turn."""
    return isinstance(loop, scf.ForOp) and value is loop.body.block.args[0]
