"""Compile-time scalars as expressions over sizes."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ninetoothed.ir import nt
from ninetoothed.passes.lowering.identities import constant_value
from ninetoothed.symbolic.expr import IndexExpr, const


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
