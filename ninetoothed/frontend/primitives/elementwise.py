"""Elementwise primitives."""

from __future__ import annotations

from ninetoothed.errors import ArgumentError
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.inlining import inline
from ninetoothed.frontend.primitives.constexprs import flag_of
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Value, describe
from ninetoothed.language.table import Primitive
from ninetoothed.language.table.elementwise import PropagateNan

_PROPAGATE_NAN = tuple(member.value for member in PropagateNan)


@HANDLERS.register("elementwise")
def _elementwise(ctx: Context, row: Primitive, bound: Bound) -> Value:
    values = list(bound.values())
    if row.body is None:
        return operators.elementwise(ctx, row.name, values)
    operands, _ = operators.promoted(ctx, row, values)
    return inline(ctx, row.body, [*operands], {})


@HANDLERS.register("propagating")
def _propagating(ctx: Context, row: Primitive, bound: Bound) -> Value:
    *operands, propagate = bound.values()
    if propagate not in _PROPAGATE_NAN:
        raise ArgumentError(
            f"ntl.{row.name}: propagate_nan is ntl.PropagateNan.NONE or ntl.PropagateNan.ALL, not "
            f"{describe(propagate)}"
        )
    name = f"{row.name}_nan" if propagate == PropagateNan.ALL.value else row.name
    return operators.elementwise(ctx, name, operands)


@HANDLERS.register("fdiv")
def _fdiv(ctx: Context, row: Primitive, bound: Bound) -> Value:
    values, dtype = operators.promoted(ctx, row, [bound["x"], bound["y"]])
    precise = flag_of(bound["ieee_rounding"], row.name, "ieee_rounding")
    # Division of fp64 is rounded to nearest anyway.
    name = "div_rn" if precise and dtype == "fp32" else "truediv"
    return operators.elementwise(ctx, name, values)


@HANDLERS.register("where")
def _where(ctx: Context, row: Primitive, bound: Bound) -> Value:
    return where(ctx, bound["condition"], bound["x"], bound["y"])


def where(ctx: Context, condition: Value, left: Value, right: Value) -> Value:
    """Select lanes of ``left`` where the condition holds, else of ``right``."""
    bits = operators.bits_of(ctx, ctx.scalar(condition, "the condition"))
    return operators.select(ctx, bits, left, right)
