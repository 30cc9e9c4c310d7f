"""What the tuner chooses beside the best of its space, found by trying all of it; needs a GPU.

    python -m benchmarks.tuning [--ops NAME…] [--sizes NAME…] [--full] [--most N] [--no-starts]
                                [--smoke] [--json FILE] [--times FILE]

For each case, every configuration of the space is compiled and timed (``benchmarks.exhaustive``
says how), with the choices of the modes ``off`` (the model's) and ``quick``, and ``full`` where it
is asked for. The choices and the best few are timed alternately in the end: what is shown is of
that round. ``--most N`` tries N configurations a case: the model's first N/2, and N/2 drawn from
the others at random.

Then fresh processes with empty and with filled caches: a matrix product of 4096, tuned and fixed.

``--times FILE`` writes what each configuration was last timed with, in µs, in the model's order.
``--smoke`` tries a few configurations of the small cases; without a GPU it compiles them for
``sm_90`` and makes the times up.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import torch

from benchmarks import records, start, tables
from benchmarks.cases import ChoiceError, choose
from benchmarks.contenders import set_up
from benchmarks.environment import add_outputs, environment
from benchmarks.exhaustive import Found, Search, brief
from benchmarks.kernels import forget_choices
from benchmarks.measure import ContextLostError, recover
from benchmarks.operation import OURS, Call
from benchmarks.operations import operations
from benchmarks.records import Record, of_kind
from benchmarks.subject import MODES, CallSubject
from benchmarks.timing import Clock, K, Stopwatch, Times
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ConfigurationError, NineToothedError
from ninetoothed.runtime.toolchain import pool
from ninetoothed.runtime.tuning.search import Tune

OPERATIONS = ("matmul", "softmax", "rms_norm", "attention_causal", "conv2d")
SIZES = ("small", "large")
OTHER_SIZES: Mapping[tuple[str, str], tuple[int, ...]] = {("matmul", "large"): (4096,) * 3}
"""Of what the operation's own size would take too long: a thousand products of 8192."""
DTYPE = "fp16"
PROGRAMS = ("matmul-fixed-4096", "matmul-tuned-4096")
_OFFLINE = Target("cuda", "sm_90", 32)
_SMOKE_MOST = 4


class MadeUp:
    """A clock for smoke runs without a GPU: times that depend on the configurations' names."""

    def gpu_us(
        self, calls: Mapping[K, Call], host_us: Mapping[K, float], samples: int | None = None
    ) -> dict[K, Times]:
        return {name: Times.of([10.0 + zlib.crc32(str(name).encode()) % 10]) for name in calls}

    def host_us(self, call: Call) -> float:
        return self.once_us(call)

    def once_us(self, call: Call) -> float:
        call()
        return 10.0

    def graph_us(self, make: Callable[[], Call]) -> float:
        return self.once_us(make())


@dataclass(frozen=True)
class Task:
    """A case to be searched."""

    operation: str
    size: str
    numbers: tuple[int, ...]

    @property
    def label(self) -> str:
        """For people."""
        return f"{self.operation} {self.size}"


def tasks(names: Sequence[str], sizes: Sequence[str]) -> list[Task]:
    """The cases of these operations, the sizes of one next to each other: they share kernels."""
    known = operations()
    return [
        Task(name, size, tuple(OTHER_SIZES.get((name, size), known[name].sizes[size])))
        for name in names
        for size in sizes
    ]


@dataclass
class Run:
    """The cases so far. ``times``: what each configuration was last timed with, by case."""

    search: Search
    subject: Callable[[Task], CallSubject]
    modes: Sequence[Tune]
    most: int | None
    forget: Callable[[], None]
    records: list[Record] = field(default_factory=list[Record])
    times: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])

    def measure(self, task: Task) -> None:
        """Searches a case's space, and times the modes' choices in it.

        Raises:
            ConfigurationError: nothing was timed.
        """
        begin = time.perf_counter()
        subject = self.subject(task)
        case: Record = {"operation": task.operation, "size": task.size}
        chosen: dict[Tune, tuple[Config, float]] = {}
        failed: list[Record] = []
        for mode in self.modes:
            # Each mode knows nothing of what another found; compiled code stays.
            self.forget()
            print(f"{task.label}: {mode} chooses", flush=True)
            try:
                chosen[mode] = subject.choose(mode)
            except NineToothedError as error:
                failed.append({"kind": "choice", **case, "by": mode, "reason": brief(error)})
        choosing = round(time.perf_counter() - begin, 2)
        configs = list(subject.configs)
        print(f"{task.label}: {len(configs)} configurations to search", flush=True)
        found = self.search.run(subject, [config for config, _ in chosen.values()], self.most)
        self.times[task.label] = {
            str(config): found.rough[config] for config in configs if config in found.rough
        }
        if found.best is None:
            reasons = ", ".join(f"{count} × {why}" for why, count in found.failures.items())
            raise ConfigurationError(f"no configuration of {found.tried} could be timed: {reasons}")
        space = {
            "kind": "space",
            **case,
            "shape": " × ".join(map(str, task.numbers)),
            "dtype": DTYPE,
            "space": len(configs),
            "tried": found.tried,
            "timed": len(found.rough),
            "rank": configs.index(found.best) + 1,
            **{f"{part}_seconds": seconds for part, seconds in found.seconds.items()},
            "choose_seconds": choosing,
        }
        choices = [{"by": "best", **_choice(found.best, found)}] + [
            {"by": mode, **_choice(config, found), "seconds": seconds}
            for mode, (config, seconds) in chosen.items()
        ]
        self.records += [
            space,
            *({"kind": "choice", **case, **choice} for choice in choices),
            *failed,
            *(
                {"kind": "not run", **case, "reason": why, "count": count}
                for why, count in found.failures.most_common()
            ),
        ]


