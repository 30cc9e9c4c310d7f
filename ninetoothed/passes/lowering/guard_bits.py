"""Materialize guards: bits beside the values that have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, UnrealizedConversionCastOp, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from ninetoothed.ir import nt
from ninetoothed.ir.loops import WhileOp
from ninetoothed.ir.rewriting import Inserter, op_pattern
from ninetoothed.passes.analysis.guards import (
    Guard,
    Guards,
    carried,
    independent,
    joined_positions,
)
from ninetoothed.passes.lowering.lanes import both, first, some


class GuardBits:
    """The guards of ``needed``, built by the patterns of this module in the order of the program."""

    def __init__(self, guards: Guards, needed: frozenset[SSAValue]) -> None:
        self.guards = guards
        self.needed = needed
        # The positions at which loops and branches hand on guards beside the values.
        self.joined: dict[Operation, list[int]] = {}
        self._bits: dict[SSAValue, SSAValue] = {}
        self._all_set: dict[SSAValue, SSAValue] = {}
        self._replaced: dict[SSAValue, SSAValue] = {}

    def find(self, value: SSAValue) -> SSAValue | None:
        """The guard of ``value``; None: all lanes are active, or it is not needed."""
        return self._bits.get(value)

    def all(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """The guards of ``values`` that have not all lanes."""
        return [bits for bits in map(self.find, values) if bits is not None]

    def of(self, value: SSAValue) -> SSAValue:
        """The guard of ``value``; where all lanes are active, bits that are all set."""
        bits = self.find(value) or self._all_set.get(value)
        if bits is None:
            bits = self._all_set[value] = _all_set(value)
        return bits

    def set(self, value: SSAValue, bits: SSAValue) -> None:
        """Let ``bits`` be the guard of ``value``."""
        self._bits[value] = bits

    def needs(self, op: Operation) -> bool:
        """Whether a guard of the results of ``op`` is to be built."""
        return any(result in self.needed for result in op.results)

    def every(self, inserter: Inserter, values: Sequence[SSAValue]) -> SSAValue:
        """The conjunction of the guards of ``values``, of which one or more have not all lanes."""
        found: dict[Guard, SSAValue] = {}
        for value in values:
            if (bits := self.find(value)) is not None:
                found.setdefault(self.guards.of(self._replaced.get(value, value)), bits)
        bits = None
        for guard in independent(found, len(nt.shape_of(values[0].type))):
            bits = both(inserter, bits, found[guard])
        assert bits is not None
        return bits

    def replace(self, rewriter: PatternRewriter, old: Operation, new: Operation) -> None:
        """Put ``new``, which has more results, in the place of ``old``."""
        rewriter.insert(new)
        self._replaced.update(zip(new.results, old.results, strict=False))
        rewriter.replace(old, [], new.results[: len(old.results)])

    def join(
        self, rewriter: PatternRewriter, old: Operation, new: Operation, positions: list[int]
    ) -> None:
        """Put a loop or a branch in the place of ``old``, whose last results are the guards of those
        at ``positions``.
        """
        self.joined[new] = positions
        for position, bits in zip(positions, new.results[len(old.results) :], strict=True):
            self.set(new.results[position], bits)
        self.replace(rewriter, old, new)


def _all_set(value: SSAValue) -> SSAValue:
    """Bits of the shape of ``value``, behind it, that are all set."""
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        assert parent is not None
        inserter = Inserter(InsertPoint.at_start(owner), parent)
    else:
        inserter = Inserter.behind(owner)
    bit = inserter.add(arith.ConstantOp(IntegerAttr(1, i1)))
    shape = nt.shape_of(value.type)
    return inserter.add(nt.FullOp(bit, nt.block_type(shape, i1))) if shape else bit


@dataclass(frozen=True)
class _Pattern(RewritePattern):
    bits: GuardBits


class GuardOfRead(_Pattern):
    """The guard of a read is its access's."""

    @op_pattern
    def match_and_rewrite(self, op: nt.LoadOp | nt.StoredOp, rewriter: PatternRewriter) -> None:
        if self.bits.needs(op):
            guard = Inserter.behind(op).add(nt.GuardOp(op.ref, list(op.indices)))
            self.bits.set(op.result, guard)


class GuardOfElementwise(_Pattern):
    """Lanes are active where those of all operands are."""

    @op_pattern
    def match_and_rewrite(
        self,
        op: nt.MapOp | nt.InlineAsmOp | nt.CastOp | nt.HintOp | nt.BitcastOp | nt.ScanOp,
        rewriter: PatternRewriter,
    ) -> None:
        chosen = isinstance(op, nt.MapOp) and op.function.data == "where"
        if not chosen and self.bits.needs(op):
            bits = self.bits.every(Inserter.behind(op), op.operands)
            for result in op.results:
                self.bits.set(result, bits)


