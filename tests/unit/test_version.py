"""The package's files, and when they are looked at."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from ninetoothed import version


def test_files_are_looked_at_where_modules_were_imported_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = list(version.SOURCES)
    scans: list[int] = []

    def sources() -> list[tuple[str, int, int]]:
        scans.append(len(scans))
        return files

    monkeypatch.setattr(version, "sources", sources)
    monkeypatch.setattr(version, "_seen", None)
    assert [version.is_as_imported() for _ in range(3)] == [True] * 3
    assert len(scans) == 1
    # What is edited now does not change the code that runs, until more is imported.
    files = files[1:]
    assert version.is_as_imported()
    monkeypatch.setitem(sys.modules, "a_module_imported_later", ModuleType("later"))
    assert [version.is_as_imported() for _ in range(2)] == [False] * 2
    assert len(scans) == 3
    files = list(version.SOURCES)
    assert version.is_as_imported()
    # One instead of another is as many.
    del sys.modules["a_module_imported_later"]
    monkeypatch.setitem(sys.modules, "another_module_imported_later", ModuleType("later"))
    files = files[1:]
    assert not version.is_as_imported()
