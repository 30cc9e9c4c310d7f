"""Workers serve all calls and threads; what goes wrong in one costs its own artifact only.

The workers here are scripts that obey the text of their artifacts; ``tests/faults`` has real ones.
"""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.cache import artifact_store
from ninetoothed.errors import ConfigurationError, DeviceError
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.toolchain import pool, process
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import artifacts

# A worker that notes the numbers of its processes, and the texts that it is given.
FAKE = """
import base64, json, os, sys, time
def note(text):
    with open("NOTES", "a") as file:
        file.write(text + "\\n")
note(f"pid {os.getpid()}")
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if "target" in request:
        note("target " + request["target"]["arch"])
        continue
    text = json.loads(request["artifact"])["text"]
    note("text " + text[:20])
    if text.startswith("hang"):
        time.sleep(60)
    while text == "wait" and not os.path.exists("NOTES.go"):
        time.sleep(0.01)
    if text.startswith("slow"):
        time.sleep(0.5)
    if text == "die":
        print("LLVM ERROR: cannot go on", file=sys.stderr, flush=True)
        os.abort()
    if text == "garble":
        print("no json", flush=True)
        time.sleep(60)
    if text == "nonsense":
        print(json.dumps({"binary": "{}"}), flush=True)
        continue
    if text == "refuse":
        print("note: here\\nadd.ttir:1:1: error: no such op", file=sys.stderr, flush=True)
        print(json.dumps({"reason": "refused"}), flush=True)
        continue
    code = base64.b64encode(text.encode()).decode()
    fields = {"code": code, "entry": "add", "shared": 0, "threads": 128}
    print(json.dumps({"binary": json.dumps(fields)}), flush=True)
"""

REFUSED = "refused | add.ttir:1:1: error: no such op"


