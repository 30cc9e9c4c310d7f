"""Tables and plots of the results.

    python -m benchmarks.report RESULTS.jsonl [--readme README.md] [--out FOLDER]

``RESULTS.jsonl`` is a file of ``python -m benchmarks.kernels``. Beside it may lie files of the
other benchmarks: ``RESULTS-launch.jsonl`` and so on; they are read, too. In ``FOLDER``
(``benchmarks/results``), ``RESULTS.md`` gets all tables, and ``RESULTS-speed.svg`` and
``RESULTS-floor.svg`` the plots. In the README, what stands between the lines
``<!-- benchmarks: begin -->`` and ``<!-- benchmarks: end -->`` is replaced.

A ``speed`` is their GPU time over ours: above 1, ours is faster. That against the ``fastest other``
provider is of each case's own. ``floor`` is the least time that the case can take over ours.

The same results give the same files, byte for byte.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import plots, tables
from benchmarks.cases import key, label
from benchmarks.operation import DTYPES, GENERAL_SIZES, LAYOUTS, OURS, SIZES
from benchmarks.records import Record, ResultsError, environment_of, geometric_mean, of_kind, read
from benchmarks.results import SLOWER, Case, Results, providers
from benchmarks.tables import number, percent, ratio, table

FOLDER = Path(__file__).resolve().parent / "results"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
OTHERS = (
    "launch",
    "start",
    "compile_time",
    "tuning",
    "optimizer",
    "memory",
    "choices",
    "decoding",
    "products",
    "windows",
)
"""The benchmarks, and parts of one, whose results may lie beside those of all kernels."""
BRIEF_US = 20.0
"""A case whose fastest provider takes less is mostly what starting and ending a kernel takes."""
KINDS = (f"{BRIEF_US:g} µs and more", f"less than {BRIEF_US:g} µs")
"""How the cases are told apart by that."""
PLOTS = {
    "speed": "Speed relative to each provider; to the right of 1×, ours is faster",
    "floor": "Fraction of the physical floor, by operation and size",
}


@dataclass(frozen=True)
class Report:
    """A run's results, with the records of the other benchmarks by name."""

    name: str
    results: Results
    others: Mapping[str, Sequence[Record]]


def load(path: Path) -> Report:
    """The results in a file and in those beside it.

    Raises:
        ResultsError: a file holds no results.
    """
    beside = {name: path.with_name(f"{path.stem}-{name}.jsonl") for name in OTHERS}
    others = {name: read(file) for name, file in beside.items() if file.is_file()}
    return Report(path.stem, Results.of(read(path)), others)


def newest(folder: Path = FOLDER) -> Path | None:
    """The file in ``folder`` of the run of the kernels that began last, or None: there is none.

    Raises:
        ResultsError: a file there holds no results.
    """
    ends = tuple(f"-{name}.jsonl" for name in OTHERS)
    paths = [path for path in sorted(folder.glob("*.jsonl")) if not path.name.endswith(ends)]
    return max(paths, key=lambda path: environment_of(read(path))["date"], default=None)


# What is said of several cases.


def other_providers(results: Results) -> list[str]:
    """The providers that were timed, without ours."""
    return [name for name in providers(results.cases) if name != OURS]


def speeds(cases: Iterable[Case], other: str) -> list[float]:
    """Our speeds relative to ``other``, where both were timed."""
    return [speed for case in cases if (speed := case.ratio(other, OURS)) is not None]


def mean_floor(cases: Iterable[Case]) -> float | None:
    """The geometric mean of the least time over ours."""
    return geometric_mean([found for case in cases if (found := case.floor_share) is not None])


def of_length(cases: Iterable[Case], kind: str) -> list[Case]:
    """The cases of one of :data:`KINDS`."""
    least = [(case, case.gpu_us(best)) for case in cases if (best := case.best()) is not None]
    return [case for case, us in least if us is not None and (us < BRIEF_US) == (kind == KINDS[1])]


# The tables of the kernels.


def overall(results: Results) -> str:
    """Geometric means against each provider."""
    rows: list[list[str]] = []
    for other in other_providers(results):
        found = speeds(results.cases, other)
        within = sum(one * SLOWER >= 1 for one in found) / len(found) if found else None
        rows.append([other, ratio(geometric_mean(found)), str(len(found)), percent(within)])
    head = ["against", "speed, geometric mean", "cases", f"at most {SLOWER} × its time"]
    return table(head, rows)


