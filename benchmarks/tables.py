"""Tables of records, as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence

from benchmarks.records import Record, geometric_mean, of_kind

NONE = "–"
Field = str | Callable[[Record], str]
"""The text of a record: a field's, or what a function makes of it."""


def number(value: float | None) -> str:
    """Three significant digits, or a dash."""
    if value is None:
        return NONE
    # Values that are rounded up to 10 or 100 have a digit less.
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:,.{digits}f}"


def ratio(value: float | None) -> str:
    """Two decimals, or a dash."""
    return NONE if value is None else f"{value:.2f}"


def percent(value: float | None) -> str:
    """Whole percents, or a dash."""
    return NONE if value is None else f"{value:.0%}".replace("%", " %")


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


def pivot(
    records: Sequence[Record],
    rows: Mapping[str, Field],
    column: Field,
    cell: Callable[[Sequence[Record]], str],
    left: int | None = None,
) -> str:
    """A line for each text of ``rows`` (by the columns' heads), a column for each of ``column``.

    A cell has the text of the records that belong there, where there are some.
    """
    cells: dict[tuple[str, ...], dict[str, list[Record]]] = {}
    for record in records:
        line = cells.setdefault(tuple(_text(record, one) for one in rows.values()), {})
        line.setdefault(_text(record, column), []).append(record)
    columns = dict.fromkeys(name for line in cells.values() for name in line)
    texts = [
        [*line, *(cell(found[name]) if name in found else NONE for name in columns)]
        for line, found in cells.items()
    ]
    return table([*rows, *columns], texts, len(rows) if left is None else left)


def value(field: str, scale: float = 1.0) -> Callable[[Sequence[Record]], str]:
    """Of a cell: the sum of its records' fields."""
    return lambda records: number(scale * sum(record[field] for record in records))


def _text(record: Record, field: Field) -> str:
    return str(record[field]) if isinstance(field, str) else field(record)


# The tables of the host's times and of the tuner's choices.


def launches(records: Sequence[Record]) -> str:
    """A line a case: host µs of each provider."""

    def name(one: Record) -> str:
        return f"{one['case']} ({one['note']})" if one.get("note") else one["case"]

    rows: dict[str, Field] = {"µs of the host": name, "tensors": "tensors"}
    return pivot(of_kind(records, "launch"), rows, "provider", value("us"), left=1)


def functions(records: Sequence[Record]) -> str | None:
    """A line an operation, or None: host µs of its function, and what it adds to its calls."""
    rows = [
        [one["operation"], *(f"{one[field]:.2f}" for field in ("us", "calls_us", "added_us"))]
        for one in of_kind(records, "function")
    ]
    head = ["µs of the host", "function", "calls and `torch.empty`", "added"]
    return table(head, rows) if rows else None


def churn(records: Sequence[Record]) -> str | None:
    """A line a kernel whose shapes change, or None: what is compiled again, how memory grows."""
    found = of_kind(records, "churn")
    counts = ("calls", "shapes", "signatures", "first", "later")
    rows = [
        [
            one["case"],
            *(f"{one[count]:,}" for count in counts),
            number(one["us"]),
            *(
                f"{(one[f'{memory}_after'] - one[f'{memory}_before']) / 1024:+,.0f}"
                for memory in ("resident", "allocated")
            ),
        ]
        for one in found
    ]
    head = ["kernel", "calls", "shapes", "signatures", "compiled first", "compiled later"]
    return table([*head, "µs a call", "resident, KiB", "Python's, KiB"], rows) if found else None


def starts(records: Sequence[Record]) -> str:
    """A line a program and state of the caches: seconds to the first result, by provider.

    In brackets, the part until the package is imported and the kernel made.
    """
    found = of_kind(records, "start")
    counts = {one["program"]: 1 for one in found}
    for one in found:
        counts[one["program"]] = max(one["configurations"], counts[one["program"]])

    def program(one: Record) -> str:
        count = counts[one["program"]]
        return f"{one['program']} of {count}" if count > 1 else one["program"]

    rows: dict[str, Field] = {
        "seconds to the first result (to the kernel)": program,
        "caches": "cache",
    }

    def cell(own: Sequence[Record]) -> str:
        return f"{number(own[0]['first'])} ({number(own[0]['imported'])})"

    return pivot(found, rows, "provider", cell)


