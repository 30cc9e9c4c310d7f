"""What is running and how far it is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
import time
from collections.abc import Generator
from typing import Any, Protocol


class Progress(Protocol):
    """The progress of one phase; its functions may be called from several threads."""

    def doing(self, text: str) -> None:
        """Shows what is running."""
        ...

    def done(self, text: str) -> None:
        """One step is done."""
        ...

    def note(self, text: str) -> None:
        """Prints a line that stays."""
        ...


class _Lines:
    """A line a step."""

    def __init__(self, name: str, total: int) -> None:
        self._name, self._total = name, total
        self._count = 0
        self._start = time.monotonic()
        self._lock = threading.Lock()

    def doing(self, text: str) -> None:
        """Nothing: the line comes when it is done."""

    def done(self, text: str) -> None:
        with self._lock:
            self._count += 1
            seconds = time.monotonic() - self._start
            self.note(f"{self._name} {self._count}/{self._total} at {seconds:.0f} s: {text}")

    def note(self, text: str) -> None:
        print(text, flush=True)


class _Bar:
    """A bar of rich's."""

    def __init__(self, bar: Any, task: Any) -> None:
        self._bar, self._task = bar, task

    def doing(self, text: str) -> None:
        self._bar.update(self._task, what=text)

    def done(self, text: str) -> None:
        self._bar.update(self._task, advance=1, what=text)

    def note(self, text: str) -> None:
        self._bar.console.print(text, markup=False, highlight=False)


@contextlib.contextmanager
def progress(name: str, total: int) -> Generator[Progress]:
    """The progress of a phase of ``total`` steps."""
    rich: Any = None
    if sys.stdout.isatty():
        with contextlib.suppress(ImportError):
            rich = importlib.import_module("rich.progress")
    if rich is None:
        yield _Lines(name, total)
        return
    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeElapsedColumn(),
        rich.TextColumn("{task.fields[what]}", markup=False),
    )
    with rich.Progress(*columns, transient=True) as bar:
        yield _Bar(bar, bar.add_task(name, total=total, what=""))
