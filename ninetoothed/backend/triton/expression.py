"""Expressions of Triton-Python: text, precedence, and the shape and type that Triton gives it."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, BFloat16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute

from ninetoothed.dtype import DTYPES
from ninetoothed.ir.nt.attributes import dtype_of
from ninetoothed.ir.tt import PointerType, integer_bits

COMPARISON, OR, XOR, AND, SHIFT, SUM, PRODUCT, UNARY, POSTFIX, ATOM = range(10)
OPERATORS = {
    **{text: COMPARISON for text in ("==", "!=", "<", "<=", ">", ">=")},
    **{"|": OR, "^": XOR, "&": AND, "<<": SHIFT, ">>": SHIFT},
    **{"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT},
}
"""Precedence of Python's operators."""

BIT = IntegerType(1)
_I32 = range(-(2**31), 2**31)
_FLOAT32_NORMAL = (2.0**-126, (2 - 2.0**-23) * 2.0**127)


@dataclass(frozen=True)
class Expr:
    """Text of an expression, and its shape and type in Triton.

    ``shape`` is the shape that the text itself has: ``()`` or 1s where the value's is larger and
    Triton's broadcasting makes the rest. ``literal``: the text is a Python number, which takes the
    element type of what it meets. Integers are signed, except inside an unsigned operation.
    """

    text: str
    precedence: int
    shape: tuple[int, ...]
    scalar: Attribute
    literal: bool | int | float | None = None

    def at(self, precedence: int) -> str:
        """The text, in parentheses where it binds less tightly than ``precedence``."""
        return f"({self.text})" if self.precedence < precedence else self.text


def dtype_text(scalar: Attribute) -> str:
    """``tl.float16``, ``tl.pointer_type(tl.float16)``."""
    if isinstance(scalar, PointerType):
        return f"tl.pointer_type({dtype_text(scalar.pointee)})"
    return f"tl.{DTYPES[dtype_of(scalar)].triton}"


def unsigned_text(scalar: Attribute) -> str:
    """``tl.uint32``."""
    return f"tl.uint{integer_bits(scalar)}"


def literal(value: int | float, scalar: Attribute) -> Expr:
    """A constant."""
    if scalar == BIT:
        return Expr(str(bool(value)), ATOM, (), scalar, bool(value))
    if bits := integer_bits(scalar):
        half = 1 << (bits - 1)
        value = (int(value) + half) % (2 * half) - half
        return Expr(str(value), UNARY if value < 0 else ATOM, (), scalar, value)
    value = float(value)
    eight = isinstance(scalar, AnyFloat) and scalar.bitwidth == 8
    # Triton 3.6 drops the sign of -0.0, and casts saturate.
    if (value == 0 and math.copysign(1, value) < 0) or (eight and not math.isfinite(value)):
        assert isinstance(scalar, AnyFloat)
        bits = int.from_bytes(scalar.pack([value]), "little", signed=True)
        integer = Expr(str(bits), ATOM, (), IntegerType(scalar.bitwidth), bits)
        return bitcast(integer, scalar)
    text = _float_text(value, scalar)
    if _is_rough(value, scalar):
        return cast(Expr(text, ATOM, (), Float32Type(), value), scalar)
    return Expr(text, UNARY if text.startswith("-") else ATOM, (), scalar, value)


def _float_text(value: float, scalar: Attribute) -> str:
    if not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(scalar, Float32Type):
        for digits in range(6, 10):
            text = repr(float(f"{value:.{digits}g}"))
            if struct.pack("<f", float(text)) == struct.pack("<f", value):
                return text
    return repr(value)


def _is_rough(value: float, scalar: Attribute) -> bool:
    """True if Triton rounds the literal: it has no float of eight bits but 0, and bf16 to six
    places behind the point only.
    """
    if not isinstance(scalar, AnyFloat) or value == 0 or not math.isfinite(value):
        return False
    rounded = [float(f"{value:f}")]
    return scalar.bitwidth == 8 or (
        isinstance(scalar, BFloat16Type) and scalar.pack(rounded) != scalar.pack([value])
    )


def typed(expr: Expr) -> Expr:
    """``expr`` with an element type of its own."""
    return expr if expr.literal is None else full(expr, ())


def full(expr: Expr, shape: tuple[int, ...]) -> Expr:
    """A block of a number."""
    dtype = dtype_text(expr.scalar)
    if shape and expr.literal == 0 and expr.scalar != BIT:
        return Expr(f"tl.zeros({shape}, {dtype})", POSTFIX, shape, expr.scalar)
    return Expr(f"tl.full({shape}, {expr.text}, {dtype})", POSTFIX, shape, expr.scalar)


