"""Extremes of indices over boxes, beside all values in them."""

from __future__ import annotations

import itertools

import pytest

from ninetoothed.symbolic.expr import (
    IndexExpr,
    binary,
    const,
    evaluate,
    maximum,
    minimum,
    sym,
)
from ninetoothed.symbolic.extremes import largest, remainder, smallest, without_rounding
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import normalize

N, M, G, B = map(sym, "nmgb")
BLOCKS = binary("ceildiv", N, 8)
SIZES = {"n": Range.of(0), "m": Range.of(0)}
VARIABLES = {"g": Range(const(0), BLOCKS - 1), "b": Range.of(0, 7)}


@pytest.mark.parametrize(
    "index",
    [
        G * 8 + B,
        N - 1 - G * 8 - B,
        (G * 8 + B) // 3 * 2 + 1,
        (G * 8 + B) * M + B,
        G * B,
        binary("ceildiv", B - 5, const(2)),
        minimum(G * 8, N) + B,
        maximum(B - 3, N) - G,
        (B * 3) // M,
    ],
    ids=str,
)
@pytest.mark.parametrize("sizes", [(1, 1), (16, 3), (29, 5)])
def test_extremes_are_attained(index: IndexExpr, sizes: tuple[int, int]) -> None:
    high, low = (find(index, VARIABLES, SIZES) for find in (largest, smallest))
    assert high is not None
    assert low is not None
    n, m = sizes
    values = [
        evaluate(index, {"n": n, "m": m, "g": g, "b": b})
        for g, b in itertools.product(range(-(-n // 8)), range(8))
    ]
    assert evaluate(high, {"n": n, "m": m}) == max(values)
    assert evaluate(low, {"n": n, "m": m}) == min(values)


def test_one_side_bounds_a_minimum_and_a_maximum() -> None:
    unbounded = {**VARIABLES, "u": Range()}
    low, high = maximum(sym("u"), N) + B, minimum(sym("u"), N) + B
    assert smallest(low, unbounded, SIZES) == N
    assert largest(high, unbounded, SIZES) == normalize(N + 7)
    assert largest(low, unbounded, SIZES) is None
    assert smallest(high, unbounded, SIZES) is None


def test_a_remainder_is_below_its_divisor() -> None:
    index = (G * 8 + B) % M * 2 - B
    assert largest(index, VARIABLES, SIZES) == normalize(M * 2 - 2)
    assert smallest(index, VARIABLES, SIZES) == const(-7)


@pytest.mark.parametrize(
    "index",
    [
        # Down in one place, up in another.
        (G * 8 + B) // 3 - B,
        # The sign of a coefficient is not known.
        (M - N) * B,
        # A factor that may be negative.
        (G - 3) * B,
        B // G,
        B // (M - 3),
        binary("lt", B, N),
    ],
    ids=str,
)
def test_what_is_not_monotone_has_no_extremes(index: IndexExpr) -> None:
    assert largest(index, VARIABLES, SIZES) is None


def test_a_bound_that_matters_is_missing() -> None:
    assert largest(B, {"b": Range.of(0)}, SIZES) is None
    assert smallest(B, {"b": Range.of(0)}, SIZES) == const(0)


def test_what_depends_on_no_variable_is_its_own_extreme() -> None:
    assert largest(N % M - 1, VARIABLES, SIZES) == normalize(N % M - 1)


def test_without_rounding() -> None:
    assert without_rounding(BLOCKS * 8 - N) == const(0)
    assert without_rounding(binary("ceildiv", N, M) * M + 1) == normalize(N + 1)
    assert without_rounding(BLOCKS * 4 - N) is None


def test_remainders() -> None:
    assert remainder(normalize(BLOCKS * 8 - N)) == N % 8
    assert remainder(normalize(binary("ceildiv", N, M) * M - N)) == N % M
    other = normalize(BLOCKS * 8 - M)
    assert remainder(other) == other
    assert remainder(normalize(8 - N)) == normalize(8 - N)
