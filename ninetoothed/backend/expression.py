"""Pieces of Triton-Python: texts that know how tightly they bind and what Triton makes of them."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, BFloat16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute

from ninetoothed.dtype import DTYPES
from ninetoothed.ir.nt.attributes import dtype_of

COMPARISON, OR, XOR, AND, SHIFT, SUM, PRODUCT, UNARY, POSTFIX, ATOM = range(10)
OPERATORS = {
    **{text: COMPARISON for text in ("==", "!=", "<", "<=", ">", ">=")},
    **{"|": OR, "^": XOR, "&": AND, "<<": SHIFT, ">>": SHIFT},
    **{"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT},
}
"""How tightly Python's operators bind."""

_I32 = range(-(2**31), 2**31)
_FLOAT32_NORMAL = (2.0**-126, (2 - 2.0**-23) * 2.0**127)


@dataclass(frozen=True)
class Expr:
    """A text, and what it is to Triton.

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
    """``tl.float16``."""
    return f"tl.{DTYPES[dtype_of(scalar)].triton}"


def integer_bits(scalar: Attribute) -> int:
    """The width of an integer type; 0 for other types."""
    return scalar.bitwidth if isinstance(scalar, IntegerType) else 0


def unsigned_text(scalar: Attribute) -> str:
    """``tl.uint32``."""
    return f"tl.uint{integer_bits(scalar)}"


def is_bit(scalar: Attribute) -> bool:
    """Whether it is ``i1``, which Triton counts among the unsigned types."""
    return integer_bits(scalar) == 1


def broadcast_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that Triton gives to what combines blocks of ``shapes``: one rank, or scalars."""
    blocks = [shape for shape in shapes if shape]
    return tuple(max(sizes) for sizes in zip(*blocks, strict=True))


def shape_text(shape: tuple[int, ...]) -> str:
    """``(64, 32)``, ``(64,)``, ``()``."""
    return str(tuple(shape))


