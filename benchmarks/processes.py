"""Processes that print lines of JSON: their time limits and their deaths."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import IO

from benchmarks.environment import ROOT
from benchmarks.records import Record

_GRACE_SECONDS = 0.2
_LAST_LINES, _LAST_BYTES, _LINE_LENGTH = 2, 4000, 200


class ProcessError(Exception):
    """A process ended before its work; the text is the reason."""


class Processes:
    """Starts processes, from any thread; after :meth:`stop`, none runs."""

    def __init__(self, command: Sequence[str], variables: Mapping[str, str]) -> None:
        self._command = command
        self._variables = {**os.environ, **variables}
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def messages(self, requests: Iterable[Record], seconds: float) -> Generator[Record]:
        """The lines that a new process prints, which gets ``requests`` as the lines of its stdin.

        A message with the entry ``begin`` gives it that many seconds anew. It is killed where the
        generator is closed.

        Raises:
            ProcessError: it died, or took too long and was killed.
        """
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8") as stdin,
            tempfile.TemporaryFile() as stderr,
        ):
            stdin.writelines(json.dumps(request) + "\n" for request in requests)
            stdin.flush()
            stdin.seek(0)
            process = self._start(stdin, stderr)
            assert process.stdout is not None
            expired = threading.Event()

            def expire() -> None:
                expired.set()
                _kill(process)

            timer = _timer(seconds, expire)
            try:
                for line in process.stdout:
                    message = _message(line)
                    if "begin" in message:
                        timer.cancel()
                        timer = _timer(seconds, expire)
                    if message:
                        yield message
                process.wait()
            finally:
                timer.cancel()
                _kill(process)
                process.stdout.close()
                self._running.discard(process)
            if expired.is_set():
                raise ProcessError(f"it took over {seconds:g} s")
            if process.returncode != 0:
                raise ProcessError(_death(process.returncode, stderr))

    def stop(self) -> None:
        """Kills those that run; no other is started."""
        with self._lock:
            self._stopped = True
            for process in list(self._running):
                _kill(process)

    def _start(self, stdin: IO[str], stderr: IO[bytes]) -> subprocess.Popen[str]:
        with self._lock:
            if self._stopped:
                raise ProcessError("the process was stopped")
            # A session of its own: a kill reaches what it started, and Ctrl-C is the parent's.
            process = subprocess.Popen(
                self._command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=self._variables,
                cwd=ROOT,
                text=True,
                start_new_session=True,
            )
            self._running.add(process)
        return process


def _timer(seconds: float, function: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer


def _message(line: str) -> Record:
    """The message of a line; nothing of one that a library printed, or that a death cut off."""
    try:
        return json.loads(line) if line.startswith("{") else {}
    except ValueError:
        return {}


def _death(code: int, stderr: IO[bytes]) -> str:
    """How a process ended, and the last that it said."""
    stderr.seek(max(0, stderr.seek(0, os.SEEK_END) - _LAST_BYTES))
    lines = [line.strip() for line in stderr.read().decode(errors="replace").splitlines()]
    last = [line[:_LINE_LENGTH] for line in lines if line][-_LAST_LINES:]
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return " | ".join([f"the process died ({how})", *last])


def _kill(process: subprocess.Popen[str]) -> None:
    """Ends a process and what it started."""
    # It may be ending by itself just now, which says more than our signal.
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_SECONDS)
    # Only while it is not reaped: afterwards its number may be another's.
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
