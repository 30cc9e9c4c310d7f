"""The tables of a run and of a report, as Markdown.

A ``speed`` is their GPU time over ours: above 1, ours is faster. That against the ``fastest other``
provider is of each case's own. ``floor`` is the least time that the case can take over ours.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.host_results import (
    Churn,
    CompileTimes,
    HostResults,
    Launches,
    Start,
    Starts,
    Tunings,
)
from benchmarks.operation import DTYPES, LAYOUTS, OURS, PROVIDERS, SIZES
from benchmarks.results import SLOWER, Case, Ceilings, Environment, Results, geometric_mean

BRIEF_US = 20.0
"""A case whose fastest provider takes less is mostly what starting and ending a kernel takes."""
KINDS = (f"{BRIEF_US:g} µs and more", f"less than {BRIEF_US:g} µs")
"""How the cases are told apart by that."""
PLOT_TITLES = {
    "speed": "Speed relative to each provider; to the right of 1×, ours is faster",
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
    lines = [head, *rows]
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(head))]
    rule = [
        f":{'-' * (width - 1)}" if column < left else f"{'-' * (width - 1)}:"
        for column, width in enumerate(widths)
    ]
    lines.insert(1, rule)
    texts = (
        (
            text.ljust(width) if column < left else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    return "\n".join(f"| {' | '.join(line)} |" for line in texts)


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


def fastest_other(case: Case) -> str | None:
    """Of the other providers, the fastest."""
    return case.best(name for name in case.measurements if name != OURS)


def best_speed(case: Case) -> float | None:
    """Our speed relative to the fastest other provider."""
    best = fastest_other(case)
    return None if best is None else case.ratio(best, OURS)


def of_kind(cases: Iterable[Case], kind: str) -> list[Case]:
    """The cases of one of :data:`KINDS`."""
    found: list[Case] = []
    for case in cases:
        best = case.best()
        time = None if best is None else case.gpu_us(best)
        if time is not None and (time < BRIEF_US) == (kind == KINDS[1]):
            found.append(case)
    return found


def peaks(ceilings: Ceilings) -> str:
    """What the device can do, in one line."""
    rates = [f"{unit} {number(peak / 1e12)} TFLOP/s" for unit, peak in ceilings.peaks.items()]
    return ", ".join([f"copy {number(ceilings.bandwidth / 1e12)} TB/s", *rates])


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
        f"cases ([all figures]({page})).{stopped} *speed* is their GPU time over ours: above 1, "
        "ours is faster. The *floor* is the least time that bytes and operations need at the "
        "measured peaks."
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
    """A line an operation, and of all: our mean speed, and fraction of the floor."""
    others = [name for name in providers(results.cases) if name != OURS]
    groups = {
        operation: [case for case in results.cases if case.operation == operation]
        for operation in operations(results)
    }
    for kind in KINDS:
        groups[f"*all of {kind}*"] = of_kind(results.cases, kind)
    groups["*all*"] = list(results.cases)
    rows: list[list[str]] = []
    for name, cases in groups.items():
        speeds = [mean_speed(cases, other)[0] for other in others]
        best = [value for case in cases if (value := best_speed(case)) is not None]
        shares = [value for case in cases if (value := floor_share(case)) is not None]
        means = [*map(ratio, speeds), ratio(geometric_mean(best)), percent(geometric_mean(shares))]
        rows.append([name, *means, str(len(cases))])
    return table(["operation", *others, "fastest other", "floor", "cases"], rows)


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
        rows.append([*_name(case), *cells, ratio(best_speed(case)), percent(floor_share(case))])
    return table(["size", "type", "layout", *names, "speed", "floor"], rows, left=3)


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


def other_times(results: Results) -> dict[str, str]:
    """The tables of the times that are no GPU time, by title."""
    found = {
        "Inside a CUDA graph, warm, in µs": in_graphs(results),
        "Host time of a call in µs, medians over the cases": host_times(results),
    }
    return {title: text for title, text in found.items() if text is not None}


def slower(results: Results) -> str | None:
    """A line a case in which another provider is faster by more than it may be, or None."""
    found: list[tuple[float, Case, str]] = []
    for case in results.cases:
        best = fastest_other(case)
        value = None if best is None else case.ratio(OURS, best)
        if best is not None and value is not None and value > SLOWER:
            found.append((value, case, best))
    found.sort(key=lambda one: (-one[0], one[1].key))
    rows: list[list[str]] = []
    for value, case, best in found:
        times = (number(case.gpu_us(name)) for name in (OURS, best))
        rows.append([case.operation, *_name(case), best, *times, ratio(value)])
    head = ["operation", "size", "type", "layout", "fastest", "ours, µs", "its, µs", "ours / its"]
    return table(head, rows, left=5) if rows else None


def left_out(results: Results) -> list[str]:
    """A line a provider that took no part."""
    return [f"- {name} is left out: {reason}" for name, reason in results.left_out.items()]


def failures(cases: Iterable[Case]) -> list[str]:
    """A line a failure."""
    return [
        f"- {case.label}, {name}: {' '.join(reason.split())}"
        for case in cases
        for name, reason in case.failures().items()
    ]


def launches(found: Launches) -> str:
    """A line a case: host µs of each provider."""
    names = list(dict.fromkeys(name for case in found.cases for name in case.us))
    rows: list[list[str]] = []
    for case in found.cases:
        note = f" ({case.note})" if case.note else ""
        times = [number(case.us[name].median if name in case.us else None) for name in names]
        rows.append([f"{case.name}{note}", str(case.tensors), *times])
    return table(["µs of the host", "tensors", *names], rows)


def churn(found: Sequence[Churn]) -> str:
    """A line a kernel whose shapes change: what is compiled again, and what memory grows by."""
    rows = [
        [
            one.name,
            *(f"{count:,}" for count in (one.calls, one.shapes, one.signatures)),
            *(str(count) for count in (one.first, one.later)),
            number(one.us),
            *(f"{(pair[1] - pair[0]) / 1024:+,.0f}" for pair in (one.resident, one.allocated)),
        ]
        for one in found
    ]
    head = ["kernel", "calls", "shapes", "signatures", "compiled first", "compiled later"]
    return table([*head, "µs a call", "resident, KiB", "Python's, KiB"], rows)


def starts(cases: Sequence[Start]) -> str:
    """A line a program and state of the caches: seconds to the first result, by provider.

    In brackets, the part until the package is imported and the kernel made.
    """
    names = list(dict.fromkeys(case.provider for case in cases))
    times = {(case.program, case.cache, case.provider): case for case in cases}
    rows: list[list[str]] = []
    for program, cache in dict.fromkeys((case.program, case.cache) for case in cases):
        own = [times.get((program, cache, name)) for name in names]
        cells = [
            f"{number(one.first.median)} ({number(one.imported.median)})" if one else _NONE
            for one in own
        ]
        counts = {one.configurations for one in own if one}
        choices = f" of {max(counts)}" if max(counts) > 1 else ""
        rows.append([f"{program}{choices}", cache, *cells])
    head = ["seconds to the first result (to the kernel)", "caches", *names]
    return table(head, rows, left=2)


def byte_code(found: Starts) -> str | None:
    """Whether Python had compiled all that the processes imported, in one sentence.

    None: nobody looked.
    """
    if any(case.uncompiled is None for case in found.cases):
        return None
    without = [case for case in found.cases if case.uncompiled]
    if not without:
        return "All modules had byte code on disk, in cold runs, too."
    names = [f"{case.provider} {case.program} {case.cache} ({case.uncompiled})" for case in without]
    return f"Modules without byte code on disk, which Python compiled: {', '.join(names)}."


def start_parts(found: Starts) -> str | None:
    """A line a part of our time to the first result, in ms, or None where none were taken."""
    timed = [case for case in found.cases if case.parts]
    if not timed:
        return None
    names = list(dict.fromkeys(name for case in timed for name in case.parts))
    rows = [
        [name, *(number(_milliseconds(case.parts.get(name))) for case in timed)] for name in names
    ]
    sums = [number(_milliseconds(sum(case.parts.values()))) for case in timed]
    head = ["ms", *(f"{case.program} {case.cache}" for case in timed)]
    return table(head, [*rows, ["all", *sums]])


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3


def tunings(found: Tunings) -> str:
    """A line a case: the best time of its space, and what each mode's choice takes of it."""
    modes = list(dict.fromkeys(mode for case in found.cases for mode in case.choices))
    rows: list[list[str]] = []
    for case in found.cases:
        numbers = " × ".join(map(str, case.numbers))
        cells: list[str] = []
        for mode in modes:
            choice = case.choices.get(mode)
            time = None if choice is None else choice.us.median
            cells += [number(time), ratio(case.ratio(mode))]
        rows.append(
            [
                f"{case.operation} {case.size}",
                numbers,
                number(case.best.us.median),
                *cells,
                f"{case.rank:,}",
                *(f"{count:,}" for count in (case.space, case.tried, case.timed)),
                number(sum(case.seconds.values())),
            ]
        )
    means = [
        geometric_mean([value for case in found.cases if (value := case.ratio(mode)) is not None])
        for mode in modes
    ]
    blanks = [text for mean in means for text in ("", ratio(mean))]
    rows.append(["*geometric mean*", "", "", *blanks, *[""] * 5])
    heads = [text for mode in modes for text in (f"{mode}, µs", "/ best")]
    counts = ["model's place of the best", "space", "tried", "timed", "seconds"]
    return table(["case", "numbers", "best, µs", *heads, *counts], rows, left=2)


