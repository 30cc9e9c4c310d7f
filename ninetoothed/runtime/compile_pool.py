"""Compiles several artifacts at once, in processes that see their text only.

Triton's compiler holds the interpreter's lock, so threads would gain nothing. The results land in
Triton's on-disk cache; ``triton_compat.compile_artifact`` finds them there. A configuration that
takes too long, or takes its process down, is dropped alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Sequence
from typing import IO

from ninetoothed import config
from ninetoothed.artifact import Artifact
from ninetoothed.runtime import triton_compat

# Importing Triton and digesting its files: seconds on a slow disk, and no configuration's fault.
_START_SECONDS = 120

_DIAGNOSTIC_BYTES = 8000
_DIAGNOSTIC_LINES = 2
_DIAGNOSTIC_COLUMNS = 200


def precompile(artifacts: Sequence[Artifact]) -> list[str | None]:
    """Compiles ``artifacts`` in ``config.compile_workers()`` processes; one entry each, in order.

    An entry is the reason why the artifact cannot be compiled, or None where nothing is known
    against it: it has been compiled, or no process could be started, and the caller compiles it
    itself.
    """
    # Where all of them have been compiled before, no process is started.
    missing = [
        position
        for position, artifact in enumerate(artifacts)
        if not triton_compat.is_compiled(artifact)
    ]
    reasons: list[str | None] = [None] * len(artifacts)
    if not missing:
        return reasons
    pool = _Pool([artifacts[position] for position in missing], config.compile_timeout())
    found = pool.run(min(config.compile_workers(), len(missing)))
    for position, reason in zip(missing, found, strict=True):
        reasons[position] = reason
    if pool.start_failure is not None:
        warnings.warn(
            f"configurations are compiled one after the other: no process can be started for them "
            f"({pool.start_failure}); NINETOOTHED_COMPILE_WORKERS sets how many are tried",
            RuntimeWarning,
            stacklevel=2,
        )
    return reasons


def _command() -> list[str]:
    """What a worker process runs. -P: the current folder's files are no modules of ours."""
    return [sys.executable, "-P", "-m", "ninetoothed.runtime.compile_worker"]


def _environment() -> dict[str, str]:
    """The environment of a worker: ours, with our import path, so that it finds the same Triton."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    paths = dict.fromkeys([package, *(os.path.abspath(path) for path in sys.path if path)])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


class _Pool:
    """The queue of artifacts, and one thread per worker process that takes from it."""

    def __init__(self, artifacts: Sequence[Artifact], timeout: int) -> None:
        self._artifacts = artifacts
        self._timeout = timeout
        self._reasons: list[str | None] = [None] * len(artifacts)
        self._queue = deque(range(len(artifacts)))
        self._lock = threading.Lock()
        self._workers: list[_Worker] = []
        self._stopping = False
        self.start_failure: str | None = None

    def run(self, workers: int) -> list[str | None]:
        """Empties the queue. Whatever ends this (Ctrl-C too) leaves no process behind."""
        threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(workers)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            with self._lock:
                self._stopping = True
                remaining = list(self._workers)
            for worker in remaining:
                worker.kill()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
        return self._reasons

    def _serve(self) -> None:
        worker: _Worker | None = None
        try:
            while (job := self._take()) is not None:
                if worker is None:
                    worker = self._start()
                    if worker is None:
                        return
                self._reasons[job] = worker.compile(self._artifacts[job], self._timeout)
                if worker.ended:
                    worker.close()
                    worker = None
        finally:
            if worker is not None:
                worker.close()

    def _take(self) -> int | None:
        with self._lock:
            if self._stopping or self.start_failure is not None or not self._queue:
                return None
            return self._queue.popleft()

    def _start(self) -> _Worker | None:
        with self._lock:
            if self._stopping:
                return None
            try:
                worker = _Worker()
            except OSError as error:
                self.start_failure = str(error)
                return None
            self._workers.append(worker)
        failure = worker.wait_until_ready()
        if failure is None:
            return worker
        worker.close()
        with self._lock:
            if not self._stopping:
                self.start_failure = failure
        return None


class _Worker:
    """One process, and the file that receives what it says on stderr."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115, close() does
        try:
            # A session of its own: a kill reaches ptxas too, and Ctrl-C is ours to pass on.
            self._process = subprocess.Popen(
                _command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=_environment(),
                start_new_session=True,
            )
        except BaseException:
            self._stderr.close()
            raise
        self.ended = False

    def wait_until_ready(self) -> str | None:
        """None once it takes requests, or why it never will."""
        answer, expired = self._answer(_START_SECONDS)
        if answer is not None:
            return None
        return f"it took over {_START_SECONDS} s to start" if expired else self._death(0)

    def compile(self, artifact: Artifact, timeout: int) -> str | None:
        """None when compiled, or the reason why not."""
        position = os.fstat(self._stderr.fileno()).st_size
        answer, expired = self._answer(timeout, json.dumps(artifact.to_json()) + "\n")
        if answer is None:
            if expired:
                return f"compiling took over {timeout} s (NINETOOTHED_COMPILE_TIMEOUT)"
            return self._death(position)
        reason = answer.get("reason")
        if reason is None:
            return None
        errors = [line for line in self._diagnostics(position) if "error:" in line]
        return " | ".join([str(reason), *errors[:_DIAGNOSTIC_LINES]])

    def kill(self) -> None:
        """Ends the process and what it started. May be called from any thread, and again."""
        with self._lock:
            # Only while it is not reaped: afterwards its number may be another's.
            if self._process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        self.ended = True

    def close(self) -> None:
        """Ends the process and gives its files back. For the thread that it serves, once."""
        self.kill()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            # BrokenPipeError: a request that the process did not take is still in the buffer.
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()

    def _answer(self, timeout: int, request: str = "") -> tuple[dict[str, object] | None, bool]:
        """The answer to ``request`` or None, and whether the time was up."""
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self.kill()

        timer = threading.Timer(timeout, expire)
        timer.daemon = True
        timer.start()
        try:
            stdin, stdout = _streams(self._process)
            stdin.write(request.encode())
            stdin.flush()
            line = stdout.readline()
            answer = json.loads(line) if line.endswith(b"\n") else None
        # ValueError: a line that is no JSON, or a stream that kill() closed under us.
        except (OSError, ValueError):
            answer = None
        finally:
            timer.cancel()
            # It may be killing the process just now: known to have ended, or not, from here on.
            timer.join()
        if not isinstance(answer, dict):
            self.ended = True
            return None, expired.is_set()
        return answer, False  # pyright: ignore[reportUnknownVariableType]

    def _death(self, position: int) -> str:
        self.kill()
        code = self._process.returncode
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        end = os.fstat(self._stderr.fileno()).st_size
        last = self._diagnostics(max(position, end - _DIAGNOSTIC_BYTES))[-_DIAGNOSTIC_LINES:]
        return " | ".join([f"the compiler's process died ({how})", *last])

    def _diagnostics(self, position: int) -> list[str]:
        """What the process said on stderr from ``position`` on, cut to a readable amount."""
        text = os.pread(self._stderr.fileno(), _DIAGNOSTIC_BYTES, position).decode(errors="replace")
        return [line.strip()[:_DIAGNOSTIC_COLUMNS] for line in text.splitlines() if line.strip()]


def _streams(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise OSError("the process has no pipes")
    return process.stdin, process.stdout
