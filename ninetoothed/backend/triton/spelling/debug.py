"""Prints, assertions and compiler hints."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation

from ninetoothed.backend.triton.expression import Expr, exact, typed, unsigned
from ninetoothed.backend.triton.spelling.operands import SPELLINGS, Operands, call_of
from ninetoothed.ir import tt

_HINTS = {
    "tt.divisibility": "tl.multiple_of",
    "tt.contiguity": "tl.max_contiguous",
    "tt.constancy": "tl.max_constancy",
}


@SPELLINGS.register(tt.PrintOp)
def _print(operands: Operands, op: tt.PrintOp) -> Expr:
    texts = [repr(op.prefix.data)]
    for value, has_sign in zip(op.args, op.isSigned.get_values(), strict=True):
        expr = operands.whole(value)
        texts.append((expr if has_sign else unsigned(expr)).text)
    if op.hex.value.data:
        texts.append("hex=True")
    return call_of(op, "tl.device_print", *texts)


@SPELLINGS.register(tt.AssertOp)
def _assert(operands: Operands, op: tt.AssertOp) -> Expr:
    condition = typed(operands.expr(op.condition))
    return call_of(op, "tl.device_assert", condition.text, repr(op.message.data))


@SPELLINGS.register(tt.AssumeOp)
def _assume(operands: Operands, op: tt.AssumeOp) -> Expr:
    return call_of(op, "tl.assume", typed(operands.expr(op.condition)).text)


def hinted(op: Operation, expr: Expr) -> Expr:
    """``expr`` with the divisibility, contiguity and constancy hints of its op."""
    for name, function in _HINTS.items():
        if name in op.attributes:
            dense = cast("DenseIntOrFPElementsAttr[Any]", op.attributes[name])
            values = [int(number) for number in dense.get_values()]
            whole = exact(expr, tt.shape_of(op.results[0].type))
            expr = call_of(op, function, whole.text, values)
    return expr
