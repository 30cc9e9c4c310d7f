"""Materialize guards as masks beside their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter, op_pattern
from ninetoothed.ir.scf import WhileOp
from ninetoothed.passes.analysis.guards import (
    Guard,
    Guards,
    carried,
    independent,
    joined_positions,
)
from ninetoothed.passes.analysis.lane_moves import MOVES
from ninetoothed.passes.lowering.masks import both, first, some


class GuardBits:
    """Masks of the guards of ``needed``, built by the patterns of this module in program order."""

    def __init__(self, guards: Guards, needed: frozenset[SSAValue]) -> None:
        self.guards = guards
        self.needed = set(needed)
        # The positions at which loops and branches carry guards beside the values.
        self.joined: dict[Operation, list[int]] = {}
        self._bits: dict[SSAValue, SSAValue] = {}
        self._all_set: dict[SSAValue, SSAValue] = {}
        self._replaced: dict[SSAValue, SSAValue] = {}

    def find(self, value: SSAValue) -> SSAValue | None:
        """The guard of ``value``; None: all lanes are valid, or it is not needed."""
        return self._bits.get(value)

    def all(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """The guards of those of ``values`` that are not all valid."""
        return [bits for bits in map(self.find, values) if bits is not None]

    def of(self, value: SSAValue) -> SSAValue:
        """The guard of ``value``; where all lanes are valid, an all-ones mask."""
        bits = self.find(value) or self._all_set.get(value)
        if bits is None:
            bits = self._all_set[value] = _all_set(value)
        return bits

    def set(self, value: SSAValue, bits: SSAValue) -> None:
        """Set the guard of ``value``."""
        self._bits[value] = bits

    def build(self, op: Operation) -> None:
        """Build the guards of the results of ``op`` that are needed, behind it."""
        if any(result in self.needed and result not in self._bits for result in op.results):
            self._bits.update(zip(op.results, _built(op, self), strict=False))

    def every(self, inserter: Inserter, values: Sequence[SSAValue]) -> SSAValue:
        """The conjunction of the guards of ``values``, of which one or more are not all valid."""
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
        """Replace ``old`` with ``new``, which may have more results."""
        rewriter.insert(new)
        for before, after in zip(old.results, new.results, strict=False):
            self._replaced[after] = before
            if before in self.needed:
                self.needed.add(after)
        rewriter.replace(old, [], new.results[: len(old.results)])

    def join(
        self, rewriter: PatternRewriter, old: Operation, new: Operation, positions: list[int]
    ) -> None:
        """Replace ``old`` with a loop or branch whose last results are the guards of those at
        ``positions``.
        """
        self.joined[new] = positions
        for position, bits in zip(positions, new.results[len(old.results) :], strict=True):
            self.set(new.results[position], bits)
        self.replace(rewriter, old, new)


def _all_set(value: SSAValue) -> SSAValue:
    """All-ones mask of the shape of ``value``, behind it."""
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


class BuildGuards(_Pattern):
    """Build the guards of an op's results from those of its operands."""

    @op_pattern
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.bits.build(op)


class CarryGuards(_Pattern):
    """Add the guards of loop-carried values to what a loop carries."""

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


class BranchGuards(_Pattern):
    """Add the guards of a branch's results to its results."""

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
    """Add the guards of yielded values to the terminators of loops and branches."""

    @op_pattern
    def match_and_rewrite(
        self, op: scf.YieldOp | scf.ConditionOp, rewriter: PatternRewriter
    ) -> None:
        parent = op.parent_op()
        assert parent is not None
        values = op.args if isinstance(op, scf.ConditionOp) else op.arguments
        guards = [self.bits.of(values[at]) for at in self.bits.joined.get(parent, ())]
        op.operands = [*op.operands, *guards]


def drop_unchanged(loop: scf.ForOp) -> None:
    """Let a loop carry nothing that each iteration leaves as it is."""
    block = loop.body.block
    end = block.last_op
    assert isinstance(end, scf.YieldOp)
    rows = list(zip(loop.iter_args, block.args[1:], end.arguments, loop.results, strict=True))
    kept = [row for row in rows if row[1] is not row[2]]
    if len(kept) == len(rows):
        return
    end.operands = [value for _, _, value, _ in kept]
    for init, arg, value, result in rows:
        if arg is value:
            arg.replace_all_uses_with(init)
            result.replace_all_uses_with(init)
            block.erase_arg(arg)
    body, inits = loop.detach_region(loop.body), [init for init, *_ in kept]
    new = Inserter.before(loop).insert(scf.ForOp(loop.lb, loop.ub, loop.step, inits, body))
    new.attributes.update(loop.attributes)
    for (*_, result), found in zip(kept, new.results, strict=True):
        found.name_hint = result.name_hint
        result.replace_all_uses_with(found)
    loop.detach()
    loop.erase()


def _built(op: Operation, bits: GuardBits) -> Sequence[SSAValue]:
    """Build the guards of an op's results behind it, one each."""
    inserter = Inserter.behind(op)
    match op:
        case nt.LoadOp() | nt.StoredOp():
            return [inserter.add(nt.GuardOp(op.ref, list(op.indices)))]
        case nt.ElementwiseOp() if op.function.data == "where":
            condition, left, right = map(bits.of, op.arguments)
            sides = [op.arguments[0], left, right]
            chosen = inserter.add(
                nt.ElementwiseOp("where", sides, nt.with_scalar(op.result.type, i1))
            )
            return [both(inserter, condition, chosen)]
        case nt.ReduceOp():
            return [some(inserter, bits.of(op.value), op.dim)]
        case nt.SortOp():
            bit = first(inserter, bits.of(op.value), op.dim, nt.shape_of(op.result.type))
            return [bit if op.reversed is None else inserter.add(nt.FlipOp(bit, op.dim))]
        case nt.PointerLoadOp() | nt.AtomicOp() if op.mask is not None:
            return [op.mask]
        case nt.ScanByOp() if op.valid is not None:
            return [op.valid] * len(op.values)
        case nt.ReduceByOp():
            return [op.results[-1]] * len(op.values)
        case _ if isinstance(op, MOVES):
            return _moved(op, bits, inserter)
        case _:
            values = op.coordinates if isinstance(op, nt.AddressOp) else op.operands
            return [bits.every(inserter, values)] * len(op.results)


def _moved(op: Operation, bits: GuardBits, inserter: Inserter) -> Sequence[SSAValue]:
    """Move the guards of the operands as the op moves their lanes."""
    known = None
    if isinstance(op, nt.GatherOp):
        operands, known = [bits.of(op.value), op.indices], bits.find(op.indices)
    else:
        operands = [bits.of(value) for value in op.operands]
    types = [nt.with_scalar(result.type, i1) for result in op.results]
    moved = op.create(operands=operands, properties=dict(op.properties), result_types=types)
    inserter.insert(moved)
    return moved.results if known is None else [both(inserter, moved.results[0], known)]
