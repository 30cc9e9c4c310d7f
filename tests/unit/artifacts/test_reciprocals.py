"""Reciprocals: what a device computes with them is the quotient, of every number below 2**31."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninetoothed.artifacts.reciprocals import multiplier, shift

LARGEST = (1 << 31) - 1


def quotient(number: int, divisor: int) -> int:
    """As a device computes it, each step in 32 bits without a sign."""
    factor, bits = multiplier(divisor), shift(divisor)
    assert -LARGEST <= factor <= LARGEST
    assert 0 <= bits < 32
    total = (number * (factor % (1 << 32)) >> 32) + number
    assert total < 1 << 32
    return total >> bits


def near_power(bit: int, more: int) -> int:
    return max((1 << bit) + more, 0)


NUMBERS = st.one_of(
    st.integers(0, LARGEST),
    st.integers(0, 1000),
    st.integers(LARGEST - 1000, LARGEST),
    st.builds(near_power, st.integers(0, 30), st.integers(-3, 3)),
)


@given(NUMBERS, NUMBERS, st.integers(-2, 2))
def test_quotients(number: int, divisor: int, more: int) -> None:
    divisor = max(divisor, 1)
    assert quotient(number, divisor) == number // divisor
    # Where the quotient changes.
    near = min(max(number // divisor * divisor + more, 0), LARGEST)
    assert quotient(near, divisor) == near // divisor


@pytest.mark.parametrize("number", [0, 1, 12345, LARGEST])
def test_divisors_that_32_bits_do_not_hold(number: int) -> None:
    assert {quotient(number, divisor) for divisor in (1 << 31, (1 << 31) + 1, 1 << 40)} == {0}


def test_divisors_of_nothing() -> None:
    assert [quotient(7, divisor) for divisor in (0, -3)] == [7, 7]


def test_known_numbers() -> None:
    assert [(multiplier(divisor), shift(divisor)) for divisor in (1, 2, 3, 7, 64)] == [
        *((1, 0), (1, 1), (0x55555556, 2), (0x24924925, 3), (1, 6))
    ]
