"""Real workers, real kills: what is compiled is whole, and no process is left behind."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.target import Target
from ninetoothed.cache import artifact_store, eviction
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.toolchain import pool
from ninetoothed.runtime.toolchain.process import command
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import artifacts

ROOT = Path(__file__).parents[2]

Parent: TypeAlias = Callable[..., subprocess.Popen[str]]

pytestmark = pytest.mark.skipif(not compat.available(), reason="Triton is not installed")

# Compiles what the arguments name, in two workers; then says so.
PARENT = """
import os, sys
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.toolchain import pool
from tests.faults.test_compiling import several
if sys.argv[2] == "forks" and os.fork() == 0:
    # Holds what it has inherited open, whatever becomes of its parent.
    import time
    time.sleep(600)
pool.prestart()
if sys.argv[2] == "forks late":
    import time
    time.sleep(0.3)
    if os.fork() == 0:
        time.sleep(600)
found = pool.compile(several(int(sys.argv[1])))
assert not [reason for reason in found if isinstance(reason, str)], found
print("done", flush=True)
"""

# An assembler that never comes to an end. Triton asks it for its version first.
ENDLESS = """#!/bin/sh
case "$*" in *--version*) exec {ptxas} --version;; esac
echo $$ >> {notes}
exec sleep 600
"""


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "2")
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    yield
    close()


def close() -> None:
    pool._pool.close()  # pyright: ignore[reportPrivateUsage]


def several(count: int) -> list[Artifact]:
    """Artifacts that compile in a few hundredths of a second each."""
    target = Target.parse("sm_80")
    return [
        artifacts.add(block=128 << step % 5, launch=f"# {step}", target=target)
        for step in range(count)
    ]


@pytest.fixture
def assembling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts the endless assembler in place; the file that has the numbers of its processes."""
    spec = importlib.util.find_spec("triton")
    assert spec is not None
    assert spec.origin is not None
    ptxas = Path(spec.origin).parent / "backends" / "nvidia" / "bin" / "ptxas"
    script, notes = tmp_path / "ptxas", tmp_path / "notes"
    script.write_text(ENDLESS.format(ptxas=ptxas, notes=notes))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    notes.touch()
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(script))
    return notes


