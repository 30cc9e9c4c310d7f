"""Bounds of accesses: whether they stay inside of their tensors, whenever they happen."""

from __future__ import annotations

from xdsl.ir import BlockArgument, SSAValue

from ninetoothed.ir import nt
from ninetoothed.layout.access import holds
from ninetoothed.layout.meta_op import Guard
from ninetoothed.symbolic.expr import const, substitute
from ninetoothed.symbolic.intervals import Range


def stays_inside(kernel: nt.KernelOp, ref: SSAValue) -> bool:
    """True if it is proved that every lane that the guard of a tile's access lets through lies
    inside of the source, whatever the indices are and whether or not a loop around it runs.
    """
    assert isinstance(ref, BlockArgument)
    assumptions = kernel.assumptions
    source, attribute = nt.access_of(kernel.arranged.values[ref.index], assumptions)
    access, ranges = attribute.data, dict(assumptions)
    for names, sizes in zip(attribute.names, access.levels, strict=True):
        if sizes is access.levels[0] or sizes is access.levels[-1]:
            # A program's and a lane's index lies inside its size.
            rows = zip(names, sizes, strict=True)
            ranges.update({name: Range(const(0), size - 1) for name, size in rows})
    own = {} if source.own is None else dict([source.own])
    sizes = (substitute(size, own) for size in source.sizes)
    guards = (Guard(*pair) for pair in zip(access.indices, sizes, strict=True))
    return all(guard in access.guards or holds(guard, ranges, access.guards) for guard in guards)
