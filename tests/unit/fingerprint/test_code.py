"""Digests of code without a text: each part of the code counts."""

from __future__ import annotations

import pytest

from ninetoothed.fingerprint import digest
from ninetoothed.fingerprint.digest import examine


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lambda x: x + 1", "lambda x: x - 1"),
        ("lambda x: x.a", "lambda x: x.b"),
        ("lambda x: 1.5", "lambda x: 2.5"),
        ("lambda x, *, y: x", "lambda x, y: x  "),
        ("lambda x: (lambda: x + 1)", "lambda x: (lambda: x - 1)"),
    ],
)
def test_code_without_a_file_counts_in_all_its_parts(one: str, other: str) -> None:
    found = examine(eval(one)).digest
    assert found is not None
    assert found == examine(eval(one)).digest != examine(eval(other)).digest


def test_the_version_of_the_package_is_part_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    found = examine(eval("lambda x: x"))
    before = found.key("a")
    monkeypatch.setattr(digest, "stamp", lambda: "another")
    assert found.key("a") != before