def byte_code(records: Sequence[Record]) -> str:
    """Whether Python had compiled all that the processes imported, in one sentence."""
    names = [
        f"{one['provider']} {one['program']} {one['cache']} ({one['uncompiled']})"
        for one in of_kind(records, "start")
        if one["uncompiled"]
    ]
    if not names:
        return "All modules had byte code on disk, in cold runs, too."
    return f"Modules without byte code on disk, which Python compiled: {', '.join(names)}."


def parts(records: Sequence[Record]) -> str | None:
    """A line a part of our time to the first result, in ms, or None where none were taken."""
    found = of_kind(records, "part")
    everything = [{**one, "part": "all"} for one in found]
    return (
        pivot(
            [*found, *everything],
            {"ms": "part"},
            lambda one: f"{one['program']} {one['cache']}",
            value("seconds", 1e3),
        )
        if found
        else None
    )


def compile_times(records: Sequence[Record]) -> str:
    """A line a kernel: ours up to TTIR, and Triton's stages, in ms."""
    return pivot(of_kind(records, "compile"), {"ms": "kernel"}, "part", value("ms"))


def passes(records: Sequence[Record]) -> str:
    """A line a pass: the median over all kernels, and the slowest, in ms."""
    times: dict[str, list[tuple[float, str]]] = {}
    for one in of_kind(records, "compile"):
        if one["part"] == "passes":
            times.setdefault(one["step"], []).append((one["ms"], one["kernel"]))
    lines: list[list[str]] = []
    for name, found in times.items():
        most, kernel = max(found)
        middle = statistics.median(taken for taken, _ in found)
        lines.append([name, kernel, number(most), number(middle)])
    return table(["ms", "most of", "most", "median"], lines, left=2)


def _case(one: Record) -> str:
    return f"{one['operation']} {one['size']}"


def tunings(records: Sequence[Record]) -> str:
    """A line a case: the best time of its space, and what each mode's choice takes of it."""
    chosen = of_kind(records, "choice")
    by_case = {(_case(one), one["by"]): one["us"] for one in chosen if "us" in one}
    modes = [mode for mode in dict.fromkeys(by for _, by in by_case) if mode != "best"]
    found = of_kind(records, "space")
    ratios: dict[str, list[float]] = {mode: [] for mode in modes}
    rows: list[list[str]] = []
    for one in found:
        best = by_case[_case(one), "best"]
        cells: list[str] = []
        for mode in modes:
            us = by_case.get((_case(one), mode))
            if us is not None:
                ratios[mode].append(us / best)
            cells += [number(us), ratio(None if us is None else us / best)]
        counts = (f"{one[count]:,}" for count in ("rank", "space", "tried", "timed"))
        seconds = sum(one[f"{part}_seconds"] for part in ("choose", "compile", "time"))
        rows.append([_case(one), one["shape"], number(best), *cells, *counts, number(seconds)])
    means = [text for mode in modes for text in ("", ratio(geometric_mean(ratios[mode])))]
    rows.append(["*geometric mean*", "", "", *means, *[""] * 5])
    heads = [text for mode in modes for text in (f"{mode}, µs", "/ best")]
    ends = ["model's place of the best", "space", "tried", "timed", "seconds"]
    return table(["case", "numbers", "best, µs", *heads, *ends], rows, left=2)


def choices(records: Sequence[Record]) -> str:
    """A line a case and choice: the configuration, and what choosing it took."""
    rows = [
        [_case(one), one["by"], one["config"], number(one.get("seconds"))]
        for one in of_kind(records, "choice")
        if "us" in one
    ]
    return table(["case", "by", "configuration", "seconds"], rows, left=3)


def not_chosen(records: Sequence[Record]) -> str:
    """A line a reason why configurations, or modes, gave nothing."""
    lines = [
        f"- {_case(one)}: {one['count']} × {one['reason']}" for one in of_kind(records, "not run")
    ]
    lines += [
        f"- {_case(one)}, {one['by']}: {one['reason']}"
        for one in of_kind(records, "choice")
        if "us" not in one
    ]
    return "\n".join(lines)
