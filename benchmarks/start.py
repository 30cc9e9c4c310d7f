"""Seconds from the import to the first result, in fresh processes: ours and Triton's JIT.

    python -m benchmarks.start [--programs NAME…] [--providers NAME…] [--repeats N] [--parts]
                               [--json FILE]

Each process imports torch and initialises CUDA first; that time is shown apart. Then the clock
starts: the package under test is imported, the kernel is made and called, and the device
synchronised. ``cold``: the caches of NineToothed and Triton are empty folders; ``warm``: the next
process, which finds in them what the cold one left. ``fixed`` kernels have one configuration,
``tuned`` ones as many as the table says; what Triton's tuner chooses is kept on disk, as ours is.

Python's byte code is there in all of them, of all packages: processes that are not measured write
it first, to a folder of this run (``PYTHONPYCACHEPREFIX``), also where the environment forbids it
(``PYTHONDONTWRITEBYTECODE``). Each process looks whether a module had none, and the table says so.

``--parts`` adds processes of ours, apart from those whose times count, that say where theirs goes.

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
    "matmul-fixed-4096": Program("matmul", "fixed", (4096,) * 3, (256,) * 3),
    "matmul-tuned-4096": Program("matmul", "tuned", (4096,) * 3, (256,) * 3),
}
COLD, WARM = "cold", "warm"


class ProcessError(Exception):
    """A process ended without a result."""


@dataclass(frozen=True)
class Series:
    """What is repeated: a provider's program with cold or with warm caches."""

    provider: str
    program: str
    cache: str