def tuning_choices(found: Tunings) -> str:
    """A line a case and choice: the configuration, and what choosing it took."""
    rows: list[list[str]] = []
    for case in found.cases:
        name = f"{case.operation} {case.size}"
        rows.append([name, "best", case.best.config, _NONE])
        for mode, choice in case.choices.items():
            rows.append([name, mode, choice.config, number(choice.seconds)])
    return table(["case", "by", "configuration", "seconds"], rows, left=3)


def tuning_failures(found: Tunings) -> list[str]:
    """A line a reason why configurations, or modes, gave nothing."""
    lines: list[str] = []
    for case in found.cases:
        name = f"{case.operation} {case.size}"
        for reason, count in sorted(case.failures.items(), key=lambda one: (-one[1], one[0])):
            lines.append(f"- {name}: {count} × {reason}")
        lines += [f"- {name}, {mode}: {reason}" for mode, reason in case.not_chosen.items()]
    return lines


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
    """Sentences and tables of the host's times; ``short`` leaves details and compile times out."""
    texts: list[str] = []
    for results in found.values():
        device = results.environment.device
        if isinstance(results, Launches):
            texts += [f"Host time of one asynchronous call, {device}:", launches(results)]
            if results.churn:
                texts += ["Calls whose shapes change:", churn(results.churn)]
        elif isinstance(results, Starts):
            texts += [
                f"From the import to the first result in a fresh process, {device} (torch and the "
                f"device take {number(results.torch.median)} s before):",
                starts(results.cases),
            ]
            if not short:
                texts += [text for text in (byte_code(results),) if text is not None]
                texts += _parts(results)
        elif isinstance(results, Tunings):
            texts += _tunings(results, short)
        elif not short:
            texts += [
                f"Compile time for {results.target}, of one configuration:",
                compile_times(results),
            ]
    return texts


