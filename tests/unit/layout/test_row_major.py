"""Shapes of the same lanes, against NumPy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from ninetoothed.layout.row_major import keeps_places, runs
from ninetoothed.symbolic.expr import IndexExpr, const, sym

M, N = sym("m"), sym("n")
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15)


def sizes(*given: IndexExpr | int) -> tuple[IndexExpr, ...]:
    return tuple(const(size) if isinstance(size, int) else size for size in given)


def power_of_two(size: IndexExpr) -> IndexExpr:
    assert size.value is not None
    return const(1 << max(size.value - 1, 0).bit_length())


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (sizes(2, 3, 4), sizes(6, 4), [(sizes(2, 3), sizes(6)), (sizes(4), sizes(4))]),
        (sizes(1, 3, 1), sizes(3), [(sizes(3), sizes(3))]),
        (sizes(), sizes(1), []),
        (sizes(N, 4), sizes(N * 4), [(sizes(N, 4), sizes(N * 4))]),
        (sizes(M, N), sizes(N, M), [(sizes(M, N), sizes(N, M))]),
        (sizes(5, N, 2), sizes(5, 2, N), [(sizes(5), sizes(5)), (sizes(N, 2), sizes(2, N))]),
        (sizes(0), sizes(0, 3), [(sizes(0), sizes(0)), ((), sizes(3))]),
        (sizes(3), sizes(4), None),
        (sizes(M), sizes(N), None),
    ],
)
def test_runs(old: object, new: object, expected: object) -> None:
    assert runs(old, new) == expected  # pyright: ignore[reportArgumentType]


def test_lanes_keep_their_places_where_numpy_says_so() -> None:
    shapes = [
        shape
        for rank in (1, 2, 3)
        for shape in itertools.product(SIZES, repeat=rank)
        if math.prod(shape) <= 60
    ]
    for old, new in itertools.product(shapes, repeat=2):
        if math.prod(old) == math.prod(new):
            assert keeps_places(sizes(*old), sizes(*new), power_of_two) == _kept(old, new)


def _kept(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    before, after = (
        [power_of_two(const(size)).value or 0 for size in shape] for shape in (old, new)
    )
    if math.prod(before) != math.prod(after):
        return False
    lanes = np.full(before, -1)
    lanes[tuple(map(slice, old))] = np.arange(math.prod(old)).reshape(old)
    found = lanes.reshape(after)[tuple(map(slice, new))]
    return bool((found == np.arange(math.prod(new)).reshape(new)).all())