def by_operation(results: Results) -> str:
    """A line an operation, and of all: our mean speed, and fraction of the floor."""
    others = other_providers(results)
    groups = {operation: results.of_operation(operation) for operation in results.operations()}
    groups |= {f"*all of {kind}*": of_length(results.cases, kind) for kind in KINDS}
    groups["*all*"] = list(results.cases)
    rows: list[list[str]] = []
    for name, cases in groups.items():
        best = [speed for case in cases if (speed := case.speed) is not None]
        means = map(geometric_mean, [*(speeds(cases, other) for other in others), best])
        cells = [*map(ratio, means), percent(mean_floor(cases))]
        rows.append([name, *cells, str(len(cases))])
    return table(["operation", *others, "fastest other", "floor", "cases"], rows)


def _ordered(cases: Iterable[Case]) -> list[Case]:
    """By size, element type and layout, each as it is listed."""
    names = (*SIZES, *DTYPES, *LAYOUTS)
    places = {name: place for place, name in enumerate(names)}
    return sorted(
        cases, key=lambda case: [places.get(name, len(names)) for name in key(case.fields)[1:]]
    )


_NAME = ["size", "type", "layout"]


def _name(case: Case) -> list[str]:
    one = case.fields
    return [f"{one['size']} ({one['shape']})", one["dtype"], one["layout"]]


def of_operation(results: Results, operation: str) -> str:
    """A line a case: each provider's GPU time, the fastest in bold."""
    cases = results.of_operation(operation)
    names = providers(cases)
    rows: list[list[str]] = []
    for case in _ordered(cases):
        times = {name: case.gpu_us(name) for name in names}
        least = min((time for time in times.values() if time is not None), default=None)
        cells: list[str] = []
        for name, time in times.items():
            text = "failed" if name in case.failures() else number(time)
            cells.append(f"**{text}**" if time is not None and time == least else text)
        rows.append([*_name(case), *cells, ratio(case.speed), percent(case.floor_share)])
    return table([*_NAME, *names, "speed", "floor"], rows, left=3)


def other_times(results: Results) -> dict[str, str]:
    """The tables of the times that are no GPU time, by title."""
    names = providers(results.cases)

    def times(case: Case, field: str) -> list[float | None]:
        return [case.measurements.get(name, {}).get(field) for name in names]

    graphs: list[list[str]] = []
    hosts: list[list[str]] = []
    for operation in results.operations():
        cases = _ordered(results.of_operation(operation))
        inside = [(case, times(case, "graph_us")) for case in cases]
        graphs += [
            [operation, *_name(case), *map(number, found)] for case, found in inside if any(found)
        ]
        columns = zip(*(times(case, "host_us") for case in cases), strict=True)
        known = [[one for one in column if one is not None] for column in columns]
        if any(known):
            medians = (statistics.median(several) if several else None for several in known)
            hosts.append([operation, *map(number, medians)])
    texts: dict[str, str] = {}
    if graphs:
        head = ["operation", *_NAME, *names]
        texts["Inside a CUDA graph, warm, in µs"] = table(head, graphs, left=4)
    if hosts:
        title = "Host time of a call in µs, medians over the cases"
        texts[title] = table(["operation", *names], hosts)
    return texts


def slower(results: Results) -> str | None:
    """A line a case in which another provider is faster by more than it may be, or None."""
    found = [
        (1 / speed, case, best)
        for case in results.cases
        if (best := case.fastest_other) and (speed := case.speed) and 1 / speed > SLOWER
    ]
    found.sort(key=lambda one: (-one[0], key(one[1].fields)))
    rows: list[list[str]] = []
    for over, case, best in found:
        times = (number(case.gpu_us(name)) for name in (OURS, best))
        rows.append([case.operation, *_name(case), best, *times, ratio(over)])
    head = ["operation", *_NAME, "fastest", "ours, µs", "its, µs", "ours / its"]
    return table(head, rows, left=5) if rows else None


def absences(results: Results) -> tuple[list[str], list[str]]:
    """A line a provider that took no part, and a line a failure."""
    left_out = [f"- {name} is left out: {reason}" for name, reason in results.left_out.items()]
    failed = [
        f"- {label(case.fields)}, {name}: {' '.join(reason.split())}"
        for case in results.cases
        for name, reason in case.failures().items()
    ]
    return left_out, failed


