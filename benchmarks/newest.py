"""The documentation's page of results, of the newest ones of each case.

    python -m benchmarks.newest

It is written to ``docs/compiler/benchmarks.md``, from all files in ``benchmarks/results`` of
``python -m benchmarks.kernels``. Both times of a ratio are of one run, since no two runs need be on
one GPU, or with one driver. The same results give the same page, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.cases import label
from benchmarks.operation import OURS, TRITON
from benchmarks.operations import by_file
from benchmarks.records import Record, geometric_mean, read
from benchmarks.report import FOLDER
from benchmarks.results import Case, Results
from benchmarks.tables import NONE, ratio, table
from ninetoothed.cache.atomic import write_atomically

PAGE = FOLDER.parents[1] / "docs" / "compiler" / "benchmarks.md"
BESIDE = 2
"""How many other providers a run must have timed in a case for it to count."""

_HEAD = f"""\
# Benchmarks

`make bench-gpu` times kernels beside those of other providers, `make bench-host` calls and fresh
processes, `make bench-tuning` what the tuner chooses, and `make bench` the compiler itself, pass by
pass; all but the last need a GPU. `make bench-gpu BENCH_FLAGS='--ops softmax --json out.jsonl'`
runs a part, and writes its records to a file. Every provider gets the same inputs, and is compared
with torch in float64 before it is timed. How it is measured, and what was found, case by case, is
in `benchmarks/README.md`. Written by `make docs` from the files in `benchmarks/results`.

## Kernels, the newest results

Our GPU time over others', as geometric means over cases: below 1, ours is faster. A case is an
operation at a size, an element type and a layout. It counts by its newest run in which ours and at
least {BESIDE} others were timed, beside the fastest of these, and beside Triton by hand by the
newest run that timed that. Both times of a ratio are of one run; a row may have ratios of several.
"""
_TAIL = """\
## The newest run of everything

```{include} ../../README.md
:start-after: "<!-- benchmarks: begin -->"
:end-before: "<!-- benchmarks: end -->"
```
"""


@dataclass(frozen=True)
class Run:
    """A run of the kernels: the file it is in, its date, its device, and what it measured."""

    file: str
    date: str
    device: str
    results: Results


@dataclass(frozen=True)
class _Ratio:
    operation: str
    over: float
    run: Run


def runs(folder: Path = FOLDER) -> list[Run]:
    """The runs of the kernels in the files of a folder, the oldest first.

    Raises:
        ResultsError: a file there holds no results.
    """
    found = [run for path in sorted(folder.glob("*.jsonl")) for run in _runs(path)]
    return sorted(found, key=lambda run: run.date)


def page(found: Sequence[Run]) -> str:
    """The page's text: a table a device, that of most cases first."""
    ratios = {
        device: _ratios([run for run in found if run.device == device])
        for device in sorted({run.device for run in found})
    }
    shown = [device for device in ratios if any(ratios[device])]
    shown.sort(key=lambda device: -sum(map(len, ratios[device])))
    return "\n".join([_HEAD, *(_section(device, *ratios[device]) for device in shown), _TAIL])


def _runs(path: Path) -> Iterable[Run]:
    records = read(path)
    starts = [at for at, record in enumerate(records) if record["kind"] == "environment"]
    for start, end in pairwise([*starts, len(records)]):
        head: Record = records[start]
        if head["benchmark"] == "kernels":
            results = Results.of(records[start:end])
            yield Run(path.name, head["date"], head["device"], results)


def _ratios(found: Iterable[Run]) -> tuple[dict[str, _Ratio], dict[str, _Ratio]]:
    """Of each case the newest ratio over the fastest other, and over that by hand, by its label.

    Operations that are there no more are left out.
    """
    known = {one.name for several in by_file().values() for one in several}
    fastest: dict[str, _Ratio] = {}
    by_hand: dict[str, _Ratio] = {}
    for run in found:
        for case in run.results.cases:
            if case.operation not in known:
                continue
            name, others = label(case.fields), _timed_others(case)
            if len(others) >= BESIDE and (speed := case.speed) is not None:
                fastest[name] = _Ratio(case.operation, 1 / speed, run)
            if (over := case.ratio(OURS, TRITON)) is not None:
                by_hand[name] = _Ratio(case.operation, over, run)
    return fastest, by_hand


def _timed_others(case: Case) -> list[str]:
    return [name for name in case.measurements if name != OURS and case.gpu_us(name) is not None]


def _section(device: str, fastest: Mapping[str, _Ratio], by_hand: Mapping[str, _Ratio]) -> str:
    counted = [*fastest.values(), *by_hand.values()]
    measured = {found.operation for found in counted}
    groups = {
        file.replace("_", " "): sorted({one.name for one in several} & measured)
        for file, several in by_file().items()
    }
    groups = {title: names for title, names in groups.items() if names}
    rows: list[list[str]] = []
    for title, names in [*groups.items(), ("*all*", sorted(measured))]:
        one = [found for found in fastest.values() if found.operation in names]
        other = [found for found in by_hand.values() if found.operation in names]
        rows.append([title, *_cells(one), *_cells(other), _dates([*one, *other])])
    head = ["operations", "over the fastest other", "cases", "over Triton by hand", "cases"]
    lines = [
        f"- {title}: {', '.join(f'`{name}`' for name in names)}" for title, names in groups.items()
    ]
    files = sorted({found.run.file for found in counted})
    links = (f"- [{name}](../../benchmarks/results/{name})" for name in files)
    return "\n\n".join(
        [
            f"### {device}",
            table([*head, "measured"], rows),
            "\n".join(lines),
            "The records:",
            "\n".join(links) + "\n",
        ]
    )


def _cells(found: Sequence[_Ratio]) -> list[str]:
    mean = geometric_mean([one.over for one in found])
    return [ratio(mean), str(len(found)) if found else NONE]


def _dates(found: Sequence[_Ratio]) -> str:
    """The day of the oldest and of the newest."""
    days = sorted({one.run.date[:10] for one in found})
    return " to ".join(dict.fromkeys((days[0], days[-1])))


def main() -> None:
    """Write the page."""
    write_atomically(PAGE, page(runs()))


if __name__ == "__main__":
    main()
