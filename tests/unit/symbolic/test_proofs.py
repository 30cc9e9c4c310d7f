"""The lemmas that proofs about arrangements rest on, and what is not to be proved."""

from __future__ import annotations

import pytest

from ninetoothed.symbolic.expr import IndexExpr, binary, const, maximum, minimum, sym
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_less, always_nonnegative, normalize, normalizer

m, n, d, s, x, k, b, B, C = (sym(name) for name in ("m", "n", "d", "s", "x", "k", "b", "B", "C"))
ZERO = const(0)


def ceildiv(left: IndexExpr, right: IndexExpr | int) -> IndexExpr:
    """``left / right`` rounded up."""
    return binary("ceildiv", left, right)


def below(size: IndexExpr) -> Range:
    """From 0 to ``size``, exclusive."""
    return Range(ZERO, size - 1)


SIZES = {
    **{name: Range.of(0) for name in ("m", "n", "s", "x")},
    **{name: Range.of(1) for name in ("d", "B", "C")},
    "b": below(B),
}

Facts = list[IndexExpr]
LEMMAS: dict[str, tuple[IndexExpr, Facts, dict[str, Range]]] = {
    "a quotient is below what its dividend is": (s - x // d - 1, [s * d - 1 - x], {}),
    "and at least what its dividend is": (x // d - s, [x - s * d], {}),
    "blocks hold everything": (ceildiv(n, B) * B - n, [], {}),
    "and not a block too much": (n + B - 1 - ceildiv(n, B) * B, [], {}),
    "the block of an element exists": (ceildiv(n, B) - 1 - x // B, [], {"x": below(n)}),
    "a sum of quotients is no larger": (
        ceildiv(n, B) + ceildiv(m, B) - ceildiv(n + m, B),
        [],
        {},
    ),
    "an element in two dims": (
        m * n - 1 - (x * n + k),
        [],
        {"x": below(m), "k": below(n)},
    ),
    "in three": (
        m * n * s - 1 - ((x * n + k) * s + b),
        [],
        {"x": below(m), "k": below(n), "b": below(s)},
    ),
    "the first of two parts": (m - 1 - x // n, [m * n - 1 - x], {"n": Range.of(1)}),
    "the second": (n - 1 - x % n, [], {"n": Range.of(1)}),
    "an iteration is not negative where its elements are not": (k, [B * k + b], {"k": Range()}),
    "nor where its block's first is not": (k, [B * k], {"k": Range()}),
    "nor for lanes that are not negative": (
        k,
        [s * k + x],
        {"k": Range(), "x": below(s)},
    ),
    "an iteration exists where one of its elements does": (
        ceildiv(n, B) - 1 - k,
        [n - 1 - (B * k + b), B * k + b],
        {"k": Range()},
    ),
    "a rest": (x % d - minimum(x, 0), [], {}),
    "a rest is no larger than the whole": (x - x % d, [], {}),
    "the smaller of two": (n - minimum(n, m), [], {}),
    "the larger": (maximum(n, m) - m, [], {}),
    "a window that fits": (
        n - 1 - (x * s + b),
        [],
        {"x": below((n - B) // s + 1), "s": Range.of(1), "n": Range.of(0)},
    ),
    "a fact but for its number": (n, [n - 1], {"n": Range()}),
    "two facts": (n - x, [n - m, m - x], {"n": Range(), "m": Range(), "x": Range()}),
}


@pytest.mark.parametrize("name", LEMMAS)
def test_lemma(name: str) -> None:
    claim, facts, ranges = LEMMAS[name]
    assert always_nonnegative(claim, {**SIZES, **ranges}, facts)
    # Each is tight: one less is not true, and not proved.
    assert not always_nonnegative(claim - n - m - 2, {**SIZES, **ranges}, facts)


WRONG: dict[str, tuple[IndexExpr, Facts, dict[str, Range]]] = {
    "a fact with a negative factor": (k, [-k - 2], {"k": Range()}),
    "a fact with a factor of no sign": (k, [x * k + b], {"k": Range(), "x": Range()}),
    "lanes that reach further than a block": (
        k,
        [B * k + x],
        {"k": Range(), "x": below(2 * B)},
    ),
    "a product of no sign": (k * x, [], {"k": Range(), "x": Range()}),
    "a square": (k * x - 1, [], {"k": Range(), "x": Range()}),
    "a rest that may be all": (x % d - x, [], {}),
    "a cut block": (n - 1 - (B * k + b), [], {"k": below(ceildiv(n, B))}),
    "the smaller": (minimum(n, m) - n, [], {}),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_claim(name: str) -> None:
    claim, facts, ranges = WRONG[name]
    assert not always_nonnegative(claim, {**SIZES, **ranges}, facts)


def test_less() -> None:
    assert always_less(b, B, SIZES)
    assert not always_less(B, b, SIZES)
    assert not always_less(b, B - 1, SIZES)
    assert always_less(2, 3, {})
    assert not always_less(3, 3, {})


NORMAL: dict[str, tuple[IndexExpr, IndexExpr, dict[str, Range]]] = {
    "a whole from its parts": (d * (x // d) + x % d, x, {}),
    "from three": (
        (x // (m * n)) * m * n + (x // n % m) * n + x % n,
        x,
        {"m": Range.of(1), "n": Range.of(1)},
    ),
    "the first part": ((k * n + x) // n, k, {"x": below(n)}),
    "the second": ((k * n + x) % n, x, {"x": below(n)}),
    "the middle of three": (
        ((k * m + s) * n + x) // n % m,
        s,
        {"s": below(m), "x": below(n), "k": Range.of(0)},
    ),
    "steps along a diagonal": ((B * k * (n + 1) + b * (n + 1)) // (n + 1), B * k + b, {}),
    "a lane's own block": ((B * k + b) // B, k, {}),
    "a lane in its block": ((B * k + b) % B, b, {}),
    "a block of blocks": ((B * (C * k + x) + b) // (B * C), k, {"x": below(C)}),
}


@pytest.mark.parametrize("name", NORMAL)
def test_normal_form(name: str) -> None:
    given, expected, ranges = NORMAL[name]
    found = normalizer({**SIZES, **ranges})(given)
    assert normalize(found - expected).value == 0
