"""What combines lanes."""

from __future__ import annotations

from ninetoothed.errors import ShapeError
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.arguments import axis_of
from ninetoothed.frontend.primitives.registry import Bound, handles
from ninetoothed.frontend.values import Value, describe
from ninetoothed.ir import nt
from ninetoothed.language import rules
from ninetoothed.language.table import REDUCTIONS, Primitive


@handles("reduce")
def _reduce(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = ctx.scalar(bound["input"], "the input")
    rank = len(nt.shape_of(block.type))
    if rank == 0:
        raise ShapeError(f"ntl.{row.name} reduces a block, not {describe(block)}; leave it out")
    rule = REDUCTIONS[row.name].rule
    assert rule is not None
    operand, _ = rule(rules.Operand(nt.dtype_of(block.type)))
    block = ctx.cast(block, operand)
    axis = bound["axis"]
    axes = list(range(rank)) if axis is None else [axis_of(axis, rank, row.name)]
    for position in reversed(axes):
        block = ctx.add(nt.ReduceOp(row.name, block, position))
    if bound["keep_dims"]:
        for position in axes:
            block = ctx.add(nt.ExpandDimsOp(block, position))
    return block
