"""GPU time of each value of passes' choices, at block sizes that stay the same.

    python -m benchmarks.choices [--ops NAME…] [--sizes NAME…] [--configs N] [--only NAME…]
                                 [--without NAME…] [--json FILE] [--smoke]

For each case, the N configurations that the model ranks first are timed in fp16: with the default
of every choice, and with each other value of one choice; ``--only`` names some choices.
``--without`` also switches off an optimization that is no choice, for the defaults and for what
``--only`` names. All that one configuration has is
timed in turn, in one process, after its results were compared with torch in float64. Shown is the
time over that of the defaults: below 1, the value gains. Unlike ``benchmarks.kernels``, nothing is
tuned, so that it is seen what a choice does, and not what else is chosen with it.

``--smoke`` compiles one configuration of the small cases, and makes the times up where there is no
GPU.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unittest import mock

import torch

from benchmarks import records, tables
from benchmarks.cases import ChoiceError, choose
from benchmarks.contenders import set_up
from benchmarks.environment import add_outputs, environment
from benchmarks.exhaustive import Search, brief
from benchmarks.operation import SIZES, Operation
from benchmarks.operations import operations
from benchmarks.records import Record, of_kind
from benchmarks.subject import CallSubject
from benchmarks.timing import Clock, Stopwatch
from benchmarks.tuning import MadeUp
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.compiler.optimizations import OPTIMIZATIONS
from ninetoothed.errors import NineToothedError
from ninetoothed.runtime.toolchain import pool

_DTYPE = "fp16"
_OFFLINE = Target("cuda", "sm_90", 32)
_SETTING = "NINETOOTHED_DISABLE_OPTIMIZATIONS"


@dataclass(frozen=True)
class Case:
    """An operation of one size; ``only``: the choices that are varied, all where it is empty."""

    operation: Operation
    size: str
    only: tuple[str, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """Its sizes."""
        return tuple(self.operation.sizes[self.size])


def varied(subject: CallSubject, config: Config, only: Sequence[str]) -> list[tuple[str, Config]]:
    """A configuration, and what differs from it in one choice, by ``name=value``."""
    found = [("", config)]
    for one in subject.space.varied(config):
        ((name, value),) = one.choices
        if not only or name in only:
            found.append((f"{name}={value}", one))
    return found


def measured(
    case: Case, count: int, without: Sequence[str], clock: Clock, offline: Target | None
) -> Iterator[Record]:
    """A record for each configuration and each value; where one fails, it has the reason."""
    search = Search(pool.compile, clock)
    first: Sequence[Config] | None = None
    for setting in ("", *without):
        with mock.patch.dict(os.environ, {_SETTING: setting}):
            artifacts: dict[tuple[str, Config, bool], Artifact] = {}
            subject = CallSubject(case.operation, case.numbers, _DTYPE, artifacts, offline)
            first = first or list(subject.configs[:count])
            for config in first:
                named = [("", config)]
                if case.only or not setting:
                    named = varied(subject, config, case.only)
                found = search.run(subject, [one for _, one in named], 0)
                for name, one in named:
                    record: Record = {
                        "kind": "choice",
                        "operation": case.operation.name,
                        "size": case.size,
                        "config": str(config),
                        "value": f"{name} without {setting}".lstrip() if setting else name,
                    }
                    if one in found.times:
                        yield {**record, **found.times[one].fields("us")}
                    else:
                        reasons = ", ".join(found.failures) or "it takes far longer"
                        yield {**record, "reason": reasons}


def table(found: Sequence[Record]) -> str:
    """A line a configuration: µs with the defaults, and the other times over them."""
    rows: dict[tuple[str, ...], dict[str, float | None]] = {}
    for one in of_kind(found, "choice"):
        key = (one["operation"], one["size"], one["config"])
        rows.setdefault(key, {})[one["value"]] = one.get("us")
    values = list(dict.fromkeys(value for row in rows.values() for value in row if value))
    lines: list[list[str]] = []
    for key, row in rows.items():
        us = row.get("")
        others = (row.get(value) for value in values)
        ratios = [tables.ratio(one / us if one is not None and us else None) for one in others]
        lines.append([*key, tables.number(us) if us else "–", *ratios])
    return tables.table(["operation", "size", "configuration", "µs", *values], lines, left=3)


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write what the command line asks for; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.choices", description="GPU time of each value of passes' choices"
    )
    add = parser.add_argument
    add("--ops", nargs="+", metavar="NAME", default=["matmul"], help="default: matmul")
    add("--sizes", nargs="+", metavar="NAME", default=["large"], help="default: large")
    add("--configs", type=int, metavar="N", default=3, help="configurations a case; default: 3")
    add("--only", nargs="+", metavar="NAME", default=[], help="choices; default: all")
    add("--without", nargs="+", metavar="NAME", default=[], help="optimizations to switch off")
    add("--smoke", action="store_true", help="one configuration of small cases; no GPU needed")
    add_outputs(parser)
    arguments = parser.parse_args(argv)
    known = operations()
    try:
        names = choose("operation", arguments.ops, list(known))
        sizes = choose("size", arguments.sizes, SIZES)
        only = choose("optimization", arguments.only or None, OPTIMIZATIONS)
        without = (
            choose("optimization", arguments.without, OPTIMIZATIONS) if arguments.without else ()
        )
    except ChoiceError as error:
        parser.error(str(error))
    on_gpu = torch.cuda.is_available()
    if not on_gpu and not arguments.smoke:
        print("no GPU found: configurations are timed on one; nothing was", file=sys.stderr)
        return 1
    if arguments.smoke:
        sizes, arguments.configs = ("small",), 1
    set_up()
    clock: Clock = Stopwatch() if on_gpu else MadeUp()
    found: list[Record] = [environment("choices", arguments.commit)]
    failed = False
    for name in names:
        for size in (one for one in sizes if one in known[name].sizes):
            case = Case(known[name], size, only if arguments.only else ())
            try:
                offline = None if on_gpu else _OFFLINE
                new = list(measured(case, arguments.configs, without, clock, offline))
            except (NineToothedError, ValueError) as error:
                print(f"{name} {size} failed: {brief(error)}", flush=True)
                failed = True
                continue
            found += new
            print(table(new), flush=True)
    if not on_gpu:
        print("a smoke run without a GPU: the times are made up")
    if arguments.json is not None:
        records.write(arguments.json, found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
