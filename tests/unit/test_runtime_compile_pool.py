"""Worker processes compile, fail, hang and die; each costs its own configuration only."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ninetoothed.runtime import compile_pool, triton_compat
from tests.support import artifacts

needs_triton = pytest.mark.skipif(not triton_compat.available(), reason="Triton is not installed")

# A worker that obeys the text of its artifact, and notes the numbers of the processes.
FAKE = """
import json, os, sys, time
with open("PIDS", "a") as file:
    file.write(f"{os.getpid()}\\n")
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    text = json.loads(json.loads(line))["text"]
    if text.startswith("hang"):
        time.sleep(60)
    if text == "die":
        print("LLVM ERROR: cannot go on", file=sys.stderr, flush=True)
        os.abort()
    if text == "garble":
        print("no json", flush=True)
        time.sleep(60)
    if text == "refuse":
        print("note: here\\nadd.ttir:1:1: error: no such op", file=sys.stderr, flush=True)
        print(json.dumps({"reason": "refused"}), flush=True)
        continue
    print(json.dumps({"reason": None}), flush=True)
"""


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "2")


@pytest.fixture
def pids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts the fake worker in place; the file that receives the numbers of its processes."""
    path = tmp_path / "pids"
    path.touch()
    use(monkeypatch, FAKE.replace("PIDS", str(path)))
    return path


def use(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setattr(compile_pool, "_command", lambda: [sys.executable, "-c", script])


def assert_all_ended(pids: Path) -> None:
    for pid in pids.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_nothing_to_do() -> None:
    assert compile_pool.precompile([]) == []


def test_workers_are_reused(pids: Path) -> None:
    assert compile_pool.precompile([artifacts.add(text="fine")] * 8) == [None] * 8
    assert 1 <= len(pids.read_text().split()) <= 2
    assert_all_ended(pids)


@needs_triton
def test_what_is_compiled_needs_no_process(pids: Path) -> None:
    done, other = artifacts.add(), artifacts.add(text="refuse")
    triton_compat.compile_artifact(done)
    assert compile_pool.precompile([done] * 3) == [None] * 3
    assert pids.read_text() == ""
    refused = "refused | add.ttir:1:1: error: no such op"
    assert compile_pool.precompile([done, other, done]) == [None, refused, None]
    assert len(pids.read_text().split()) == 1


def test_reasons_keep_their_places(pids: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_TIMEOUT", "2")
    # One that does not fit the pipe: its worker hangs without reading it.
    texts = ["fine", "refuse", "die", "garble", "hang", "hang" + " " * 300_000, "fine", "refuse"]
    reasons = compile_pool.precompile([artifacts.add(text=text) for text in texts])
    refused = "refused | add.ttir:1:1: error: no such op"
    died = "the compiler's process died (signal 6) | LLVM ERROR: cannot go on"
    late = "compiling took over 2 s (NINETOOTHED_COMPILE_TIMEOUT)"
    assert reasons[:3] == [None, refused, died]
    assert reasons[3] is not None
    assert reasons[3].startswith("the compiler's process died")
    assert reasons[4:] == [late, late, None, refused]
    assert_all_ended(pids)


@pytest.mark.parametrize("script", ["raise SystemExit(3)", "print('no json', flush=True)"])
def test_no_worker_starts(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, script)
    with pytest.warns(RuntimeWarning, match="no process can be started for them"):
        reasons = compile_pool.precompile([artifacts.add(text="fine")] * 3)
    assert reasons == [None] * 3


def test_no_program_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_pool, "_command", lambda: ["/nonexistent/python"])
    with pytest.warns(RuntimeWarning, match="No such file"):
        assert compile_pool.precompile([artifacts.add()]) == [None]


def test_interrupt_leaves_no_process(pids: Path) -> None:
    def interrupt() -> None:
        while len(pids.read_text().split()) < 2:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        compile_pool.precompile([artifacts.add(text="hang")] * 4)
    assert time.monotonic() - start < 30
    assert_all_ended(pids)


@needs_triton
def test_real_workers_fill_tritons_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "1")
    # A file of the user's folder must not pass for a module of ours.
    (tmp_path / "triton.py").write_text("raise SystemExit('user code')")
    monkeypatch.chdir(tmp_path)
    good, bad = artifacts.add(), artifacts.add(text="nonsense")
    reasons = compile_pool.precompile([bad, good])
    assert reasons[1] is None
    assert reasons[0] is not None
    assert reasons[0].startswith("RuntimeError: Parse MLIR file failed. | ")
    assert "custom op 'nonsense' is unknown" in reasons[0]

    triton: Any = importlib.import_module("triton")
    seen: list[bool] = []

    def listener(*, cache_hit: bool, **_: object) -> None:
        seen.append(cache_hit)

    monkeypatch.setattr(triton.knobs.compilation, "listener", listener)
    triton_compat.compile_artifact(good)
    assert seen == [True]
