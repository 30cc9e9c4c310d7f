"""The package's version and its files, which are part of every cache key."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

__version__ = "0.1.0"

Files = list[tuple[str, int, int]]
"""Source files, with sizes in bytes and modification times in nanoseconds."""


def sources() -> Files:
    """Source files of this package."""
    return files_of(os.path.dirname(os.path.abspath(__file__)))


def files_of(root: str) -> Files:
    """Source files in a folder and below; of a file, itself.

    Raises:
        OSError: it cannot be read.
    """
    if os.path.isdir(root):
        return sorted(_sources(root))
    status = os.stat(root)
    return [(root, status.st_size, status.st_mtime_ns)]


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


_watched: dict[str, Files] = {}
_seen: tuple[int, str] | None = None
"""The imported modules, number and last one, when the files were last seen unchanged."""


def watch(root: str, files: Files) -> None:
    """Let :func:`is_as_imported` look at files of another package, too, whose passes compile."""
    global _seen
    _watched[root] = files
    _seen = None


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
        watched = list(_watched.items())
        unchanged = sources() == SOURCES and all(files_of(root) == files for root, files in watched)
    except OSError:
        return False
    if unchanged:
        _seen = imported
    return unchanged
