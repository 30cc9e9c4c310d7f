"""A second cache folder that fails: the process does without it, warns once, and changes nothing
there. Really read-only means that this user may not write; for root, that every write fails.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from ninetoothed.cache import artifact_store, read_only
from tests.support import artifacts
from tests.support.imports import ROOT

SETTING = "NINETOOTHED_CACHE_READ_ONLY_DIR"
SOMEBODY = 12345
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

owned_by_others = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A second folder with one artifact."""
    folder = tmp_path / "behind"
    monkeypatch.setattr(artifact_store, "_memory", {})
    monkeypatch.setattr(artifact_store, "_warned", False)
    monkeypatch.setattr(read_only, "_checked", {})
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(folder))
    monkeypatch.delenv(SETTING, raising=False)
    artifact_store.store("key", artifacts.add())
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv(SETTING, str(folder))
    return folder


@pytest.fixture
def sealed(behind: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """No write below the second folder succeeds: by modes, and for root by what it calls."""
    paths = [behind, *behind.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    real = {name: getattr(os, name) for name in ("open", "utime", "unlink", "replace", "mkdir")}

    def is_below(path: Any, dir_fd: int | None) -> bool:
        base = Path(os.readlink(f"/proc/self/fd/{dir_fd}")) if dir_fd is not None else Path()
        return (base / path).is_relative_to(behind)

    def refusing(name: str) -> Any:
        def call(path: Any, *args: Any, **kwargs: Any) -> Any:
            folder = kwargs.get("dir_fd", kwargs.get("src_dir_fd"))
            writes = name != "open" or args[0] & WRITES
            if writes and is_below(path, folder):
                attempts.append(name)
                raise OSError(errno.EROFS, "Read-only file system", str(path))
            return real[name](path, *args, **kwargs)

        return call

    attempts: list[str] = []
    for name in real:
        monkeypatch.setattr(os, name, refusing(name))
    yield behind
    monkeypatch.undo()
    for path in paths:
        path.chmod(0o755 if path.is_dir() else 0o644)
    # They are not even tried.
    assert attempts == []


def warned_of(load: Any) -> str:
    """The one warning of the first of two reads, which finds nothing."""
    found: list[object] = []
    with pytest.warns(RuntimeWarning) as record:
        found += load("key"), load("key")
    assert found == [None, None]
    (warning,) = record
    prefix, _, reason = str(warning.message).partition(": ")
    assert prefix == "no kernels are taken from a second cache folder"
    return reason


def check_written(tmp_path: Path) -> None:
    """The first folder takes entries as if there were no second one."""
    artifact_store.store("new", artifacts.add(512))
    assert artifact_store.load("new") == artifacts.add(512)
    assert len(list((tmp_path / "cache").rglob("*.json"))) == 1


def test_file_system_that_takes_no_writes(
    sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = sealed.rglob("*.json")
    before = path.stat()
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "4096")
    assert artifact_store.load("key") == artifacts.add()
    artifact_store.check_folder()
    for step in range(20):
        artifact_store.store(str(step), artifacts.add())
    artifact_store.store("key", artifacts.add(512))
    assert artifact_store.load("key") == artifacts.add(512)
    artifact_store.store_result("key", "m", "[]")
    assert len(artifact_store.result_names("key")) == 1
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_missing_folder(behind: Path, tmp_path: Path) -> None:
    shutil.rmtree(behind)
    assert warned_of(artifact_store.load) == (
        f"{behind} cannot be read ([Errno 2] No such file or directory: {str(behind)!r}); set "
        f"{SETTING} to a folder that can, or to none"
    )
    assert not behind.exists()
    check_written(tmp_path)


def test_file_in_the_place_of_the_folder(behind: Path, tmp_path: Path) -> None:
    shutil.rmtree(behind)
    behind.write_text("a file")
    assert warned_of(artifact_store.load) == (
        f"{behind} cannot be read ([Errno 20] Not a directory: {str(behind)!r}); set {SETTING} to "
        "a folder that can, or to none"
    )
    check_written(tmp_path)


@pytest.mark.parametrize("error", [errno.EACCES, errno.EIO, errno.ESTALE])
@pytest.mark.parametrize("place", ["", "artifacts"])
def test_folder_that_cannot_be_read(
    place: str, error: int, behind: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a network file system that is away."""
    real, name = os.open, place or str(behind)

    def failing(path: Any, *args: Any, **kwargs: Any) -> int:
        if str(path) == name and is_behind(kwargs.get("dir_fd")):
            raise OSError(error, os.strerror(error), str(path))
        return real(path, *args, **kwargs)

    def is_behind(dir_fd: int | None) -> bool:
        return dir_fd is None or Path(os.readlink(f"/proc/self/fd/{dir_fd}")) == behind

    monkeypatch.setattr(os, "open", failing)
    assert warned_of(artifact_store.load) == (
        f"{behind} cannot be read ([Errno {error}] {os.strerror(error)}: {name!r}); set {SETTING} "
        "to a folder that can, or to none"
    )
    check_written(tmp_path)


def test_folder_that_others_can_write(behind: Path, tmp_path: Path) -> None:
    (behind / "artifacts").chmod(0o777)
    assert warned_of(artifact_store.load) == (
        f"{behind / 'artifacts'} has the mode 777, so others could put code there that is run as "
        f"user {os.geteuid()}; `chmod -R go-w {behind}`, or set {SETTING} to a folder of your own "
        "or root's"
    )
    check_written(tmp_path)


@owned_by_others
def test_folder_of_somebodys(behind: Path, tmp_path: Path) -> None:
    os.chown(behind, SOMEBODY, -1)
    assert warned_of(artifact_store.load) == (
        f"{behind} belongs to user {SOMEBODY}, who could put code there that is run as user 0; set "
        f"{SETTING} to a folder of your own or root's"
    )
    check_written(tmp_path)


@owned_by_others
def test_file_of_somebodys_is_a_miss(behind: Path) -> None:
    (path,) = behind.rglob("*.json")
    os.chown(path, SOMEBODY, -1)
    assert artifact_store.load("key") is None


def test_room_that_is_a_link(behind: Path, tmp_path: Path) -> None:
    (behind / "artifacts").rename(tmp_path / "elsewhere")
    (behind / "artifacts").symlink_to(tmp_path / "elsewhere")
    assert warned_of(artifact_store.load) == (
        f"{behind / 'artifacts'} is a link, and none is followed in the cache folder; remove it, "
        f"or set {SETTING} to the folder that has room for all"
    )


def test_the_folder_that_is_written_to(behind: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(behind / ".." / "behind"))
    with pytest.warns(RuntimeWarning) as record:
        artifact_store.check_folder()
    artifact_store.check_folder()
    assert [str(one.message) for one in record] == [
        f"no kernels are taken from a second cache folder: {behind} is the folder that is written "
        f"to, too; set {SETTING} to another than NINETOOTHED_CACHE_DIR, or to none"
    ]
    assert artifact_store.load("key") == artifacts.add()


def test_many_threads_warn_once(behind: Path) -> None:
    shutil.rmtree(behind)
    together = threading.Barrier(8)

    def read() -> None:
        together.wait()
        artifact_store.load("key")

    threads = [threading.Thread(target=read) for _ in range(8)]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(seen) == 1


PROCESS = """
import sys, threading
from ninetoothed.cache import artifact_store
from tests.support import artifacts

known = artifacts.add(), artifacts.add(128), artifacts.add(256)

def run(number):
    for step in range(100):
        assert artifact_store.load("key") in known
        artifact_store.store(f"{number} {step}", artifacts.add())
        assert artifact_store.load(f"{number} {step}") == artifacts.add()

failures = []
threading.excepthook = failures.append
threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit(len(failures))
"""


def test_processes_and_threads_at_once(behind: Path) -> None:
    """One more process writes to what is the second folder of the others."""
    writer = (
        "from ninetoothed.cache import artifact_store\n"
        "from tests.support import artifacts\n"
        "for step in range(300):\n"
        "    artifact_store.store('key', artifacts.add(128 << step % 2))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    own = {name: value for name, value in environment.items() if name != SETTING}
    own["NINETOOTHED_CACHE_DIR"] = str(behind)
    commands = [(PROCESS, environment), (PROCESS, environment), (writer, own)]
    running = [
        subprocess.Popen([sys.executable, "-c", text], env=env, cwd=ROOT) for text, env in commands
    ]
    assert [one.wait() for one in running] == [0, 0, 0]
    assert len(list(behind.rglob("*.json"))) == 1


@owned_by_others
def test_folder_of_roots_serves_other_users(behind: Path) -> None:
    """Who owns none of it, and may write to none of it."""
    script = (
        "import os, sys\n"
        "from ninetoothed.cache import artifact_store\n"
        "from tests.support import artifacts\n"
        f"os.setuid({SOMEBODY})\n"
        "artifact_store.check_folder()\n"
        "assert artifact_store.load('key') == artifacts.add()\n"
        "artifact_store.store('key', artifacts.add(512))\n"
        "assert artifact_store.load('key') == artifacts.add(512)\n"
    )
    # The folders of tests are root's alone.
    shared = Path(tempfile.mkdtemp(prefix="ninetoothed-shared-"))
    try:
        shutil.copytree(behind, shared / "behind")
        (shared / "own").mkdir()
        os.chown(shared / "own", SOMEBODY, -1)
        shared.chmod(0o755)
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "NINETOOTHED_CACHE_DIR": str(shared / "own"),
            SETTING: str(shared / "behind"),
        }
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", script],
            env=environment,
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(shared)
    assert (done.returncode, done.stderr) == (0, "")
