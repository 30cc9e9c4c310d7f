"""Warnings: collected by the innermost collector, issued once a kernel, at the user's line."""

from __future__ import annotations

import warnings

import pytest

from ninetoothed.errors import (
    BoundsWarning,
    DtypeWarning,
    Loc,
    NineToothedWarning,
    collect_warnings,
    warn,
)
from ninetoothed.kernel.issued_warnings import IssuedWarnings

PLACE = Loc(__file__, 1, 3, 11)


def issued(*found: NineToothedWarning, by: IssuedWarnings) -> list[NineToothedWarning]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        by.issue(found)
    return [one.message for one in caught if isinstance(one.message, NineToothedWarning)]


def test_each_is_issued_once_a_kernel() -> None:
    one, other = BoundsWarning("text", PLACE), DtypeWarning("text", PLACE)
    kernel = IssuedWarnings()
    assert issued(one, BoundsWarning("text", PLACE), other, by=kernel) == [one, other]
    assert issued(other, one, BoundsWarning("text"), by=kernel) == [BoundsWarning("text")]
    assert issued(one, by=IssuedWarnings()) == [one]


def test_the_innermost_collector_takes_it() -> None:
    with collect_warnings() as outer:
        warn(BoundsWarning("before"))
        with collect_warnings() as inner:
            warn(BoundsWarning("inside"))
        warn(BoundsWarning("after"))
    assert inner == [BoundsWarning("inside")]
    assert outer == [BoundsWarning("before"), BoundsWarning("after")]


def test_what_is_not_collected_is_issued() -> None:
    with pytest.warns(BoundsWarning, match="text") as caught:
        warn(BoundsWarning("text", PLACE))
    line = test_what_is_not_collected_is_issued.__code__.co_firstlineno + 2
    assert (caught[0].filename, caught[0].lineno) == (__file__, line)
    assert str(caught[0].message) == (
        "text\n"
        f'  File "{__file__}", line 1, column 4\n'
        '    """Warnings: collected by the innermost collector, issued once a kernel, at the '
        'user\'s line."""\n'
        "       ^^^^^^^^"
    )


def test_a_block_that_fails_issues_nothing() -> None:
    def fail() -> None:
        with IssuedWarnings().collecting():
            warn(BoundsWarning("text"))
            raise ValueError("no")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="no"):
            fail()
