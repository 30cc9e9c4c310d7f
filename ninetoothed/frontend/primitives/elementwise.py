"""Arithmetic lane by lane."""

from __future__ import annotations

from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.arguments import dtype_of
from ninetoothed.frontend.primitives.registry import Bound, handles
from ninetoothed.frontend.values import Value
from ninetoothed.ir import nt
from ninetoothed.language.table import Primitive


@handles("map")
def _map(ctx: Context, row: Primitive, bound: Bound) -> Value:
    return operators.elementwise(ctx, row.name, list(bound.values()))


@handles("where")
def _where(ctx: Context, row: Primitive, bound: Bound) -> Value:
    return where(ctx, bound["condition"], bound["x"], bound["y"])


def where(ctx: Context, condition: Value, left: Value, right: Value) -> Value:
    """Lanes of ``left`` where the condition holds, else of ``right``."""
    bits = ctx.scalar(condition, "the condition")
    if nt.dtype_of(bits.type) != "i1":
        bits = operators.elementwise(ctx, "ne", [bits, 0])
    return operators.select(ctx, bits, left, right)


@handles("cast")
def _cast(ctx: Context, row: Primitive, bound: Bound) -> Value:
    dtype = dtype_of(bound["dtype"], row.name)
    value = bound["input"]
    if isinstance(value, bool | int | float):
        return ctx.constant(value, dtype)
    return ctx.cast(ctx.scalar(value), dtype)
