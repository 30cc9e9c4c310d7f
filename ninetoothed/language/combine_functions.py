"""How lanes and their indices are combined, and what floats are sorted by, written in the language
itself.
"""

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
    """Integers that are ordered as the floats of these bits, NaNs of either sign behind all others.

    ``sign``: which bit it is; ``magnitude``: all bits below it; ``infinity``: its bits, or those of
    what is largest.
    """
    return _where((bits & magnitude) > infinity, magnitude, turned(bits, sign, magnitude))


def turned(bits: Any, sign: Any, magnitude: Any) -> Any:
    """The order of negative floats, whose magnitudes count up from the sign, turned; and back."""
    return bits ^ ((bits >> sign) & magnitude)
