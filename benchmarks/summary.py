"""What a run prints in the end: its tables, and what failed."""

from __future__ import annotations

from benchmarks import tables
from benchmarks.results import Results


def summary(results: Results) -> str:
    """All of it, as text."""
    parts = [f"Peaks: {tables.peaks(results.ceilings)}."]
    for operation in tables.operations(results):
        parts.append(f"{operation}, GPU time in µs:\n{tables.cases_of(results, operation)}")
    for title, text in tables.other_times(results).items():
        parts.append(f"{title}:\n{text}")
    parts.append(f"Speed, geometric means:\n{tables.by_operation(results)}")
    if failed := tables.failures(results.cases):
        parts.append("\n".join([f"failed: {len(failed)}", *failed]))
    if absent := tables.left_out(results):
        parts.append("\n".join(absent))
    seconds = ", ".join(f"{name} {taken:.0f}" for name, taken in results.seconds.items())
    parts.append(f"seconds: {seconds}")
    if not results.complete:
        parts.append(f"stopped: {len(results.missing)} cases were not measured")
    return "\n\n".join(parts)
