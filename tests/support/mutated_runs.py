"""Runs of ``nt-opt`` on texts that may be wrong, each in a process with limits of its own.

A worker imports the compiler once and forks for each run, so that a run costs milliseconds, and
what it does to its memory or its time ends with it. As a script this is that worker; it reads one
run a line.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ninetoothed.passes import find_pass, pass_names
from ninetoothed.tools.nt_opt import main

_SMALL = """
tt.func @small() attributes {nt.params = [], nt.grid = #nt.expr<1>, nt.checks = []} {
  tt.return
}
"""
SECONDS = 2
"""Processor time of a run."""
MEGABYTES = 1024
"""Memory of a run, with all that Python itself takes."""
_PATIENCE = 60

_PLACE = re.compile(r"line \d+, column \d+|:\d+:\d+")
_BUGS = ("this is a bug", "the IR is not valid", "cannot be read:", "cannot be verified:")
_REPRODUCER = re.compile(r"/\S*/ninetoothed-\w+\.mlir")


@dataclass(frozen=True)
class Run:
    """Arguments of ``nt-opt``, and a name for the report."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of a run.

    ``kind``: ``"accepted"``; ``"error"``, with a place; ``"without place"``; ``"bug"``, which the
    compiler calls a bug of its own, or has no words for; ``"traceback"``; or ``"killed"``, by a
    limit.
    """

    name: str
    kind: str
    text: str
    seconds: float
    megabytes: float


def outcomes(runs: Sequence[Run], workers: int = 2) -> list[Outcome]:
    """The outcomes of runs, in their order."""
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(workers))
        parts = [runs[start::workers] for start in range(workers)]
        found = dict(pair for part in pool.map(_served, parts) for pair in part)
    return [found[run.name] for run in runs]


def _served(runs: Sequence[Run]) -> list[tuple[str, Outcome]]:
    worker = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    lines = "".join(json.dumps([run.name, *run.arguments]) + "\n" for run in runs)
    out, _ = worker.communicate(lines)
    return [(row[0], Outcome(*row)) for row in map(json.loads, out.splitlines())]


def _work() -> None:
    # What every run imports, so that none pays for it.
    for name in pass_names():
        find_pass(name)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(_SMALL)
        file.flush()
        kind, text = _judged([file.name, "--from", "tt", "-t", "ttir"])
    assert kind == "accepted", text
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        print(json.dumps([name, *_forked(arguments)]), flush=True)


def _forked(arguments: list[str]) -> tuple[str, str, float, float]:
    """Kind, text, seconds and megabytes of one run."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _limit()
        with os.fdopen(writer, "w") as stream:
            stream.write(json.dumps(_judged(arguments)))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        report = stream.read()
    _, status, usage = os.wait4(child, 0)
    seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    if not report:
        number = os.waitstatus_to_exitcode(status)
        why = signal.Signals(-number).name if number < 0 else f"exit status {number}"
        return "killed", why, seconds, megabytes
    kind, text = json.loads(report)
    return kind, text, seconds, megabytes


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    # One that sleeps uses no processor time.
    signal.alarm(_PATIENCE)


def _judged(arguments: list[str]) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(arguments)
    except BaseException:
        return "traceback", traceback.format_exc()[-3000:]
    text = err.getvalue()
    for path in _REPRODUCER.findall(text):
        Path(path).unlink(missing_ok=True)
    return ("accepted", "") if code == 0 else (_kind(text), text[:3000])


def _kind(text: str) -> str:
    """The kind of an outcome with this text on the standard error stream."""
    if "Traceback" in text:
        return "traceback"
    if any(words in text for words in _BUGS):
        return "bug"
    return "error" if _PLACE.search(text) else "without place"


if __name__ == "__main__":
    _work()
