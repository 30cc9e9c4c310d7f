"""A compile worker, seen from the process that it compiles for.

Requests and answers are lines of JSON; ``worker`` is the other end.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.target import Target
from ninetoothed.runtime import toolchain

# Importing a compiler: seconds on a slow disk, and no configuration's fault.
_START_SECONDS = 120

_DIAGNOSTIC_BYTES = 8000
_DIAGNOSTIC_LINES = 2
_DIAGNOSTIC_COLUMNS = 200
_READ_BYTES = 1 << 16


def command() -> list[str]:
    """Command line of the process. -P: the current folder's files are no modules of ours.

    Raises:
        OSError: nobody knows where Python is.
    """
    if not sys.executable:
        raise OSError("sys.executable names no Python")
    return [sys.executable, "-P", "-m", "ninetoothed.runtime.toolchain.worker"]


def _environment(folder: str) -> dict[str, str]:
    """The environment of the process: ours, with our import path, to find the same compiler.

    ``folder`` is for its temporary files, and for those of what it runs.
    """
    package = str(Path(__file__).absolute().parents[3])
    paths = dict.fromkeys([package, *(os.path.abspath(path) for path in sys.path if path)])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "TMPDIR": folder,
    }
    for one in toolchain.every():
        one.prepare_environment(environment)
    return environment


class CompileProcess:
    """A process that compiles one artifact after the other.

    Its thread must outlive it, and is the only one that calls anything but ``kill``.
    """

    def __init__(self, target: Target | None = None) -> None:
        """Starts it; it prepares itself for ``target`` as long as there is no artifact for it.

        Raises:
            OSError: it cannot be started.
        """
        self._lock = threading.Lock()
        self._greeting = b"" if target is None else _line({"target": dataclasses.asdict(target)})
        self.ended = False
        with contextlib.ExitStack() as started:
            self._folder = tempfile.mkdtemp(prefix="ninetoothed-")
            started.callback(shutil.rmtree, self._folder, ignore_errors=True)
            # One file for both: what the process writes goes behind what is there.
            self._stderr = started.enter_context(open(os.path.join(self._folder, "stderr"), "ab+"))
            # A session of its own: a kill reaches ptxas too, and Ctrl-C is ours to pass on.
            self._process = subprocess.Popen(
                [*command(), self._folder],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=_environment(self._folder),
                start_new_session=True,
            )
            started.callback(self.kill)
            self._stdin, self._stdout = _streams(self._process)
            os.set_blocking(self._stdin.fileno(), False)
            # From here on, close() does all that.
            started.pop_all()

    def wait_until_ready(self) -> str | None:
        """None once it takes artifacts, or why it never will."""
        answer, expired = self._answer(self._greeting, _START_SECONDS)
        if answer is not None:
            return None
        return f"it took over {_START_SECONDS} s to start" if expired else self._death(0)

    def compile(self, artifact: Artifact, timeout: int) -> Binary | str:
        """The binary, or the reason why there is none."""
        position = os.fstat(self._stderr.fileno()).st_size
        answer, expired = self._answer(_line({"artifact": artifact.to_json()}), timeout)
        if expired:
            return f"compiling took over {timeout} s (NINETOOTHED_COMPILE_TIMEOUT)"
        # What is no answer comes from a process that is out of its mind.
        with contextlib.suppress(ValueError, KeyError, TypeError):
            if answer is not None and "reason" in answer:
                errors = [line for line in self._diagnostics(position) if "error:" in line]
                return " | ".join([str(answer["reason"]), *errors[:_DIAGNOSTIC_LINES]])
            if answer is not None:
                return Binary.from_json(answer["binary"])
        return self._death(position)

    def kill(self) -> None:
        """Ends the process and what it started. May be called from any thread, and again."""
        with self._lock:
            # Only until it is reaped: afterwards its number may be another's. Where it has died by
            # itself, what it started may still run.
            if self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
            self.ended = True

    def close(self) -> None:
        """Ends the process, and removes its files. Once."""
        self.kill()
        for stream in (self._stdin, self._stdout, self._stderr):
            stream.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def forget(self) -> None:
        """In a forked process: lets go of the pipes. The process is another's child."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (self._stdin, self._stdout):
            # The numbers stay taken: whoever closes these objects later closes nothing else.
            os.dup2(nothing, stream.fileno(), inheritable=False)
        os.close(nothing)
        self._process.returncode = 0
        self.ended = True

    def _answer(self, request: bytes, seconds: float) -> tuple[dict[str, Any] | None, bool]:
        """The answer to ``request`` or None, and whether the time was up. Without, it has ended."""
        line, expired = self._exchange(request, seconds)
        with contextlib.suppress(ValueError):
            answer = json.loads(line)
            if isinstance(answer, dict):
                return answer, False  # pyright: ignore[reportUnknownVariableType]
        self.kill()
        return None, expired

    def _exchange(self, request: bytes, seconds: float) -> tuple[bytes, bool]:
        """Sends ``request`` and receives a line; nothing, and True, where the time was up."""
        stdin, stdout = self._stdin.fileno(), self._stdout.fileno()
        deadline = time.monotonic() + seconds
        ready = select.poll()
        ready.register(stdout, select.POLLIN)
        if request:
            ready.register(stdin, select.POLLOUT)
        unsent, received = memoryview(request), bytearray()
        while not received.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0:
                return b"", True
            for descriptor, _ in ready.poll(left * 1000):
                try:
                    if descriptor == stdin:
                        unsent = unsent[os.write(stdin, unsent[:_READ_BYTES]) :]
                        if not unsent:
                            ready.unregister(stdin)
                        continue
                    part = os.read(stdout, _READ_BYTES)
                except OSError:
                    part = b""
                if not part:
                    return b"", False
                received += part
        return bytes(received), False

    def _death(self, position: int) -> str:
        self.kill()
        code = self._process.returncode
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        end = os.fstat(self._stderr.fileno()).st_size
        last = self._diagnostics(max(position, end - _DIAGNOSTIC_BYTES))[-_DIAGNOSTIC_LINES:]
        return " | ".join([f"the compiler's process died ({how})", *last])

    def _diagnostics(self, position: int) -> list[str]:
        """Lines of the process's stderr from ``position`` on, cut to a readable amount."""
        text = os.pread(self._stderr.fileno(), _DIAGNOSTIC_BYTES, position).decode(errors="replace")
        return [line.strip()[:_DIAGNOSTIC_COLUMNS] for line in text.splitlines() if line.strip()]


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _streams(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise OSError("the process has no pipes")
    return process.stdin, process.stdout
