"""What moves lanes."""

from __future__ import annotations

from ninetoothed.errors import ShapeError
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.expressions import trans
from ninetoothed.frontend.primitives.arguments import axis_of, shape_of
from ninetoothed.frontend.primitives.registry import Bound, handles
from ninetoothed.frontend.values import Value, describe
from ninetoothed.ir import nt
from ninetoothed.language.table import Primitive


@handles("trans")
def _trans(ctx: Context, row: Primitive, bound: Bound) -> Value:
    return trans(ctx, ctx.scalar(bound["input"]))


@handles("expand_dims")
def _expand_dims(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = ctx.scalar(bound["input"])
    rank = len(nt.shape_of(block.type))
    return ctx.add(nt.ExpandDimsOp(block, axis_of(bound["axis"], rank + 1, row.name)))


@handles("broadcast_to")
def _broadcast_to(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = ctx.scalar(bound["input"])
    return operators.broadcast_to(ctx, block, shape_of(bound["shape"], row.name))


@handles("flip")
def _flip(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = ctx.scalar(bound["x"], "the input")
    rank = len(nt.shape_of(block.type))
    if rank == 0:
        raise ShapeError(f"ntl.flip reverses a block, not {describe(block)}; leave it out")
    dim = -1 if bound["dim"] is None else bound["dim"]
    return ctx.add(nt.FlipOp(block, axis_of(dim, rank, row.name)))
