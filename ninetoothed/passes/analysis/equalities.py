"""Equalities of symbols: one stands for all that are equal."""

from __future__ import annotations

from collections.abc import Iterable

from ninetoothed.symbolic.expr import IndexExpr, sym


class Equalities:
    """Symbols that are equal: the first of them, in the order of ``names``, stands for them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._order = {name: place for place, name in enumerate(names)}
        self._firsts: dict[str, str] = {}

    def first(self, name: str) -> str:
        """The symbol that stands for ``name``."""
        while name in self._firsts:
            name = self._firsts[name]
        return name

    def join(self, one: str, two: str) -> None:
        """Let two symbols be equal, unless one has a value already."""
        one, two = self.first(one), self.first(two)
        if one != two and one in self._order and two in self._order:
            one, two = sorted((one, two), key=self._order.__getitem__)
            self._firsts[two] = one

    @property
    def merged(self) -> dict[str, IndexExpr]:
        """What stands for the symbols, but for the first ones."""
        return {name: sym(self.first(name)) for name in self._firsts}
