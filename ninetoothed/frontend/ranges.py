"""Iteration ranges of loops: Python's ``range``, ``ntl.range`` and ``ntl.static_range``.

A loop that counts down becomes one that counts up, whose body subtracts: the IR's loops have steps
above zero.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, UnitAttr, i32
from xdsl.ir import Attribute, SSAValue

from ninetoothed.errors import ArgumentError, TypeMismatchError, UnsupportedSyntaxError
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import Value, describe
from ninetoothed.frontend.walk import evaluate
from ninetoothed.ir import nt
from ninetoothed.language.table import TABLE, Primitive
from ninetoothed.symbolic.expr import IndexExpr, fits
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize

_NAMES: dict[object, str] = {
    range: "range",
    **{TABLE[name]: f"ntl.{name}" for name in ("range", "static_range")},
}
_NUMBERS = ("num_stages", "loop_unroll_factor")
_FLAGS = ("disallow_acc_multi_buffer", "flatten", "warp_specialize")


@dataclass(frozen=True)
class Counted:
    """A counted loop at run time: ``lower``, ``lower + step``, … below ``upper``.

    With ``start`` the index is ``start`` less the count. ``hints`` are for Triton.
    """

    lower: SSAValue
    upper: SSAValue
    step: SSAValue
    start: SSAValue | None = None
    hints: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])

    def index(self, ctx: Context, count: SSAValue) -> SSAValue:
        """The index, in the loop's body."""
        if self.start is None:
            return count
        return ctx.add(nt.ElementwiseOp("sub", [self.start, count], count.type))


def loop_range(ctx: Context, node: ast.expr) -> Counted | range:
    """The range that ``node`` iterates over; a ``range`` if the loop is to be unrolled.

    Raises:
        UnsupportedSyntaxError: it is no range, or none that ends.
        ArgumentError, TypeMismatchError: the range's arguments do not fit.
    """
    callee = evaluate(ctx, node.func) if isinstance(node, ast.Call) else None
    name = _NAMES.get(callee) if isinstance(callee, Primitive | type) else None
    if not isinstance(node, ast.Call) or name is None or (callee is range and node.keywords):
        raise UnsupportedSyntaxError("a loop iterates over range(…); write `for i in range(n)`")
    places = dict(enumerate(node.args))
    if not 1 <= len(places) <= 3:
        raise ArgumentError(f"{name} takes one to three integers, not {len(places)}")
    values = {position: evaluate(ctx, item) for position, item in places.items()}
    hints: dict[str, Attribute] = {}
    for keyword in node.keywords:
        value = evaluate(ctx, keyword.value)
        if keyword.arg == "step" and 2 not in values:
            values[2], places[2] = value, keyword.value
        elif callee is TABLE["range"] and keyword.arg in (*_NUMBERS, *_FLAGS):
            with ctx.at(keyword.value):
                hints.update(_hint(keyword.arg, value))
        else:
            twice = keyword.arg == "step"
            raise ArgumentError(
                f"{name} is given {keyword.arg} twice"
                if twice
                else f"{name} has no argument {keyword.arg}; it takes {', '.join(_keywords(name))}"
            )
    start, stop = (0, values[0]) if 1 not in values else (values[0], values[1])
    step = values.get(2, 1)
    with ctx.at(places.get(2, node)):
        down = _counts_down(ctx, step)
    if callee is TABLE["static_range"]:
        return _static(*map(ctx.known, (start, stop, step)))
    return _counted(ctx, start, stop, step, down, hints)


def _keywords(name: str) -> tuple[str, ...]:
    return ("step", *_NUMBERS, *_FLAGS) if name == "ntl.range" else ("step",)


def _hint(name: str, value: Value) -> dict[str, Attribute]:
    if value is None or value is False:
        return {}
    if name in _FLAGS and value is True:
        return {f"tt.{name}": UnitAttr()}
    if name in _NUMBERS and type(value) is int:
        return {f"tt.{name}": IntegerAttr(value, i32)}
    wanted = "True or False" if name in _FLAGS else "an integer that is known when compiling"
    raise TypeMismatchError(f"ntl.range: {name} must be {wanted}, not {describe(value)}")


def _counts_down(ctx: Context, step: Value) -> bool:
    """True if the step is negative.

    Raises:
        UnsupportedSyntaxError: it is zero, or its sign is not known.
    """
    expr = operators.as_size(step)
    if expr is not None and expr.value == 0:
        raise UnsupportedSyntaxError("a step of 0: the loop would never end; write another step")
    for down in (False, True):
        if expr is not None and always_nonnegative((-expr if down else expr) - 1, ctx.assumptions):
            return down
    raise UnsupportedSyntaxError(
        f"whether a loop of the step {describe(step)} counts up or down is not known when "
        "compiling; let it count by 1, and multiply the index by the step"
    )


def _static(*bounds: Value) -> range:
    for bound in bounds:
        if type(bound) is not int:
            raise TypeMismatchError(
                "ntl.static_range takes integers that are known when compiling, not "
                f"{describe(bound)}; write ntl.range"
            )
    return range(*bounds)


def _counted(
    ctx: Context,
    start: Value,
    stop: Value,
    step: Value,
    down: bool,
    hints: Mapping[str, Attribute],
) -> Counted:
    if not down:
        lower, upper, by = _scalars(ctx, start, stop, step)
        return Counted(lower, upper, by, hints=hints)
    first, end = operators.as_size(start), operators.as_size(stop)
    by = _negated(step)
    width = ctx.index_type.width.data
    if first is not None and end is not None and fits(normalize(first - end), width):
        # The sizes cancel, so that later passes know the index's range.
        origin, lower, upper, by = _scalars(ctx, start, 0, operators.size_value(first - end), by)
    else:
        origin, lower, last, by = _scalars(ctx, start, 0, stop, by)
        upper = operators.elementwise(ctx, "sub", [origin, last])
    return Counted(lower, upper, by, origin, hints)


def _negated(step: Value) -> Value:
    expr = operators.as_size(step)
    assert isinstance(expr, IndexExpr)
    return operators.size_value(-expr)


def _scalars(ctx: Context, *values: Value) -> list[SSAValue]:
    """Integers as scalars of the widest of their types."""
    scalars: list[SSAValue] = []
    widths: list[int] = []
    for value in values:
        expr = operators.as_size(value)
        scalar = ctx.scalar(value) if expr is None else ctx.size(expr)
        if not isinstance(scalar.type, IntegerType):
            raise TypeMismatchError(f"range takes integers, not {describe(value)}")
        scalars.append(scalar)
        widths.append(cast("IntegerType", scalar.type).width.data)
    dtype = nt.dtype_of(scalars[widths.index(max(widths))].type)
    return [ctx.cast(scalar, dtype) for scalar in scalars]
