"""Boundaries: the guards of tiles that hold in all lanes of a program but the last ones."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import BlockArgument

from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.demanded_lanes import at_first_lanes, index_ranges
from ninetoothed.passes.analysis.vectorization import splits_vectors
from ninetoothed.symbolic.expr import substitute, symbol_names
from ninetoothed.symbolic.intervals import Assumptions
from ninetoothed.symbolic.normal_form import normalize

Guarded = nt.LoadOp | nt.StoreOp
"""Ops that may have guards of their own."""


@dataclass(frozen=True)
class Boundary:
    """The guards of a load or a store, apart: those that hold in all lanes of a program where they
    hold in the last one, each with itself in the last lanes; and all others.
    """

    guards: dict[Guard, Guard]
    others: tuple[Guard, ...]
    splits_vectors: bool
    """True if the former are all that is in the way of vectors."""


def boundary(kernel: nt.KernelOp, op: Guarded) -> Boundary:
    """The boundary of a load or a store."""
    assert isinstance(op.ref, BlockArgument)
    source, access = nt.access_of(kernel.arranged.values[op.ref.index], kernel.assumptions)
    if source.kind.data != "tensor":
        return Boundary({}, (), False)
    guards = access.data.guards if op.guards is None else op.guards.data
    ranges = index_ranges(kernel)
    last = {guard: _at_last_lanes(guard, access, ranges) for guard in guards}
    found = {guard: one for guard, one in last.items() if one is not None}
    others = tuple(guard for guard in guards if guard not in found)
    splitting = [guard for guard in guards if splits_vectors(kernel, source, access, guard, None)]
    return Boundary(found, others, bool(splitting) and all(one in found for one in splitting))


def _at_last_lanes(guard: Guard, access: nt.AccessAttr, ranges: Assumptions) -> Guard | None:
    """The guard that holds where ``guard`` does in all lanes of a program; None where that is not
    known, or the same for all programs.
    """
    if len(access.names) < 2:
        return None
    programs, *between, lanes = access.names
    used = {*symbol_names(guard.index)}
    if used.isdisjoint(programs) or used.isdisjoint(lanes):
        return None
    if any(not used.union(symbol_names(guard.size)).isdisjoint(row) for row in between):
        return None
    # An index that is least in the first lanes is largest in the last.
    if at_first_lanes(guard, range(len(lanes)), ranges) is None:
        return None
    counts = zip(lanes, access.data.levels[-1], strict=True)
    last = {name: count - 1 for name, count in counts}
    return Guard(normalize(substitute(guard.index, last)), guard.size)
