"""Products of matrices."""

from __future__ import annotations

from ninetoothed.errors import ArgumentError, ShapeError, TypeMismatchError
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.registry import Bound, handles
from ninetoothed.frontend.values import Value, describe
from ninetoothed.ir import nt
from ninetoothed.ir.meta_op import shape_text
from ninetoothed.language import rules
from ninetoothed.language.table import Primitive


@handles("dot")
def _dot(ctx: Context, row: Primitive, bound: Bound) -> Value:
    left = ctx.scalar(bound["input"], "the first matrix")
    right = ctx.scalar(bound["other"], "the second matrix")
    one, two = nt.shape_of(left.type), nt.shape_of(right.type)
    if len(one) != 2 or len(two) != 2:
        raise ShapeError(
            f"ntl.dot multiplies two-dimensional blocks, not {shape_text(one)} and "
            f"{shape_text(two)}; insert "
            "dims, as in x[:, None]"
        )
    if one[1] != two[0]:
        if one[1].value is not None and two[0].value is not None:
            raise ShapeError(
                f"ntl.dot: {shape_text(one)} and {shape_text(two)} do not multiply: {one[1]} is "
                f"not {two[0]}; "
                "transpose one with ntl.trans, or arrange it so that they agree"
            )
        right = operators.broadcast_to(ctx, right, (one[1], two[1]))
    precision = bound["input_precision"] or "tf32"
    if precision not in ("tf32", "tf32x3", "ieee"):
        raise ArgumentError(
            f"ntl.dot: input_precision is 'tf32', 'tf32x3' or 'ieee', not {describe(precision)}"
        )
    types = (nt.dtype_of(left.type), nt.dtype_of(right.type))
    if types[0] != types[1]:
        raise TypeMismatchError(
            f"ntl.dot takes two blocks of one element type, not {types[0]} and {types[1]}; "
            "convert one "
            "with .to(dtype)"
        )
    dtype = rules.accumulator(types[0])
    shape = (one[0], two[1])
    if bound["acc"] is None:
        acc = ctx.full(ctx.constant(0, dtype), shape)
    else:
        acc = ctx.cast(ctx.scalar(bound["acc"], "acc"), dtype)
        acc = operators.broadcast_to(ctx, acc, shape)
    return ctx.add(nt.DotOp(left, right, acc, precision))
