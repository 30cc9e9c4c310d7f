"""Entry points: found once, by name, and their mistakes told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from ninetoothed.errors import PluginError
from ninetoothed.plugins.entry_points import PASSES, entry_point, entry_points
from tests.support.outside import COUNT, own_registry, write_metadata, write_package


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with own_registry(tmp_path):
        yield tmp_path


def test_they_are_looked_up_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_metadata(folder, COUNT)
    lookups: list[str] = []
    original: Callable[..., Any] = metadata.entry_points

    def counted(**given: Any) -> Any:
        lookups.append(given["group"])
        return original(**given)

    monkeypatch.setattr(metadata, "entry_points", counted)
    found = entry_point(PASSES, "nt-count")
    assert found is not None
    assert str(found) == "counting.passes:CountPass of counting 1.2"
    assert entry_point(PASSES, "nt-other") is None
    assert list(entry_points(PASSES)) == ["nt-count"]
    assert lookups == [PASSES]


def test_loading_imports_its_module(folder: Path) -> None:
    write_metadata(folder, COUNT)
    write_package(folder)
    found = entry_point(PASSES, "nt-count")
    assert found is not None
    assert found.load().name == "nt-count"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("", "AttributeError: module 'counting.passes' has no attribute 'CountPass'"),
    ],
)
def test_what_cannot_be_imported(folder: Path, text: str, reason: str) -> None:
    write_metadata(folder, COUNT)
    write_package(folder, passes=text)
    found = entry_point(PASSES, "nt-count")
    assert found is not None
    with pytest.raises(PluginError) as caught:
        found.load()
    assert caught.value.message == (
        "'nt-count' in ninetoothed.passes is counting.passes:CountPass of counting 1.2, which "
        f"cannot be imported: {reason}"
    )


def test_two_distributions_with_one_name(folder: Path) -> None:
    write_metadata(folder, COUNT)
    write_metadata(folder, {PASSES: {"nt-count": "elsewhere:Pass"}}, "elsewhere", "0.1")
    with pytest.raises(PluginError) as caught:
        entry_point(PASSES, "nt-count")
    assert caught.value.message == (
        "'nt-count' in ninetoothed.passes has several meanings: counting.passes:CountPass of "
        "counting 1.2, elsewhere:Pass of elsewhere 0.1; uninstall all but one"
    )


def test_a_distribution_that_is_seen_twice_is_one(folder: Path) -> None:
    write_metadata(folder, COUNT)
    write_metadata(folder / "again", COUNT)
    with own_registry(folder / "again"):
        found = entry_point(PASSES, "nt-count")
    assert found is not None
