"""Seconds from the import to the first result, in fresh processes: ours and Triton's JIT.

    python -m benchmarks.start [--programs NAME…] [--repeats N] [--json FILE]

Each process imports torch and initialises CUDA first; that time is shown apart. Then the clock
starts: the package under test is imported, the kernel is made and called, and the device
synchronised. ``cold``: the caches of NineToothed and Triton are empty folders; ``warm``: the next
process, which finds in them what the cold one left. ``fixed`` kernels have one configuration,
``tuned`` ones as many as the table says; what Triton's tuner chooses is kept on disk, as ours is.

Without a GPU, ours alone is measured, on CPU tensors, which it interprets.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks import tables
from benchmarks.environment import add_outputs, environment
from benchmarks.host_results import Start, Starts, write
from benchmarks.operation import OURS, TRITON
from benchmarks.results import Times

_ROOT = Path(__file__).resolve().parent.parent
_FILES = {OURS: "ours", TRITON: "triton"}
_SECONDS = 600


@dataclass(frozen=True)
class Program:
    """A file of ``benchmarks.programs``, which of its kernels, and sizes on a GPU and on a CPU."""

    file: str
    kind: str
    large: tuple[int, ...]
    small: tuple[int, ...]


PROGRAMS = {
    "add-fixed": Program("add", "fixed", (2**20,), (2**16,)),
    "matmul-fixed": Program("matmul", "fixed", (1024,) * 3, (256,) * 3),
    "matmul-tuned": Program("matmul", "tuned", (1024,) * 3, (256,) * 3),
}


class ProcessError(Exception):
    """A process ended without a result."""


@dataclass(frozen=True)
class Series:
    """What is repeated: a provider's program with cold or with warm caches."""

    provider: str
    program: str
    cache: str


def first_result(provider: str, program: Program, device: str, folder: Path) -> dict[str, Any]:
    """One process's figures, with its caches in ``folder``.

    Raises:
        ProcessError: it ended without a result.
    """
    sizes = program.large if device == "cuda" else program.small
    file = f"{_FILES[provider]}_{program.file}"
    command = [sys.executable, "-m", "benchmarks.first_result", file, program.kind, device]
    caches = {
        "NINETOOTHED_CACHE_DIR": str(folder / "ninetoothed"),
        "TRITON_CACHE_DIR": str(folder / "triton"),
    }
    try:
        done = subprocess.run(
            [*command, *map(str, sizes)],
            cwd=_ROOT,
            env={**os.environ, **caches},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise ProcessError(f"no result after {_SECONDS} s") from error
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        reason = (done.stderr.strip() or "it printed nothing").splitlines()[-1]
        raise ProcessError(f"exit code {done.returncode}: {reason}")
    return json.loads(lines[-1])


class Run:
    """The measurements so far."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.providers = (OURS, TRITON) if device == "cuda" else (OURS,)
        self.found: dict[Series, list[dict[str, Any]]] = {}

    def measure(self, names: Sequence[str], repeats: int) -> None:
        """All programs and providers in turn, so often; a failure is printed and the rest runs."""
        for provider in self.providers:
            # Writes byte code, and brings files into memory.
            self._pair(provider, names[0], "warming up", keep=False)
        for turn in range(repeats):
            for name in names:
                for provider in self.providers:
                    self._pair(provider, name, f"{turn + 1} of {repeats}", keep=True)

    def _pair(self, provider: str, name: str, progress: str, keep: bool) -> None:
        """A process with empty caches, and one that finds what it left."""
        with tempfile.TemporaryDirectory(prefix="ninetoothed-start-") as folder:
            for cache in ("cold", "warm"):
                print(f"{progress}: {provider} {name} {cache}", file=sys.stderr)
                try:
                    found = first_result(provider, PROGRAMS[name], self.device, Path(folder))
                except ProcessError as error:
                    print(f"{provider} {name} {cache} failed: {error}", file=sys.stderr)
                    return
                if found["early"]:
                    early = ", ".join(found["early"])
                    print(f"{early} came with torch, before the clock started", file=sys.stderr)
                if keep:
                    self.found.setdefault(Series(provider, name, cache), []).append(found)

    def starts(self) -> list[Start]:
        """The medians of each series."""
        return [_start(series, found) for series, found in self.found.items()]

    def torch_seconds(self) -> list[float]:
        """What torch and the device took, of every process."""
        return [float(one["torch"]) for found in self.found.values() for one in found]


def _start(series: Series, found: Sequence[Mapping[str, Any]]) -> Start:
    return Start(
        provider=series.provider,
        program=series.program,
        cache=series.cache,
        configurations=int(found[0]["configurations"]),
        first=Times.of([float(one["first"]) for one in found]),
        imported=Times.of([float(one["imported"]) for one in found]),
    )


def main() -> None:
    """Print the table; write it as JSON where ``--json`` asks for it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.start", description="time to the first result"
    )
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="these programs only")
    parser.add_argument("--repeats", type=int, default=5, help="processes of each (default: 5)")
    add_outputs(parser)
    arguments = parser.parse_args()
    named: list[str] = arguments.programs or []
    if unknown := [name for name in named if name not in PROGRAMS]:
        parser.error(f"unknown programs {', '.join(unknown)}; valid are {', '.join(PROGRAMS)}")
    if arguments.repeats < 1:
        parser.error("--repeats must be 1 or more")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        print(
            "no GPU found: ours alone is measured, on CPU tensors, which it interprets",
            file=sys.stderr,
        )
    # The interpreter tunes nothing.
    names = named or [name for name in PROGRAMS if device == "cuda" or name.endswith("-fixed")]
    begun = environment(arguments.commit)
    run = Run(device)
    try:
        run.measure(names, arguments.repeats)
    except KeyboardInterrupt:
        print("stopped; what was measured is kept", file=sys.stderr)
    rows = run.starts()
    if not rows:
        sys.exit("nothing was measured")
    found = Starts(begun, arguments.repeats, Times.of(run.torch_seconds()), tuple(rows))
    print(f"{tables.starts(found)}\nbefore it, torch and the device: {found.torch.median:.3f} s")
    if arguments.json is not None:
        write(arguments.json, found)


if __name__ == "__main__":
    main()
