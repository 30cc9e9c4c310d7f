"""Sorted lanes: which blocks are known to be in order along a dim."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, OpResult, SSAValue

from ninetoothed.ir import nt


def is_sorted(
    value: SSAValue, dim: int, descending: bool, assumed: frozenset[SSAValue] = frozenset()
) -> bool:
    """True if the lanes of ``value`` are in order along ``dim``. ``assumed``: values that are."""
    owner = value.owner
    if value in assumed or _is_uniform(value):
        return True
    if isinstance(owner, nt.SortOp):
        falls = owner.falls != (owner.reversed is not None)
        return owner.dim == dim and falls == descending
    assert isinstance(value, BlockArgument | OpResult)
    if isinstance(owner, scf.IfOp):
        ends = [region.block.last_op for region in owner.regions]
        return all(
            end is not None and is_sorted(end.operands[value.index], dim, descending, assumed)
            for end in ends
        )
    loop = value.owner.parent_op() if isinstance(value, BlockArgument) else owner
    place = value.index - isinstance(value, BlockArgument)
    if not isinstance(loop, scf.ForOp) or place < 0:
        return False
    carried, end = loop.body.block.args[1 + place], loop.body.block.last_op
    assert end is not None
    return is_sorted(loop.iter_args[place], dim, descending, assumed) and is_sorted(
        end.operands[place], dim, descending, assumed | {carried}
    )


def _is_uniform(value: SSAValue) -> bool:
    """True if all lanes are known to hold one number."""
    owner = value.owner
    if isinstance(owner, nt.ExpandDimsOp | nt.BroadcastOp):
        return _is_uniform(owner.value)
    return isinstance(owner, nt.FullOp)
