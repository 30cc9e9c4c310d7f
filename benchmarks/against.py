"""A benchmark of this checkout beside the same of another one, in one run.

    python -m benchmarks.launch --against DIR [--rounds N]

``DIR`` is another checkout of the project, a git worktree for example, whose benchmarks write such
records, too. Each round runs both checkouts, one after the other, each with its own benchmark in
processes of its own; who is first alternates. Shown is the median of all rounds for each, and here
over there.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from benchmarks.environment import ROOT
from benchmarks.records import Record, geometric_mean, of_kind, read
from benchmarks.tables import number, ratio, table

_OPTIONS = ("against", "rounds", "json", "commit")
COMPARED: dict[str, tuple[tuple[str, ...], str]] = {
    "launch": (("case", "provider"), "us"),
    "function": (("operation",), "us"),
    "start": (("program", "cache", "provider"), "first"),
    "compile": (("kernel", "part"), "ms"),
    "file": (("example",), "ms"),
    "frontend": (("lines",), "ms"),
}
"""The kinds of records that are compared: what tells them apart, and which value is taken."""


def add_option(parser: argparse.ArgumentParser) -> None:
    """The options of a comparison."""
    parser.add_argument(
        "--against", type=Path, metavar="DIR", help="another checkout, to be compared with this one"
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="of a comparison: runs of each (default: 3)"
    )


def compare(benchmark: str, arguments: argparse.Namespace) -> None:
    """Runs ``benchmark`` here and there, with the other options of this run, and prints a table."""
    options = _command_line(arguments)
    folders = {"here": ROOT, "there": arguments.against.resolve()}
    found: dict[str, list[dict[tuple[str, ...], float]]] = {"here": [], "there": []}
    for round_ in range(arguments.rounds):
        for name in sorted(folders, reverse=round_ % 2 == 1):
            print(f"round {round_ + 1} of {arguments.rounds}: {name}", file=sys.stderr, flush=True)
            found[name].append(values(run(folders[name], benchmark, options)))
    print(compared(found["here"], found["there"]))


def run(folder: Path, benchmark: str, options: Sequence[str]) -> list[Record]:
    """The records of one run of a checkout's benchmark; it ends this one where it fails."""
    with tempfile.TemporaryDirectory(prefix="ninetoothed-against-") as temporary:
        path = Path(temporary) / "records.jsonl"
        command = [sys.executable, "-m", f"benchmarks.{benchmark}", *options, "--json", str(path)]
        # Before what else lies there: a place of packages, or another checkout.
        paths = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
        variables = {**os.environ, "PYTHONPATH": paths}
        done = subprocess.run(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"{benchmark} of {folder} failed: exit code {done.returncode}")
        return read(path)


def values(records: Iterable[Record]) -> dict[tuple[str, ...], float]:
    """The compared values of a run; those of the same name are summed up."""
    found: dict[tuple[str, ...], float] = {}
    for record in of_kind(records, *COMPARED):
        names, field = COMPARED[record["kind"]]
        key = (record["kind"], *(str(record[name]) for name in names))
        found[key] = found.get(key, 0.0) + record[field]
    return found


def compared(
    here: Sequence[dict[tuple[str, ...], float]], there: Sequence[dict[tuple[str, ...], float]]
) -> str:
    """A line for each value that both have: medians over the rounds, and their ratio."""
    rows: list[list[str]] = []
    ratios: list[float] = []
    for key in here[0]:
        own = [one[key] for one in here if key in one]
        other = [one[key] for one in there if key in one]
        if own and other:
            medians = statistics.median(own), statistics.median(other)
            ratios.append(medians[0] / medians[1])
            spread = max(max(several) / min(several) for several in (own, other))
            rows.append([" ".join(key), *map(number, medians), ratio(ratios[-1]), ratio(spread)])
    rows.append(["*geometric mean*", "", "", ratio(geometric_mean(ratios)), ""])
    return table(["", "here", "there", "here / there", "most over least of a checkout"], rows)


def _command_line(arguments: argparse.Namespace) -> list[str]:
    """The options of this run but those of the comparison."""
    options: list[str] = []
    given: dict[str, Any] = vars(arguments)
    for name, value in given.items():
        if name in _OPTIONS or value is None or value is False:
            continue
        options.append(f"--{name.replace('_', '-')}")
        if isinstance(value, list):
            options += map(str, cast("list[Any]", value))
        elif value is not True:
            options.append(str(value))
    return options
