"""Combine functions of argmax and argmin, and sort keys of floats, written in the language."""

from __future__ import annotations

from typing import Any

from ninetoothed.language.table import TABLE

_where = TABLE["where"]


def larger_left(value1: Any, index1: Any, value2: Any, index2: Any) -> Any:
    """The larger of two values, and where it is; of equal ones, the lower index."""
    tie = (value1 == value2) & (index1 < index2)
    first = (value1 > value2) | tie
    return _where(first, value1, value2), _where(first, index1, index2)


def larger(value1: Any, index1: Any, value2: Any, index2: Any) -> Any:
    """The larger of two values, and where it is; of equal ones, the second."""
    first = value1 > value2
    return _where(first, value1, value2), _where(first, index1, index2)


def smaller_left(value1: Any, index1: Any, value2: Any, index2: Any) -> Any:
    """The smaller of two values, and where it is; of equal ones, the lower index."""
    tie = (value1 == value2) & (index1 < index2)
    first = (value1 < value2) | tie
    return _where(first, value1, value2), _where(first, index1, index2)


def smaller(value1: Any, index1: Any, value2: Any, index2: Any) -> Any:
    """The smaller of two values, and where it is; of equal ones, the second."""
    first = value1 < value2
    return _where(first, value1, value2), _where(first, index1, index2)


def keys_of(bits: Any, sign: Any, magnitude: Any, infinity: Any) -> Any:
    """Sort keys: integers in the order of the floats of these bits, NaNs of either sign last.

    ``sign``: the index of the sign bit; ``magnitude``: the mask of all bits below it; ``infinity``:
    the bits of infinity, or of the largest number.
    """
    return _where((bits & magnitude) > infinity, magnitude, flip_negative(bits, sign, magnitude))


def flip_negative(bits: Any, sign: Any, magnitude: Any) -> Any:
    """Reverse the order of negative floats' bits, which ascend by magnitude; an involution."""
    return bits ^ ((bits >> sign) & magnitude)
