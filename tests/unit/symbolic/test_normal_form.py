"""Normal forms that types and accesses rely on, bounds, and proofs."""

from __future__ import annotations

import pytest

from ninetoothed.symbolic.expr import IndexExpr, binary, const, ir_text, minimum, sym
from ninetoothed.symbolic.intervals import Range, bounds
from ninetoothed.symbolic.normal_form import always_less, always_nonnegative, equal, normalize


def ceildiv(left: IndexExpr, right: IndexExpr | int) -> IndexExpr:
    """``left / right`` rounded up."""
    return binary("ceildiv", left, right)


n, m, B, S, i, j = (sym(name) for name in ("n", "m", "B", "S", "i", "j"))
SIZES = {"n": Range.of(0), "m": Range.of(0), "B": Range.of(1), "S": Range.of(1)}

NORMAL: list[tuple[IndexExpr, str]] = [
    # The shape that tile prints.
    ((n - (B - 1) - 1 + B - 1) // B + 1, "n ceildiv B"),
    ((n - (const(4) - 1) - 1 + 4 - 1) // 4 + 1, "n ceildiv 4"),
    ((B * i + j) // B, "i + j floordiv B"),
    ((B * i + j) % B, "j mod B"),
    (B * (i // B) + i % B, "i"),
    (m * (i // m % n) + i % m, "i mod (m * n)"),
    (S * m * (i // m % n) + S * (i % m), "S * (i mod (m * n))"),
    (8 * (i // 8 % 4) + i % 8, "i mod 32"),
    (m * (i // m % n) + i % B, "i floordiv m mod n * m + i mod B"),
    ((i * 5) % 3, "i * 2 mod 3"),
    (3 * ((i * 5 + j) // 3) + (i * 5 + j) % 3, "i * 5 + j"),
    (m * 3 * ((j - i) // 3) + m * ((j - i) % 3), "j * m - i * m"),
    (8 * ceildiv(i * 11, 8) + (i * 11 - 1) % 8, "i * 11 + 7"),
    ((n // 4) // B, "n floordiv (B * 4)"),
    ((6 * i + 3) // 4, "i * 3 ceildiv 2"),
    ((6 * i + 4) // 4, "i * 3 floordiv 2 + 1"),
    (n * m - m * n, "0"),
    ((n + 1) * (n - 1) - n * n, "-1"),
    (n // -2, "-n floordiv 2"),
    (minimum(n, n + 1), "n"),
    (binary("lt", n, n + 1), "1"),
    (ceildiv(n * B, B), "n"),
]


@pytest.mark.parametrize(("expr", "text"), NORMAL, ids=[str(row[0]) for row in NORMAL])
def test_normal_form(expr: IndexExpr, text: str) -> None:
    assert ir_text(normalize(expr)) == text


def test_assumptions_decide_divisions() -> None:
    inside = {"j": Range(const(0), B - 1), **SIZES}
    assert normalize((B * i + j) // B, inside) == i
    assert normalize((B * i + j) % B, inside) == j
    assert normalize((B * i + j) // B) != i


def test_equal_sizes() -> None:
    assert equal((n + B - 1) // B, ceildiv(n, B))
    assert not equal(n, m)


BOUNDS: list[tuple[IndexExpr, tuple[int | None, int | None]]] = [
    (n, (2, 9)),
    (-n, (-9, -2)),
    (n - m, (2, None)),
    (n * -3, (-27, -6)),
    (n // 4, (0, 2)),
    (ceildiv(n, 4), (1, 3)),
    (m % n, (0, 8)),
    (i * i, (None, None)),
    (minimum(n, i), (None, 9)),
    (binary("lt", n, 10), (1, 1)),
    (binary("le", n, 1), (0, 0)),
    (binary("gt", n, 1), (1, 1)),
    (binary("ge", n, 10), (0, 0)),
    (binary("eq", n, 10), (0, 0)),
    (binary("ne", n, m), (1, 1)),
    (binary("lt", n, 5), (0, 1)),
    (binary("and", n, binary("lt", m, 1)), (1, 1)),
    (binary("and", i, binary("gt", m, 0)), (0, 0)),
    (binary("and", n, i), (0, 1)),
    # What divides by 0 is of an empty tensor, and never evaluated.
    (n // sym("zero"), (None, None)),
    (n % sym("zero"), (None, None)),
]


@pytest.mark.parametrize(("expr", "interval"), BOUNDS, ids=[str(row[0]) for row in BOUNDS])
def test_bounds(expr: IndexExpr, interval: tuple[int | None, int | None]) -> None:
    assumptions = {"n": Range.of(2, 9), "m": Range.of(None, 0), "zero": Range.of(0, 0)}
    assert bounds(expr, assumptions) == interval


def test_proofs() -> None:
    inside = {"i": Range(const(0), ceildiv(n, B) - 1), "j": Range(const(0), B - 1), **SIZES}
    assert always_less(j, B, inside)
    assert always_nonnegative(i * B + j, inside)
    assert always_nonnegative(n - 1 - i, {"i": Range(const(0), n - 1)})
    # The last block is cut off.
    assert not always_less(i * B + j, n, inside)
    assert not always_nonnegative(n - m, inside)


def test_nothing_is_known_of_a_quotient_by_zero() -> None:
    """As of one by the size of an empty tensor, which is zero only when it is worked out."""
    quotient = IndexExpr("floordiv", i, IndexExpr("sub", n, n))
    ranges = {"i": Range.of(0, 7), "j": Range.of(0, None), **SIZES}
    for expr in (quotient, quotient * j + 1, quotient * 2 + j, const(5) - quotient * 3):
        assert not always_nonnegative(expr, ranges)
