"""Sampling of sizes: small ones, and those around an arrangement's block sizes.

Counterexamples and translation validation both look for mistakes at the ends of blocks, under the
checks that a call makes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ninetoothed.symbolic.expr import IndexExpr, evaluate, sym, symbol_names
from ninetoothed.symbolic.intervals import Assumptions, bounds

Check = tuple[IndexExpr, IndexExpr]
"""Two sizes that a call has checked to be equal."""

STEPS = (0, 1, -1, 2)
"""Distances between the candidates of successive symbols: equal sizes occur where checks ask for
them, different ones elsewhere."""

_MANY = 66


@dataclass(frozen=True)
class SizeSampler:
    """Sampler of size symbols' values, within their bounds, with which all ``checks`` hold.

    ``groups`` of symbols that are taken to be equal choose from ``candidates``, of which each group
    has as many. Symbols in ``powers`` are powers of two, those in ``fixed`` are not changed to
    fulfil a check, and ``known`` ones have their values.
    """

    groups: Sequence[Sequence[str]]
    candidates: Sequence[Sequence[int]]
    checks: Sequence[Check]
    assumptions: Assumptions
    powers: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    known: Mapping[str, int] = field(default_factory=dict[str, int])

    def sample(self, step: int, start: int) -> dict[str, int] | None:
        """Sample the candidates from ``start`` on, ``step`` apart from group to group; None: no
        change of a few sizes fulfils the checks.
        """
        values = dict(self.known)
        for position, (names, sizes) in enumerate(zip(self.groups, self.candidates, strict=True)):
            size = sizes[(start + step * position) % len(sizes)]
            values.update((name, self._nearest(size, name)) for name in names)
        return values if self._fulfil(values) else None

    def _nearest(self, value: int, name: str) -> int:
        """Clamp ``value`` to the numbers that a symbol may be."""
        lower, upper = bounds(sym(name), self.assumptions)
        if name in self.powers:
            value = max(1, lower or 1)
            value = 1 << (value - 1).bit_length()
        value = value if lower is None else max(value, lower)
        return value if upper is None else min(value, upper)

    def _fulfil(self, values: dict[str, int]) -> bool:
        """Change values until every check holds, if that is easy."""
        tries = list(dict.fromkeys((*range(_MANY), *itertools.chain(*self.candidates))))
        changed = {*self.fixed, *self.known}
        while True:
            failing = next((check for check in self.checks if not fulfilled(check, values)), None)
            if failing is None:
                return True
            free = [name for name in symbol_names(*failing) if name not in changed]
            for name, number in _changes(free, values, tries):
                tried = {**values, name: number}
                if number == self._nearest(number, name) and fulfilled(failing, tried):
                    values[name] = number
                    changed.add(name)
                    break
            else:
                return False


def _changes(
    names: Sequence[str], values: Mapping[str, int], tries: Sequence[int]
) -> Iterator[tuple[str, int]]:
    """Candidate changes of one symbol, the nearest first."""
    for name in names:
        for number in sorted(tries, key=lambda number: abs(number - values[name])):
            yield name, number


def fulfilled(check: Check, values: Mapping[str, int]) -> bool:
    """True if two sizes are equal, and neither divides by zero."""
    try:
        left, right = (evaluate(side, values) for side in check)
    except ZeroDivisionError:
        return False
    return left == right


def magnitudes(*exprs: IndexExpr) -> Iterator[int]:
    """Magnitudes of the constants in ``exprs``: sizes around them are worth a try."""
    for expr in exprs:
        if expr.value is not None:
            yield abs(expr.value)
        yield from magnitudes(*expr.operands)
