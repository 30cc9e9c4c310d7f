"""Masks: lanes below a size, conjunctions, and the masks of ops that combine lanes."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.layout.meta_op import Sizes
from ninetoothed.symbolic.expr import IndexExpr, const

_I32 = IntegerType(32)


def everywhere(inserter: Inserter, scalar: SSAValue, type: Attribute) -> SSAValue:
    """A scalar in all lanes of a block of this type; itself where the type is the scalar's."""
    if not isinstance(type, nt.TensorType):
        return scalar
    return inserter.add(nt.FullOp(scalar, type))


def along(inserter: Inserter, row: SSAValue, dim: int, shape: Sizes) -> SSAValue:
    """Broadcast a one-dimensional block along ``dim`` to ``shape``."""
    for axis in range(len(shape)):
        if axis != dim:
            row = inserter.add(nt.ExpandDimsOp(row, axis))
    return inserter.add(nt.BroadcastOp(row, shape))


def below(inserter: Inserter, shape: Sizes, dim: int, size: IndexExpr) -> SSAValue:
    """Mask of the lanes of a block of ``shape`` below ``size`` in ``dim``."""
    row = nt.block_type((shape[dim],), _I32)
    lanes = inserter.add(nt.ArangeOp(nt.ExprAttr(const(0)), row))
    limit = inserter.add(nt.FullOp(inserter.add(nt.SizeOp(nt.ExprAttr(size), _I32)), row))
    bits = inserter.add(nt.ElementwiseOp("lt", [lanes, limit], nt.with_scalar(row, i1)))
    return along(inserter, bits, dim, shape)


def first(inserter: Inserter, bits: SSAValue, dim: int, shape: Sizes) -> SSAValue:
    """Mask of a block of ``shape``: as many leading lanes along ``dim`` as ``bits`` has set."""
    count = inserter.add(nt.ReduceOp("sum", inserter.add(nt.CastOp(bits, _I32)), dim))
    count = inserter.add(nt.BroadcastOp(inserter.add(nt.ExpandDimsOp(count, dim)), shape))
    row = inserter.add(nt.ArangeOp(nt.ExprAttr(const(0)), nt.block_type((shape[dim],), _I32)))
    lanes = along(inserter, row, dim, shape)
    return inserter.add(nt.ElementwiseOp("lt", [lanes, count], nt.with_scalar(lanes.type, i1)))


def some(inserter: Inserter, bits: SSAValue, dim: int) -> SSAValue:
    """Any-reduction of ``bits`` along ``dim``."""
    found = inserter.add(nt.ReduceOp("reduce_or", inserter.add(nt.CastOp(bits, _I32)), dim))
    return inserter.add(nt.CastOp(found, i1))


def both(inserter: Inserter, left: SSAValue | None, right: SSAValue) -> SSAValue:
    """Conjunction of two masks; None: all lanes."""
    return (
        right if left is None else inserter.add(nt.ElementwiseOp("and", [left, right], right.type))
    )


Chosen = nt.Combination | nt.HistogramOp
"""Ops that combine the lanes of a mask."""


def chosen_lanes(op: Chosen) -> SSAValue | None:
    """The mask of an op that combines lanes; None: all lanes."""
    return op.mask if isinstance(op, nt.HistogramOp) else op.valid


def padded_dim(op: Operation) -> int | None:
    """The dim of an op along which its padded lanes must be masked; None: there is none."""
    if isinstance(op, nt.HistogramOp):
        return 0
    if isinstance(op, nt.ReduceByOp):
        return op.dim
    # A forward scan combines no lane with those behind it.
    return op.dim if isinstance(op, nt.ScanByOp) and op.reversed else None
