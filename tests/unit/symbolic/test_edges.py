"""Bounds, normal forms and proofs at their edges, against all values of the symbols."""

from __future__ import annotations

from itertools import product

import pytest

from ninetoothed.symbolic.expr import IndexExpr, SymbolInfo, binary, const, substitute, sym, symbols
from ninetoothed.symbolic.intervals import Range, bounds, declared_range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize

x, y, d = (sym(name) for name in ("x", "y", "d"))


def ceildiv(left: IndexExpr, right: IndexExpr | int) -> IndexExpr:
    """``left / right`` rounded up."""
    return binary("ceildiv", left, right)


@pytest.mark.parametrize(
    ("expr", "ranges", "expected"),
    [
        (x % d, {"x": (0, 100), "d": (1, 8)}, (0, 7)),
        (x % d, {"x": (0, 5), "d": (1, 8)}, (0, 5)),
        (x * y, {"x": (0, 0), "y": (0, None)}, (0, 0)),
        (x // d, {"x": (-10, 0), "d": (2, 5)}, (-5, 0)),
        (x // d, {"x": (-10, -1), "d": (1, None)}, (-10, -1)),
        (ceildiv(x, d), {"x": (-10, -1), "d": (1, None)}, (-10, 0)),
        (ceildiv(x, d), {"x": (0, 5), "d": (1, None)}, (0, 5)),
        (ceildiv(x, d), {"x": (1, 5), "d": (1, None)}, (1, 5)),
    ],
)
def test_bounds(
    expr: IndexExpr,
    ranges: dict[str, tuple[int | None, int | None]],
    expected: tuple[int | None, int | None],
) -> None:
    found = {
        name: Range(
            None if low is None else const(low),
            None if high is None else const(high),
        )
        for name, (low, high) in ranges.items()
    }
    assert bounds(expr, found) == expected


def test_a_stride_has_no_range() -> None:
    """It may be negative, whatever is declared of it."""
    assert declared_range(SymbolInfo("stride", 0, 9)) == Range()
    assert declared_range(SymbolInfo("size", 0, 9)) == Range.of(0, 9)


@pytest.mark.parametrize(
    "expr",
    [
        x % -4,
        (x + 7) % -4,
        (4 * x + 7) % 8,
        (6 * x - 5) % 9,
        (6 * x + 3 * y + 8) % 9,
        ceildiv(x, 3) // 4,
        (ceildiv(x, 3) + 1) // 4,
        ceildiv(ceildiv(x, 3) - 2, 4),
        (x // 3 + 5) // 4,
        (3 * x + 3 * y) // (2 * x + 2 * y + 50),
        (4 * x + 4 * y + 100) // (2 * x + 2 * y + 50),
    ],
    ids=str,
)
def test_normal_form_has_the_values(expr: IndexExpr) -> None:
    normal = normalize(expr)
    names = [symbol.args[0] for symbol in symbols(expr)]
    for values in product(range(-12, 13), repeat=len(names)):
        given = dict(zip(names, values, strict=True))
        assert substitute(normal, given).value == substitute(expr, given).value, given


@pytest.mark.parametrize(
    ("expr", "facts", "ranges"),
    [
        # From d*x + r >= 0 follows x >= 0 where r < d; where r = d, only x >= -1.
        (x, [d * x + d], {"d": Range.of(1)}),
        # x*(y - 1), where x may be negative.
        (x * y - x, [y - 1], {}),
        # At y = 1 and x = 0 it is -1: the factor of x is not at most 0.
        (y * x - 10 * y + 9, [], {"x": Range.of(0, 10), "y": Range.of(-5, 1)}),
    ],
    ids=str,
)
def test_not_proved(expr: IndexExpr, facts: list[IndexExpr], ranges: dict[str, Range]) -> None:
    assert not always_nonnegative(expr, ranges, facts)


def test_next_to_it_is_proved() -> None:
    assert always_nonnegative(x, {"d": Range.of(1)}, [d * x + d - 1])
    assert always_nonnegative(x * y - x, {"x": Range.of(0)}, [y - 1])
