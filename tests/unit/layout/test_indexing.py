"""``t[…]``: what it prints, and that it is NumPy's basic indexing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ninetoothed import Symbol, Tensor

K = Symbol("K")
POSITIVE = Symbol("P", lower_bound=1)
NOT_NEGATIVE = Symbol("Z", lower_bound=0)

PRINTED: list[tuple[Any, str]] = [
    (slice(None), "(n, m, 4)"),
    (..., "(n, m, 4)"),
    ((), "(n, m, 4)"),
    (None, "(1, n, m, 4)"),
    ((..., None), "(n, m, 4, 1)"),
    ((slice(None), None), "(n, 1, m, 4)"),
    (0, "(m, 4)"),
    (-1, "(m, 4)"),
    (K, "(m, 4)"),
    ((..., 3), "(n, m)"),
    ((..., -4), "(n, m)"),
    ((0, ..., 3), "(m,)"),
    ((0, 1, 2), "()"),
    ((0, None, 1, None, 2), "(1, 1)"),
    (slice(1, None), "(n - 1, m, 4)"),
    (slice(None, -1), "(n + -1, m, 4)"),
    (slice(1, -1), "(n + -1 - 1, m, 4)"),
    (slice(None, 3), "(3, m, 4)"),
    (slice(2, 5), "(3, m, 4)"),
    (slice(5, 2), "(0, m, 4)"),
    (slice(-3, None), "(3, m, 4)"),
    (slice(-5, -2), "(3, m, 4)"),
    (slice(None, None, -1), "(n, m, 4)"),
    (slice(None, None, 2), "((n + 2 - 1) // 2, m, 4)"),
    (slice(None, None, -2), "((n + 2 - 1) // 2, m, 4)"),
    (slice(None, None, POSITIVE), "((n + P - 1) // P, m, 4)"),
    (slice(None, None, -POSITIVE), "((n + P - 1) // P, m, 4)"),
    (slice(K, None), "(n - K, m, 4)"),
    (slice(None, K), "(K, m, 4)"),
    (slice(K, K + 8), "(8, m, 4)"),
    (slice(-POSITIVE, None), "(P, m, 4)"),
    (slice(NOT_NEGATIVE, None), "(n - Z, m, 4)"),
    ((..., slice(1, 9)), "(n, m, 3)"),
    ((..., slice(-9, 2)), "(n, m, 2)"),
    ((..., slice(3, 1)), "(n, m, 0)"),
    ((..., slice(None, None, 3)), "(n, m, 2)"),
    ((..., slice(9, None, -2)), "(n, m, 2)"),
    ((..., slice(None, K)), "(n, m, K)"),
    ((..., slice(K, None)), "(n, m, 4 - K)"),
]


@pytest.mark.parametrize(("key", "shape"), PRINTED, ids=[str(key) for key, _ in PRINTED])
def test_shapes(key: Any, shape: str) -> None:
    t = Tensor(shape=(Symbol("n"), Symbol("m"), 4))
    assert str(t[key].shape) == shape
    assert str(t.shape) == "(n, m, 4)"


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_numbers_clamp_as_numpys(size: int) -> None:
    t, array = Tensor(shape=(size,)), np.arange(size)
    bounds = [None, *range(-size - 2, size + 3)]
    for step in (None, 1, 2, 7, -1, -2, -7):
        for start in bounds:
            for stop in bounds:
                part = slice(start, stop, step)
                assert t[part].eval().tolist() == array[part].tolist(), part
    for index in range(-size, size):
        assert t[index].eval() == array[index]


def test_whole_slices_are_no_operation() -> None:
    t = Tensor(2).tile((1, -1))
    assert t[:].chain.ops == t[..., :].chain.ops == t[()].chain.ops == t.chain.ops


def test_slices_of_levels_below() -> None:
    t = Tensor(shape=(8, 6)).tile((2, -1))
    level = t.dtype
    assert isinstance(level, Tensor)
    t.dtype = level[:, ::-1]
    assert t.eval()[0, 0, 0].tolist() == [5, 4, 3, 2, 1, 0]
    assert t[1:3].eval().shape == (2, 1, 2, 6)
    level = t.dtype
    assert isinstance(level, Tensor)
    t.dtype = level[1, None]
    assert t.eval()[0, 0].tolist() == [[11, 10, 9, 8, 7, 6]]


def test_integers_of_numpy_are_indices() -> None:
    x = Tensor(shape=(5, 6))
    assert x[np.int64(-1), np.int32(1) :].eval().tolist() == x[-1, 1:].eval().tolist()
