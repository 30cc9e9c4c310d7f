"""Artifacts and choices survive on disk; whatever is broken there counts as absent."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import pytest

from ninetoothed.artifact import Artifact, Config
from ninetoothed.runtime import artifact_cache
from tests.support import artifacts

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(artifact_cache, "_memory", {})
    monkeypatch.setattr(artifact_cache, "_warned", False)
    return tmp_path / "cache"


def test_artifact() -> None:
    artifact = artifacts.add()
    assert artifact_cache.load("key") is None
    artifact_cache.store("key", artifact)
    assert artifact_cache.load("key") == artifact
    assert artifact_cache.load("another key") is None
    artifact_cache.store("key", artifacts.add(512))
    assert artifact_cache.load("key") == artifacts.add(512)


def test_choice() -> None:
    choice = Config((("BLOCK_SIZE_M", 64), ("BLOCK_SIZE_N", 128)), 8, 4)
    assert artifact_cache.load_choice("key") is None
    artifact_cache.store_choice("key", choice)
    assert artifact_cache.load_choice("key") == choice
    assert artifact_cache.load("key") is None


def test_one_file_an_entry_and_no_leftovers(cache_dir: Path) -> None:
    for block in (128, 256):
        artifact_cache.store(f"key/../{block}", artifacts.add(block))
    artifact_cache.store_choice("key", Config(()))
    files = [path for path in cache_dir.rglob("*") if path.is_file()]
    assert [path.suffix for path in files] == [".json"] * 3
    assert {path.parent.name for path in files} == {"artifacts", "tuning"}


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 1}', "[" * 100_000, "\x00"])
def test_corrupt_file_is_a_miss(cache_dir: Path, text: str) -> None:
    artifact_cache.store("key", artifacts.add())
    artifact_cache.store_choice("key", Config(()))
    for path in cache_dir.rglob("*.json"):
        path.write_text(text)
    assert artifact_cache.load("key") is None
    assert artifact_cache.load_choice("key") is None
    artifact_cache.store("key", artifacts.add())
    assert artifact_cache.load("key") == artifacts.add()


def test_truncated_file_is_rebuilt(cache_dir: Path) -> None:
    artifact_cache.store("key", artifacts.add())
    (path,) = cache_dir.rglob("*.json")
    whole = path.read_bytes()
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        assert artifact_cache.load("key") is None
    artifact_cache.store("key", artifacts.add())
    assert path.read_bytes() == whole
    assert artifact_cache.load("key") == artifacts.add()


@pytest.mark.parametrize(
    ("field", "value"),
    [("format", 0), ("key", "other"), ("digest", "0" * 64), ("content", "{}"), ("content", 3)],
)
def test_foreign_entry_is_a_miss(cache_dir: Path, field: str, value: object) -> None:
    artifact_cache.store("key", artifacts.add())
    artifact_cache.store_choice("key", Config(()))
    for path in cache_dir.rglob("*.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))
    assert artifact_cache.load("key") is None
    assert artifact_cache.load_choice("key") is None


def test_bytes_that_are_no_text_are_a_miss(cache_dir: Path) -> None:
    artifact_cache.store("key", artifacts.add())
    (path,) = cache_dir.rglob("*.json")
    path.write_bytes(b"\xff\xfe\x00")
    assert artifact_cache.load("key") is None


def test_content_of_another_version_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    def to_json(_: Artifact) -> str:
        return '{"name": "add", "new": 1}'

    monkeypatch.setattr(Artifact, "to_json", to_json)
    artifact_cache.store("key", artifacts.add())
    assert artifact_cache.load("key") is None


def test_unwritable_folder_warns_once_and_works_from_memory(cache_dir: Path) -> None:
    cache_dir.write_text("a file where the folder should be")
    with pytest.warns(RuntimeWarning, match="set NINETOOTHED_CACHE_DIR") as record:
        artifact_cache.store("key", artifacts.add())
    assert len(record) == 1
    assert str(cache_dir) in str(record[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        artifact_cache.store("key 2", artifacts.add(512))
        artifact_cache.store_choice("key", Config((), 8))
    assert artifact_cache.load("key") == artifacts.add()
    assert artifact_cache.load("key 2") == artifacts.add(512)
    assert artifact_cache.load_choice("key") == Config((), 8)
    assert artifact_cache.load("key 3") is None


def test_full_disk_leaves_the_old_entry_whole(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact_cache.store("key", artifacts.add())
    (path,) = cache_dir.rglob("*.json")
    before = path.read_text()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        artifact_cache.store("key", artifacts.add(512))
    assert path.read_text() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["mkstemp", "fdopen", "write", "mkdir"])
def test_disk_that_is_full_at_any_step(
    cache_dir: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    class FullFile:
        write = full

        def __init__(self, descriptor: int, *_: object, **__: object) -> None:
            self.descriptor = descriptor

        def __enter__(self) -> FullFile:
            return self

        def __exit__(self, *_: object) -> None:
            os.close(self.descriptor)

    if name == "mkstemp":
        monkeypatch.setattr(tempfile, "mkstemp", full)
    elif name == "mkdir":
        monkeypatch.setattr(Path, "mkdir", full)
    else:
        monkeypatch.setattr(os, "fdopen", FullFile if name == "write" else full)
    with pytest.warns(RuntimeWarning, match="No space left on device") as record:
        artifact_cache.store("key", artifacts.add())
    assert len(record) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        artifact_cache.store("key 2", artifacts.add())
    with pytest.raises(OSError, match="No space left on device"):
        artifact_cache.keep_source(f"add_{'0' * 32}.py", "text")
    assert artifact_cache.load("key") == artifacts.add()
    assert artifact_cache.load("key 2") == artifacts.add()
    assert not [path for path in cache_dir.rglob("*") if path.is_file()]
    monkeypatch.undo()
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(cache_dir))
    artifact_cache.store("key", artifacts.add(512))
    assert artifact_cache.load("key") == artifacts.add(512)


def test_threads_and_processes_see_whole_entries(cache_dir: Path) -> None:
    script = (
        "from ninetoothed.runtime import artifact_cache\n"
        "from tests.support import artifacts\n"
        "for step in range(200):\n"
        "    artifact_cache.store('key', artifacts.add(128 << step % 4))\n"
        "    assert artifact_cache.load('key') is not None\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NINETOOTHED_CACHE_DIR": str(cache_dir)}
    artifact_cache.store("key", artifacts.add())
    processes = [
        subprocess.Popen([sys.executable, "-c", script], env=environment, cwd=ROOT)
        for _ in range(2)
    ]
    misses: list[int] = []

    def read() -> None:
        while any(process.poll() is None for process in processes):
            if artifact_cache.load("key") is None:
                misses.append(1)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in processes] == [0, 0]
    assert not misses


def test_importing_the_runtime_imports_no_framework() -> None:
    rooms = sorted((ROOT / "ninetoothed" / "runtime").glob("[a-z]*.py"))
    lines = [f"import ninetoothed.runtime.{path.stem}" for path in rooms]
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
