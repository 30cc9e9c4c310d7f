"""Seconds from the import to the first result, in fresh processes: ours and Triton's JIT.

    python -m benchmarks.start [--programs NAME…] [--providers NAME…] [--repeats N] [--parts]
                               [--json FILE] [--against DIR]

Each process imports torch and initialises CUDA first; that time is shown apart. Then the clock
starts: the package under test is imported, the kernel is made and called, and the device
synchronised. ``cold``: the caches of NineToothed and Triton are empty folders; ``warm``: the next
process, which finds in them what the cold one left. ``fixed`` kernels have one configuration,
``tuned`` ones as many as the table says; what Triton's tuner chooses is kept on disk, as ours is.

Python's byte code is there in all of them, of all packages: processes that are not measured write
it first, to a folder of this run (``PYTHONPYCACHEPREFIX``), also where the environment forbids it
(``PYTHONDONTWRITEBYTECODE``). Each process looks whether a module had none, and the table says so.

``--parts`` adds processes of ours, apart from those whose times count, under Python's profiler: it
tells packages and our rooms apart, and makes everything that calls many functions slower.

Without a GPU, ours alone is measured, on CPU tensors, which it interprets.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks import against, records, tables
from benchmarks.environment import add_outputs, environment
from benchmarks.operation import OURS, TRITON
from benchmarks.processes import ProcessError, Processes
from benchmarks.records import Record, of_kind
from benchmarks.timing import Times

_FILES = {OURS: "ours", TRITON: "triton"}
_SECONDS = 600


@dataclass(frozen=True)
class Program:
    """A file of ``benchmarks.programs``, which of its kernels, sizes on a GPU and on a CPU, and who
    has one.
    """

    file: str
    kind: str
    large: tuple[int, ...]
    small: tuple[int, ...]
    providers: tuple[str, ...] = tuple(_FILES)


PROGRAMS = {
    "add-fixed": Program("add", "fixed", (2**20,), (2**16,)),
    "matmul-fixed": Program("matmul", "fixed", (1024,) * 3, (256,) * 3),
    "matmul-tuned": Program("matmul", "tuned", (1024,) * 3, (256,) * 3),
    "matmul-fixed-4096": Program("matmul", "fixed", (4096,) * 3, (256,) * 3),
    "matmul-tuned-4096": Program("matmul", "tuned", (4096,) * 3, (256,) * 3),
    "attention-tuned": Program("attention", "tuned", (4, 32, 2048, 64), (1, 2, 64, 32), (OURS,)),
}
COLD, WARM = "cold", "warm"


def first_result(
    provider: str,
    program: Program,
    device: str,
    caches: Path,
    byte_code: Path | None = None,
    with_parts: bool = False,
) -> Record:
    """One process's figures, with its caches and Python's byte code in these folders.

    Raises:
        ProcessError: it ended without a result.
    """
    sizes = program.large if device == "cuda" else program.small
    command = [sys.executable, "-m", "benchmarks.first_result", *(["--parts"] * with_parts)]
    command += [f"{_FILES[provider]}_{program.file}", program.kind, device, *map(str, sizes)]
    variables = {
        "NINETOOTHED_CACHE_DIR": str(caches / "ninetoothed"),
        "TRITON_CACHE_DIR": str(caches / "triton"),
    }
    if byte_code is not None:
        # Empty is as if it were not set.
        variables |= {"PYTHONPYCACHEPREFIX": str(byte_code), "PYTHONDONTWRITEBYTECODE": ""}
    found = list(Processes(command, variables).messages([], _SECONDS))
    if not found:
        raise ProcessError("it printed nothing")
    return found[-1]


def warm_ups(provider: str, names: Sequence[str]) -> list[str]:
    """The programs that import all modules of those named."""
    found: dict[tuple[str, ...], str] = {}
    for name in names:
        program = PROGRAMS[name]
        if provider not in program.providers:
            continue
        # Triton's tuner comes with Triton; ours is imported where it is needed.
        key = (program.file, program.kind) if provider == OURS else (program.file,)
        if key not in found or program.kind == "fixed":
            found[key] = name
    return list(found.values())


class Run:
    """The processes so far, by provider, program and cache; ``byte_code`` is a folder for it."""

    def __init__(self, device: str, providers: Sequence[str], byte_code: Path) -> None:
        self.device = device
        self.providers = providers
        self._byte_code = byte_code
        self._found: dict[tuple[str, str, str], list[Record]] = {}
        self._parts: list[Record] = []

    def measure(self, names: Sequence[str], repeats: int, with_parts: bool = False) -> None:
        """All programs and providers in turn, so often; a failure is printed and the rest runs."""
        for provider in self.providers:
            for name in warm_ups(provider, names):
                # Writes byte code, and brings files into memory.
                self._pair(provider, name, "warming up", (COLD,))
        for round_, name, provider in itertools.product(range(repeats), names, self.providers):
            if provider not in PROGRAMS[name].providers:
                continue
            pair = self._pair(provider, name, f"{round_ + 1} of {repeats}")
            for cache, found in pair.items():
                self._found.setdefault((provider, name, cache), []).append(found)
        for name in names if with_parts and OURS in self.providers else ():
            for cache, found in self._pair(OURS, name, "parts", with_parts=True).items():
                self._parts += [
                    {
                        "kind": "part",
                        "program": name,
                        "cache": cache,
                        "part": part,
                        "seconds": taken,
                    }
                    for part, taken in found["parts"].items()
                ]

    def _pair(
        self,
        provider: str,
        name: str,
        progress: str,
        states: Sequence[str] = (COLD, WARM),
        with_parts: bool = False,
    ) -> dict[str, Record]:
        """A process with empty caches, and one that finds what it left."""
        pair: dict[str, Record] = {}
        program = PROGRAMS[name]
        with tempfile.TemporaryDirectory(prefix="ninetoothed-start-") as folder:
            for cache in states:
                print(f"{progress}: {provider} {name} {cache}", file=sys.stderr)
                folders = Path(folder), self._byte_code
                try:
                    found = first_result(provider, program, self.device, *folders, with_parts)
                except ProcessError as error:
                    print(f"{provider} {name} {cache} failed: {error}", file=sys.stderr)
                    break
                if found["early"]:
                    early = ", ".join(found["early"])
                    print(f"{early} came with torch, before the clock started", file=sys.stderr)
                pair[cache] = found
        return pair

    def records(self) -> list[Record]:
        """The medians of all series, of the time before them, and the parts."""
        rows = [_start(*series, found) for series, found in self._found.items()]
        before = [one["torch"] for found in self._found.values() for one in found]
        torchs = [{"kind": "torch", **Times.of(before).fields("seconds")}] if before else []
        return [*torchs, *rows, *self._parts]


def _start(provider: str, program: str, cache: str, found: Sequence[Record]) -> Record:
    return {
        "kind": "start",
        "provider": provider,
        "program": program,
        "cache": cache,
        "configurations": found[0]["configurations"],
        "uncompiled": max(one["uncompiled"] for one in found),
        **Times.of([one["imported"] for one in found]).fields("imported"),
        **Times.of([one["first"] for one in found]).fields("first"),
    }


def main() -> None:
    """Print the table; write the records where ``--json`` asks for it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.start", description="time to the first result"
    )
    add = parser.add_argument
    add("--programs", nargs="+", metavar="NAME", help="these programs only")
    add("--providers", nargs="+", choices=tuple(_FILES), help="these only (default: all that can)")
    add("--repeats", type=int, default=5, help="processes of each (default: 5)")
    add("--parts", action="store_true", help="two more processes of ours: where their time goes")
    add_outputs(parser)
    against.add_option(parser)
    arguments = parser.parse_args()
    named: list[str] = arguments.programs or []
    if unknown := [name for name in named if name not in PROGRAMS]:
        parser.error(f"unknown programs {', '.join(unknown)}; valid are {', '.join(PROGRAMS)}")
    if arguments.repeats < 1:
        parser.error("--repeats must be 1 or more")
    if arguments.against is not None:
        against.compare("start", arguments)
        return
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
    begun = environment("start", arguments.commit, repeats=arguments.repeats)
    with tempfile.TemporaryDirectory(prefix="ninetoothed-byte-code-") as byte_code:
        run = Run(device, providers, Path(byte_code))
        try:
            run.measure(names, arguments.repeats, arguments.parts)
        except KeyboardInterrupt:
            print("stopped; what was measured is kept", file=sys.stderr)
    found = run.records()
    if not found:
        sys.exit("nothing was measured")
    seconds = of_kind(found, "torch")[0]["seconds"]
    print(tables.starts(found))
    print(f"before it, torch and the device: {seconds:.3f} s\n{tables.byte_code(found)}")
    if (parts := tables.parts(found)) is not None:
        print(f"\n{parts}")
    if arguments.json is not None:
        records.write(arguments.json, [begun, *found])


if __name__ == "__main__":
    main()
