"""Compile-time assertions, constexprs and ranges."""

from __future__ import annotations

from ninetoothed.errors import AssertionFailedError, TypeMismatchError, UnsupportedSyntaxError
from ninetoothed.frontend import operators
from ninetoothed.frontend.conditions import truth
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.constexprs import text_of
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Value, describe
from ninetoothed.language.table import Primitive


@HANDLERS.register("static_assert")
def _static_assert(ctx: Context, row: Primitive, bound: Bound) -> Value:
    known = truth(ctx, bound["condition"])
    if known is None:
        raise TypeMismatchError(
            "ntl.static_assert takes a condition that is known when compiling, not "
            f"{describe(bound['condition'])}"
        )
    message = text_of(bound["message"], row.name, "message")
    if known:
        return None
    if ctx.frame.source.of_language:
        # A function of the language checks its arguments so.
        raise TypeMismatchError(message)
    detail = f": {message}" if message else ""
    raise AssertionFailedError(f"the assertion does not hold{detail}")


@HANDLERS.register("constexpr")
def _constexpr(ctx: Context, row: Primitive, bound: Bound) -> Value:
    value = ctx.known(bound["value"])
    if operators.is_runtime(value):
        raise TypeMismatchError(
            f"ntl.constexpr takes a value that is known when compiling, not {describe(value)}"
        )
    return value


@HANDLERS.register("range")
@HANDLERS.register("static_range")
def _loose_range(ctx: Context, row: Primitive, bound: Bound) -> Value:
    raise UnsupportedSyntaxError(
        f"ntl.{row.name} stands in a loop only; write `for i in ntl.{row.name}(n)`"
    )
