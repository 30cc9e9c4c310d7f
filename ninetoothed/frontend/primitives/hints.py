"""Assumptions and hints for the compiler."""

from __future__ import annotations

from ninetoothed.errors import ArgumentError, ShapeError
from ninetoothed.frontend.conditions import condition, truth
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.constexprs import number_of
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Value, describe, is_sequence
from ninetoothed.ir import nt
from ninetoothed.language.table import Primitive


@HANDLERS.register("assume")
def _assume(ctx: Context, row: Primitive, bound: Bound) -> Value:
    known = truth(ctx, bound["cond"])
    if known is False:
        raise ArgumentError("ntl.assume: the condition is never true; leave it out")
    if known is None:
        ctx.insert(nt.AssumeOp(condition(ctx, bound["cond"])))
    return None


@HANDLERS.register("hint")
def _hint(ctx: Context, row: Primitive, bound: Bound) -> Value:
    given = bound["values"]
    values = [
        number_of(value, row.name, "values")
        for value in (given if is_sequence(given) else (given,))
    ]
    value = ctx.known(bound["input"])
    if isinstance(value, int):
        # A number needs no hint.
        return value
    value = ctx.computed(value, "the input")
    rank = len(nt.shape_of(value.type))
    if rank == 0 and row.triton != "divisibility":
        raise ShapeError(f"ntl.{row.name} takes a block, not {describe(value)}")
    if len(values) != max(rank, 1):
        raise ShapeError(
            f"ntl.{row.name}: {len(values)} values for {describe(value)}; give one a dim"
        )
    return ctx.add(nt.HintOp(row.triton, values, value))
