"""Creation of blocks: full, zeros and arange."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType

from ninetoothed.errors import ShapeError, TypeMismatchError
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.constexprs import dtype_of, shape_of
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Value, describe
from ninetoothed.ir import nt
from ninetoothed.language import rules
from ninetoothed.language.table import Primitive
from ninetoothed.symbolic.expr import fits
from ninetoothed.symbolic.normal_form import normalize


@HANDLERS.register("full")
def _full(ctx: Context, row: Primitive, bound: Bound) -> Value:
    dtype = dtype_of(bound["dtype"], row.name)
    shape = shape_of(bound["shape"], row.name)
    value = bound.get("value", 0)
    if isinstance(value, bool | int | float):
        try:
            rules.check_fill(dtype, value)
        except TypeError as error:
            raise TypeMismatchError(f"ntl.{row.name}: {error}") from None
        return operators.broadcast_to(ctx, ctx.constant(value, dtype), shape)
    scalar = ctx.scalar(value, "ntl.full: the value")
    if nt.shape_of(scalar.type):
        raise ShapeError(
            f"ntl.full fills with one number, not {describe(scalar)}; write ntl.broadcast_to(x, "
            "shape)"
        )
    return operators.broadcast_to(ctx, ctx.cast(scalar, dtype), shape)


@HANDLERS.register("arange")
def _arange(ctx: Context, row: Primitive, bound: Bound) -> Value:
    start, end = (operators.as_size(bound[name]) for name in ("start", "end"))
    if start is None or end is None:
        raise TypeMismatchError(
            "ntl.arange: start and end must be integers that are known when compiling, as in "
            "ntl.arange(0, x.shape[0])"
        )
    length = end - start
    if length.value is not None and length.value < 1:
        raise ShapeError(
            f"ntl.arange: from {start} to {end}, exclusive, is nothing; end must be above start"
        )
    for number, last in ((start, start), (end, normalize(end - 1))):
        if not fits(last, 32):
            raise TypeMismatchError(
                f"ntl.arange counts in i32, which does not hold {number}; count from 0, and "
                "add the start to ntl.cast(ntl.arange(0, n), ntl.int64)"
            )
    type = nt.block_type((length,), IntegerType(32))
    return ctx.add(nt.ArangeOp(nt.ExprAttr(start), type))