def _parts(found: Starts) -> list[str]:
    text = start_parts(found)
    return [] if text is None else ["Where ours goes, in processes of its own:", text]


def _tunings(found: Tunings, short: bool) -> list[str]:
    device = found.environment.device
    texts = [f"What the tuner's modes choose, beside the best of the space, {device}:"]
    texts.append(tunings(found))
    if found.starts:
        texts += ["A tuned kernel's first result beside a fixed one's:", starts(found.starts)]
    if not short:
        texts.append(tuning_choices(found))
        if lines := tuning_failures(found):
            texts.append("\n".join(lines))
    return texts


def page(
    name: str, results: Results, found: Mapping[str, HostResults], plots: Sequence[str]
) -> str:
    """All tables of a run."""
    environment = results.environment
    commit = re.sub(r"\b([0-9a-f]{12})[0-9a-f]{28}\b", r"\1", environment.commit or "unknown")
    parts = [
        f"# {environment.device}, {environment.date[:10]}",
        f"{software(environment)}; commit {commit}"
        + (", with changes" if environment.dirty else "")
        + f". Measured peaks: {peaks(results.ceilings)}.",
        "Times are medians of GPU time in µs, with a flushed L2. *speed* is the time of the "
        "fastest other provider over ours: above 1, ours is the fastest. *floor* is the least time "
        "that bytes and operations need at the peaks, over ours.",
    ]
    if not results.complete:
        parts.append("The run was stopped before its last case.")
    parts += ["## Overall", overall(results)]
    parts += [f"![{PLOT_TITLES[plot]}]({name}-{plot}.svg)" for plot in plots]
    parts += [
        "## By operation",
        "Geometric means; the columns of providers are our speed relative to theirs.",
        by_operation(results),
    ]
    for operation in operations(results):
        parts += [f"### {operation}", cases_of(results, operation)]
    for title, text in other_times(results).items():
        parts += [f"## {title}", text]
    if found:
        parts += ["## The host", *host(found)]
    if (text := slower(results)) is not None:
        share = percent(SLOWER - 1)
        parts += [f"## Cases in which another provider is faster by over {share}", text]
    if lines := [*left_out(results), *failures(results.cases)]:
        parts += ["## Left out and failed", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"