def wrap_integer(value: int, width: int) -> int:
    """The signed integer of ``width`` bits that equals ``value`` modulo ``2**width``."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def literal(value: int | float, scalar: Attribute) -> Expr:
    """A constant."""
    if bits := integer_bits(scalar):
        if bits == 1:
            return Expr(str(bool(value)), ATOM, (), scalar, bool(value))
        value = wrap_integer(int(value), bits)
        return Expr(str(value), UNARY if value < 0 else ATOM, (), scalar, value)
    value = float(value)
    eight = isinstance(scalar, AnyFloat) and scalar.bitwidth == 8
    # Triton 3.6 drops the sign of -0.0, and casts saturate.
    if (value == 0 and math.copysign(1, value) < 0) or (eight and not math.isfinite(value)):
        return _from_bits(value, scalar)
    text = _float_text(value, scalar)
    if _is_rough(value, scalar):
        return cast(Expr(f"tl.full((), {text}, tl.float32)", POSTFIX, (), Float32Type()), scalar)
    precedence = UNARY if text.startswith("-") else ATOM
    return Expr(text, precedence, (), scalar, value)


def _float_text(value: float, scalar: Attribute) -> str:
    if math.isnan(value) or math.isinf(value):
        return f'float("{value}")'
    if isinstance(scalar, Float32Type):
        for digits in range(6, 10):
            text = repr(float(f"{value:.{digits}g}"))
            if struct.pack("<f", float(text)) == struct.pack("<f", value):
                return text
    return repr(value)


def _is_rough(value: float, scalar: Attribute) -> bool:
    """Whether Triton makes another number of a literal: it has no float of eight bits but 0, and
    bf16 to six places behind the point only.
    """
    if not isinstance(scalar, AnyFloat) or value == 0 or not math.isfinite(value):
        return False
    if scalar.bitwidth == 8:
        return True
    return isinstance(scalar, BFloat16Type) and scalar.pack([float(f"{value:f}")]) != scalar.pack(
        [value]
    )


def _from_bits(value: float, scalar: Attribute) -> Expr:
    assert isinstance(scalar, AnyFloat)
    number = int.from_bytes(scalar.pack([value]), "little", signed=True)
    integer = f"tl.full((), {number}, tl.int{scalar.bitwidth})"
    return Expr(f"{integer}.to({dtype_text(scalar)}, bitcast=True)", POSTFIX, (), scalar)


def typed(expr: Expr, dtype: str | None = None) -> Expr:
    """``expr`` as a value that has a type of its own."""
    if expr.literal is None:
        return expr
    text = f"tl.full((), {expr.text}, {dtype or dtype_text(expr.scalar)})"
    return Expr(text, POSTFIX, (), expr.scalar)


def standalone(expr: Expr) -> Expr:
    """``expr`` for a place where Triton gives a number the type int32 or float32 by itself."""
    value = expr.literal
    if value is None or is_bit(expr.scalar):
        return expr
    if bits := integer_bits(expr.scalar):
        plain = bits == 32
    else:
        smallest, largest = _FLOAT32_NORMAL
        special = value == 0 or math.isnan(value) or math.isinf(value)
        plain = isinstance(expr.scalar, Float32Type) and (
            special or smallest <= abs(value) <= largest
        )
    return expr if plain else typed(expr)


def converted(expr: Expr) -> Expr:
    """``expr`` for a place where Triton casts what it is given: a load's other, a store's value."""
    value = expr.literal
    if value is None:
        return expr
    if integer_bits(expr.scalar):
        return expr if is_bit(expr.scalar) or value in _I32 else typed(expr)
    return typed(expr) if isinstance(expr.scalar, Float64Type) and value != 0 else expr


def exact(expr: Expr, shape: tuple[int, ...]) -> Expr:
    """``expr`` as a value that has a type of its own and ``shape``."""
    if expr.shape == shape:
        return typed(expr)
    text = shape_text(shape)
    if expr.literal is None:
        return Expr(f"tl.broadcast_to({expr.text}, {text})", POSTFIX, shape, expr.scalar)
    dtype = dtype_text(expr.scalar)
    if expr.literal == 0 and not is_bit(expr.scalar):
        return Expr(f"tl.zeros({text}, {dtype})", POSTFIX, shape, expr.scalar)
    return Expr(f"tl.full({text}, {expr.text}, {dtype})", POSTFIX, shape, expr.scalar)


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
    return Expr(text, precedence, broadcast_shape(left.shape, right.shape), scalar or left.scalar)


def unary(operator: str, operand: Expr) -> Expr:
    """``operator operand``."""
    operand = typed(operand)
    return Expr(f"{operator}{operand.at(UNARY)}", UNARY, operand.shape, operand.scalar)


def method(operand: Expr, text: str, scalar: Attribute) -> Expr:
    """``operand.text``, of element type ``scalar``."""
    operand = typed(operand)
    return Expr(f"{operand.at(POSTFIX)}.{text}", POSTFIX, operand.shape, scalar)


def cast(operand: Expr, scalar: Attribute) -> Expr:
    """``operand.to(…)``."""
    return method(operand, f"to({dtype_text(scalar)})", scalar)


def call(function: str, arguments: list[Expr], scalar: Attribute, *keywords: str) -> Expr:
    """``function(…)``, elementwise."""
    shape = broadcast_shape(*(argument.shape for argument in arguments))
    texts = [*(argument.text for argument in arguments), *keywords]
    return Expr(f"{function}({', '.join(texts)})", POSTFIX, shape, scalar)


def as_unsigned(operand: Expr) -> Expr:
    """``operand`` as Triton's unsigned type of its width; of a bit, itself."""
    scalar = operand.scalar
    if integer_bits(scalar) <= 1:
        return operand
    if operand.literal is not None:
        value = int(operand.literal) & ((1 << integer_bits(scalar)) - 1)
        return Expr(str(value), ATOM, (), scalar, value)
    return method(operand, f"to({unsigned_text(scalar)}, bitcast=True)", scalar)


def as_signed(operand: Expr) -> Expr:
    """The inverse of :func:`as_unsigned`."""
    if is_bit(operand.scalar):
        return operand
    text = f"to({dtype_text(operand.scalar)}, bitcast=True)"
    return method(operand, text, operand.scalar)


def unsigned_binary(
    operator: str, left: Expr, right: Expr, scalar: Attribute | None = None
) -> Expr:
    """``left operator right`` over unsigned operands."""
    left, right = as_unsigned(left), as_unsigned(right)
    if left.literal is not None and right.literal is not None:
        left = typed_unsigned(left)
    return binary(operator, left, right, scalar)


def typed_unsigned(expr: Expr) -> Expr:
    """An unsigned operand as a value that has a type of its own."""
    if integer_bits(expr.scalar) > 1:
        return typed(expr, unsigned_text(expr.scalar))
    return typed(expr)
