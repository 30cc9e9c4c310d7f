"""What is proved of the examples and the idioms, and how long it takes; needs no GPU.

    python -m benchmarks.verdicts [--json FILE] [--reports]

For each kernel: how many verdicts are proved, checked at the call, disproved, benign and undecided,
and the milliseconds of one ``check``. Kernels whose indices depend on data are shown, but do not
count, and neither do verdicts on stores through pointers, or on what data select: of them,
undecided is the right answer. The exit code says whether at most one verdict in twenty of the
others is undecided, and of those on definedness too. ``--reports`` prints each report.
"""

from __future__ import annotations

import argparse
import functools
import inspect
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from benchmarks import records
from benchmarks.environment import add_outputs, environment
from benchmarks.tables import number, table
from examples.add import add_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from ninetoothed import check
from ninetoothed.errors import NineToothedError, NineToothedWarning
from ninetoothed.passes.analysis.definedness import SELECTED, UNKNOWN
from ninetoothed.verification.verdicts import (
    BENIGN,
    CHECKED,
    COMPUTED,
    DISPROVED,
    PROVED,
    UNDECIDED,
    Report,
    Verdict,
)
from tests.support.idioms import IDIOMS, Idiom

ANSWERS = (PROVED, CHECKED, BENIGN, DISPROVED, UNDECIDED)
MOST_UNDECIDED = 0.05
RIGHTLY = (COMPUTED, UNKNOWN, SELECTED)
"""How the texts of verdicts begin that are undecided because data decide."""


@dataclass(frozen=True)
class Row:
    """One kernel's report, and how it came about."""

    name: str
    report: Report
    milliseconds: float
    data_dependent: bool

    @property
    def counts(self) -> Counter[str]:
        """How many verdicts give each answer."""
        return Counter(verdict.answer for verdict in self.report.verdicts)


def rows() -> Iterator[Row]:
    """The examples, and the idioms."""
    reports: dict[str, Callable[[], Report]] = {
        kernel.definition.name: kernel.report
        for kernel in (add_kernel, matmul_kernel, softmax_kernel)
    }
    for one in IDIOMS:
        reports[one.name] = functools.partial(checked, one)
    data_dependent = {one.name for one in IDIOMS if one.data_dependent}
    for name, make in reports.items():
        start = time.perf_counter()
        try:
            report = make()
        except NineToothedError as error:
            print(f"{name} is left out: {error.message}", file=sys.stderr)
            continue
        taken = (time.perf_counter() - start) * 1e3
        yield Row(name, report, taken, name in data_dependent)


def checked(idiom: Idiom) -> Report:
    """What ``check`` says of an idiom, of the types of its first call."""
    names = inspect.signature(idiom.application).parameters
    call = dict(zip(names, next(iter(idiom.arguments())), strict=False))
    dtypes = {name: value.dtype for name, value in call.items() if is_integers(value)}
    given = {name: value for name, value in idiom.keywords.items() if name in names}
    return check(
        idiom.arrangement,
        idiom.application,
        idiom.symbolic_tensors,
        dtypes=dtypes,
        values={**given, **idiom.values},
    )


def is_integers(value: object) -> bool:
    """True of tensors of integers or bits: what indices must be, and is not assumed."""
    return isinstance(value, torch.Tensor) and not value.is_floating_point()


@dataclass(frozen=True)
class Share:
    """How many verdicts are undecided, of those that proofs could decide."""

    undecided: int
    total: int

    @property
    def part(self) -> float:
        """The fraction."""
        return self.undecided / max(self.total, 1)

    def __str__(self) -> str:
        return f"{self.undecided} of {self.total}, {self.part:.1%}; {MOST_UNDECIDED:.0%} may be"


def share(rows: list[Row], question: str | None = None) -> Share:
    """The share of undecided verdicts, of one question or of all."""
    found = [
        verdict.answer
        for row in rows
        if not row.data_dependent
        for verdict in row.report.verdicts
        if question in (None, verdict.question) and not is_rightly_open(verdict)
    ]
    return Share(found.count(UNDECIDED), len(found))


def is_rightly_open(verdict: Verdict) -> bool:
    """True where no proof could decide, since data do."""
    return verdict.answer == UNDECIDED and (verdict.text or "").startswith(RIGHTLY)


def show(rows: list[Row]) -> bool:
    """Print the table; True if few enough verdicts are undecided."""
    lines = [
        [f"{row.name} (data)" if row.data_dependent else row.name]
        + [str(row.counts[answer] or "·") for answer in ANSWERS]
        + [number(row.milliseconds)]
        for row in rows
    ]
    counted = [row for row in rows if not row.data_dependent]
    total = sum((row.counts for row in counted), Counter[str]())
    most = f"at most {number(max(row.milliseconds for row in rows))}"
    lines.append(["all without (data)", *(str(total[answer]) for answer in ANSWERS), most])
    print(table(["verdicts", *ANSWERS, "ms"], lines))
    for row in counted:
        for verdict in row.report.undecided:
            if not is_rightly_open(verdict):
                question = f"{verdict.question} of {verdict.subject}: {verdict}"
                print(f"undecided: {row.name}: {question}")
    shares = {"all": share(rows), "defined": share(rows, "defined")}
    for name, one in shares.items():
        print(f"undecided, {name}: {one}")
    return all(one.part <= MOST_UNDECIDED for one in shares.values())


def main() -> int:
    """Print the table; write the records where ``--json`` asks for it."""
    parser = argparse.ArgumentParser(description="what is proved of the examples and the idioms")
    parser.add_argument("--reports", action="store_true", help="print each report")
    add_outputs(parser)
    arguments = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Some idioms are there for what a warning is given of.
        warnings.simplefilter("ignore", NineToothedWarning)
        # The first check imports half of the package.
        next(rows())
        found = list(rows())
    if arguments.reports:
        for row in found:
            print(f"{row.report}\n")
    few = show(found)
    if arguments.json is not None:
        lines = [
            {"kind": "verdicts", "kernel": row.name, "data": row.data_dependent}
            | {"ms": row.milliseconds, **row.counts}
            for row in found
        ]
        records.write(arguments.json, [environment("verdicts", arguments.commit), *lines])
    return 0 if few else 1


if __name__ == "__main__":
    sys.exit(main())
