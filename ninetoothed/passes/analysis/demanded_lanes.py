"""Demanded lanes: the lanes of each block that reach memory.

A lane of a block matters where a lane that is stored is computed from it. Backward from the stores,
whose guard is their access's, lanes are followed through ops that work lane by lane, through those
that only move them, and through loops and branches. All other ops demand every lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import Pure

from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.guards import carried
from ninetoothed.passes.analysis.loop_nests import Loop
from ninetoothed.symbolic.expr import IndexExpr, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Assumptions, Range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize

Demand = frozenset[Guard]
"""The lanes in which all of these hold, over a block's indices ``b0``, ``b1`` …"""

EVERYTHING: Demand = frozenset()


def demanded_lanes(kernel: nt.KernelOp) -> Mapping[SSAValue, Demand]:
    """The lanes of the values of a kernel in stage ``scheduled`` that reach memory; a value that is
    left out has none.
    """
    analysis = _Analysis(kernel)
    while analysis.visit(kernel.apply.block):
        pass
    return analysis.demands


def at_first_lanes(guard: Guard, dims: Iterable[int], ranges: Assumptions) -> Guard | None:
    """The guard that holds where ``guard`` does in some lane along ``dims``; None: not known.

    An index that is at least 0, and that no lane makes smaller, is smallest in the first.
    """
    index, size = guard.index, guard.size
    names = [name for name in map(_lane, dims) if name in symbol_names(index, size)]
    if not set(names).isdisjoint(symbol_names(size)):
        return None
    for name in names:
        rise = substitute(index, {name: sym(name) + 1}) - index
        if not always_nonnegative(rise, ranges):
            return None
    index = normalize(substitute(index, dict.fromkeys(names, 0)))
    if names and not always_nonnegative(index, ranges):
        return None
    return Guard(index, size)


def index_ranges(kernel: nt.KernelOp) -> dict[str, Range]:
    """The ranges of sizes, and of indices of programs and lanes, which are at least 0."""
    ranges = dict(kernel.assumptions)
    for value in kernel.arranged.values:
        for names in nt.access_of(value, kernel.assumptions)[1].names:
            ranges.update(dict.fromkeys(names, Range.of(0)))
    return ranges


def _lane(dim: int) -> str:
    return f"b{dim}"


def _without(demand: Demand, lane: str) -> Demand:
    """The guards that ``lane`` has no part in."""
    return frozenset(one for one in demand if lane not in symbol_names(one.index, one.size))


