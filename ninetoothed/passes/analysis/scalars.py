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


def known_scalar(value: SSAValue) -> IndexExpr | None:
    """A size, or an integer constant; None for anything else."""
    if isinstance(value.owner, nt.SizeOp):
        return value.owner.expr.data
    number = constant_value(value)
    return const(number) if isinstance(number, int) else None


def known_most(value: SSAValue) -> IndexExpr | None:
    """An upper bound of ``value`` that is a known scalar: of a minimum, a known operand."""
    owner = value.owner
    if isinstance(owner, nt.ElementwiseOp) and owner.function.data == "minimum":
        found = (known_most(argument) for argument in owner.arguments)
        return next((one for one in found if one is not None), None)
    return known_scalar(value)
