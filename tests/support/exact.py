"""Conversions of numbers by the definition of their types, in rational arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ninetoothed.dtype import DTYPES


@dataclass(frozen=True)
class Float:
    """A type of floats: its digits, the exponent of its least normal number, and its largest one;
    whether what is larger becomes infinite.
    """

    digits: int
    least: int
    largest: float
    infinite: bool = True


FLOATS: dict[str, Float] = {
    "fp16": Float(11, -14, 65504.0),
    "bf16": Float(8, -126, (2 - 2**-7) * 2.0**127),
    "fp32": Float(24, -126, (2 - 2**-23) * 2.0**127),
    "fp64": Float(53, -1022, (2 - 2**-52) * 2.0**1023),
    "fp8e4nv": Float(4, -6, 448.0, infinite=False),
    "fp8e5": Float(3, -14, 57344.0, infinite=False),
    "fp8e4b8": Float(4, -7, 240.0, infinite=False),
    "fp8e5b16": Float(3, -15, 57344.0, infinite=False),
}


def rounded(value: float | int, dtype: str, towards_zero: bool = False) -> float:
    """``value`` as a float of a type: to the nearest, of two the even one."""
    type = FLOATS[dtype]
    if math.isnan(value):
        return value
    if math.isinf(value):
        kept = type.infinite or towards_zero
        return value if kept else math.copysign(type.largest, value)
    if value == 0:
        # Two of the types have no negative zero.
        return abs(value) if dtype in ("fp8e4b8", "fp8e5b16") else float(value)
    exact = abs(Fraction(value))
    exponent = max(_exponent(exact), type.least)
    unit = Fraction(2) ** (exponent - type.digits + 1)
    count = exact // unit if towards_zero else round(exact / unit)
    found = count * unit
    if found > Fraction(type.largest):
        infinite = type.infinite and not towards_zero
        found = math.inf if infinite else type.largest
    sign = -1 if value < 0 else 1
    if found == 0 and dtype in ("fp8e4b8", "fp8e5b16"):
        return 0.0
    return math.copysign(float(found), sign)


def _exponent(value: Fraction) -> int:
    """The exponent of the power of two at or below ``value``."""
    found = value.numerator.bit_length() - value.denominator.bit_length()
    return found if Fraction(2) ** found <= value else found - 1


def fits(value: float, dtype: str) -> bool:
    """True if a float, truncated, is in an integer type's range."""
    row = DTYPES[dtype]
    if not math.isfinite(value):
        return False
    low = -(1 << (row.bits - 1)) if row.kind == "int" else 0
    return low <= math.trunc(value) < low + (1 << row.bits)


def wrapped(value: int, dtype: str) -> int:
    """An integer modulo two to the width of a type."""
    row = DTYPES[dtype]
    value %= 1 << row.bits
    return value - (1 << row.bits) if row.kind == "int" and value >> (row.bits - 1) else value


def converted(value: float | int, source: str, target: str) -> float | int | None:
    """A number of one type in another; None where that is not defined."""
    kind = DTYPES[target].kind
    if kind == "bool":
        return int(value != 0)
    if kind != "float":
        if DTYPES[source].kind != "float":
            return wrapped(int(value), target)
        return math.trunc(value) if fits(value, target) else None
    if source == "fp64" and DTYPES[target].bits == 8:
        # Triton has no such conversion: by way of fp32.
        value = rounded(value, "fp32")
    return rounded(value, target)
