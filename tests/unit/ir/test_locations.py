"""Locations in the IR: nothing of a place is lost, and Triton is told what it knows."""

from __future__ import annotations

import sys

import pytest
from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, UnknownLoc

from ninetoothed.errors import Loc
from ninetoothed.ir.locations import loc_of, location, plain

_CALLER = Loc("kernel.py", 9, 13, 20, "application")
_PLACES = [
    Loc("kernel.py", 3),
    Loc("kernel.py", 3, 4, 10),
    Loc("kernel.py", 3, 4, None, "application"),
    Loc("kernel.py", 3, 4, sys.maxsize, "application"),
    Loc("kernel.py", 3, 4, 10, "inner", _CALLER),
    Loc("kernel.py", 3, 4, 10, "inner", Loc("kernel.py", 5, 0, 1, "outer", _CALLER)),
]


@pytest.mark.parametrize("loc", _PLACES)
def test_nothing_is_lost(loc: Loc) -> None:
    assert loc_of(location(loc)) == loc


def test_no_place() -> None:
    assert isinstance(location(None), UnknownLoc)
    assert loc_of(location(None)) is None


@pytest.mark.parametrize("loc", _PLACES)
def test_triton_is_told_of_lines_and_columns(loc: Loc) -> None:
    found = plain(location(loc))
    while isinstance(found, CallSiteLoc):
        assert isinstance(found.callee, FileLineColLoc)
        found = found.caller
    assert isinstance(found, FileLineColLoc)
    assert isinstance(plain(location(None)), UnknownLoc)


def test_columns_count_from_1() -> None:
    assert str(plain(location(_PLACES[1]))) == 'loc("kernel.py":3:5)'
