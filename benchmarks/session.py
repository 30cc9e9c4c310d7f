"""The timed phase: case after case in one process, and the results on disk as they come."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.cases import Task
from benchmarks.operation import Operation
from benchmarks.progress import Progress
from benchmarks.results import (
    Case,
    Ceilings,
    Environment,
    Measurement,
    Results,
    decoded,
    merge,
    write,
)
from benchmarks.worker import CHECK, MEASURE, Request
from benchmarks.worker_pool import Heard, Process, WorkerError

Measure = Callable[[Task, Heard], Case]
"""Measures a case; the second argument hears what is running."""
_SECONDS_BETWEEN_WRITES = 2.0


@dataclass
class Remote:
    """Measures cases in another process, or checks them where there are no ceilings.

    A provider that takes the process down fails, and the case is measured again without it.
    """

    process: Process
    operations: Mapping[str, Operation]
    providers: tuple[str, ...]
    ceilings: Ceilings | None = None
    samples: int | None = None

    def __call__(self, task: Task, heard: Heard) -> Case:
        action = CHECK if self.ceilings is None else MEASURE
        failed: dict[str, str] = {}
        while True:
            request = Request(action, task, self.providers, failed, self.samples, self.ceilings)
            try:
                return decoded(Case, self.process.ask(request, heard), "case")
            except WorkerError as error:
                if error.provider and error.provider not in failed:
                    failed = {**failed, error.provider: str(error)}
                else:
                    return self._failed(
                        task, {**dict.fromkeys(self.providers, str(error)), **failed}
                    )

    def _failed(self, task: Task, reasons: Mapping[str, str]) -> Case:
        return Case(
            operation=task.operation,
            size=task.size,
            numbers=tuple(self.operations[task.operation].sizes[task.size]),
            dtype=task.dtype,
            layout=task.layout,
            bytes=0,
            operations=0,
            unit="",
            floor_us=None,
            measurements={name: Measurement(failure=why) for name, why in reasons.items()},
            seconds={},
        )


def run(
    tasks: Sequence[Task], measure: Measure, progress: Progress, keep: Callable[[Case], None]
) -> bool:
    """Measures the cases and hands each to ``keep``; False where Ctrl-C stopped it."""
    try:
        for task in tasks:
            progress.doing(task.label)
            heard = functools.partial(_show, progress, task)
            case = measure(task, heard)
            keep(case)
            for name, why in case.failures().items():
                progress.note(f"{case.label}: {name} failed: {why}")
            progress.done(case.label)
    except KeyboardInterrupt:
        progress.note("stopped: what was measured is kept")
        return False
    return True


def _show(progress: Progress, task: Task, provider: str, what: str) -> None:
    progress.doing(f"{task.label}: {f'{what} of {provider}' if provider else what}")


@dataclass
class Record:
    """The results of a run as they come, and the file that gets them.

    ``before`` are results that the file gets as well.
    """

    tasks: Sequence[Task]
    environment: Environment
    ceilings: Ceilings
    left_out: Mapping[str, str]
    seconds: dict[str, float]
    path: Path | None = None
    before: Results | None = None
    cases: list[Case] = field(default_factory=list[Case])

    def __post_init__(self) -> None:
        self._start = self._written = time.monotonic()

    def keep(self, case: Case) -> None:
        """Adds a case; writes the file if the last time was a while ago.

        Raises:
            OSError: it cannot be written.
        """
        self.cases.append(case)
        if time.monotonic() - self._written > _SECONDS_BETWEEN_WRITES:
            self.write()

    def write(self) -> None:
        """Writes the file.

        Raises:
            OSError: it cannot be written.
        """
        self._written = time.monotonic()
        self.seconds["measure"] = round(self._written - self._start, 1)
        if self.path is not None:
            new = self.results()
            write(self.path, new if self.before is None else merge(self.before, new))

    def results(self) -> Results:
        """What was measured so far."""
        measured = {case.label for case in self.cases}
        missing = tuple(task.label for task in self.tasks if task.label not in measured)
        return Results(
            environment=self.environment,
            ceilings=self.ceilings,
            cases=tuple(self.cases),
            left_out=self.left_out,
            seconds=dict(self.seconds),
            complete=not missing,
            missing=missing,
        ).with_reached_peaks()
