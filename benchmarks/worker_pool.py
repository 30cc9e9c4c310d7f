"""The parent's side of ``benchmarks.worker``: processes, their time limits and their deaths."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from benchmarks.worker import Request

_ROOT = Path(__file__).resolve().parent.parent
_START_SECONDS = 180.0
_GRACE_SECONDS = 0.2
_LAST_LINES = 2
_LAST_BYTES = 4000
_LINE_LENGTH = 200

Heard = Callable[[str, str], None]
"""Hears what a worker does: the provider, or "" for all, and what is done."""


class WorkerError(Exception):
    """A request was not answered; the text is the reason. ``provider`` was at work, or ""."""

    def __init__(self, text: str, provider: str = "") -> None:
        super().__init__(text)
        self.provider = provider


class RequestError(WorkerError):
    """The process is well, and could not do what it was asked for."""


class Process:
    """One worker; started with the first request, and again after its death."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], seconds: float
    ) -> None:
        self._command = command
        self._environment = {**os.environ, **environment}
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None
        self._stderr: IO[bytes] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def ask(self, request: Request, heard: Heard = lambda provider, what: None) -> Any:
        """The answer to a request.

        Raises:
            RequestError: it could not be done.
            WorkerError: the process died of it, or took too long and was ended.
        """
        process = self._process or self._start()
        return self._answer(process, request.to_json(), heard, self._seconds)

    def close(self) -> None:
        """Ends the process, from any thread; it is not started again."""
        with self._lock:
            self._closed = True
        self._end()

    def _start(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._closed:
                raise WorkerError("the process was stopped")
            self._stderr = tempfile.TemporaryFile()  # noqa: SIM115, _end() closes it
            # A session of its own: a kill reaches what it started, and Ctrl-C is the parent's.
            self._process = process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=self._environment,
                cwd=_ROOT,
                text=True,
                start_new_session=True,
            )
        self._answer(process, None, lambda provider, what: None, _START_SECONDS)
        return process

    def _answer(
        self, process: subprocess.Popen[str], request: str | None, heard: Heard, seconds: float
    ) -> Any:
        assert process.stdin is not None
        assert process.stdout is not None
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            _kill(process)

        provider = ""
        timer = threading.Timer(seconds, expire)
        timer.daemon = True
        timer.start()
        try:
            if request is not None:
                process.stdin.write(request)
                process.stdin.flush()
            for line in process.stdout:
                message = json.loads(line)
                if "doing" in message:
                    provider = message["doing"]
                    heard(provider, message["what"])
                elif "lost" in message:
                    raise WorkerError(message["lost"], provider)
                elif "failed" in message:
                    raise RequestError(message["failed"], provider)
                else:
                    if message.get("last"):
                        self._end()
                    return message.get("done")
        except RequestError:
            raise
        except (OSError, ValueError):
            # It died, or was ended: what follows says why.
            pass
        except BaseException:
            # It is lost, or Ctrl-C was pressed: what it works on is of no use any more.
            self._end()
            raise
        finally:
            timer.cancel()
        why = f"it took over {seconds:g} s" if expired.is_set() else self._death()
        self._end()
        raise WorkerError(why, provider)

    def _death(self) -> str:
        """How the process ended, and the last that it said."""
        with self._lock:
            process, stderr = self._process, self._stderr
            if process is None or stderr is None:
                return "the process was stopped"
            _kill(process)
            end = os.fstat(stderr.fileno()).st_size
            said = os.pread(stderr.fileno(), _LAST_BYTES, max(0, end - _LAST_BYTES))
        code = process.returncode
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        lines = [line.strip() for line in said.decode(errors="replace").splitlines()]
        last = [line[:_LINE_LENGTH] for line in lines if line][-_LAST_LINES:]
        return " | ".join([f"the process died ({how})", *last])

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            stderr, self._stderr = self._stderr, None
        if process is not None:
            _kill(process)
            for stream in (process.stdin, process.stdout):
                # BrokenPipeError: a request that it did not take is still in the buffer.
                with contextlib.suppress(OSError, ValueError):
                    if stream is not None:
                        stream.close()
        if stderr is not None:
            stderr.close()


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


def worker_command(device: str) -> list[str]:
    """What a worker process runs."""
    return [sys.executable, "-m", "benchmarks.worker", device]
