"""Equalities of sizes, and those that the checks of every call state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ninetoothed.ir import nt
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


def checked_equalities(kernel: nt.KernelOp) -> Iterator[tuple[str, str]]:
    """Pairs of names of sizes that the kernel's checks require to be equal.

    A call for which one does not hold is refused, or is one of a laxer class, whose kernel has other
    checks.
    """
    sizes = {decl.name for decl in kernel.declarations if decl.kind == "size"}
    # A jagged tensor has one size for many lengths.
    for source in kernel.sources:
        if source.jagged is not None:
            sizes -= {size.args[0] for size in source.sizes if size.op == "sym"}
    for check in kernel.checks:
        for left, right in zip(check.data.left, check.data.right, strict=True):
            if left.op == right.op == "sym" and sizes >= {left.args[0], right.args[0]}:
                yield left.args[0], right.args[0]
