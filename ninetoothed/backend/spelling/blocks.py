"""``tt``, but for what the writer spells itself."""

from __future__ import annotations

from ninetoothed.backend.atomics import atomic, bitcast
from ninetoothed.backend.expression import (
    POSTFIX,
    Expr,
    as_signed,
    as_unsigned,
    binary,
    call,
    dtype_text,
    method,
    typed_unsigned,
)
from ninetoothed.backend.spelling.operands import Operands, Spelling, scalar_of
from ninetoothed.ir import tt


def _program_id(operands: Operands, op: tt.GetProgramIdOp) -> Expr:
    return Expr(f"tl.program_id({op.axis.value.data})", POSTFIX, (), scalar_of(op))


def _make_range(operands: Operands, op: tt.MakeRangeOp) -> Expr:
    text = f"tl.arange({op.start.value.data}, {op.end.value.data})"
    return Expr(text, POSTFIX, tt.shape_of(op.result.type), scalar_of(op))


def _mulhiui(operands: Operands, op: tt.MulhiuiOp) -> Expr:
    # The interpreter of Triton 3.6, unlike a device, heeds the signs of signed integers here.
    values = [typed_unsigned(as_unsigned(operands.expr(value))) for value in (op.x, op.y)]
    return as_signed(call("tl.umulhi", values, scalar_of(op)))


def _addptr(operands: Operands, op: tt.AddPtrOp) -> Expr:
    return binary("+", operands.expr(op.ptr), operands.expr(op.offset))


def _bitcast(operands: Operands, op: tt.BitcastOp) -> Expr:
    return bitcast(operands.expr(op.src), scalar_of(op))


def _atomic(operands: Operands, op: tt.AtomicRMWOp | tt.AtomicCASOp) -> Expr:
    return atomic(operands.expr, op)


def _fp_to_fp(operands: Operands, op: tt.FpToFpOp) -> Expr:
    scalar = scalar_of(op)
    rounding = ', "rtz"' if op.truncates else ""
    return method(operands.expr(op.src), f"to({dtype_text(scalar)}{rounding})", scalar)


SPELLINGS: dict[str, Spelling] = {
    "tt.get_program_id": _program_id,
    "tt.make_range": _make_range,
    "tt.mulhiui": _mulhiui,
    "tt.addptr": _addptr,
    "tt.bitcast": _bitcast,
    "tt.atomic_rmw": _atomic,
    "tt.atomic_cas": _atomic,
    "tt.fp_to_fp": _fp_to_fp,
}
