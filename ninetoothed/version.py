"""The package's version and its files, which are part of every cache key."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

__version__ = "0.1.0"


def sources() -> list[tuple[str, int, int]]:
    """Source files of this package, with sizes in bytes and modification times in nanoseconds."""
    return sorted(_sources(os.path.dirname(os.path.abspath(__file__))))


def _sources(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _sources(entry.path)


SOURCES = sources()
"""The files as of the import of the package: what is imported later may be newer."""


_seen: tuple[int, str] | None = None
"""The imported modules, number and last one, when the files were last seen unchanged."""


def is_as_imported() -> bool:
    """True if all code that runs is known to be of the files as they were then.

    What runs already stays as it is, so the files are looked at only where modules were imported
    since they were last seen unchanged.
    """
    global _seen
    imported = len(sys.modules), next(reversed(sys.modules))
    if imported == _seen:
        return True
    try:
        unchanged = sources() == SOURCES
    except OSError:
        return False
    if unchanged:
        _seen = imported
    return unchanged