class Notes:
    """Notes of the workers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch()

    def go(self) -> None:
        """Lets workers end what waits."""
        Path(f"{self._path}.go").touch()

    def of(self, kind: str) -> list[str]:
        lines = self._path.read_text().splitlines()
        return [line.removeprefix(f"{kind} ") for line in lines if line.startswith(kind)]

    def wait_for(self, kind: str, count: int) -> list[str]:
        wait_until(lambda: len(self.of(kind)) >= count)
        return self.of(kind)

    def all_ended(self) -> bool:
        return not any(map(is_running, self.of("pid")))


def is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(happens: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.005)


def close() -> None:
    pool._pool.close()  # pyright: ignore[reportPrivateUsage]


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    close()
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "2")
    monkeypatch.setattr(compat, "available", lambda: True)
    monkeypatch.setattr(compat, "version", lambda: "3.9.0")
    yield
    close()


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notes:
    """Puts the fake worker in place."""
    path = tmp_path / "notes"
    use(monkeypatch, FAKE.replace("NOTES", str(path)))
    return Notes(path)


def use(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setattr(process, "command", lambda: [sys.executable, "-c", script])


def texts(*names: str) -> list[Artifact]:
    return [artifacts.add(text=name) for name in names]


def binary(text: str) -> Binary:
    return Binary(text.encode(), "add", 0, 128)


def test_nothing_to_do(notes: Notes) -> None:
    assert pool.compile([]) == []
    assert notes.of("pid") == []


def test_results_are_in_order_kept_and_reported_as_they_come(notes: Notes) -> None:
    names = [f"text {number}" for number in range(8)]
    reported: dict[int, pool.Result] = {}
    found = pool.compile(texts(*names), reported.__setitem__)
    assert found == [binary(name) for name in names]
    assert [reported[position] for position in range(8)] == found
    assert 1 <= len(notes.of("pid")) <= 2
    # A second time, they come from disk.
    reported.clear()
    assert pool.compile(texts(*names), reported.__setitem__) == found
    assert len(reported) == 8
    assert sorted(notes.of("text")) == names


def test_a_result_is_stored_before_the_others_are_there(notes: Notes) -> None:
    first, last = texts("slow 1", "slow 2")
    stored: list[bool] = []

    def reported(position: int, _: pool.Result) -> None:
        artifact = (first, last)[position]
        stored.append(artifact_store.load_binary(toolchain.binary_key(artifact)) is not None)

    pool.compile([first, last], reported)
    assert stored == [True, True]
    assert notes.of("text")


def test_an_artifact_is_compiled_while_the_next_one_is_made(notes: Notes) -> None:
    def artifacts_one_by_one() -> Iterator[Artifact]:
        for artifact in texts("a", "b", "a"):
            yield artifact
            notes.wait_for("text", 1)

    assert pool.compile(artifacts_one_by_one()) == list(map(binary, "aba"))
    assert notes.of("text") == ["a", "b"]


def test_workers_stay_for_the_next_call(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "1")
    for name in "abc":
        assert pool.compile(texts(name)) == [binary(name)]
    assert len(notes.of("pid")) == 1


def test_as_many_workers_as_there_are_artifacts(notes: Notes) -> None:
    pool.compile(texts("a"))
    assert len(notes.of("pid")) == 1


def test_workers_without_work_end(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.2)
    pool.compile(texts("a", "b"))
    wait_until(notes.all_ended)
    assert pool.compile(texts("c")) == [binary("c")]


def test_equal_artifacts_are_compiled_once(notes: Notes) -> None:
    assert pool.compile(texts("a", "b", "a", "a")) == list(map(binary, "abaa"))
    assert sorted(notes.of("text")) == ["a", "b"]


def test_threads_that_want_the_same_share_it(notes: Notes) -> None:
    found: list[list[pool.Result]] = []
    threads = [
        threading.Thread(target=lambda: found.append(pool.compile(texts("slow", "slow 2"))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[binary("slow"), binary("slow 2")]] * 4
    assert sorted(notes.of("text")) == ["slow", "slow 2"]


def test_what_another_process_has_compiled_meanwhile_is_taken(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "1")
    first, second = texts("wait", "other")

    def store() -> None:
        notes.wait_for("text", 1)
        artifact_store.store_binary(toolchain.binary_key(second), binary("theirs"))
        notes.go()

    thread = threading.Thread(target=store)
    thread.start()
    assert pool.compile([first, second])[1] == binary("theirs")
    thread.join()
    assert notes.of("text") == ["wait"]


def test_another_environment_needs_other_workers(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "1")
    pool.compile(texts("a"))
    monkeypatch.setenv("UNRELATED", "1")
    pool.compile(texts("b"))
    assert len(notes.of("pid")) == 1
    monkeypatch.setenv("DISABLE_PTXAS_OPT", "1")
    # Not found on disk either.
    pool.compile(texts("a"))
    assert len(notes.of("pid")) == 2
    wait_until(lambda: not is_running(notes.of("pid")[0]))
    assert notes.of("text") == ["a", "b", "a"]


def test_reasons_keep_their_places(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_TIMEOUT", "5")
    # One that does not fit the pipe: its worker hangs without reading it.
    names = ["fine", "refuse", "die", "garble", "hang", "hang" + " " * 300_000, "fine 2", "refuse"]
    found = pool.compile(texts(*names, "nonsense"))
    died = "the compiler's process died (signal 6) | LLVM ERROR: cannot go on"
    late = "compiling took over 5 s (NINETOOTHED_COMPILE_TIMEOUT)"
    assert found[:3] == [binary("fine"), REFUSED, died]
    assert found[4:8] == [late, late, binary("fine 2"), REFUSED]
    for garbled in (found[3], found[8]):
        assert isinstance(garbled, str)
        assert garbled.startswith("the compiler's process died")
    close()
    assert notes.all_ended()


def test_reasons_are_not_kept(notes: Notes) -> None:
    for _ in range(2):
        assert pool.compile(texts("refuse")) == [REFUSED]
    assert notes.of("text") == ["refuse"] * 2


NO_WORKER = ["raise SystemExit(3)", "print('no json', flush=True)"]


@pytest.mark.parametrize("script", [*NO_WORKER, "/nonexistent/python", ""])
def test_where_no_worker_starts_this_process_compiles(
    script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if script in NO_WORKER:
        use(monkeypatch, script)
    else:
        # A program that embeds Python may have none that could be started.
        monkeypatch.setattr(sys, "executable", script)
    compiles_here(monkeypatch)
    with pytest.warns(RuntimeWarning, match="no process can be started for them"):
        found = pool.compile(texts("a", "refuse", "a"))
    assert found == [binary("a"), "refused here", binary("a")]


def compiles_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stands in for Triton in this process; the texts that it is given."""
    seen: list[str] = []

    def compile_binary(artifact: Artifact) -> Binary:
        seen.append(artifact.text)
        if artifact.text == "refuse":
            raise ConfigurationError("refused here")
        if artifact.text == "no triton":
            raise DeviceError("none here")
        return binary(artifact.text)

    monkeypatch.setattr(compat, "compile_binary", compile_binary)
    return seen