def exact(expr: Expr, shape: tuple[int, ...]) -> Expr:
    """``expr`` with an element type of its own and ``shape``."""
    if expr.literal is not None:
        return full(expr, shape)
    if expr.shape == shape:
        return expr
    return Expr(f"tl.broadcast_to({expr.text}, {shape})", POSTFIX, shape, expr.scalar)


def standalone(expr: Expr) -> Expr:
    """``expr`` for a place where Triton gives a number the type int32 or float32 by itself."""
    value = expr.literal
    if value is None or expr.scalar == BIT:
        return expr
    if bits := integer_bits(expr.scalar):
        plain = bits == 32
    else:
        smallest, largest = _FLOAT32_NORMAL
        special = value == 0 or not math.isfinite(value)
        plain = isinstance(expr.scalar, Float32Type) and (
            special or smallest <= abs(value) <= largest
        )
    return expr if plain else typed(expr)


def converted(expr: Expr) -> Expr:
    """``expr`` for a place where Triton casts what it is given: a load's other, a store's value."""
    value = expr.literal
    if value is None or expr.scalar == BIT:
        return expr
    if integer_bits(expr.scalar):
        return expr if value in _I32 else typed(expr)
    return typed(expr) if isinstance(expr.scalar, Float64Type) and value != 0 else expr


def binary(operator: str, left: Expr, right: Expr, scalar: Attribute | None = None) -> Expr:
    """``left operator right``; ``scalar`` is the result's type where it is not the operands'."""
    if left.literal is not None and right.literal is not None:
        left = typed(left)
    precedence = OPERATORS[operator]
    if precedence == COMPARISON:
        # Comparisons chain, and few know how tightly they bind beside bitwise operators.
        first, second = left.at(SUM), right.at(SUM)
    else:
        first, second = left.at(precedence), right.at(precedence + 1)
    text = f"{first} {operator} {second}"
    return Expr(text, precedence, _broadcast(left, right), scalar or left.scalar)


def _broadcast(*operands: Expr) -> tuple[int, ...]:
    """The shape that Triton gives to what combines ``operands``: blocks of one rank, or scalars."""
    blocks = [operand.shape for operand in operands if operand.shape]
    return tuple(max(sizes) for sizes in zip(*blocks, strict=True))


def unary(operator: str, operand: Expr) -> Expr:
    """``operator operand``."""
    operand = typed(operand)
    return Expr(f"{operator}{operand.at(UNARY)}", UNARY, operand.shape, operand.scalar)


def call(function: str, arguments: list[Expr], scalar: Attribute, *keywords: str) -> Expr:
    """``function(…)``, elementwise."""
    texts = [*(argument.text for argument in arguments), *keywords]
    return Expr(f"{function}({', '.join(texts)})", POSTFIX, _broadcast(*arguments), scalar)


def cast(operand: Expr, scalar: Attribute, to: str = "", behind: str = "") -> Expr:
    """``operand.to(…)``; ``to`` is the type's name where it is not that of ``scalar``."""
    operand = typed(operand)
    text = f"{operand.at(POSTFIX)}.to({to or dtype_text(scalar)}{behind})"
    return Expr(text, POSTFIX, operand.shape, scalar)


def bitcast(operand: Expr, scalar: Attribute, to: str = "") -> Expr:
    """``operand.to(…, bitcast=True)``: the same bits as a number or pointer of another type."""
    return cast(operand, scalar, to, ", bitcast=True")


def unsigned(operand: Expr, alone: bool = True) -> Expr:
    """``operand`` with Triton's unsigned type of its width, which a bit has already; where it is
    not ``alone``, a number takes the type of what it meets.
    """
    scalar, bits = operand.scalar, integer_bits(operand.scalar)
    if bits <= 1:
        return typed(operand)
    if operand.literal is None:
        return bitcast(operand, scalar, unsigned_text(scalar))
    number = int(operand.literal) % (1 << bits)
    if not alone:
        return Expr(str(number), ATOM, (), scalar, number)
    return Expr(f"tl.full((), {number}, {unsigned_text(scalar)})", POSTFIX, (), scalar)


def signed(operand: Expr) -> Expr:
    """The inverse of :func:`unsigned`."""
    return operand if operand.scalar == BIT else bitcast(operand, operand.scalar)


def unsigned_binary(operator: str, left: Expr, right: Expr, scalar: Attribute) -> Expr:
    """``left operator right`` over unsigned operands."""
    alone = left.literal is not None and right.literal is not None
    return binary(operator, unsigned(left, alone), unsigned(right, alone), scalar)
