"""How much of a large tensor is drawn, and what is said of the rest."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninetoothed.pictures.cuts import notes, shown_sizes

Levels = list[list[int]]


CASES: list[tuple[Levels, Levels, tuple[str, ...]]] = [
    ([[]], [[]], ()),
    ([[0]], [[0]], ()),
    ([[24, 32]], [[24, 32]], ()),
    ([[3000]], [[128]], ("… 2,872 more columns",)),
    ([[25, 1032]], [[24, 32]], ("… 1,000 more columns, 1 more row",)),
    (
        [[100, 100], [64, 64]],
        [[2, 2], [12, 16]],
        (
            "… 98 more columns of tiles, 98 more rows of tiles",
            "… 48 more columns, 52 more rows in each tile",
        ),
    ),
    (
        [[9], [9], [9]],
        [[2], [7], [9]],
        (
            "… 7 more columns of tiles",
            "… 2 more columns of tiles in each tile of level 0",
        ),
    ),
    (
        [[5, 9, 20, 20]],
        [[2, 2, 12, 16]],
        ("… 4 more columns, 8 more rows, 7 more slices along dim 1, 3 more slices along dim 0",),
    ),
]


@pytest.mark.parametrize(("levels", "shown", "lines"), CASES, ids=str)
def test_cuts(levels: Levels, shown: Levels, lines: tuple[str, ...]) -> None:
    assert shown_sizes(levels) == shown
    assert notes(levels, shown) == lines


@given(st.lists(st.lists(st.integers(0, 1 << 40), max_size=5), min_size=1, max_size=4))
def test_pictures_are_small(levels: Levels) -> None:
    """Nothing is added, a dim with elements keeps one, and all that is drawn can be read."""
    shown = shown_sizes(levels)
    assert math.prod(size for level in shown for size in level) <= 32 * 24
    for sizes, kept in zip(levels, shown, strict=True):
        for size, end in zip(sizes, kept, strict=True):
            assert min(size, 1) <= end <= size
