"""What is proved of the examples and the idioms, and how long it takes; needs no GPU.

    python -m benchmarks.verdicts [--json FILE] [--reports]

For each kernel: how many verdicts are proved, checked at the call, disproved, benign and undecided,
and the milliseconds of one ``check``. Kernels whose indices depend on data are shown, but do not
count, and neither do verdicts on stores through pointers: of them, undecided is the right answer.
The exit code says whether at most one verdict in twenty of the others is undecided. ``--reports``
prints each report.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from examples.add import add_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from ninetoothed import check
from ninetoothed.verify import (
    BENIGN,
    CHECKED,
    COMPUTED,
    DISPROVED,
    PROVED,
    UNDECIDED,
    Report,
    Verdict,
)
from tests.support.idioms import IDIOMS

ANSWERS = (PROVED, CHECKED, BENIGN, DISPROVED, UNDECIDED)
MOST_UNDECIDED = 0.05


@dataclass(frozen=True)
class Row:
    """One kernel's report, and how it came about."""

    name: str
    report: Report
    milliseconds: float
    data_dependent: bool = False

    @property
    def counts(self) -> Counter[str]:
        """How many verdicts give each answer."""
        return Counter(verdict.answer for verdict in self.report.verdicts)


def examples() -> Iterator[Row]:
    """The examples."""
    for kernel in (add_kernel, matmul_kernel, softmax_kernel):
        start = time.perf_counter()
        report = kernel.report()
        yield Row(report.kernel, report, (time.perf_counter() - start) * 1e3)


def idioms() -> Iterator[Row]:
    """The idioms."""
    for idiom in IDIOMS:
        start = time.perf_counter()
        report = check(
            idiom.arrangement, idiom.application, idiom.tensors, values=dict(idiom.values)
        )
        taken = (time.perf_counter() - start) * 1e3
        yield Row(idiom.name, report, taken, idiom.data_dependent)


def undecided(rows: list[Row]) -> list[tuple[str, Verdict]]:
    """The open verdicts that count."""
    return [
        (row.name, verdict)
        for row in rows
        if not row.data_dependent
        for verdict in row.report.undecided
        if verdict.text != COMPUTED
    ]


def show(rows: list[Row]) -> float:
    """Print the table; the share of undecided verdicts."""
    names = [f"{row.name} (data)" if row.data_dependent else row.name for row in rows]
    width = max(map(len, names)) + 2
    print(f"{'verdicts':{width}}" + "".join(f"{answer:>11}" for answer in ANSWERS) + f"{'ms':>9}")
    for name, row in zip(names, rows, strict=True):
        cells = "".join(f"{row.counts[answer] or '·':>11}" for answer in ANSWERS)
        print(f"{name:{width}}{cells}{row.milliseconds:9.1f}")
    counted = [row for row in rows if not row.data_dependent]
    total = sum((row.counts for row in counted), Counter[str]())
    times = [row.milliseconds for row in rows]
    cells = "".join(f"{total[answer]:>11}" for answer in ANSWERS)
    print(f"{'all without (data)':{width}}{cells}{max(times):9.1f} at most")
    open_ = undecided(rows)
    for name, verdict in open_:
        print(f"undecided: {name}: {verdict.question} of {verdict.subject}: {verdict}")
    share = len(open_) / max(total.total(), 1)
    print(f"undecided: {len(open_)} of {total.total()}, {share:.1%}; {MOST_UNDECIDED:.0%} may be")
    return share


def main() -> int:
    """Print the table; write it as JSON where ``--json`` asks for it."""
    parser = argparse.ArgumentParser(description="what is proved of the examples and the idioms")
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    parser.add_argument("--reports", action="store_true", help="print each report")
    arguments = parser.parse_args()
    with warnings.catch_warnings():
        # The first check imports half of the package.
        warnings.simplefilter("error")
        list(examples())
        rows = [*examples(), *idioms()]
    if arguments.reports:
        for row in rows:
            print(f"{row.report}\n")
    share = show(rows)
    if arguments.json is not None:
        table = {
            row.name: {**row.counts, "ms": row.milliseconds, "data": row.data_dependent}
            for row in rows
        }
        arguments.json.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return 0 if share <= MOST_UNDECIDED else 1


if __name__ == "__main__":
    sys.exit(main())