class _Analysis:
    """Backward dataflow analysis, round by round: what is demanded only grows."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self.demands: dict[SSAValue, Demand] = {}
        self._kernel = kernel
        self._ranges = index_ranges(kernel)
        self._changed = False
        self._follow: dict[type[Operation], Callable[[Any], None]] = {
            nt.StoreOp: self._store,
            nt.DotOp: self._product,
            **dict.fromkeys((nt.ElementwiseOp, nt.CastOp), self._elementwise),
            **dict.fromkeys((nt.ExpandDimsOp, nt.BroadcastOp, nt.TransOp, nt.FullOp), self._move),
            **dict.fromkeys((scf.ForOp, scf.WhileOp), self._loop),
            scf.IfOp: self._if,
            scf.ConditionOp: self._forwarded,
            scf.YieldOp: self._yielded,
        }

    def visit(self, block: Block) -> bool:
        """Visit the ops of ``block``, last to first; True if anything has changed."""
        self._changed = False
        self._block(block)
        return self._changed

    def _block(self, block: Block) -> None:
        for op in reversed(list(block.ops)):
            for region in op.regions:
                for inner in region.blocks:
                    self._block(inner)
            self._op(op)

    def _demand(self, value: SSAValue, demand: Demand | None) -> None:
        """``value`` is demanded in the lanes of ``demand``, too; None: it is not."""
        if demand is None:
            return
        known = self.demands.get(value)
        joined = demand if known is None else known & demand
        if known != joined:
            self.demands[value] = joined
            self._changed = True

    def _op(self, op: Operation) -> None:
        follow = self._follow.get(type(op))
        if follow is not None:
            follow(op)
        elif any(one in self.demands for one in op.results) or not op.has_trait(Pure):
            self._all(op.operands)

    def _elementwise(self, op: Operation) -> None:
        for value in op.operands:
            self._demand(value, self.demands.get(op.results[0]))

    def _product(self, op: nt.DotOp) -> None:
        demand = self.demands.get(op.result)
        self._demand(op.acc, demand)
        if demand is not None:
            # Along K all lanes; a row of one, or a column of the other, makes its own lanes.
            row, column = (_lane(len(nt.shape_of(op.a.type)) - back) for back in (2, 1))
            self._demand(op.a, _without(demand, column))
            self._demand(op.b, _without(demand, row))

    def _move(self, op: Operation) -> None:
        self._demand(op.operands[0], self._moved(op))

    def _store(self, op: nt.StoreOp) -> None:
        self._demand(op.value, self._stored(op))
        self._all(op.indices)

    def _if(self, op: scf.IfOp) -> None:
        self._all([op.cond])

    def _all(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            self._demand(value, EVERYTHING)

    def _stored(self, op: nt.StoreOp) -> Demand:
        """The guard of a store, as far as it is the same in all iterations of loops."""
        assert isinstance(op.ref, BlockArgument)
        arranged = self._kernel.arranged.values[op.ref.index]
        access = nt.access_of(arranged, self._kernel.assumptions)[1]
        local = {name for row in access.names[1:-1] for name in row}
        return frozenset(
            guard
            for guard in access.data.guards
            if local.isdisjoint(symbol_names(guard.index, guard.size))
        )

    def _moved(self, op: Operation) -> Demand | None:
        """The lanes of the operand of an op that moves lanes."""
        demand = self.demands.get(op.results[0])
        if demand is None:
            return None
        old, new = (nt.shape_of(value.type) for value in (op.operands[0], op.results[0]))
        merged: list[int] = []
        renamed: dict[str, IndexExpr | int] = {}
        match op:
            case nt.TransOp():
                renamed = {_lane(dim): sym(_lane(place)) for dim, place in enumerate(op.dims)}
            case nt.ExpandDimsOp():
                merged = [op.dim]
                renamed = {_lane(dim + 1): sym(_lane(dim)) for dim in range(op.dim, len(old))}
            case nt.BroadcastOp():
                merged = [dim for dim in range(len(new)) if old[dim] != new[dim]]
            case _:
                merged = [*range(len(new))]
        found: set[Guard] = set()
        for guard in demand:
            first = at_first_lanes(guard, merged, self._ranges)
            if first is not None:
                found.add(
                    Guard(normalize(substitute(first.index, renamed)), first.size)
                    if renamed
                    else first
                )
        return frozenset(found)

    def _loop(self, op: Loop) -> None:
        for position, (start, inside, _) in enumerate(carried(op)):
            for value in (*inside, op.results[position]):
                self._demand(start, self.demands.get(value))
        if isinstance(op, scf.ForOp):
            self._all([op.lb, op.ub, op.step])

    def _forwarded(self, op: scf.ConditionOp) -> None:
        parent = op.parent_op()
        assert isinstance(parent, scf.WhileOp)
        self._all([op.condition])
        inside = parent.after_region.block.args
        for value, *places in zip(op.args, parent.results, inside, strict=True):
            for place in places:
                self._demand(value, self.demands.get(place))

    def _yielded(self, op: scf.YieldOp) -> None:
        parent = op.parent_op()
        if isinstance(parent, scf.IfOp):
            for value, result in zip(op.arguments, parent.results, strict=True):
                self._demand(value, self.demands.get(result))
        elif isinstance(parent, Loop):
            for position, (_, inside, end) in enumerate(carried(parent)):
                for value in (*inside, parent.results[position]):
                    self._demand(end, self.demands.get(value))
        else:
            self._all(op.operands)
