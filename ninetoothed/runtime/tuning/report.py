"""Tuning report of one call: choice, candidates and times, as fields and as a table."""

from __future__ import annotations

from dataclasses import dataclass

from ninetoothed.artifacts.configuration import Config

ORIGINS = {
    "interpreted": "CPU tensors are evaluated without a choice: nothing is tuned there",
    "only": "there is one configuration: nothing is to be tuned",
    "none": "nothing is chosen before the first call",
    "tuned": "tuned by this process",
    "disk": "tuned by an earlier process",
    "imported": "loaded from a file of results",
    "synchronized": "the same on all ranks (ninetoothed.tuning.synchronize)",
    "nearby": "tuned for sizes near these",
    "model": "the best by the model of the device",
}
"""Origins of a choice, and their texts in the table."""

_MOST_ROWS = 40


@dataclass(frozen=True)
class ReportRow:
    """One configuration. Times are milliseconds, and None where there is none.

    ``samples``: how often it was timed; ``reason``: why it was left out, or cannot run.
    """

    config: Config
    predicted: float | None
    measured: float | None
    samples: int
    reason: str | None


@dataclass(frozen=True)
class TuningReport:
    """Report of how the configuration of calls like one call was chosen, or would be.

    ``origin`` is a key of ``ORIGINS``. ``sizes`` are the call's, which count as ``bucket``;
    ``timed_sizes``: those of the call that was timed, where one was. ``chosen`` is None before the
    first call. ``rows``: all configurations, those first that were tried. ``pruned``: why others
    are no configurations at all, each reason with how many.
    """

    kernel: str
    device: str
    mode: str
    origin: str
    sizes: tuple[tuple[int, ...], ...]
    bucket: tuple[tuple[int, ...], ...]
    timed_sizes: tuple[tuple[int, ...], ...] | None
    chosen: Config | None
    rows: tuple[ReportRow, ...]
    pruned: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        alike = "" if self.bucket == self.sizes else f" (as {_sizes(self.bucket)})"
        lines = [f"kernel {self.kernel!r} on {self.device}, sizes {_sizes(self.sizes)}{alike}"]
        lines.append(f"mode {self.mode}: {ORIGINS[self.origin]}")
        if self.timed_sizes not in (None, self.sizes):
            lines.append(f"timed with sizes {_sizes(self.timed_sizes or ())}")
        if not self.rows:
            return "\n".join(lines)
        width = max(len("configuration"), *(len(str(row.config)) for row in self.rows))
        lines.append(f"  {'configuration':{width}}  predicted ms  measured ms  note")
        shown = self.rows[:_MOST_ROWS]
        lines += [self._line(row, width) for row in shown]
        if left := len(self.rows) - len(shown):
            lines.append(f"  and {left} more, which .rows has")
        lines += [f"  {count} left out: {reason}" for reason, count in self.pruned]
        return "\n".join(lines)

    def _line(self, row: ReportRow, width: int) -> str:
        mark = "*" if row.config == self.chosen else " "
        times = f"{_time(row.predicted):>12}  {_time(row.measured):>11}"
        return f"{mark} {row.config!s:{width}}  {times}  {row.reason or ''}".rstrip()


def _sizes(shapes: tuple[tuple[int, ...], ...]) -> str:
    return " ".join("×".join(map(str, shape)) or "()" for shape in shapes)


def _time(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds:.4g}"