@pytest.fixture
def parent() -> Iterator[Parent]:
    """Starts programs that compile so many artifacts; they end with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(count: int, how: str = "") -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", PARENT, str(count), how],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        # What it has forked holds its pipes open.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def finish(process: subprocess.Popen[str]) -> None:
    out, errors = process.communicate(timeout=300)
    assert (process.returncode, out) == (0, "done\n"), errors


def wait_until(happens: Callable[[], Any], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)


def numbers(notes: Path, count: int) -> list[int]:
    """The numbers of so many processes that were noted."""
    wait_until(lambda: notes.read_text().count("\n") >= count)
    return [int(line) for line in notes.read_text().split()]


def is_running(pid: int) -> bool:
    """A process that has ended and was not waited for does not run."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def ours(folder: Path) -> list[int]:
    """Processes whose temporary files are to lie in ``folder``, or below."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        pid = int(path.parent.name)
        with contextlib.suppress(OSError):
            if f"TMPDIR={folder}".encode() in path.read_bytes() and is_running(pid):
                found.append(pid)
    return [pid for pid in found if pid != os.getpid()]


def entries(folder: Path) -> int:
    """Number of binaries, all of them whole."""
    keys = [toolchain.binary_key(artifact) for artifact in several(100)]
    whole = sum(artifact_store.load_binary(key) is not None for key in keys)
    assert whole == count_binaries(folder)
    return whole


def count_binaries(folder: Path) -> int:
    found = eviction.scan(folder).entries if folder.exists() else ()
    return len({file.path for file in found if file.kind == "binaries"})


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_worker_that_is_killed_costs_one_artifact(
    number: int, assembling: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "1")
    killed: list[int] = []

    def kill() -> None:
        (assembler,) = numbers(assembling, 1)
        status = Path(f"/proc/{assembler}/stat").read_text()
        killed.append(assembler)
        os.kill(int(status.rpartition(")")[2].split()[1]), number)

    # One that needs no assembler.
    other = artifacts.add(target=Target.parse("gfx942"))
    thread = threading.Thread(target=kill)
    thread.start()
    reason, binary = pool.compile([*several(1), other])
    thread.join()
    assert isinstance(reason, str)
    assert reason.startswith(f"the compiler's process died (signal {int(number)})")
    assert isinstance(binary, Binary)
    wait_until(lambda: not is_running(killed[0]))
    monkeypatch.delenv("TRITON_PTXAS_PATH")
    assert all(isinstance(result, Binary) for result in pool.compile(several(2)))


def test_an_assembler_that_never_ends_is_given_up(
    assembling: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_TIMEOUT", "5")
    late = "compiling took over 5 s (NINETOOTHED_COMPILE_TIMEOUT)"
    assert pool.compile(several(2)) == [late, late]
    wait_until(lambda: not any(map(is_running, numbers(assembling, 2))))


@pytest.mark.parametrize("how", ["", "forks", "forks late"])
def test_workers_end_with_a_parent_that_is_killed(
    how: str, assembling: Path, parent: Parent, tmp_path: Path
) -> None:
    process = parent(4, how)
    assemblers = numbers(assembling, 2)
    # Itself and two workers, at least.
    assert len(ours(tmp_path / "temporary")) >= 3
    process.kill()
    process.wait()
    # The fork is a process of the user.
    forks = 1 if how else 0
    wait_until(lambda: len(ours(tmp_path / "temporary")) == forks)
    wait_until(lambda: not any(map(is_running, assemblers)))
    assert not list((tmp_path / "temporary").iterdir())


def test_a_worker_that_is_sent_nonsense_ends(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    process = subprocess.Popen(
        [*command(), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdin is not None
    process.stdin.write(b"nonsense\n")
    process.stdin.flush()
    # Its stdin stays open.
    assert process.wait(300) == -signal.SIGKILL
    process.communicate()
    assert not folder.exists()


def test_interrupt_leaves_nothing_behind(assembling: Path, parent: Parent, tmp_path: Path) -> None:
    process = parent(4)
    assemblers = numbers(assembling, 2)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == -signal.SIGINT
    assert errors.rstrip().endswith("KeyboardInterrupt")
    # The kernel takes a moment to end what was killed.
    wait_until(lambda: not any(map(is_running, assemblers)))
    wait_until(lambda: not ours(tmp_path / "temporary"))
    assert not list((tmp_path / "temporary").iterdir())


def test_the_end_of_a_program_leaves_nothing_behind(parent: Parent, tmp_path: Path) -> None:
    finish(parent(3))
    assert not ours(tmp_path / "temporary")
    assert not list((tmp_path / "temporary").iterdir())


def test_parent_killed_at_any_moment(parent: Parent, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    dice = random.Random(0)
    before = 0
    for _ in range(6):
        process = parent(100)
        # As soon as something new is written, or a little later: other entries are under way.
        wait_until(lambda before=before: any_new(cache, before))
        time.sleep(dice.random() * 0.1)
        process.kill()
        process.wait()
        wait_until(lambda: not ours(tmp_path / "temporary"))
        # What was done before the kill is kept, and whole.
        found = entries(cache)
        assert found > before
        before = found
    count = min(before + 3, 100)
    finish(parent(count))
    assert entries(cache) == count


def any_new(cache: Path, before: int) -> bool:
    """Whether there are more binaries than ``before``; one that is being written is none yet."""
    return count_binaries(cache) > before


def test_two_processes_compile_the_same(parent: Parent, tmp_path: Path) -> None:
    for process in [parent(12), parent(12)]:
        finish(process)
    assert entries(tmp_path / "cache") == 12


@pytest.mark.parametrize("how", ["cut", "foreign", "version", "empty"])
def test_broken_entries_are_made_anew(how: str, tmp_path: Path) -> None:
    first = pool.compile(several(2))
    whole: dict[Path, str] = {}
    for path in (tmp_path / "cache" / "binaries").iterdir():
        text = whole[path] = path.read_text()
        changed = {
            "cut": text[: len(text) // 2],
            "foreign": '{"someone": "else"}',
            "version": text.replace('"format": ', '"format": 9'),
            "empty": "",
        }
        path.write_text(changed[how])
    again = pool.compile(several(2))
    assert all(isinstance(result, Binary) for result in again)
    assert [type(result) for result in again] == [type(result) for result in first]
    assert entries(tmp_path / "cache") == 2


def test_workers_import_nothing_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file of the user's folder must not pass for a module of ours.
    (tmp_path / "triton.py").write_text("raise SystemExit('user code')")
    monkeypatch.chdir(tmp_path)
    pool.prestart(artifacts.SM_90)
    bad, good = pool.compile([artifacts.add(text="nonsense"), artifacts.add()])
    assert isinstance(good, Binary)
    assert good.entry == "add"
    assert isinstance(bad, str)
    assert bad.startswith("RuntimeError: Parse MLIR file failed. | ")
    assert "custom op 'nonsense' is unknown" in bad