# Texts.


def peaks(ceilings: Mapping[str, float]) -> str:
    """What the device can do, in one line."""
    rates = [f"{unit} {number(rate / 1e12)} TFLOP/s" for unit, rate in ceilings.items()]
    copy = f"copy {number(ceilings['bytes'] / 1e12)} TB/s"
    return ", ".join([copy, *(rate for rate in rates if not rate.startswith("bytes "))])


def _software(environment: Record) -> str:
    names = {"torch": "torch", "triton": "Triton", "cuda": "CUDA", "driver": "driver"}
    names["python"] = "Python"
    found = [f"{name} {environment[field]}" for field, name in names.items() if environment[field]]
    return ", ".join(found)


def summary(results: Results) -> str:
    """What a run prints in the end: its tables, and what failed."""
    parts = [f"Peaks: {peaks(results.ceilings)}."]
    for operation in results.operations():
        parts.append(f"{operation}, GPU time in µs:\n{of_operation(results, operation)}")
    parts += [f"{title}:\n{text}" for title, text in other_times(results).items()]
    parts.append(f"Speed, geometric means:\n{by_operation(results)}")
    absent, failed = absences(results)
    if failed:
        parts.append("\n".join([f"failed: {len(failed)}", *failed]))
    if absent:
        parts.append("\n".join(absent))
    if results.missing:
        parts.append(f"stopped: {len(results.missing)} cases were not measured")
    return "\n\n".join(parts)


def others(report: Report) -> list[str]:
    """Sentences and tables of the other benchmarks; of parts of this one, and of choices, none."""
    texts: list[str | None] = []
    for benchmark, records in report.others.items():
        environment = records[0]
        device = environment["device"]
        if benchmark == "launch":
            texts += [f"Host time of one asynchronous call, {device}:", tables.launches(records)]
            if changing := tables.churn(records):
                texts += ["Calls whose shapes change:", changing]
        elif benchmark == "start":
            torch = number(of_kind(records, "torch")[-1]["seconds"])
            texts += [
                f"From the import to the first result in a fresh process, {device} (torch and the "
                f"device take {torch} s before):",
                tables.starts(records),
            ]
            texts.append(tables.byte_code(records))
            if parts := tables.parts(records):
                texts += ["Where ours goes, in processes of its own:", parts]
        elif benchmark == "tuning":
            texts.append(f"What the tuner's modes choose, beside the best of the space, {device}:")
            texts.append(tables.tunings(records))
            if of_kind(records, "start"):
                texts.append("A tuned kernel's first result beside a fixed one's:")
                texts.append(tables.starts(records))
            texts += [tables.choices(records), tables.not_chosen(records)]
        elif benchmark == "compile_time":
            texts.append(f"Compile time for {environment['target']}, of one configuration:")
            texts.append(tables.compile_times(records))
    return [text for text in texts if text]


def page(report: Report) -> str:
    """All tables of a run."""
    results = report.results
    environment = results.environment
    commit = re.sub(r"\b([0-9a-f]{12})[0-9a-f]{28}\b", r"\1", environment["commit"] or "unknown")
    parts = [
        f"# {environment['device']}, {environment['date'][:10]}",
        f"{_software(environment)}; commit {commit}"
        + (", with changes" if environment["dirty"] else "")
        + f". Measured peaks: {peaks(results.ceilings)}.",
        "Times are medians of GPU time in µs, with a flushed L2. *speed* is the time of the "
        "fastest other provider over ours: above 1, ours is the fastest. *floor* is the least time "
        "that bytes and operations need at the peaks, over ours.",
    ]
    if results.missing:
        parts.append("The run was stopped before its last case.")
    parts += ["## Overall", overall(results)]
    parts += [f"![{title}]({report.name}-{plot}.svg)" for plot, title in PLOTS.items()]
    parts += [
        "## By operation",
        "Geometric means; the columns of providers are our speed relative to theirs.",
        by_operation(results),
    ]
    for operation in results.operations():
        parts += [f"### {operation}", of_operation(results, operation)]
    for title, text in other_times(results).items():
        parts += [f"## {title}", text]
    if report.others:
        parts += ["## The host", *others(report)]
    if (text := slower(results)) is not None:
        share = percent(SLOWER - 1)
        parts += [f"## Cases in which another provider is faster by over {share}", text]
    absent, failed = absences(results)
    if absent or failed:
        parts += ["## Left out and failed", "\n".join([*absent, *failed])]
    return "\n\n".join(parts) + "\n"