def test_no_workers_are_wanted(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "0")
    seen = compiles_here(monkeypatch)
    reported: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pool.prestart()
        found = pool.compile(
            texts("a", "refuse", "a"), lambda position, _: reported.append(position)
        )
    assert found == [binary("a"), "refused here", binary("a")]
    assert reported == [0, 1, 2]
    assert pool.compile(texts("a")) == [binary("a")]
    assert seen == ["a", "refuse"]
    assert notes.of("pid") == []
    with pytest.raises(DeviceError, match="none here"):
        pool.compile(texts("no triton"))


def test_prestart(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.prestart(artifacts.SM_90)
    pool.prestart()
    assert notes.wait_for("target", 1) == ["sm_90"]
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "1")
    assert pool.compile(texts("a")) == [binary("a")]
    pool.prestart()
    assert len(notes.of("pid")) == 1


def test_prestart_is_silent(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        patch.setattr(compat, "available", lambda: False)
        pool.prestart()
        patch.setattr(compat, "available", lambda: True)
        patch.setattr(process, "command", lambda: ["/nonexistent/python"])
        pool.prestart()
        wait_until(lambda: "ninetoothed-compile" not in [t.name for t in threading.enumerate()])
        patch.setenv("NINETOOTHED_COMPILE_WORKERS", "many")
        pool.prestart()
    # Nothing of it hinders what comes.
    assert pool.compile(texts("a")) == [binary("a")]


def test_an_error_of_the_callback_ends_the_call(notes: Notes) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        pool.compile(texts("a", "hang"), fail)
    assert notes.all_ended()
    assert pool.compile(texts("b")) == [binary("b")]


def test_an_error_while_storing_reaches_the_caller(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "much")
    with pytest.raises(ConfigurationError, match="NINETOOTHED_CACHE_SIZE must be a number"):
        pool.compile(texts("a", "b"))
    monkeypatch.delenv("NINETOOTHED_CACHE_SIZE")
    assert pool.compile(texts("c")) == [binary("c")]
    assert notes.of("pid")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C is heard, which processes in the background of a script may be told to ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_interrupt_leaves_no_process(notes: Notes) -> None:
    def interrupt() -> None:
        notes.wait_for("text", 2)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        pool.compile(texts("hang 1", "hang 2", "hang 3"))
    assert notes.all_ended()
    thread.join()
    assert pool.compile(texts("a")) == [binary("a")]


def test_what_was_given_up_is_compiled_anew(notes: Notes) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no more")

    # While another thread compiles, what is killed ends beside it.
    other = threading.Thread(target=pool.compile, args=(texts("slow other"),))
    other.start()
    notes.wait_for("text", 1)
    for step in range(2):
        slow = texts(f"slow {step}")
        with pytest.raises(RuntimeError, match="no more"):
            pool.compile([*texts(f"a {step}"), *slow], fail)
        assert pool.compile(slow) == [binary(f"slow {step}")]
    other.join()


def test_what_is_killed_late_takes_nothing_with_it(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "1")
    kill = process.CompileProcess.kill

    def late(process: process.CompileProcess) -> None:
        # The job that it was to be killed for has come to its end.
        time.sleep(0.8)
        kill(process)

    found: list[pool.Result] = []

    def ask() -> None:
        notes.wait_for("text", 1)
        found.extend(pool.compile(texts("slow other")))

    def fail(*_: object) -> None:
        monkeypatch.setattr(process.CompileProcess, "kill", late)
        raise RuntimeError("no more")

    other = threading.Thread(target=ask)
    other.start()
    with pytest.raises(RuntimeError, match="no more"):
        pool.compile(texts("slow 1", "slow 2"), fail)
    other.join()
    monkeypatch.undo()
    assert found == [binary("slow other")]


def open_files() -> int:
    """The number of them, without those that nobody holds: frames of interrupted calls are cycles,
    which are collected some time.
    """
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


# An interrupt in a finalizer is lost, and a file that was just opened when it came is closed by its
# finalizer: Python warns of both.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_interrupts_at_any_moment_leave_nothing(
    notes: Notes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    dice = random.Random(0)
    armed = False

    def interrupt(*_: object) -> None:
        if armed:
            raise KeyboardInterrupt

    before = open_files()
    previous = signal.signal(signal.SIGALRM, interrupt)
    interrupted = 0
    for step in range(60):
        wanted = texts(*(f"{step} {number}" for number in range(3)))
        try:
            try:
                armed = True
                # In the bookkeeping, while a process starts, while it compiles.
                seconds = dice.random() * (0.001, 0.01, 0.1)[step % 3]
                signal.setitimer(signal.ITIMER_REAL, seconds + 1e-5)
                pool.compile(wanted)
            finally:
                armed = False
        except KeyboardInterrupt:
            interrupted += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        found = pool.compile(wanted)
        assert all(isinstance(result, Binary) for result in found), found
    signal.signal(signal.SIGALRM, previous)
    assert interrupted
    close()
    wait_until(lambda: "ninetoothed-compile" not in [t.name for t in threading.enumerate()])
    assert notes.all_ended()
    assert not list(temporary.iterdir())
    assert open_files() <= before


def test_workers_that_end_at_once_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setattr(process, "command", lambda: ["true"])
    before = open_files()
    for _ in range(20):
        pool.prestart(artifacts.SM_90)
        wait_until(lambda: "ninetoothed-compile" not in [t.name for t in threading.enumerate()])
    assert not list(temporary.iterdir())
    assert open_files() <= before


@pytest.mark.usefixtures("interruptible")
def test_interrupt_spares_what_another_thread_waits_for(notes: Notes) -> None:
    found: list[pool.Result] = []
    other = threading.Thread(target=lambda: found.extend(pool.compile(texts("slow"))))

    def interrupt() -> None:
        notes.wait_for("text", 2)
        os.kill(os.getpid(), signal.SIGINT)

    other.start()
    notes.wait_for("text", 1)
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        pool.compile(texts("slow", "hang"))
    thread.join()
    other.join()
    assert found == [binary("slow")]


def test_a_forked_process_has_workers_of_its_own(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "1")
    pool.compile(texts("a", "b"))
    assert len(notes.of("pid")) == 1
    with warnings.catch_warnings():
        # Python 3.12 warns of forks beside threads.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            assert pool.compile(texts("a", "c")) == [binary("a"), binary("c")]
            close()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(notes.of("pid")) == 2
    assert pool.compile(texts("d")) == [binary("d")]
    assert len(notes.of("pid")) == 2


def test_temporary_files_go(notes: Notes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    pool.compile(texts("die", "a"))
    assert list(folder.iterdir())
    close()
    assert not list(folder.iterdir())
    assert notes.all_ended()