def _choice(config: Config, found: Found) -> Record:
    """A configuration that was chosen, with its time or why it has none."""
    if config in found.times:
        return {"config": str(config), **found.times[config].fields("us")}
    why = f"its choice, {config}, could not be timed, or is wrong"
    return {"config": str(config), "reason": why}


def starts() -> list[Record]:
    """The first results of a fixed and of a tuned kernel, in fresh processes."""
    with tempfile.TemporaryDirectory(prefix="ninetoothed-byte-code-") as byte_code:
        run = start.Run("cuda", (OURS,), Path(byte_code))
        run.measure(PROGRAMS, repeats=1)
        return run.records()


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write what the command line asks for; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tuning",
        description="the tuner's choices beside the best of its space",
    )
    add = parser.add_argument
    add("--ops", nargs="+", metavar="NAME", help=", ".join(OPERATIONS))
    add("--sizes", nargs="+", metavar="NAME", help=", ".join(SIZES))
    add("--full", action="store_true", help="what mode full chooses, too")
    most = "try N configurations a case: the model's first N/2, and as many drawn from the rest"
    add("--most", type=int, metavar="N", help=most)
    add("--no-starts", action="store_true", help="start no fresh processes")
    add("--smoke", action="store_true", help="a few configurations; no GPU needed")
    times = "write all configurations' times there, as JSON"
    add("--times", type=Path, metavar="FILE", help=times)
    add_outputs(parser)
    arguments = parser.parse_args(argv)
    try:
        names = choose("operation", arguments.ops, OPERATIONS)
        sizes = choose("size", arguments.sizes, SIZES)
    except ChoiceError as error:
        parser.error(str(error))
    if arguments.most is not None and arguments.most < 1:
        parser.error("--most must be 1 or more")
    on_gpu = torch.cuda.is_available()
    if not on_gpu and not arguments.smoke:
        print("no GPU found: configurations are timed on one; nothing was", file=sys.stderr)
        return 1
    if arguments.smoke:
        sizes, arguments.most = SIZES[:1], _SMOKE_MOST
    set_up()
    here = environment("tuning", arguments.commit, most=arguments.most)
    todo = tasks(names, sizes)
    with tempfile.TemporaryDirectory(prefix="ninetoothed-tuning-") as cache:
        # All of a space is kept from one size to the next.
        variables = {"NINETOOTHED_CACHE_DIR": cache, "NINETOOTHED_CACHE_SIZE": "0"}
        with mock.patch.dict(os.environ, variables):
            run = _run(on_gpu, arguments, Path(cache))
            complete = measured(run, todo, "cuda" if on_gpu else "cpu")
    found = run.records
    if complete and not arguments.no_starts and not arguments.smoke:
        found += starts()
    if arguments.json is not None:
        records.write(arguments.json, [here, *found])
    if arguments.times is not None:
        arguments.times.write_text(json.dumps(run.times, indent=1) + "\n", encoding="utf-8")
    if not on_gpu:
        print("a smoke run without a GPU: the times are made up")
    print(_text(found))
    return 0 if complete and len(of_kind(found, "space")) == len(todo) else 1


def _text(found: Sequence[Record]) -> str:
    texts = [tables.tunings(found), tables.choices(found)]
    if begun := of_kind(found, "start"):
        calls = (
            f"{one['program']} {one['cache']} {one['first'] - one['imported']:.2f} s"
            for one in begun
        )
        texts.append(tables.starts(found))
        texts.append(f"of these, the first call alone: {', '.join(calls)}")
    return "\n\n".join(text for text in [*texts, tables.not_chosen(found)] if text)


def _run(on_gpu: bool, arguments: argparse.Namespace, cache: Path) -> Run:
    artifacts: dict[tuple[str, Config, bool], Artifact] = {}
    known = operations()

    def subject(task: Task) -> CallSubject:
        offline = None if on_gpu else _OFFLINE
        return CallSubject(known[task.operation], task.numbers, DTYPE, artifacts, offline)

    clock: Clock = Stopwatch() if on_gpu else MadeUp()
    search = Search(pool.compile, clock)
    modes: list[Tune] = [mode for mode in MODES if arguments.full or mode != "full"]
    return Run(search, subject, modes, arguments.most, lambda: forget_choices(cache))


def measured(run: Run, todo: Sequence[Task], device: str) -> bool:
    """Whether all cases were gone through; one that fails is told of, and the next one is next."""
    for task in todo:
        try:
            run.measure(task)
        except KeyboardInterrupt:
            print("stopped; what was measured is kept", flush=True)
            return False
        except Exception as error:
            print(f"{task.label} failed: {type(error).__name__}: {error}", flush=True)
            try:
                recover(error, device)
            except ContextLostError as lost:
                print(f"nothing more can run on the device: {lost}", flush=True)
                return False
    return True


if __name__ == "__main__":
    sys.exit(main())
