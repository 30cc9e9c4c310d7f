"""Compile-time scalars as expressions over sizes, and ranges of indices."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import BlockArgument, SSAValue

from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import IndexExpr, const
from ninetoothed.symbolic.intervals import Assumptions, Range
from ninetoothed.symbolic.normal_form import always_nonnegative


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


def loop_range(index: SSAValue, assumptions: Assumptions) -> Range:
    """The range of an induction variable, also of one that counts down; of anything else, none."""
    owner = index.owner
    if isinstance(owner, nt.ElementwiseOp) and owner.function.data == "sub":
        start = known_scalar(owner.arguments[0])
        count = loop_range(owner.arguments[1], assumptions)
        if start is None or count.lower is None or count.upper is None:
            return Range()
        low, high = start - count.upper, start - count.lower
        # A difference that may be below zero may also wrap.
        known = all(always_nonnegative(expr, assumptions) for expr in (count.lower, low))
        return Range(low, high) if known else Range()
    loop = index.block.parent_op() if isinstance(index, BlockArgument) else None
    if not isinstance(loop, scf.ForOp) or index is not loop.body.block.args[0]:
        return Range()
    lower, upper = known_scalar(loop.lb), known_most(loop.ub)
    return Range(lower, None if upper is None else upper - 1)


def range_of(index: SSAValue, assumptions: Assumptions) -> Range:
    """The range of an index of a block."""
    known = constant_value(index)
    return Range.of(known, known) if isinstance(known, int) else loop_range(index, assumptions)
