"""Progress bar of a search, on a terminal, once it takes longer than people like to wait.

``rich`` draws nicer ones, and is not worth a dependency, nor the time that its import takes in a
first call.
"""

from __future__ import annotations

import logging
import shutil
import sys
import time
from types import TracebackType
from typing import TextIO

_QUIET_SECONDS = 2.0
_BAR_COLUMNS = 24

logger = logging.getLogger("ninetoothed")
"""Receives at level INFO what no terminal shows."""


class Progress:
    """One line on ``stderr``, rewritten while it stands and gone behind it.

    Nothing is written within the first two seconds, and nothing where ``stderr`` is no terminal.
    """

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        self._title = title
        # sys.stderr may be None, under pythonw.
        self._stream = stream or sys.stderr
        self._start = time.monotonic()
        self._is_drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_drawn:
            self._write("\r\x1b[K")

    def update(self, what: str, done: int, total: int) -> None:
        """Shows that ``done`` of ``total`` steps of ``what`` are behind us."""
        elapsed = time.monotonic() - self._start
        if elapsed < _QUIET_SECONDS or not self._is_terminal():
            return
        filled = _BAR_COLUMNS * done // max(total, 1)
        bar = "#" * filled + "-" * (_BAR_COLUMNS - filled)
        line = f"[{bar}] {self._title}: {what} {done}/{total}, {elapsed:.0f} s"
        columns = shutil.get_terminal_size().columns - 1
        self._write(f"\r{line[:columns]}\x1b[K")
        self._is_drawn = True

    def _is_terminal(self) -> bool:
        # What stands in for stderr may be closed, or know no terminals.
        try:
            return self._stream is not None and self._stream.isatty()
        except (AttributeError, OSError, ValueError):
            return False

    def _write(self, text: str) -> None:
        # A terminal that has gone is no reason to stop.
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._is_drawn = False