class GuardOfAddress(_Pattern):
    """An address is active where its coordinates are."""

    @op_pattern
    def match_and_rewrite(self, op: nt.AddressOp, rewriter: PatternRewriter) -> None:
        if self.bits.needs(op):
            bits = self.bits.every(Inserter.behind(op), op.coordinates)
            for result in op.results:
                self.bits.set(result, bits)


class GuardOfWhere(_Pattern):
    """A choice is active where the condition and the chosen side are."""

    @op_pattern
    def match_and_rewrite(self, op: nt.MapOp, rewriter: PatternRewriter) -> None:
        if op.function.data != "where" or not self.bits.needs(op):
            return
        condition, left, right = map(self.bits.of, op.arguments)
        inserter = Inserter.behind(op)
        sides = [op.arguments[0], left, right]
        chosen = inserter.add(nt.MapOp("where", sides, nt.with_scalar(op.result.type, i1)))
        self.bits.set(op.result, both(inserter, condition, chosen))


class GuardOfMove(_Pattern):
    """Guards move as lanes do."""

    @op_pattern
    def match_and_rewrite(
        self,
        op: nt.BroadcastOp
        | nt.ExpandDimsOp
        | nt.TransOp
        | nt.FlipOp
        | nt.ReshapeOp
        | nt.SplitOp
        | nt.JoinOp
        | nt.GatherOp
        | UnrealizedConversionCastOp,
        rewriter: PatternRewriter,
    ) -> None:
        if not self.bits.needs(op):
            return
        values, indices = list(op.operands), None
        if isinstance(op, nt.GatherOp):
            indices = values.pop()
        operands = [*map(self.bits.of, values), *([] if indices is None else [indices])]
        types = [nt.with_scalar(result.type, i1) for result in op.results]
        moved = op.create(operands=operands, properties=dict(op.properties), result_types=types)
        inserter = Inserter.behind(op)
        inserter.insert(moved)
        for result, bits in zip(op.results, moved.results, strict=True):
            known = None if indices is None else self.bits.find(indices)
            self.bits.set(result, bits if known is None else both(inserter, bits, known))


class GuardOfReduction(_Pattern):
    """A reduced lane is active where one of its lanes was; sorted, the active lanes come first."""

    @op_pattern
    def match_and_rewrite(self, op: nt.ReduceOp | nt.SortOp, rewriter: PatternRewriter) -> None:
        if self.bits.needs(op):
            build = some if isinstance(op, nt.ReduceOp) else first
            bits = build(Inserter.behind(op), self.bits.of(op.value), op.dim)
            self.bits.set(op.results[0], bits)


class CarryGuards(_Pattern):
    """A loop carries the guards of what it carries."""

    @op_pattern
    def match_and_rewrite(self, op: scf.ForOp | scf.WhileOp, rewriter: PatternRewriter) -> None:
        positions = joined_positions(op, self.bits.needed)
        if not positions:
            return
        values = carried(op)
        starts = [self.bits.of(values[position][0]) for position in positions]
        for start, position in zip(starts, positions, strict=True):
            for value in values[position][1]:
                bits = value.block.insert_arg(start.type, len(value.block.args))
                self.bits.set(value, bits)
        initial = [*(start for start, _, _ in values), *starts]
        regions = [op.detach_region(region) for region in list(op.regions)]
        new: scf.ForOp | WhileOp
        if isinstance(op, scf.ForOp):
            new = scf.ForOp(op.lb, op.ub, op.step, initial, *regions)
        else:
            before, after = regions
            new = WhileOp(initial, [value.type for value in initial], before, after)
        new.attributes.update(op.attributes)
        self.bits.join(rewriter, op, new, positions)


class GiveGuards(_Pattern):
    """A branch gives the guards of what it gives."""

    @op_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        positions = joined_positions(op, self.bits.needed)
        if not positions:
            return
        types = [result.type for result in op.results]
        guards = [nt.with_scalar(types[position], i1) for position in positions]
        one, two = (op.detach_region(region) for region in list(op.regions))
        new = scf.IfOp(op.cond, [*types, *guards], one, two)
        self.bits.join(rewriter, op, new, positions)


class YieldGuards(_Pattern):
    """The ends of loops and branches hand on the guards of what they hand on."""

    @op_pattern
    def match_and_rewrite(
        self, op: scf.YieldOp | scf.ConditionOp, rewriter: PatternRewriter
    ) -> None:
        parent = op.parent_op()
        assert parent is not None
        values = op.args if isinstance(op, scf.ConditionOp) else op.arguments
        guards = [self.bits.of(values[at]) for at in self.bits.joined.get(parent, ())]
        op.operands = [*op.operands, *guards]


def guard_patterns(bits: GuardBits) -> list[RewritePattern]:
    """What builds the guards that ``bits`` needs; ops that take a mask are masked before."""
    patterns = (GuardOfRead, GuardOfElementwise, GuardOfWhere, GuardOfAddress, GuardOfMove)
    structure = (GuardOfReduction, CarryGuards, GiveGuards, YieldGuards)
    return [pattern(bits) for pattern in (*patterns, *structure)]
