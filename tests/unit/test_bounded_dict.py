"""Dicts of bounded size."""

from __future__ import annotations

import pytest

from ninetoothed.bounded_dict import BoundedDict


def test_one_entry_more_empties_it() -> None:
    found = BoundedDict[str, int](2)
    found["a"] = 1
    found["b"] = 2
    assert found == {"a": 1, "b": 2}
    found["c"] = 3
    assert found == {"c": 3}
    assert found.get("a") is None


def test_what_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError):
        BoundedDict[str, int](2)["a"]
