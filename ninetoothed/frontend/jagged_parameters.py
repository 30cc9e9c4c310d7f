"""Jagged parameters in an application: sequences of a source by batch index."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ninetoothed.errors import ShapeError
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import Source
from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import IndexExpr


def sequence_at(ctx: Context, source: Source, batch: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Starts and lengths of the sequences at batch indices; out of bounds, 0 and 0."""
    assert source.op.jagged is not None
    dtype = nt.dtype_of(batch.type)
    pointer = ctx.add(nt.SequencesOp(source.ref, source.op.jagged.data.bits))
    inside = operators.elementwise(ctx, "lt", [batch, operators.size_value(source.sizes[0])])
    if not dtype.startswith("u"):
        above = operators.elementwise(ctx, "ge", [batch, 0])
        inside = operators.elementwise(ctx, "and", [above, inside])
    (pointers, moves, mask), shape = operators.broadcast(ctx, [pointer, batch, inside])
    offsets = nt.dtype_of(nt.pointee_of(pointer.type))
    zero = ctx.full(ctx.constant(0, offsets), shape)
    one = ctx.full(ctx.constant(1, dtype), shape)
    first = ctx.add(nt.AddPtrOp(pointers, moves))
    behind = ctx.add(nt.AddPtrOp(first, one))
    start, end = (
        ctx.cast(ctx.add(nt.PointerLoadOp(place, mask, zero)), nt.dtype_of(ctx.index_type))
        for place in (first, behind)
    )
    return start, operators.elementwise(ctx, "sub", [end, start])


def stride_of(source: Source, dim: int) -> IndexExpr:
    """The stride along ``dim``.

    Raises:
        ShapeError: it is the batch of a jagged tensor.
    """
    if dim == 0 and source.op.jagged is not None:
        raise ShapeError(
            f"{source.name} has no stride along dim 0, since its sequences differ in length; "
            "index it, as in p.source[i, j], or use p.offsets()"
        )
    return source.strides[dim]
