"""The files of the cache folder: what lies there, what must go, and what a killed process left.

A folder a kind, a file an entry. The time of a file's last change is the time of its last use. No
file is locked: deletion is one step, so an entry that goes while another process looks for it is
simply absent. Only names that the package gives are counted and deleted, so a folder that holds
something else as well loses none of it.

When the entries are larger than the bound, the least recently used ones go until 7/8 of it are
left. Results of tuning cost seconds to make again and few bytes to keep: they go only where they
alone are more than a quarter of the bound, and then the oldest of them.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

KINDS = ("artifacts", "binaries", "spaces", "kernels", "tuning", "sources")
"""The folders of the cache."""

TEMPORARY_PREFIX = ".tmp-"
"""How the name of a file starts that is being written."""

# A use that follows another sooner is not noted.
_REFRESH_SECONDS = 3600.0
# A temporary file that is older belongs to no running process.
_STALE_SECONDS = 3600.0
# Triton reads a source back from its file soon after it was asked for: it stays that long.
_SOURCE_SECONDS = 60.0
# What may be written unseen where there is no bound: temporary files are looked for now and then.
_UNBOUNDED_SHARE = 64 << 20

_ENTRY = re.compile(r"[0-9a-f]{64}\.json")
_NAMES = {
    "artifacts": _ENTRY,
    "binaries": _ENTRY,
    "spaces": _ENTRY,
    "kernels": _ENTRY,
    "tuning": _ENTRY,
    "sources": re.compile(r".+_[0-9a-f]{32}\.py"),
}
_TEMPORARY = re.compile(re.escape(TEMPORARY_PREFIX) + r"\w+\.(?:json|py)")


class File(NamedTuple):
    """One file of the cache. ``used``: seconds since the epoch, as in ``time.time()``.

    A full folder has tens of thousands of them: this is made quickly, and sorts by use.
    """

    used: float
    path: str
    kind: str
    bytes: int


@dataclass(frozen=True)
class Contents:
    """What lies below a cache folder, the least recently used files first.

    ``stale``: the temporary files that killed processes have left, which are older than an hour.
    """

    entries: tuple[File, ...]
    stale: tuple[File, ...]


def scan(folder: Path) -> Contents:
    """What lies below ``folder`` now.

    Raises:
        OSError: a folder is there and cannot be read.
    """
    entries: list[File] = []
    stale: list[File] = []
    limit = time.time() - _STALE_SECONDS
    for kind in KINDS:
        is_entry = _NAMES[kind].fullmatch
        for name, file in _files(folder / kind, kind):
            if is_entry(name):
                entries.append(file)
            elif file.used < limit and _TEMPORARY.fullmatch(name):
                stale.append(file)
    return Contents(tuple(sorted(entries)), tuple(sorted(stale)))


def remove(file: File) -> OSError | None:
    """Deletes a file; why it is still there, or None. Another process may have been quicker."""
    try:
        os.unlink(file.path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return error
    return None


def touch(path: Path) -> None:
    """Notes that the file is used now. A disk that takes no notes is no error."""
    with contextlib.suppress(OSError):
        os.utime(path)


def refresh(path: Path, used: float) -> None:
    """Notes that the file is used now, if ``used``, the time that is noted, is an hour away."""
    # A time in the future is of another clock: it would keep the entry for ever.
    if abs(time.time() - used) >= _REFRESH_SECONDS:
        touch(path)


def share(bound: int) -> int:
    """How many bytes a process may write before it looks at the folder again."""
    return bound // 16 if bound else _UNBOUNDED_SHARE


def trim(folder: Path, bound: int, written: Path) -> int:
    """Removes stale temporary files, and the entries that must go; never ``written``.

    It never raises: a disk that lets nothing be read or deleted stays as it is.

    Args:
        folder: The folder of the cache.
        bound: The most bytes that the entries may have; 0: there is no bound.
        written: The entry that this process has just written.

    Returns:
        How many bytes may be written before the folder should be looked at again.
    """
    try:
        found = scan(folder)
    except OSError:
        return share(bound)
    for file in found.stale:
        remove(file)
    left = sum(file.bytes for file in found.entries)
    if bound and left > bound:
        recent = time.time() - _SOURCE_SECONDS

        last = str(written)

        def spared(file: File) -> bool:
            return file.path == last or (file.kind == "sources" and file.used > recent)

        tuning = [file for file in found.entries if file.kind == "tuning"]
        others = [file for file in found.entries if file.kind != "tuning"]
        left = _evict(tuning, bound // 4, spared)
        left += _evict(others, bound - bound // 8 - left, spared)
    # Larger than the bound: nothing more can go now, so looking at each write would not help.
    return min(share(bound), bound - left) if left <= bound else share(bound)


def _evict(files: Sequence[File], most: int, spared: Callable[[File], bool]) -> int:
    """Removes files, the first ones first, until ``most`` bytes are left; returns what is left."""
    left = sum(file.bytes for file in files)
    for file in files:
        if left <= most:
            break
        if not spared(file) and remove(file) is None:
            left -= file.bytes
    return left


def _files(folder: Path, kind: str) -> Iterator[tuple[str, File]]:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as items:
        for item in items:
            if not item.is_file(follow_symlinks=False):
                continue
            # It may have gone since it was listed.
            with contextlib.suppress(FileNotFoundError):
                status = item.stat(follow_symlinks=False)
                file = File(status.st_mtime, item.path, kind, status.st_size)
                yield item.name, file
