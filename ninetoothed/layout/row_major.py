"""Reshapes that preserve row-major order: correspondence of the dims of two shapes."""

from __future__ import annotations

from collections.abc import Callable

from ninetoothed.layout.meta_op import Sizes
from ninetoothed.symbolic.expr import IndexExpr, product
from ninetoothed.symbolic.normal_form import equal

Run = tuple[Sizes, Sizes]
"""Adjacent dims of two shapes, with equal products."""


def runs(old: Sizes, new: Sizes) -> list[Run] | None:
    """Split both shapes into as many parts with equal products as there are, in order, without dims
    of size 1; None where the shapes are not proved to have equally many lanes.
    """
    if not equal(product(old), product(new)):
        return None
    left = tuple(size for size in old if size.value != 1)
    right = tuple(size for size in new if size.value != 1)
    found: list[Run] = []
    while left or right:
        one, two = _cut(left, right)
        found.append((left[:one], right[:two]))
        left, right = left[one:], right[two:]
    return found


def _cut(left: Sizes, right: Sizes) -> tuple[int, int]:
    """Number of dims of each shape in the shortest run; all, where none is shorter."""
    for length in range(2, len(left) + len(right)):
        for one in range(max(1, length - len(right)), min(len(left), length - 1) + 1):
            if equal(product(left[:one]), product(right[: length - one])):
                return one, length - one
    return len(left), len(right)


def keeps_places(old: Sizes, new: Sizes, padded: Callable[[IndexExpr], IndexExpr]) -> bool:
    """True if lanes keep their row-major positions when each size is padded: only the first dim of
    each run grows.
    """
    parts = runs(old, new)
    if parts is None or product(tuple(map(padded, old))) != product(tuple(map(padded, new))):
        return False
    return all(padded(size) == size for part in parts for side in part for size in side[1:])
