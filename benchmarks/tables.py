"""The tables of a report, as Markdown.

``× best`` is our time over that of the fastest other provider: below 1, ours is the fastest.
``speed`` is the other way round, their time over ours: above 1, ours is faster. ``floor`` is the
least time that the case can take over ours.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.host_results import CompileTimes, HostResults, Launches, Starts
from benchmarks.operation import DTYPES, LAYOUTS, OURS, PROVIDERS, SIZES
from benchmarks.results import SLOWER, Case, Environment, Results, geometric_mean

PLOT_TITLES = {
    "speed": "Speed relative to each provider, by operation",
    "floor": "Fraction of the physical floor, by operation and size",
}
_NONE = "–"


def number(value: float | None) -> str:
    """Three significant digits, or a dash."""
    if value is None:
        return _NONE
    # Values that are rounded up to 10 or 100 have a digit less.
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:,.{digits}f}"


def ratio(value: float | None) -> str:
    """Two decimals, or a dash."""
    return _NONE if value is None else f"{value:.2f}"


def percent(value: float | None) -> str:
    """Whole percents, or a dash."""
    return _NONE if value is None else f"{value:.0%}".replace("%", " %")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A Markdown table, whose first ``left`` columns are texts and whose others are figures."""
    rule = [":--" if position < left else "--:" for position in range(len(head))]
    lines = [head, rule, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def providers(cases: Iterable[Case]) -> list[str]:
    """The providers that were timed in one of the cases, ours first."""
    timed = {name for case in cases for name in case.measurements if case.gpu_us(name)}
    return [*(name for name in PROVIDERS if name in timed), *sorted(timed - {*PROVIDERS})]


def operations(results: Results) -> list[str]:
    """The operations in alphabetical order."""
    return sorted({case.operation for case in results.cases})


def mean_speed(cases: Iterable[Case], other: str) -> tuple[float | None, int]:
    """The geometric mean of our speed relative to ``other``, and over how many cases."""
    found = [value for case in cases if (value := case.ratio(other, OURS)) is not None]
    return geometric_mean(found), len(found)


def floor_share(case: Case) -> float | None:
    """The least time over ours."""
    value = case.floor_ratio(OURS)
    return None if not value else 1 / value


def versus_best(case: Case) -> float | None:
    """Our time over that of the fastest other provider."""
    best = case.best(name for name in case.measurements if name != OURS)
    return None if best is None else case.ratio(OURS, best)


def software(environment: Environment) -> str:
    """The versions, in one line."""
    names = {
        "torch": environment.torch,
        "Triton": environment.triton,
        "CUDA": environment.cuda,
        "driver": environment.driver,
        "Python": environment.python,
    }
    return ", ".join(f"{name} {version}" for name, version in names.items() if version is not None)


def measured_on(results: Results, page: str) -> str:
    """The README's sentence: where, when and of what the figures are."""
    environment = results.environment
    stopped = "" if results.complete else " The run was stopped before its last case."
    return (
        f"Measured on {environment.device}, {environment.date[:10]}, with "
        f"{software(environment)}: {len(operations(results))} operations in {len(results.cases)} "
        f"cases ([all figures]({page})).{stopped} *Speed* is their GPU time over ours: above 1, "
        "ours is faster."
    )


def overall(results: Results) -> str:
    """Geometric means against each provider."""
    rows: list[list[str]] = []
    for other in providers(results.cases):
        if other == OURS:
            continue
        mean, count = mean_speed(results.cases, other)
        ratios = [value for case in results.cases if (value := case.ratio(OURS, other)) is not None]
        within = sum(value <= SLOWER for value in ratios) / len(ratios) if ratios else None
        rows.append([other, ratio(mean), str(count), percent(within)])
    head = ["against", "speed, geometric mean", "cases", f"at most {SLOWER} × its time"]
    return table(head, rows)


def by_operation(results: Results) -> str:
    """A line an operation: our mean speed relative to each provider, and fraction of the floor."""
    others = [name for name in providers(results.cases) if name != OURS]
    rows: list[list[str]] = []
    for operation in operations(results):
        cases = [case for case in results.cases if case.operation == operation]
        speeds = [mean_speed(cases, other)[0] for other in others]
        best = [value for case in cases if (value := versus_best(case)) is not None]
        shares = [value for case in cases if (value := floor_share(case)) is not None]
        rows.append(
            [
                operation,
                *map(ratio, speeds),
                ratio(geometric_mean(best)),
                percent(geometric_mean(shares)),
            ]
        )
    return table(["operation", *others, "× best", "floor"], rows)


def _ordered(cases: Iterable[Case]) -> list[Case]:
    """By size, element type and layout, each as it is listed."""

    def key(case: Case) -> tuple[object, ...]:
        known = ((case.size, SIZES), (case.dtype, tuple(DTYPES)), (case.layout, LAYOUTS))
        places = ((names.index(name) if name in names else len(names)) for name, names in known)
        return *places, case.key

    return sorted(cases, key=key)


def _name(case: Case) -> list[str]:
    numbers = " × ".join(map(str, case.numbers))
    return [f"{case.size} ({numbers})", case.dtype, case.layout]


def cases_of(results: Results, operation: str) -> str:
    """A line a case: each provider's GPU time, the fastest in bold."""
    cases = [case for case in results.cases if case.operation == operation]
    names = providers(cases)
    rows: list[list[str]] = []
    for case in _ordered(cases):
        times = {name: case.gpu_us(name) for name in names}
        least = min((time for time in times.values() if time is not None), default=None)
        cells: list[str] = []
        for name, time in times.items():
            text = "failed" if name in case.failures() else number(time)
            cells.append(f"**{text}**" if time is not None and time == least else text)
        rows.append([*_name(case), *cells, ratio(versus_best(case)), percent(floor_share(case))])
    return table(["size", "type", "layout", *names, "× best", "floor"], rows, left=3)


def in_graphs(results: Results) -> str | None:
    """A line a case that was captured in a CUDA graph, or None of no such case."""
    names = providers(results.cases)
    rows: list[list[str]] = []
    for operation in operations(results):
        for case in _ordered(case for case in results.cases if case.operation == operation):
            found = {name: measurement.graph_us for name, measurement in case.measurements.items()}
            if any(value is not None for value in found.values()):
                times = [number(found.get(name)) for name in names]
                rows.append([operation, *_name(case), *times])
    head = ["operation", "size", "type", "layout", *names]
    return table(head, rows, left=4) if rows else None


def host_times(results: Results) -> str | None:
    """A line an operation: each provider's median of host time, or None where none was taken."""
    names = providers(results.cases)
    rows: list[list[str]] = []
    for operation in operations(results):
        cells: list[float | None] = []
        for name in names:
            times = [
                time
                for case in results.cases
                if case.operation == operation
                and name in case.measurements
                and (time := case.measurements[name].host_us) is not None
            ]
            cells.append(statistics.median(times) if times else None)
        if any(cell is not None for cell in cells):
            rows.append([operation, *map(number, cells)])
    return table(["operation", *names], rows) if rows else None


def failures(results: Results) -> list[str]:
    """A line a failure and a provider that was left out."""
    lines = [f"- {name} is left out: {reason}" for name, reason in results.left_out.items()]
    for case in results.cases:
        for name, reason in case.failures().items():
            lines.append(f"- {case.label}, {name}: {' '.join(reason.split())}")
    return lines


def launches(found: Launches) -> str:
    """A line a case: host µs of each provider."""
    names = list(dict.fromkeys(name for case in found.cases for name in case.us))
    rows: list[list[str]] = []
    for case in found.cases:
        note = f" ({case.note})" if case.note else ""
        times = [number(case.us[name].median if name in case.us else None) for name in names]
        rows.append([f"{case.name}{note}", str(case.tensors), *times])
    return table(["µs of the host", "tensors", *names], rows)


def starts(found: Starts) -> str:
    """A line a program and state of the caches: seconds to the first result, by provider."""
    names = list(dict.fromkeys(case.provider for case in found.cases))
    times = {(case.program, case.cache, case.provider): case for case in found.cases}
    rows: list[list[str]] = []
    for program, cache in dict.fromkeys((case.program, case.cache) for case in found.cases):
        cells: list[str] = []
        for name in names:
            case = times.get((program, cache, name))
            cells.append(number(None if case is None else case.first.median))
        rows.append([program, cache, *cells])
    return table(["seconds to the first result", "caches", *names], rows, left=2)


def compile_times(found: CompileTimes) -> str:
    """A line a kernel: ours up to TTIR, and Triton's stages."""
    stages = list(dict.fromkeys(stage for kernel in found.kernels for stage in kernel.triton))
    rows = [
        [
            kernel.kernel,
            number(kernel.frontend),
            number(sum(kernel.passes.values())),
            number(kernel.emit),
            number(kernel.total),
            *(number(kernel.triton.get(stage)) for stage in stages),
        ]
        for kernel in found.kernels
    ]
    return table(["ms", "frontend", "passes", "emit", "ours", *stages], rows)


def host(found: Mapping[str, HostResults], short: bool = False) -> list[str]:
    """Sentences and tables of the host's times; ``short`` leaves compile times out."""
    parts: list[str] = []
    for results in found.values():
        device = results.environment.device
        if isinstance(results, Launches):
            parts += [f"Host time of one asynchronous call, {device}:", launches(results)]
        elif isinstance(results, Starts):
            parts += [
                f"From the import to the first result in a fresh process, {device} (torch and the "
                f"device take {number(results.torch.median)} s before):",
                starts(results),
            ]
        elif not short:
            parts += [
                f"Compile time for {results.target}, of one configuration:",
                compile_times(results),
            ]
    return parts


def page(
    name: str, results: Results, found: Mapping[str, HostResults], plots: Sequence[str]
) -> str:
    """All tables of a run."""
    environment, ceilings = results.environment, results.ceilings
    peaks = [f"{unit} {number(peak / 1e12)} TFLOP/s" for unit, peak in ceilings.peaks.items()]
    commit = environment.commit or "unknown"
    parts = [
        f"# {environment.device}, {environment.date[:10]}",
        f"{software(environment)}; commit {commit[:12]}"
        + (", with changes" if environment.dirty else "")
        + f". Measured peaks: copy {number(ceilings.bandwidth / 1e12)} TB/s"
        + "".join(f", {peak}" for peak in peaks)
        + ".",
        "Times are medians of GPU time in µs, with a flushed L2. *× best* is our time over that of "
        "the fastest other provider: below 1, ours is the fastest. *floor* is the least time that "
        "bytes and operations need at the peaks, over ours.",
    ]
    if not results.complete:
        parts.append("The run was stopped before its last case.")
    parts += ["## Overall", overall(results)]
    parts += [f"![{PLOT_TITLES[plot]}]({name}-{plot}.svg)" for plot in plots]
    parts += [
        "## By operation",
        "Geometric means; the columns of providers are our speed "
        "relative to theirs: above 1, ours is faster.",
        by_operation(results),
    ]
    for operation in operations(results):
        parts += [f"### {operation}", cases_of(results, operation)]
    for title, text in (
        ("Inside a CUDA graph, warm, in µs", in_graphs(results)),
        ("Host time of a call in µs, medians over the cases", host_times(results)),
    ):
        if text is not None:
            parts += [f"## {title}", text]
    if found:
        parts += ["## The host", *host(found)]
    if lines := failures(results):
        parts += ["## Left out and failed", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"
