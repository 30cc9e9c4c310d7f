"""Runs Triton-Python by Triton's interpreter, on CPU tensors, in a process of its own.

Triton decides when it is imported whether it interprets. So one process a session does, which takes
calls through a pipe. It ends when a call takes longer than its time, and then the call fails.
"""

from __future__ import annotations

import atexit
import importlib.util
import io
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch

from tests.support.imports import ROOT

_SECONDS = 60
_KINDS = {"i": "int", "u": "uint", "fp": "float"}
# One thread each: as many processes test as there are cores.
_THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass
class Case:
    """One call: the source, the function's name, its arguments and the number of programs.

    ``types`` are those of the arguments as in Triton's signatures; without them, Triton takes a
    number for the first type that it fits. What is ``kept`` comes back behind the call: views share
    their memory with the arguments.
    """

    source: str
    name: str
    arguments: list[Any]
    programs: int = 1
    types: Sequence[str] = ()
    kept: list[Any] = field(default_factory=list[Any])


class InterpreterError(AssertionError):
    """A call failed; the message is the process's traceback."""


def run(cases: list[Case]) -> list[list[Any]]:
    """The arguments of each case, as the kernels left them.

    Raises:
        InterpreterError: a call fails, or takes longer than a minute.
    """
    return [_process().call(case)[0] for case in cases]


def kept(case: Case) -> list[Any]:
    """What the case keeps, as the kernel left it.

    Raises:
        InterpreterError: as ``run``.
    """
    return _process().call(case)[1]


class Process:
    """A process that interprets, and ends if a call takes longer than ``seconds``."""

    def __init__(self, seconds: int = _SECONDS) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._number = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.interpreted", str(seconds)],
            cwd=ROOT,
            env={**os.environ, **_THREADS, "TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        atexit.register(self.end)

    @property
    def has_ended(self) -> bool:
        """True if it takes no more calls."""
        return self._process.poll() is not None

    def end(self) -> None:
        """Kill it, and remove its files."""
        atexit.unregister(self.end)
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def call(self, case: Case) -> tuple[list[Any], list[Any]]:
        """The arguments of the case behind the call, and what it keeps.

        Raises:
            InterpreterError: the call fails, or takes too long.
        """
        # A file of its own: Triton reads the source of a function again.
        self._number += 1
        path = Path(self._folder.name, f"kernel_{self._number}.py")
        path.write_text(case.source, encoding="utf-8")
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            _write(stdin, (str(path), case))
            failure, result = _read(stdout)
        except (BrokenPipeError, EOFError):
            self.end()
            status = self._process.returncode
            raise InterpreterError(
                "a kernel takes Triton's interpreter too long"
                if status == -signal.SIGALRM
                else f"Triton's interpreter ended with status {status}"
            ) from None
        if failure is not None:
            raise InterpreterError(f"{failure}\n{case.source}")
        return result


@cache
def _started() -> Process:
    return Process()


def _process() -> Process:
    if _started().has_ended:
        _started.cache_clear()
    return _started()


def _write(stream: IO[bytes], value: object) -> None:
    buffer = io.BytesIO()
    # In one message, views share their memory.
    torch.save(value, buffer)
    data = buffer.getvalue()
    stream.write(struct.pack("<q", len(data)) + data)
    stream.flush()


def _read(stream: IO[bytes]) -> Any:
    (size,) = struct.unpack("<q", _bytes(stream, 8))
    return torch.load(io.BytesIO(_bytes(stream, size)), weights_only=False)


def _bytes(stream: IO[bytes], count: int) -> bytes:
    found = stream.read(count)
    if len(found) < count:
        raise EOFError
    return found


def _launch(path: str, case: Case) -> None:
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    types = case.types or [""] * len(case.arguments)
    arguments = [_typed(*pair) for pair in zip(case.arguments, types, strict=True)]
    getattr(module, case.name)[(case.programs,)](*arguments)


def _typed(value: Any, type: str) -> Any:
    """A number of its type, where one is given: Triton would take the first that it fits."""
    if not type or isinstance(value, torch.Tensor):
        return value
    import triton.language as tl
    from triton.runtime.interpreter import TensorHandle

    name = "bool" if type == "i1" else re.sub("^[a-z]+", lambda kind: _KINDS[kind[0]], type)
    data = np.array([value]).astype(name)
    dtype = tl.str_to_ty(type, None)
    assert isinstance(dtype, tl.dtype)
    return tl.tensor(TensorHandle(data, dtype), dtype)


def _serve(seconds: int) -> None:
    # What kernels print is not for the pipe.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            path, case = _read(sys.stdin.buffer)
        except EOFError:
            return
        # The signal ends the process wherever it is, also if whoever asked is gone.
        signal.alarm(seconds)
        try:
            _launch(path, case)
            message = (None, (case.arguments, case.kept))
        except Exception:
            message = (traceback.format_exc(limit=-6), None)
        signal.alarm(0)
        _write(output, message)


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
