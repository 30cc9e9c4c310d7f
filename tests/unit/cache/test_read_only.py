"""The second cache folder is read where the first one has nothing, and stays as it is."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ninetoothed.__main__ import main
from ninetoothed.artifacts.artifact import Binary
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.cache import artifact_store, read_only
from tests.support import artifacts

pytestmark = pytest.mark.filterwarnings("error")

# How an entry of each room is written and read, and two.
ROOMS: dict[str, tuple[Callable[[str, Any], None], Callable[[str], Any], Any, Any]] = {
    "artifacts": (
        artifact_store.store,
        artifact_store.load,
        artifacts.add(),
        artifacts.add(512),
    ),
    "binaries": (
        artifact_store.store_binary,
        artifact_store.load_binary,
        Binary(b"1", "add", 0, 128),
        Binary(b"2", "add", 0, 128),
    ),
    "spaces": (
        artifact_store.store_space,
        artifact_store.load_space,
        Space((Config(()),), ""),
        Space((Config((("BLOCK_SIZE_M", 64),), 8, 4),), ""),
    ),
    "kernels": (artifact_store.store_entry, artifact_store.load_entry, "{}", "[]"),
    "tuning": (
        lambda key, text: artifact_store.store_result(key, "member", text),
        lambda key: artifact_store.load_result(key, "member"),
        "[1]",
        "[2]",
    ),
}


@pytest.fixture(autouse=True)
def behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NINETOOTHED_CACHE_READ_ONLY_DIR", str(tmp_path / "behind"))
    monkeypatch.setattr(artifact_store, "_memory", {})
    monkeypatch.setattr(artifact_store, "_warned", False)
    monkeypatch.setattr(read_only, "_checked", {})
    return tmp_path / "behind"


def fill(behind: Path, monkeypatch: pytest.MonkeyPatch, *rooms: str, key: str = "key") -> None:
    """Entries of the second folder, as another process writes them."""
    with monkeypatch.context() as patch:
        patch.setenv("NINETOOTHED_CACHE_DIR", str(behind))
        patch.delenv("NINETOOTHED_CACHE_READ_ONLY_DIR")
        for room in rooms or ROOMS:
            store, _, entry, _ = ROOMS[room]
            store(key, entry)


def state(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Names, sizes, inodes and times of all below a folder."""
    rows = [(path, path.stat()) for path in [folder, *folder.rglob("*")]]
    return {str(path): (found.st_size, found.st_ino, found.st_mtime_ns) for path, found in rows}


@pytest.mark.parametrize("room", ROOMS)
def test_behind_the_first(
    room: str, behind: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, load, entry, other = ROOMS[room]
    fill(behind, monkeypatch, room)
    before = state(behind)
    assert load("key") == entry
    assert load("another key") is None
    # Nothing is copied.
    assert not (tmp_path / "cache").exists()
    store("key", other)
    assert load("key") == other
    assert [path.parent.name for path in (tmp_path / "cache").rglob("*.json")] == [room]
    assert state(behind) == before


def test_uses_are_not_noted_there(behind: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(behind, monkeypatch)
    for path in behind.rglob("*.json"):
        os.utime(path, (0, 0))
    for _, load, entry, _ in ROOMS.values():
        assert load("key") == entry
    assert {path.stat().st_mtime for path in behind.rglob("*.json")} == {0}


def test_it_is_not_evicted(behind: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(behind, monkeypatch)
    before = state(behind)
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "4096")
    for step in range(30):
        artifact_store.store(str(step), artifacts.add())
    assert main(["cache", "clear"]) == 0
    assert state(behind) == before
    assert artifact_store.load("key") == artifacts.add()


def test_what_is_kept_in_memory_comes_first(
    tmp_path: Path, behind: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(behind, monkeypatch)
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert artifact_store.load("key") == artifacts.add()
    with pytest.warns(RuntimeWarning, match="are not kept on disk"):
        artifact_store.store("key", artifacts.add(512))
    assert artifact_store.load("key") == artifacts.add(512)


def test_tuning_results_of_both(behind: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(behind, monkeypatch, "tuning")
    artifact_store.store_result("key", "member", "[2]")
    artifact_store.store_result("key", "another", "[3]")
    fill(behind, monkeypatch, "tuning", key="other")
    names = artifact_store.result_names("key")
    assert sorted(map(str, map(artifact_store.named_result, names))) == ["[2]", "[3]"]
    assert len(artifact_store.result_names()) == 3
    (name,) = artifact_store.result_names("other")
    assert artifact_store.named_result(name) == "[1]"


@pytest.mark.parametrize("text", [b"", b"{", b"[" * 100_000, b"\xff\xfe\x00", b'{"format": 1}'])
def test_broken_entries_are_misses(
    text: bytes, behind: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(behind, monkeypatch)
    for path in behind.rglob("*.json"):
        path.write_bytes(text)
    for store, load, entry, _ in ROOMS.values():
        assert load("key") is None
        store("key", entry)
        assert load("key") == entry


def test_none_is_named(behind: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(behind, monkeypatch)
    monkeypatch.setenv("NINETOOTHED_CACHE_READ_ONLY_DIR", " ")
    assert artifact_store.load("key") is None


def test_one_that_comes_later_is_read(behind: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(RuntimeWarning, match="no kernels are taken from a second cache folder"):
        assert artifact_store.load("key") is None
    fill(behind, monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert artifact_store.load("key") == artifacts.add()


def test_info(
    behind: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cache", "info"]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith(f"read-only   not used: {behind} cannot be read ")
    fill(behind, monkeypatch, "kernels")
    (entry,) = behind.rglob("*.json")
    expected = f"read-only   {behind}: 1 entry, {entry.stat().st_size} bytes"
    assert main(["cache", "info"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == expected
    artifact_store.store_entry("key", "{}")
    assert main(["cache", "info"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == expected
