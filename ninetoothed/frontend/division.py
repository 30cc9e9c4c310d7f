"""``//`` and ``%`` of what is known when compiling: rounded toward zero, as those of blocks are.

Index expressions divide as Python does, rounding down. Of sizes an application's quotient is one of
them where no operand is negative, else it is put together from quotients that are.
"""

from __future__ import annotations

import ast
import math
from typing import Any

from ninetoothed.errors import TypeMismatchError
from ninetoothed.frontend.context import Context
from ninetoothed.symbolic.expr import IndexExpr, binary, const, maximum, symbols
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_nonnegative

NO_QUOTIENT = "there is no quotient by 0; divide by another number"


def quotient(left: Any, right: Any) -> int:
    """``left // right`` of integers.

    Raises:
        TypeError: one is a float.
        ZeroDivisionError: the divisor is 0.
    """
    for operand in (left, right):
        if isinstance(operand, float):
            raise TypeError(
                "// takes integers, not floats; write math.floor(x / y) to round down, or "
                "math.trunc(x / y) to round toward zero"
            )
    _require_divisor(right)
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def remainder(left: Any, right: Any) -> int | float:
    """``left % right``, with the sign of ``left``.

    Raises:
        ZeroDivisionError: the divisor is 0.
    """
    _require_divisor(right)
    if isinstance(left, float) or isinstance(right, float):
        return math.fmod(left, right)
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _require_divisor(value: Any) -> None:
    if value == 0:
        raise ZeroDivisionError(NO_QUOTIENT)


def of_sizes(ctx: Context, name: str, left: IndexExpr, right: IndexExpr) -> IndexExpr | None:
    """``"floordiv"`` or ``"mod"`` of sizes, by one that is not the constant 0; None where the
    divisor's sign is not known.
    """
    if right.value is not None and right.value < 0:
        found = of_sizes(ctx, name, left, const(-right.value))
        return -found if name == "floordiv" and found is not None else found
    if not _is_nonnegative(ctx, right):
        return None
    if _is_nonnegative(ctx, left):
        return binary(name, left, right)
    positive, negative = maximum(left, 0), maximum(-left, 0)
    return binary(name, positive, right) - binary(name, negative, right)


def _is_nonnegative(ctx: Context, expr: IndexExpr) -> bool:
    """True if a size is proved to be at least 0. Of torch's tensors strides are, too."""
    strides = {
        name: Range.of(0)
        for name, info in (symbol.args for symbol in symbols(expr))
        if info is not None and info.kind == "stride"
    }
    return always_nonnegative(expr, {**ctx.assumptions, **strides})


def require_no_rounding_down(node: ast.UnaryOp | ast.BinOp) -> None:
    """Check that an expression is not ``-(-a // b)`` or ``-a % b``: a ceiling division and the
    distance to the next multiple where ``//`` rounds down, they would be ``a // b`` and
    ``-(a % b)`` here.

    Raises:
        TypeMismatchError: it is one of them.
    """
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    if not isinstance(inner, ast.BinOp) or not _is_negated(inner.left):
        return
    if inner is not node and isinstance(inner.op, ast.FloorDiv):
        raise TypeMismatchError(
            "`-(-a // b)` is no ceiling division here: // rounds toward zero, as in Triton; write "
            "ntl.cdiv(a, b)"
        )
    if inner is node and isinstance(inner.op, ast.Mod):
        raise TypeMismatchError(
            "`-a % b` has the sign of its dividend here, as in Triton, not of b; write -(a % b), "
            "or (b - a % b) % b for what is missing to a multiple of b"
        )


def _is_negated(node: ast.expr) -> bool:
    """True for ``-a``, where ``a`` is no literal."""
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and not isinstance(node.operand, ast.Constant)
    )
