"""Values that the compiler may choose for block sizes, and what holds for all of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ninetoothed.symbolic.expr import IndexExpr, substitute, symbol_names
from ninetoothed.symbolic.normal_form import equal, normalize

Choices = Mapping[str, Sequence[int]]
"""The values of each symbol that the compiler chooses, by its name."""

MOST_COMBINATIONS = 4096
"""Of the choices of several symbols, for which expressions are compared one by one."""


def powers_between(lower: int | None, upper: int | None) -> list[int]:
    """Powers of two between two bounds; without an upper one, 1 at most."""
    least, most = max(lower or 1, 1), upper or 1
    return [1 << bits for bits in range(most.bit_length()) if least <= 1 << bits <= most]


def choices_between(lower: int | None, upper: int | None) -> list[int]:
    """Values that are tried for a symbol with these bounds, ascending: powers of two; where none
    lies between them, the lower bound.
    """
    return powers_between(lower, upper) or [max(lower or 1, 1)]


@dataclass(frozen=True)
class Comparison:
    """Two expressions compared for all choices of their symbols.

    ``differ``: choices for which they differ, whatever other symbols are; None where none are
    known. ``is_decided``: false where other symbols decide, or there are too many choices.
    """

    differ: Mapping[str, int] | None = None
    is_decided: bool = True

    @property
    def are_equal(self) -> bool:
        """True if the two are equal for all choices, and all values of other symbols."""
        return self.differ is None and self.is_decided


def compared(left: IndexExpr, right: IndexExpr, choices: Choices) -> Comparison:
    """Compare two expressions for all choices of the symbols in them."""
    if equal(left, right):
        return Comparison()
    names = [name for name in symbol_names(left, right) if name in choices]
    if math.prod(len(choices[name]) for name in names) > MOST_COMBINATIONS:
        return Comparison(is_decided=False)
    is_decided = True
    for chosen in itertools.product(*(choices[name] for name in names)):
        values = dict(zip(names, chosen, strict=True))
        try:
            one, two = with_values(left, right, values)
        except ZeroDivisionError:
            return Comparison(values)
        difference = normalize(one - two).value
        if difference:
            return Comparison(values)
        is_decided = is_decided and difference is not None
    return Comparison(is_decided=is_decided)


def with_values(
    left: IndexExpr, right: IndexExpr, values: Mapping[str, int]
) -> tuple[IndexExpr, IndexExpr]:
    """Two expressions with values of symbols put in, in normal form.

    Raises:
        ZeroDivisionError: one divides by zero.
    """
    return normalize(substitute(left, values)), normalize(substitute(right, values))
