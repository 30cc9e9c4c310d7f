"""Alias analysis: the memory effects of ops, and whether two accesses may share an element.

Each parameter is an alias set of its own, but for those that a call may give overlapping tensors to
(``memory`` of ``nt.source``), and each scratch memory. A pointer stays in the alias set that it was
taken from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.placements import placement_of
from ninetoothed.passes.analysis.value_numbering import ValueNumbering
from ninetoothed.passes.analysis.writes import pointer_origins
from ninetoothed.symbolic.expr import IndexExpr, symbol_names
from ninetoothed.symbolic.normal_form import normalize


@dataclass(frozen=True)
class Effect:
    """Memory effect of an op.

    ``kind``: ``"read"``, ``"write"``, ``"update"`` of atomics, or ``"any"``. ``alias_sets`` are
    names; None: any. An atomic that orders memory affects all that the kernel writes, since it
    orders accesses of other programs, too.
    """

    op: Operation
    kind: str
    alias_sets: frozenset[str] | None

    def may_alias(self, alias_sets: frozenset[str] | None) -> bool:
        """True if the effect may be on one of ``alias_sets``."""
        if self.alias_sets is None or alias_sets is None:
            # Numbers that are passed by value are in none.
            return alias_sets != frozenset()
        return not self.alias_sets.isdisjoint(alias_sets)


TileAccess = nt.LoadOp | nt.StoreOp
"""The accesses that :meth:`AliasAnalysis.relation` compares."""

SAME, DISJOINT, UNKNOWN = "same", "disjoint", "unknown"


_ACCESSES = frozenset(
    (nt.LoadOp, nt.StoreOp, nt.PointerLoadOp, nt.PointerStoreOp, nt.AtomicOp, nt.AtomicCasOp)
)


class AliasAnalysis:
    """Alias analysis of a kernel in stage ``arranged``."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self._kernel = kernel
        self._sources = kernel.sources
        self.numbers = ValueNumbering()
        self.distinct = cache(self._distinct)
        self.effects = cache(self._effects)

    def alias_set(self, ref: SSAValue) -> str | None:
        """The alias set of a tile; None for a number, which has none."""
        assert isinstance(ref, BlockArgument)
        source = self._sources[ref.index]
        if source.kind.data != "tensor":
            return None
        return (source.param if source.memory is None else source.memory).data

    def effect(self, op: Operation) -> Effect | None:
        """The effect of ``op`` itself, without its regions; None: no effect."""
        # Most ops have none, and classes of ops are slow to tell apart one by one.
        return self._effect(op) if type(op) in _ACCESSES else self._unknown(op)

    def _effect(self, op: Operation) -> Effect | None:
        match op:
            case nt.LoadOp():
                name = self.alias_set(op.ref)
                return None if name is None else Effect(op, "read", frozenset((name,)))
            case nt.StoreOp():
                name = self.alias_set(op.ref)
                assert name is not None
                return Effect(op, "write", frozenset((name,)))
            case nt.PointerLoadOp():
                return Effect(op, "read", self._pointer_alias_sets(op.ptr))
            case nt.PointerStoreOp():
                return Effect(op, "write", self._pointer_alias_sets(op.ptr))
            case nt.AtomicOp() | nt.AtomicCasOp():
                alias_sets = self._pointer_alias_sets(op.ptr)
                if alias_sets is not None and op.sem.data != "relaxed":
                    alias_sets = None if self._written is None else alias_sets | self._written
                return Effect(op, "update", alias_sets)
            case _:
                return None

    def _unknown(self, op: Operation) -> Effect | None:
        """The effect of an op that takes pointers and declares none."""
        pointers = [value for value in op.operands if nt.is_pointer(value.type)]
        if not pointers or op.regions or is_side_effect_free(op) or op.has_trait(IsTerminator):
            return None
        found = [self._pointer_alias_sets(pointer) for pointer in pointers]
        known = [alias_sets for alias_sets in found if alias_sets is not None]
        joined = frozenset[str]().union(*known)
        return Effect(op, "any", joined if len(known) == len(found) else None)

    @cached_property
    def _written(self) -> frozenset[str] | None:
        """The alias sets that stores and atomics go to; None: any."""
        found: set[str] = set()
        for op in self._kernel.apply.walk():
            alias_sets: frozenset[str] | None = frozenset()
            if isinstance(op, nt.AtomicOp | nt.AtomicCasOp | nt.PointerStoreOp):
                alias_sets = self._pointer_alias_sets(op.ptr)
            elif isinstance(op, nt.StoreOp):
                store = self.effect(op)
                alias_sets = None if store is None else store.alias_sets
            if alias_sets is None:
                return None
            found |= alias_sets
        return frozenset(found)

    def _effects(self, op: Operation) -> tuple[Effect, ...]:
        found = [self.effect(op)]
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    found += self.effects(inner)
        return tuple(effect for effect in found if effect is not None)

    def overlap(self, one: Operation, two: Operation) -> str:
        """Text for remarks: why these two accesses may not change places, by their parameters."""
        left, right = self.params(one), self.params(two)
        if common := [name for name in left if name in right]:
            return f"accesses of `{common[0]}` may overlap"
        for a in left:
            for b in right:
                if self._sets[a] == self._sets[b]:
                    return f"`{a}` may share memory with `{b}`"
        if left and right:
            return "an atomic orders memory"
        known = [*left, *right]
        return f"pointers may be to `{known[0]}`" if known else "pointers may be to one element"

    def params(self, op: Operation) -> list[str]:
        """The parameters that an op accesses, by a tile or by pointers; none where not known."""
        refs = [op.ref] if isinstance(op, nt.LoadOp | nt.StoreOp) else []
        pointers = [value for value in op.operands if nt.is_pointer(value.type)]
        starts = [start for pointer in pointers for start in pointer_origins(pointer)]
        refs += [start.ref for start in starts if not isinstance(start, nt.ScratchOp)]
        places = [ref.index for ref in refs if isinstance(ref, BlockArgument)]
        return list(dict.fromkeys(self._sources[place].param.data for place in places))

    @cached_property
    def _sets(self) -> dict[str, str]:
        """The alias set of each parameter, by name."""
        return {
            source.param.data: (source.param if source.memory is None else source.memory).data
            for source in self._sources
        }

    def _pointer_alias_sets(self, ptr: SSAValue) -> frozenset[str] | None:
        found: set[str] = set()
        for start in pointer_origins(ptr):
            if isinstance(start, nt.ScratchOp):
                found.add(f"scratch {start.memory.data}")
                continue
            name = self.alias_set(start.ref)
            assert name is not None
            # The offsets of sequences are no part of their elements, and read-only.
            found.add(f"{name} offsets" if isinstance(start, nt.SequencesOp) else name)
        return frozenset(found) or None

    def _distinct(self, ref: SSAValue) -> bool:
        """True if it is proved that within one program each element of the source lies at one index
        and one lane only.
        """
        assert isinstance(ref, BlockArgument)
        arranged = self._kernel.arranged.values[ref.index]
        source = self._sources[ref.index]
        if source.repeated is not None or isinstance(arranged.owner, nt.AccessOp):
            return False
        return placement_of(arranged, self._kernel.assumptions).distinct()

    def relation(self, one: TileAccess, two: TileAccess, loop: Operation | None = None) -> str:
        """Relation of two accesses of tiles: the same lanes, disjoint elements, or not known.

        With ``loop``, ``one`` happened in an earlier iteration of it than ``two``.
        """
        if one.ref is not two.ref:
            return UNKNOWN
        found = [
            self._indices(self.numbers.expression(left), self.numbers.expression(right), loop)
            for left, right in zip(one.indices, two.indices, strict=True)
        ]
        relation = DISJOINT if DISJOINT in found else UNKNOWN if UNKNOWN in found else SAME
        # The proof comes last: most accesses do not need it.
        return relation if relation != UNKNOWN and self.distinct(one.ref) else UNKNOWN

    def _indices(self, left: IndexExpr, right: IndexExpr, loop: Operation | None) -> str:
        difference = normalize(left - right).value
        names = symbol_names(left, right)
        varying = [name for name in names if loop is not None and self._varies(name, loop)]
        if not varying:
            if difference is None:
                return UNKNOWN
            return DISJOINT if difference else SAME
        # Expressions are linear in symbols of values, so one in the counter alone differs from
        # iteration to iteration.
        counter = self.numbers.value_of(varying[0])
        alone = len(varying) == 1 and _is_induction_variable(counter, loop)
        return DISJOINT if alone and difference == 0 else UNKNOWN

    def _varies(self, name: str, loop: Operation) -> bool:
        """True if a symbol may have another value in each iteration of ``loop``."""
        value = self.numbers.value_of(name)
        return value is not None and value.owner is not loop and loop.is_ancestor(value.owner)


def _is_induction_variable(value: SSAValue | None, loop: Operation | None) -> bool:
    """True if ``value`` is the induction variable of ``loop``, which grows in each iteration."""
    return isinstance(loop, scf.ForOp) and value is loop.body.block.args[0]
