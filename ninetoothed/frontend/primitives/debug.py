"""Prints, assertions, program ids, barriers and inline assembly."""

from __future__ import annotations

import string

from xdsl.ir import SSAValue

from ninetoothed.errors import ArgumentError, TypeMismatchError
from ninetoothed.frontend import operators
from ninetoothed.frontend.batches import program_count, program_number
from ninetoothed.frontend.conditions import truth
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.constexprs import dtype_of, flag_of, number_of, text_of
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Size, Value, describe, is_sequence
from ninetoothed.ir import nt
from ninetoothed.language.table import Primitive


@HANDLERS.register("device_print")
def _device_print(ctx: Context, row: Primitive, bound: Bound) -> Value:
    prefix = text_of(bound["prefix"], row.name, "prefix")
    if not set(prefix) <= set(string.printable):
        raise ArgumentError(
            f"ntl.{row.name}: a device prints ASCII only, not {describe(prefix)}; write the prefix "
            "with its letters"
        )
    values = [ctx.scalar(value) for value in bound["args"]]
    ctx.insert(nt.PrintOp(prefix, values, flag_of(bound["hex"], row.name, "hex")))
    return None


def bits_of(ctx: Context, value: Value, what: str) -> SSAValue:
    """A value as a block of bits."""
    bits = ctx.scalar(value, what)
    return operators.bits_of(ctx, bits)


@HANDLERS.register("device_assert")
def _device_assert(ctx: Context, row: Primitive, bound: Bound) -> Value:
    message = text_of(bound["msg"], row.name, "msg")
    condition, mask = bound["cond"], bound["mask"]
    if truth(ctx, condition) is True or (mask is not None and truth(ctx, mask) is False):
        return None
    bits = bits_of(ctx, condition, "the condition")
    if mask is None:
        ctx.insert(nt.AssertOp(bits, message))
        return None
    (bits, lanes), _ = operators.broadcast(ctx, [bits, bits_of(ctx, mask, "the mask")])
    ctx.insert(nt.AssertOp(bits, message, lanes))
    return None


@HANDLERS.register("static_print")
def _static_print(ctx: Context, row: Primitive, bound: Bound) -> Value:
    separator, end = (text_of(bound[name], row.name, name) for name in ("sep", "end"))
    values = [ctx.known(value) for value in bound["values"]]
    texts = [value if isinstance(value, str) else _shown(value) for value in values]
    ctx.printed.append(separator.join(texts) + end)
    return None


def _shown(value: Value) -> str:
    """The text of a value that ``static_print`` prints."""
    if isinstance(value, Size):
        return str(value.expr)
    if is_sequence(value):
        inner = ", ".join(map(_shown, value))
        comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"({inner}{comma})" if isinstance(value, tuple) else f"[{inner}]"
    return describe(value)


def _axis(row: Primitive, value: Value) -> int:
    if type(value) is not int:
        raise TypeMismatchError(
            f"ntl.{row.name}: axis must be an integer that is known when compiling, not "
            f"{describe(value)}"
        )
    if not 0 <= value <= 2:
        raise ArgumentError(f"ntl.{row.name}: axis is 0, 1 or 2, not {value}")
    return value


@HANDLERS.register("program_id")
def _program_id(ctx: Context, row: Primitive, bound: Bound) -> Value:
    if _axis(row, bound["axis"]):
        return ctx.constant(0, "i32")
    return program_number(ctx)


@HANDLERS.register("num_programs")
def _num_programs(ctx: Context, row: Primitive, bound: Bound) -> Value:
    if _axis(row, bound["axis"]):
        return ctx.constant(1, "i32")
    return program_count(ctx)


@HANDLERS.register("debug_barrier")
def _debug_barrier(ctx: Context, row: Primitive, bound: Bound) -> Value:
    ctx.insert(nt.BarrierOp())
    return None


@HANDLERS.register("inline_asm")
def _inline_asm(ctx: Context, row: Primitive, bound: Bound) -> Value:
    asm, constraints = (text_of(bound[name], row.name, name) for name in ("asm", "constraints"))
    if not is_sequence(bound["args"]):
        raise TypeMismatchError(
            f"ntl.{row.name}: args must be a list of blocks and scalars, not "
            f"{describe(bound['args'])}"
        )
    several = is_sequence(bound["dtype"])
    given = bound["dtype"] if several else (bound["dtype"],)
    dtypes = [dtype_of(value, row.name) for value in given]
    if not dtypes:
        raise ArgumentError(f"ntl.{row.name}: assembly gives a value at least; name its dtype")
    blocks, shape = operators.broadcast(ctx, [ctx.scalar(value) for value in bound["args"]])
    types = [nt.block_type(shape, nt.scalar_type(dtype)) for dtype in dtypes]
    pure = flag_of(bound["is_pure"], row.name, "is_pure")
    pack = number_of(bound["pack"], row.name, "pack")
    op = nt.InlineAsmOp(asm, constraints, blocks, types, pure, pack)
    ctx.insert(op)
    return tuple(op.results) if several else op.results[0]
