"""Kernels for a batch of calls: what an application is told is that of the call of its program."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import Source, Value
from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import product


def program_number(ctx: Context) -> SSAValue:
    """The number of the program among those of its call."""
    number = ctx.add(nt.ProgramNumberOp())
    return _arithmetic(ctx, "mod", number, program_count(ctx)) if ctx.batches else number


def program_count(ctx: Context) -> SSAValue:
    """The number of programs of a call."""
    count = ctx.add(nt.ProgramCountOp())
    if not ctx.batches:
        return count
    calls = operators.size_value(product(ctx.batches))
    return ctx.cast(_arithmetic(ctx, "floordiv", count, calls), "i32")


def batch_offset(ctx: Context, source: Source) -> SSAValue | None:
    """The offset, in elements, of the tensor of the program's call in that of all; None where one
    tensor is that of all calls.
    """
    offset: SSAValue | None = None
    strides = iter(source.op.strides.data)
    for level, is_dim in enumerate(source.batches):
        if not is_dim:
            continue
        call = _arithmetic(ctx, "floordiv", ctx.add(nt.ProgramNumberOp()), program_count(ctx))
        inner = operators.size_value(product(ctx.batches[level + 1 :]))
        index = _arithmetic(ctx, "floordiv", call, inner)
        index = _arithmetic(ctx, "mod", index, operators.size_value(ctx.batches[level]))
        index = ctx.cast(index, nt.dtype_of(ctx.index_type))
        step = _arithmetic(ctx, "mul", index, operators.size_value(next(strides)))
        offset = step if offset is None else _arithmetic(ctx, "add", offset, step)
    return offset


def _arithmetic(ctx: Context, name: str, one: Value, other: Value) -> SSAValue:
    return operators.elementwise(ctx, name, [one, other])