def readme_block(report: Report, folder: str) -> str:
    """What stands between the README's markers; ``folder`` leads from it to tables and plots."""
    results = report.results
    environment = results.environment
    stopped = " The run was stopped before its last case." if results.missing else ""
    counts = f"{len(results.operations())} operations in {len(results.cases)} cases"
    parts = [
        f"Measured on {environment['device']}, {environment['date'][:10]}, with "
        f"{_software(environment)}: {counts} ([all figures]({folder}/{report.name}.md)).{stopped} "
        "*speed* is their GPU time over ours: above 1, ours is faster.",
        overall(results),
        f"![{PLOTS['speed']}]({folder}/{report.name}-speed.svg)",
    ]
    return "\n\n".join(parts)


# Plots.


def speed_plot(results: Results) -> str:
    """For each operation, the mean speed of ours relative to each provider."""
    names = results.operations()
    panels: list[plots.Panel] = []
    for kind in KINDS:
        groups = [of_length(results.of_operation(name), kind) for name in names]
        values = {
            other: [geometric_mean(speeds(cases, other)) for cases in groups]
            for other in other_providers(results)
        }
        known = [one for several in values.values() for one in several if one is not None]
        ticks = plots.powers_of_two(known)
        panels.append(plots.Panel(f"cases of {kind}", values, ticks, math.log2))
    return plots.svg(PLOTS["speed"], "their GPU time over ours, geometric mean", names, panels)


def floor_plot(results: Results) -> str:
    """For each operation and general size, the part of our time that no kernel can save.

    All sizes would be more than there are colours.
    """
    names = results.operations()
    cases = of_length(results.cases, KINDS[0])
    values = {
        size: [
            mean_floor(
                case for case in cases if (case.operation, case.fields["size"]) == (name, size)
            )
            for name in names
        ]
        for size in GENERAL_SIZES
        if any(case.fields["size"] == size for case in cases)
    }
    highest = max([1.0, *(one for several in values.values() for one in several if one)])
    ticks = [(fifth / 5, f"{20 * fifth} %") for fifth in range(math.ceil(5 * highest) + 1)]
    panel = plots.Panel(f"cases of {KINDS[0]}", values, ticks)
    axis = "least time at the measured peaks over our GPU time"
    return plots.svg(PLOTS["floor"], axis, names, [panel])


# Files.


def replaced(text: str, block: str) -> str:
    """``text`` with ``block`` between the markers.

    Raises:
        ResultsError: it has not one line of each.
    """
    lines = text.split("\n")
    if lines.count(BEGIN) != 1 or lines.count(END) != 1 or lines.index(END) < lines.index(BEGIN):
        raise ResultsError(f"write one line {BEGIN} and, below it, one line {END}")
    before, after = lines[: lines.index(BEGIN) + 1], lines[lines.index(END) :]
    return "\n".join([*before, block, *after])


def files(report: Report) -> dict[str, str]:
    """Tables and plots, by the files' names."""
    texts = {
        ".md": page(report),
        "-speed.svg": speed_plot(report.results),
        "-floor.svg": floor_plot(report.results),
    }
    return {f"{report.name}{end}": text for end, text in texts.items()}


def main() -> None:
    """Write what is asked for; the exit code is 1 where results cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report", description="tables and plots of results"
    )
    parser.add_argument("results", type=Path, metavar="RESULTS.jsonl")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="replace the block in it")
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="FOLDER")
    arguments = parser.parse_args()
    try:
        report = load(arguments.results)
        out: Path = arguments.out
        readme: Path | None = arguments.readme
        out.mkdir(parents=True, exist_ok=True)
        for name, text in files(report).items():
            (out / name).write_text(text, encoding="utf-8")
        if readme is not None:
            folder = Path(os.path.relpath(out.resolve(), readme.resolve().parent)).as_posix()
            text = replaced(readme.read_text(encoding="utf-8"), readme_block(report, folder))
            readme.write_text(text, encoding="utf-8")
    except (OSError, ResultsError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
