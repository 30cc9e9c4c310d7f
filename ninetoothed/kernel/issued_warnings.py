"""The warnings of a kernel, each issued once."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator, Iterable

from ninetoothed.errors import NineToothedWarning, collect_warnings, issue


class IssuedWarnings:
    """Warnings that a kernel has issued. Several threads may use it at once."""

    def __init__(self) -> None:
        self._issued: set[NineToothedWarning] = set()
        self._lock = threading.Lock()

    def issue(self, found: Iterable[NineToothedWarning]) -> None:
        """Issue those that were not issued before."""
        for warning in found:
            with self._lock:
                is_new = warning not in self._issued
                self._issued.add(warning)
            if is_new:
                issue(warning)

    @contextlib.contextmanager
    def collecting(self) -> Generator[list[NineToothedWarning]]:
        """Collect the warnings of a block of code, and issue the new ones at its end."""
        with collect_warnings() as found:
            yield found
        self.issue(found)
