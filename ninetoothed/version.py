"""The package's version and its files, which are part of every cache key."""

from __future__ import annotations

import os
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


def is_as_imported() -> bool:
    """True if the files are known to be as they were then."""
    try:
        return sources() == SOURCES
    except OSError:
        return False
