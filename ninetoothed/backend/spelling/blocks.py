"""``tt``, but for what the writer spells itself."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float8E5M2Type,
    Float32Type,
)

from ninetoothed.backend.atomics import atomic, bitcast
from ninetoothed.backend.expression import (
    POSTFIX,
    Expr,
    as_signed,
    as_unsigned,
    binary,
    call,
    dtype_text,
    exact,
    method,
    shape_text,
    typed_unsigned,
)
from ninetoothed.backend.spelling.operands import Operands, Spelling, scalar_of
from ninetoothed.ir import tt


def _program_id(operands: Operands, op: tt.GetProgramIdOp) -> Expr:
    return Expr(f"tl.program_id({op.axis.value.data})", POSTFIX, (), scalar_of(op))


def _make_range(operands: Operands, op: tt.MakeRangeOp) -> Expr:
    text = f"tl.arange({op.start.value.data}, {op.end.value.data})"
    return Expr(text, POSTFIX, tt.shape_of(op.result.type), scalar_of(op))


def _same(operands: Operands, op: tt.SplatOp | tt.BroadcastOp) -> Expr:
    return operands.expr(op.src)


def _expand_dims(operands: Operands, op: tt.ExpandDimsOp) -> Expr:
    operand, axis = operands.expr(op.src), op.axis.value.data
    if not operand.shape:
        return operand
    shape = [*operand.shape]
    shape.insert(axis, 1)
    index = [":"] * len(shape)
    index[axis] = "None"
    text = f"{operand.at(POSTFIX)}[{', '.join(index)}]"
    return Expr(text, POSTFIX, tuple(shape), operand.scalar)


def transposition(op: tt.TransOp) -> tuple[int, ...]:
    """The dim of the operand that each dim of the result is."""
    order: Any = op.order
    return tuple(order.get_values())


def _trans(operands: Operands, op: tt.TransOp) -> Expr:
    operand = operands.expr(op.src)
    if not operand.shape:
        return operand
    order = transposition(op)
    shape = tuple(operand.shape[dim] for dim in order)
    if order == (1, 0):
        return Expr(f"tl.trans({operand.text})", POSTFIX, shape, operand.scalar)
    text = f"tl.permute({operand.text}, {shape_text(order)})"
    return Expr(text, POSTFIX, shape, operand.scalar)


def _gather(operands: Operands, op: tt.GatherOp) -> Expr:
    shape = tt.shape_of(op.indices.type)
    src = exact(operands.expr(op.src), tt.shape_of(op.src.type))
    indices = exact(operands.expr(op.indices), shape)
    text = f"tl.gather({src.text}, {indices.text}, axis={op.axis.value.data})"
    return Expr(text, POSTFIX, shape, scalar_of(op))


def _mulhiui(operands: Operands, op: tt.MulhiuiOp) -> Expr:
    # The interpreter of Triton 3.6, unlike a device, heeds the signs of signed integers here.
    values = [typed_unsigned(as_unsigned(operands.expr(value))) for value in (op.x, op.y)]
    return as_signed(call("tl.umulhi", values, scalar_of(op)))


def _addptr(operands: Operands, op: tt.AddPtrOp) -> Expr:
    return binary("+", operands.expr(op.ptr), operands.expr(op.offset))


def _pointer_bitcast(operands: Operands, op: tt.BitcastOp) -> Expr:
    return bitcast(operands.expr(op.src), scalar_of(op))


def _atomic(operands: Operands, op: tt.AtomicRMWOp | tt.AtomicCASOp) -> Expr:
    return atomic(operands.expr, op)


_PRECISION_NAMES = {number: name for name, number in tt.PRECISIONS.items()}


def _dot(operands: Operands, op: tt.DotOp) -> Expr:
    scalar, inputs = scalar_of(op), tt.scalar_of(op.a.type)
    shape = tt.shape_of(op.result.type)
    values = [exact(operands.expr(value), tt.shape_of(value.type)) for value in (op.a, op.b)]
    start = operands.expr(op.c)
    if start.literal != 0:
        values.append(exact(start, shape))
    keywords: list[str] = []
    if isinstance(inputs, Float32Type):
        precision = _PRECISION_NAMES[op.inputPrecision.value.data]
        keywords.append(f'input_precision="{precision}"')
    if isinstance(inputs, Float8E4M3FNType | Float8E5M2Type):
        keywords.append(f"max_num_imprecise_acc={op.maxNumImpreciseAcc.value.data}")
    if not isinstance(scalar, Float32Type):
        keywords.append(f"out_dtype={dtype_text(scalar)}")
    texts = ", ".join([*(value.text for value in values), *keywords])
    return Expr(f"tl.dot({texts})", POSTFIX, shape, scalar)


def _fp_to_fp(operands: Operands, op: tt.FpToFpOp) -> Expr:
    scalar = scalar_of(op)
    rounding = "" if op.rounding is None or op.rounding.value.data else ', "rtz"'
    return method(operands.expr(op.src), f"to({dtype_text(scalar)}{rounding})", scalar)


SPELLINGS: dict[str, Spelling] = {
    "tt.get_program_id": _program_id,
    "tt.make_range": _make_range,
    "tt.splat": _same,
    "tt.broadcast": _same,
    "tt.expand_dims": _expand_dims,
    "tt.trans": _trans,
    "tt.gather": _gather,
    "tt.mulhiui": _mulhiui,
    "tt.addptr": _addptr,
    "tt.bitcast": _pointer_bitcast,
    "tt.atomic_rmw": _atomic,
    "tt.atomic_cas": _atomic,
    "tt.dot": _dot,
    "tt.fp_to_fp": _fp_to_fp,
}
