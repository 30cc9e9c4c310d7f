"""Sizes that follow from others where outermost levels agree, and from what calls check: those of
tensors to be allocated.

All tensors have as many blocks as there are programs. Two sizes that are written alike, such as
``ceildiv(z_size_0, B)`` and ``ceildiv(x_size_0, B)``, are taken to be of one number of elements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ninetoothed.layout.meta_op import Sizes
from ninetoothed.symbolic.expr import IndexExpr, substitution, symbol_names
from ninetoothed.symbolic.normal_form import normalize

Pair = tuple[IndexExpr, IndexExpr]

_QUOTIENTS = ("ceildiv", "floordiv")


def solved_sizes(
    levels: Sequence[Sizes],
    unknown: Collection[str],
    known: Collection[str],
    equal: Iterable[Pair] = (),
) -> dict[str, IndexExpr]:
    """Each size of ``unknown`` that follows from those of ``known``, by name, where tensors with
    these outermost ``levels`` have the same ones, and else from pairs of sizes that are ``equal``.

    Products decide nothing: ``a * b`` may be that of a matrix, or of its transposed one.
    """
    pairs = [
        pair
        for number, sizes in enumerate(levels)
        for others in levels[:number]
        if len(others) == len(sizes)
        for pair in zip(map(normalize, others), map(normalize, sizes), strict=True)
    ]
    pairs += equal
    found: dict[str, IndexExpr] = {}
    while True:
        size = next(
            (
                (one.args[0], other)
                for pair in pairs
                for one, other in _sides(*pair, found)
                if one.op == "sym" and one.args[0] in unknown and one.args[0] not in found
                if {*known}.issuperset(symbol_names(other))
            ),
            None,
        )
        if size is None:
            return found
        found[size[0]] = size[1]


def _sides(left: IndexExpr, right: IndexExpr, found: Mapping[str, IndexExpr]) -> list[Pair]:
    """What is equal if two sizes are, both ways round, with what was ``found``."""
    rename = substitution(found)
    left, right = _undivided(normalize(rename(left)), normalize(rename(right)))
    return [(left, right), (right, left)]


def _undivided(left: IndexExpr, right: IndexExpr) -> Pair:
    """The dividends of two quotients by one divisor; else both as they are."""
    while left.op == right.op and left.op in _QUOTIENTS and left.args[1] is right.args[1]:
        left, right = left.args[0], right.args[0]
    return left, right


def equalities(levels: Sequence[Sizes], known: Collection[str]) -> list[Pair] | None:
    """Pairs of expressions of ``known`` symbols: where each pair is equal, so are the outermost
    ``levels``, whatever the blocks' sizes. None where no such pairs are found.
    """
    found: dict[Pair, None] = {}
    for sizes in levels[1:]:
        if len(sizes) != len(levels[0]):
            return None
        for one, other in zip(levels[0], sizes, strict=True):
            pair = _undivided(normalize(one), normalize(other))
            if pair[0] is pair[1]:
                continue
            if not {*known}.issuperset(symbol_names(*pair)):
                return None
            found[pair] = None
    return list(found)
