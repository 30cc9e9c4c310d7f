"""Compile-time scalars as expressions over sizes."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import SSAValue

from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import IndexExpr, const


def constant_value(value: SSAValue) -> int | float | None:
    """The number that a scalar constant holds; None for anything else."""
    owner = value.owner
    constant = isinstance(owner, arith.ConstantOp | nt.ConstantOp)
    if constant and isinstance(owner.value, FloatAttr | IntegerAttr):
        data: int | float = owner.value.value.data
        return data
    return None


def repeated(value: SSAValue) -> SSAValue:
    """The scalar that a block has in all lanes, where it is filled with one; else the value."""
    return value.owner.value if isinstance(value.owner, nt.FullOp) else value


def known_scalar(value: SSAValue) -> IndexExpr | None:
    """A size, or an integer constant; None for anything else."""
    if isinstance(value.owner, nt.SizeOp):
        return value.owner.expr.data
    number = constant_value(value)
    return const(number) if isinstance(number, int) else None
