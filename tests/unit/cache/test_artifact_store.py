"""Entries survive on disk; whatever is broken there counts as absent."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.cache import artifact_store, atomic
from tests.support import artifacts
from tests.support.imports import modules

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(artifact_store, "_memory", {})
    monkeypatch.setattr(artifact_store, "_warned", False)
    return tmp_path / "cache"


BINARY = Binary(bytes(range(256)) * 40, "add", 1024, 128, 64, 16)
SPACE = Space((Config((("BLOCK_SIZE_M", 64),), 8, 4), Config(())), "def cost(x): ...")

# How an entry of each room is written and read, and one.
ROOMS: dict[str, tuple[Callable[[str, Any], None], Callable[[str], Any], Any]] = {
    "artifacts": (artifact_store.store, artifact_store.load, artifacts.add()),
    "binaries": (artifact_store.store_binary, artifact_store.load_binary, BINARY),
    "spaces": (artifact_store.store_space, artifact_store.load_space, SPACE),
    "kernels": (artifact_store.store_entry, artifact_store.load_entry, '{"a": "\u2713\n"}'),
    "tuning": (
        lambda key, text: artifact_store.store_result(key, "member", text),
        lambda key: artifact_store.load_result(key, "member"),
        "[1]",
    ),
}


@pytest.mark.parametrize("room", ROOMS)
def test_rooms(room: str, cache_dir: Path) -> None:
    store, load, entry = ROOMS[room]
    assert load("key") is None
    store("key", entry)
    assert load("key") == entry
    assert load("another key") is None
    others = [other for other in ROOMS if other != room]
    assert [ROOMS[other][1]("key") for other in others] == [None] * len(others)
    assert [path.parent.name for path in cache_dir.rglob("*.json")] == [room]


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_works_from_memory(room: str, cache_dir: Path) -> None:
    store, load, entry = ROOMS[room]
    cache_dir.write_text("a file where the folder should be")
    with pytest.warns(RuntimeWarning, match="set NINETOOTHED_CACHE_DIR") as record:
        store("key", entry)
    assert len(record) == 1
    assert str(cache_dir) in str(record[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store("key 2", entry)
    assert load("key") == load("key 2") == entry
    assert load("key 3") is None


@pytest.mark.parametrize("room", ROOMS)
def test_broken_entries_of_every_room_are_misses(room: str, cache_dir: Path) -> None:
    store, load, entry = ROOMS[room]
    store("key", entry)
    (path,) = cache_dir.rglob("*.json")
    whole = path.read_text()
    fields: dict[str, Any] = json.loads(whole)
    changes = {"format": 0, "key": "other", "digest": "0" * 64, "content": 3}
    foreign = [{**fields, field: value} for field, value in changes.items()]
    foreign.append({**fields, "content": "{} "})
    texts = ["{", "[]", "1", "null", '{"format": 1}', "[" * 100_000, *map(json.dumps, foreign)]
    texts += [whole[:length] for length in range(0, len(whole), 97)] + [whole[:-1]]
    for content in [*map(str.encode, texts), b"\x00", b"\xff\xfe\x00"]:
        path.write_bytes(content)
        assert load("key") is None
    store("key", entry)
    assert path.read_text() == whole
    assert load("key") == entry


def test_one_file_an_entry_and_no_leftovers(cache_dir: Path) -> None:
    for block in (128, 256):
        artifact_store.store(f"key/../{block}", artifacts.add(block))
    artifact_store.store_entry("key", "{}")
    files = [path for path in cache_dir.rglob("*/*") if path.is_file()]
    assert [path.suffix for path in files] == [".json"] * 3
    assert {path.parent.name for path in files} == {"artifacts", "kernels"}


def test_content_of_another_version_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    def to_json(_: Artifact) -> str:
        return '{"name": "add", "new": 1}'

    monkeypatch.setattr(Artifact, "to_json", to_json)
    artifact_store.store("key", artifacts.add())
    assert artifact_store.load("key") is None


@pytest.mark.parametrize("name", ["create", "fdopen", "write", "replace", "mkdir"])
def test_disk_that_is_full_at_any_step(
    cache_dir: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    class FullFile:
        write = full

        def __init__(self, *_: object, **__: object) -> None: ...

        def __enter__(self) -> FullFile:
            return self

        def __exit__(self, *_: object) -> None: ...

    if name == "create":
        monkeypatch.setattr(atomic, "create_file", full)
    elif name == "mkdir":
        monkeypatch.setattr(os, "mkdir", full)
    elif name == "replace":
        monkeypatch.setattr(os, "replace", full)
    else:
        monkeypatch.setattr(os, "fdopen", FullFile if name == "write" else full)
    with pytest.warns(RuntimeWarning, match="No space left on device") as record:
        artifact_store.store("key", artifacts.add())
    assert len(record) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        artifact_store.store("key 2", artifacts.add())
    with pytest.raises(OSError, match="No space left on device"):
        artifact_store.keep_source(f"add_{'0' * 32}.py", "text")
    assert artifact_store.load("key") == artifacts.add()
    assert artifact_store.load("key 2") == artifacts.add()
    assert not [path for path in cache_dir.rglob("*") if path.is_file()]
    monkeypatch.undo()
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(cache_dir))
    artifact_store.store("key", artifacts.add(512))
    assert artifact_store.load("key") == artifacts.add(512)


def test_threads_and_processes_see_whole_entries(cache_dir: Path) -> None:
    script = (
        "from ninetoothed.cache import artifact_store\n"
        "from tests.support import artifacts\n"
        "for step in range(200):\n"
        "    artifact_store.store('key', artifacts.add(128 << step % 4))\n"
        "    assert artifact_store.load('key') is not None\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NINETOOTHED_CACHE_DIR": str(cache_dir)}
    artifact_store.store("key", artifacts.add())
    processes = [
        subprocess.Popen([sys.executable, "-c", script], env=environment, cwd=ROOT)
        for _ in range(2)
    ]
    misses: list[int] = []

    def read() -> None:
        while any(process.poll() is None for process in processes):
            if artifact_store.load("key") is None:
                misses.append(1)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in processes] == [0, 0]
    assert not misses


FULL = """
import resource, warnings
from ninetoothed.cache import artifact_store, atomic
from tests.support import artifacts

# No file may grow beyond that, as on a disk that is full.
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    for key in ("old", "new"):
        artifact_store.store(key, artifacts.add(512))
        assert artifact_store.load(key) == artifacts.add(512 if key == "new" else 256)
assert len(seen) == 1, seen
print(seen[0].message)
"""


def test_a_disk_that_takes_no_more(cache_dir: Path) -> None:
    artifact_store.store("old", artifacts.add(256))
    (path,) = cache_dir.rglob("*.json")
    before = path.read_bytes()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NINETOOTHED_CACHE_DIR": str(cache_dir)}
    result = subprocess.run(
        [sys.executable, "-c", FULL], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert "are not kept on disk" in result.stdout
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_importing_the_runtime_imports_no_framework() -> None:
    rooms = [name for name in modules() if name.startswith("ninetoothed.runtime.")]
    lines = [f"import {name}" for name in rooms]
    lines += [
        "import sys",
        "print(sorted({'torch', 'triton', 'xdsl', 'sympy'} & set(sys.modules)))",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert result.stdout == "[]\n"
