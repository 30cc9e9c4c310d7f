"""Bits by the place of a lane, and which lanes an op that combines them is told to leave out."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.layout.meta_op import Sizes
from ninetoothed.symbolic.expr import IndexExpr, const

_I32 = IntegerType(32)


def along(inserter: Inserter, row: SSAValue, dim: int, shape: Sizes) -> SSAValue:
    """A one-dimensional block as dim ``dim`` of ``shape``."""
    for axis in range(len(shape)):
        if axis != dim:
            row = inserter.add(nt.ExpandDimsOp(row, axis))
    return inserter.add(nt.BroadcastOp(row, shape))


def below(inserter: Inserter, shape: Sizes, dim: int, size: IndexExpr) -> SSAValue:
    """Which lanes of a block of ``shape`` lie below ``size`` in dim ``dim``."""
    row = nt.block_type((shape[dim],), _I32)
    lanes = inserter.add(nt.ArangeOp(nt.ExprAttr(const(0)), row))
    limit = inserter.add(nt.FullOp(inserter.add(nt.SizeOp(nt.ExprAttr(size), _I32)), row))
    bits = inserter.add(nt.ElementwiseOp("lt", [lanes, limit], nt.with_scalar(row, i1)))
    return along(inserter, bits, dim, shape)


def first(inserter: Inserter, bits: SSAValue, dim: int) -> SSAValue:
    """Along ``dim``, as many lanes from the start on as ``bits`` has set."""
    shape = nt.shape_of(bits.type)
    count = inserter.add(nt.ReduceOp("sum", inserter.add(nt.CastOp(bits, _I32)), dim))
    count = inserter.add(nt.BroadcastOp(inserter.add(nt.ExpandDimsOp(count, dim)), shape))
    row = inserter.add(nt.ArangeOp(nt.ExprAttr(const(0)), nt.block_type((shape[dim],), _I32)))
    lanes = along(inserter, row, dim, shape)
    return inserter.add(nt.ElementwiseOp("lt", [lanes, count], bits.type))


def some(inserter: Inserter, bits: SSAValue, dim: int) -> SSAValue:
    """Whether ``bits`` has one set along ``dim``, which is reduced."""
    found = inserter.add(nt.ReduceOp("reduce_or", inserter.add(nt.CastOp(bits, _I32)), dim))
    return inserter.add(nt.CastOp(found, i1))


def both(inserter: Inserter, left: SSAValue | None, right: SSAValue) -> SSAValue:
    """The lanes that are set in both; ``None`` stands for all."""
    return (
        right if left is None else inserter.add(nt.ElementwiseOp("and", [left, right], right.type))
    )


Chosen = nt.Combination | nt.HistogramOp
"""What combines the lanes that one of its operands chooses."""


def chosen_lanes(op: Chosen) -> SSAValue | None:
    """The lanes that take part; None: all."""
    return op.mask if isinstance(op, nt.HistogramOp) else op.valid


def padded_dim(op: Operation) -> int | None:
    """The dim of an op that chooses its lanes along which those behind the true size must not take
    part.
    """
    if isinstance(op, nt.HistogramOp):
        return 0
    if isinstance(op, nt.ReduceByOp):
        return op.dim
    # Up to a lane there is none that was added behind it.
    return op.dim if isinstance(op, nt.ScanByOp) and op.reversed else None