def first_result(
    provider: str,
    program: Program,
    device: str,
    caches: Path,
    byte_code: Path | None = None,
    with_parts: bool = False,
) -> dict[str, Any]:
    """One process's figures, with its caches and Python's byte code in these folders.

    Raises:
        ProcessError: it ended without a result.
    """
    sizes = program.large if device == "cuda" else program.small
    options = ["--parts"] if with_parts else []
    file = f"{_FILES[provider]}_{program.file}"
    command = [sys.executable, "-m", "benchmarks.first_result", *options, file, program.kind]
    try:
        done = subprocess.run(
            [*command, device, *map(str, sizes)],
            cwd=_ROOT,
            env=_environment(caches, byte_code),
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


def _environment(caches: Path, byte_code: Path | None) -> dict[str, str]:
    variables = {
        **os.environ,
        "NINETOOTHED_CACHE_DIR": str(caches / "ninetoothed"),
        "TRITON_CACHE_DIR": str(caches / "triton"),
    }
    if byte_code is not None:
        variables["PYTHONPYCACHEPREFIX"] = str(byte_code)
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
    return variables


def warm_ups(provider: str, names: Sequence[str]) -> list[str]:
    """The programs that import all modules of those named."""
    found: dict[tuple[str, ...], str] = {}
    for name in names:
        program = PROGRAMS[name]
        # Triton's tuner comes with Triton; ours is imported where it is needed.
        key = (program.file, program.kind) if provider == OURS else (program.file,)
        if key not in found or program.kind == "fixed":
            found[key] = name
    return list(found.values())


class Run:
    """The measurements so far. ``byte_code`` is a folder for Python's."""

    def __init__(self, device: str, providers: Sequence[str], byte_code: Path) -> None:
        self.device = device
        self.providers = providers
        self._byte_code = byte_code
        self.found: dict[Series, list[dict[str, Any]]] = {}
        self.parts: dict[Series, dict[str, float]] = {}

    def measure(self, names: Sequence[str], repeats: int, with_parts: bool = False) -> None:
        """All programs and providers in turn, so often; a failure is printed and the rest runs."""
        for provider in self.providers:
            for name in warm_ups(provider, names):
                # Writes byte code, and brings files into memory.
                self._pair(provider, name, "warming up", (COLD,))
        for turn in range(repeats):
            for name in names:
                for provider in self.providers:
                    for series, found in self._pair(provider, name, f"{turn + 1} of {repeats}"):
                        self.found.setdefault(series, []).append(found)
        if with_parts and OURS in self.providers:
            for name in names:
                for series, found in self._pair(OURS, name, "parts", with_parts=True):
                    self.parts[series] = found["parts"]

    def _pair(
        self,
        provider: str,
        name: str,
        progress: str,
        states: Sequence[str] = (COLD, WARM),
        with_parts: bool = False,
    ) -> list[tuple[Series, dict[str, Any]]]:
        """A process with empty caches, and one that finds what it left."""
        pair: list[tuple[Series, dict[str, Any]]] = []
        with tempfile.TemporaryDirectory(prefix="ninetoothed-start-") as folder:
            for cache in states:
                print(f"{progress}: {provider} {name} {cache}", file=sys.stderr)
                program = PROGRAMS[name]
                try:
                    found = first_result(
                        provider, program, self.device, Path(folder), self._byte_code, with_parts
                    )
                except ProcessError as error:
                    print(f"{provider} {name} {cache} failed: {error}", file=sys.stderr)
                    break
                if found["early"]:
                    early = ", ".join(found["early"])
                    print(f"{early} came with torch, before the clock started", file=sys.stderr)
                pair.append((Series(provider, name, cache), found))
        return pair

    def starts(self) -> list[Start]:
        """The medians of each series."""
        return [
            _start(series, found, self.parts.get(series, {}))
            for series, found in self.found.items()
        ]

    def torch_seconds(self) -> list[float]:
        """What torch and the device took, of every process."""
        return [float(one["torch"]) for found in self.found.values() for one in found]


def _start(series: Series, found: Sequence[Mapping[str, Any]], parts: Mapping[str, float]) -> Start:
    return Start(
        provider=series.provider,
        program=series.program,
        cache=series.cache,
        configurations=int(found[0]["configurations"]),
        first=Times.of([float(one["first"]) for one in found]),
        imported=Times.of([float(one["imported"]) for one in found]),
        uncompiled=max(int(one["uncompiled"]) for one in found),
        parts=parts,
    )


def main() -> None:
    """Print the table; write it as JSON where ``--json`` asks for it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.start", description="time to the first result"
    )
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="these programs only")
    parser.add_argument(
        "--providers", nargs="+", choices=tuple(_FILES), help="these only (default: all that can)"
    )
    parser.add_argument("--repeats", type=int, default=5, help="processes of each (default: 5)")
    parser.add_argument(
        "--parts", action="store_true", help="two more processes of ours: where their time goes"
    )
    add_outputs(parser)
    arguments = parser.parse_args()
    named: list[str] = arguments.programs or []
    if unknown := [name for name in named if name not in PROGRAMS]:
        parser.error(f"unknown programs {', '.join(unknown)}; valid are {', '.join(PROGRAMS)}")
    if arguments.repeats < 1:
        parser.error("--repeats must be 1 or more")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    providers: list[str] = arguments.providers or list(_FILES)
    if device == "cpu":
        providers = [OURS]
        print(
            "no GPU found: ours alone is measured, on CPU tensors, which it interprets",
            file=sys.stderr,
        )
    # The interpreter tunes nothing.
    names = named or [name for name in PROGRAMS if device == "cuda" or name.endswith("-fixed")]
    begun = environment(arguments.commit)
    with tempfile.TemporaryDirectory(prefix="ninetoothed-byte-code-") as byte_code:
        run = Run(device, providers, Path(byte_code))
        try:
            run.measure(names, arguments.repeats, arguments.parts)
        except KeyboardInterrupt:
            print("stopped; what was measured is kept", file=sys.stderr)
    rows = run.starts()
    if not rows:
        sys.exit("nothing was measured")
    found = Starts(begun, arguments.repeats, Times.of(run.torch_seconds()), tuple(rows))
    print(
        f"{tables.starts(found.cases)}\n"
        f"before it, torch and the device: {found.torch.median:.3f} s\n{tables.byte_code(found)}"
    )
    if (parts := tables.start_parts(found)) is not None:
        print(f"\n{parts}")
    if arguments.json is not None:
        write(arguments.json, found)


if __name__ == "__main__":
    main()
