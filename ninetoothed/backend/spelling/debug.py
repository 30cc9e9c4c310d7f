"""What a device says, and what the compiler may take for granted."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType
from xdsl.ir import Operation

from ninetoothed.backend.expression import (
    POSTFIX,
    Expr,
    as_unsigned,
    exact,
    integer_bits,
    typed,
    typed_unsigned,
)
from ninetoothed.backend.spelling.operands import Operands, Spelling
from ninetoothed.ir import tt

_HINTS = {
    "tt.divisibility": "tl.multiple_of",
    "tt.contiguity": "tl.max_contiguous",
    "tt.constancy": "tl.max_constancy",
}


def _num_programs(operands: Operands, op: tt.GetNumProgramsOp) -> Expr:
    return Expr(f"tl.num_programs({op.axis.value.data})", POSTFIX, (), op.result.type)


def _statement(name: str, *arguments: str) -> Expr:
    """A call that gives nothing."""
    return Expr(f"{name}({', '.join(arguments)})", POSTFIX, (), IntegerType(1))


def _print(operands: Operands, op: tt.PrintOp) -> Expr:
    texts = [repr(op.prefix.data)]
    for value, signed in zip(op.args, op.isSigned.get_values(), strict=True):
        expr = operands.expr(value)
        if not signed and integer_bits(expr.scalar) > 1:
            expr = typed_unsigned(as_unsigned(expr))
        texts.append(exact(expr, tt.shape_of(value.type)).text)
    if op.hex.value.data:
        texts.append("hex=True")
    return _statement("tl.device_print", *texts)


def _assert(operands: Operands, op: tt.AssertOp) -> Expr:
    condition = typed(operands.expr(op.condition))
    return _statement("tl.device_assert", condition.text, repr(op.message.data))


def _assume(operands: Operands, op: tt.AssumeOp) -> Expr:
    return _statement("tl.assume", typed(operands.expr(op.condition)).text)


def hinted(op: Operation, expr: Expr) -> Expr:
    """The text of an op with what is said of its value."""
    for name, function in _HINTS.items():
        if name in op.attributes:
            expr = exact(expr, tt.shape_of(op.results[0].type))
            dense = cast("DenseIntOrFPElementsAttr[Any]", op.attributes[name])
            values = [int(number) for number in dense.get_values()]
            expr = Expr(f"{function}({expr.text}, {values})", POSTFIX, expr.shape, expr.scalar)
    return expr


SPELLINGS: dict[str, Spelling] = {
    "tt.get_num_programs": _num_programs,
    "tt.print": _print,
    "tt.assert": _assert,
    "llvm.intr.assume": _assume,
}
