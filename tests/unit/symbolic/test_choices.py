"""Expressions compared for all values of the symbols that the compiler chooses."""

from __future__ import annotations

import pytest

from ninetoothed.symbolic.choices import (
    MOST_COMBINATIONS,
    choices_between,
    compared,
    powers_between,
)
from ninetoothed.symbolic.expr import IndexExpr, const, sym
from ninetoothed.symbolic.normal_form import equal

B, C, N = sym("B"), sym("C"), sym("n")
CHOICES = {"B": (32, 64, 128), "C": (32, 64)}


def test_powers_of_two_or_the_lower_bound() -> None:
    assert powers_between(32, 256) == [32, 64, 128, 256]
    assert powers_between(33, 63) == []
    assert choices_between(33, 63) == [33]
    assert choices_between(5, None) == [5]
    assert choices_between(None, 4) == [1, 2, 4]


@pytest.mark.parametrize(
    ("left", "right"),
    [(B // 2 * 2, B), (B * C // 64, C // 2 * (B // 32)), (B % 2 + N, N), (B // 32 * 32 + N, N + B)],
)
def test_equal_for_all_choices_and_not_by_the_prover(left: IndexExpr, right: IndexExpr) -> None:
    assert not equal(left, right)
    assert compared(left, right, CHOICES).are_equal


def test_choices_for_which_they_differ() -> None:
    assert compared(B, C, CHOICES).differ == {"B": 32, "C": 64}
    assert compared(B, const(64), CHOICES).differ == {"B": 32}
    assert compared(B + N, C + N, CHOICES).differ == {"B": 32, "C": 64}
    # Equal for all choices but the last.
    assert compared(B // 128, const(0), CHOICES).differ == {"B": 128}


def test_a_division_by_zero_is_no_value() -> None:
    assert compared(B // (B - 64), B // (B - 64) + B % 32 + C % 32 + 1, CHOICES).differ == {
        "B": 32,
        "C": 32,
    }
    assert compared(B // (B - 32), B, CHOICES).differ == {"B": 32}


def test_other_symbols_decide() -> None:
    found = compared(B, N, CHOICES)
    assert not found.are_equal
    assert found.differ is None


def test_too_many_choices() -> None:
    even = range(2, 2 * MOST_COMBINATIONS + 1, 2)
    assert compared(B // 2 * 2, B, {"B": even}).are_equal
    found = compared(B // 2 * 2, B, {"B": range(2, 2 * MOST_COMBINATIONS + 3, 2)})
    assert not found.are_equal
    assert found.differ is None
