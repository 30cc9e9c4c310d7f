"""Digests of other packages' sources, taken without importing them."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from ninetoothed import version
from ninetoothed.plugins import origins
from ninetoothed.plugins.origins import source_digest
from tests.support.outside import own_registry, write_package


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(version, "_watched", {})
    with own_registry(tmp_path):
        yield tmp_path


def digest(module: str) -> str:
    found = source_digest(module)
    assert found is not None
    return found


def test_all_of_the_package_counts(folder: Path) -> None:
    write_package(folder)
    first = digest("counting.passes")
    assert "counting" not in sys.modules
    assert digest("counting") == digest("counting.passes") == first
    helper = folder / "counting" / "helper.py"
    helper.write_text("FACTOR = 1\n", encoding="utf-8")
    second = digest("counting.passes")
    helper.write_text("FACTOR = 2\n", encoding="utf-8")
    assert len({first, second, digest("counting.passes")}) == 3
    (folder / "counting" / "notes.txt").write_text("no code", encoding="utf-8")
    (folder / "unrelated.py").write_text("", encoding="utf-8")
    helper.write_text("FACTOR = 1\n", encoding="utf-8")
    # The text counts, not when it was written.
    assert digest("counting.passes") == second


def test_a_copy_elsewhere_is_the_same(folder: Path) -> None:
    write_package(folder)
    first = digest("counting.passes")
    write_package(folder / "elsewhere")
    with own_registry(folder / "elsewhere"):
        assert digest("counting.passes") == first


def test_a_large_package_is_told_by_times(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(folder)
    monkeypatch.setattr(origins, "_MOST_BYTES", 10)
    first = digest("counting.passes")
    assert digest("counting.passes") == first
    write_package(folder)
    assert digest("counting.passes") != first


def test_a_module_of_no_package(folder: Path) -> None:
    (folder / "alone.py").write_text("A = 1\n", encoding="utf-8")
    first = digest("alone")
    (folder / "beside.py").write_text("", encoding="utf-8")
    assert digest("alone") == first
    (folder / "alone.py").write_text("A = 2\n", encoding="utf-8")
    assert digest("alone") != first


def test_packages_without_a_file_are_folders_of_packages(folder: Path) -> None:
    write_package(folder / "spread")
    first = digest("spread.counting.passes")
    (folder / "spread" / "beside.py").write_text("", encoding="utf-8")
    assert digest("spread.counting.passes") == first
    assert "spread" not in sys.modules


def test_a_script_and_a_file_loaded_by_its_path(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = folder / "script.py"
    script.write_text("", encoding="utf-8")
    main = types.ModuleType("__main__")
    main.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "script_main", main)
    assert digest("script_main") == digest("script")


def test_what_is_typed_has_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typed", types.ModuleType("typed"))
    assert source_digest("typed") is None
    assert source_digest("nowhere.at_all") is None


def test_files_that_change_afterwards_are_noticed(folder: Path) -> None:
    """What is compiled then is not kept: nobody knows which text it is of."""
    write_package(folder)
    digest("counting.passes")
    assert version.is_as_imported()
    (folder / "counting" / "passes.py").write_text("", encoding="utf-8")
    sys.modules["imported_since"] = types.ModuleType("imported_since")
    try:
        assert not version.is_as_imported()
    finally:
        del sys.modules["imported_since"]
