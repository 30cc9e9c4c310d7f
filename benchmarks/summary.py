"""What a run prints in the end: a table of its cases, means, and what failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.operation import OURS, PROVIDERS
from benchmarks.results import Case, Ceilings, Results, geometric_means

_NONE = "·"


def summary(results: Results) -> str:
    """All of it, as text."""
    cases = results.cases
    providers = [name for name in PROVIDERS if any(name in case.measurements for case in cases)]
    parts = [
        _ceilings(results.ceilings),
        _gpu(cases, providers),
        _small([case for case in cases if case.size == "small"], providers),
        _means(cases, providers),
        failures(cases),
        "\n".join(f"{name} is left out: {why}" for name, why in results.left_out.items()),
        "seconds: " + ", ".join(f"{name} {taken:.0f}" for name, taken in results.seconds.items()),
    ]
    if not results.complete:
        parts.append(f"stopped: {len(results.missing)} cases were not measured")
    return "\n\n".join(part for part in parts if part)


def failures(cases: Iterable[Case]) -> str:
    """The providers that failed, a line each, or nothing."""
    lines = [
        f"  {case.label}: {name}: {why}" for case in cases for name, why in case.failures().items()
    ]
    return "\n".join([f"failed: {len(lines)}", *lines]) if lines else ""


def _ceilings(ceilings: Ceilings) -> str:
    peaks = ", ".join(f"{unit} {peak / 1e12:.0f}" for unit, peak in ceilings.peaks.items())
    return f"copy: {ceilings.bandwidth / 1e12:.2f} TB/s; matrix products, TFLOP/s: {peaks}"


def _gpu(cases: Sequence[Case], providers: Sequence[str]) -> str:
    """Microseconds of GPU time, and what ours are over the others and over the floor."""
    others = [name for name in providers if name != OURS]
    head = ["GPU time, µs", *providers, *(f"/{name}" for name in others), "/floor"]
    rows = [
        [
            case.label,
            *(_time(case.gpu_us(name)) for name in providers),
            *(_ratio(case.ratio(OURS, name)) for name in others),
            _ratio(case.floor_ratio(OURS)),
        ]
        for case in cases
    ]
    return _table(head, rows)


def _small(cases: Sequence[Case], providers: Sequence[str]) -> str:
    """Host time of a call, and its time inside a CUDA graph."""
    if not cases:
        return ""
    head = [
        "small: µs of the host, in a graph",
        *(f"{name} {clock}" for clock in ("host", "graph") for name in providers),
    ]
    rows: list[list[str]] = []
    for case in cases:
        found = [case.measurements.get(name) for name in providers]
        hosts = [_time(one.host_us if one else None) for one in found]
        graphs = [_time(one.graph_us if one else None) for one in found]
        rows.append([case.label, *hosts, *graphs])
    return _table(head, rows)


def _means(cases: Sequence[Case], providers: Sequence[str]) -> str:
    """Geometric means of our time over each provider's, by operation and over all cases."""
    others = [name for name in providers if name != OURS]
    rows: list[list[str]] = []
    for operation in dict.fromkeys(case.operation for case in cases):
        own = [case for case in cases if case.operation == operation]
        rows.append([operation, *_mean_cells(own, others)])
    rows.append(["all", *_mean_cells(cases, others)])
    return _table(["geometric mean of ours over", *others], rows)


def _mean_cells(cases: Sequence[Case], others: Sequence[str]) -> list[str]:
    means = geometric_means(cases, OURS)
    return [
        f"{means[name][0]:.3f} ({means[name][1]})" if name in means else _NONE for name in others
    ]


def _time(microseconds: float | None) -> str:
    if microseconds is None:
        return _NONE
    return f"{microseconds:.1f}" if microseconds < 1000 else f"{microseconds:.0f}"


def _ratio(ratio: float | None) -> str:
    return _NONE if ratio is None else f"{ratio:.2f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they must be; the first is text, the others are figures."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines: list[str] = []
    for row in (head, *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
