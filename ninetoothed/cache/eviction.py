"""The files of the cache folder: what lies there, what must go, and what a killed process left.

A folder a kind, a file an entry. The time of a file's last change is the time of its last use. No
file is locked: deletion is one step, so an entry that goes while another process looks for it is
simply absent. Only names that the package gives are counted and deleted, so a folder that holds
something else as well loses none of it.

When the entries are larger than the bound, the least recently used ones go until 7/8 of it are
left. Results of tuning cost seconds to make again and few bytes to keep: they go only where they
alone are more than a quarter of the bound, and then the oldest of them. What is noted of kernels
and their configurations lets a process do without most of the package, in few bytes too: it is kept
likewise.

Looking through the folder takes a tenth of a second where it is full. So all processes count
together what they write, in the length of a file, and whoever comes to a sixteenth of the bound, or
to what was left of it, looks.
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

KINDS = ("kernels", "spaces", "artifacts", "binaries", "tuning", "sources")
"""The folders of the cache, in the order in which a call comes by them."""

# Small, and dear: each of these groups may have a quarter of the bound.
_LASTING = (("tuning",), ("kernels", "spaces"))

TEMPORARY_PREFIX = ".tmp-"
"""How the name of a file starts that is being written."""

COUNTER_PREFIX = ".written-"
"""How the name of a file starts whose length says how much was written since the last look.

A bound follows, since what is left depends on it.
"""

# What the length of such a file is at most.
_COUNTER_BYTES = 1 << 16
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
    "kernels": _ENTRY,
    "spaces": _ENTRY,
    "artifacts": _ENTRY,
    "binaries": _ENTRY,
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


def counters(folder: Path) -> list[Path]:
    """The files that count what is written. Without them, the next write looks at the folder."""
    return sorted(folder.glob(f"{COUNTER_PREFIX}*"))


def hold(folder: Path, bound: int, written: Path, size: int) -> None:
    """Counts an entry of ``size`` bytes that was written, and looks at the folder if it is time.

    It never raises. ``bound``: the most bytes that the entries may have; 0: there is no bound.
    """
    share = _share(bound)
    unit = 1 + share // _COUNTER_BYTES
    counter = folder / f"{COUNTER_PREFIX}{bound}"
    # Nobody has looked so far, or what cannot be written cannot be counted.
    with contextlib.suppress(OSError):
        if _grown(counter, min(size, share + 1), unit) <= share:
            return
    # One process looks; what the others write meanwhile is counted on.
    with contextlib.suppress(OSError):
        counter.write_bytes(b"")
    left = _trim(folder, bound, written)
    with contextlib.suppress(OSError):
        _grown(counter, share - left, unit)


def _grown(counter: Path, size: int, unit: int) -> int:
    """How many bytes are counted, with ``size`` more; so many at a time are a byte of the file."""
    descriptor = os.open(counter, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(descriptor, bytes(-(-size // unit)))
        return os.fstat(descriptor).st_size * unit
    finally:
        os.close(descriptor)


def _share(bound: int) -> int:
    """How many bytes may be written before somebody looks at the folder again."""
    return bound // 16 if bound else _UNBOUNDED_SHARE


def _trim(folder: Path, bound: int, written: Path) -> int:
    """Removes stale temporary files, and the entries that must go; never ``written``.

    It never raises: a disk that lets nothing be read or deleted stays as it is.

    Returns:
        How many bytes may be written before the folder should be looked at again.
    """
    try:
        found = scan(folder)
    except OSError:
        return _share(bound)
    for file in found.stale:
        remove(file)
    left = sum(file.bytes for file in found.entries)
    if bound and left > bound:
        recent = time.time() - _SOURCE_SECONDS
        last = str(written)

        def spared(file: File) -> bool:
            return file.path == last or (file.kind == "sources" and file.used > recent)

        left = 0
        others = found.entries
        for kinds in _LASTING:
            left += _evict([file for file in others if file.kind in kinds], bound // 4, spared)
            others = tuple(file for file in others if file.kind not in kinds)
        left += _evict(others, bound - bound // 8 - left, spared)
    # Larger than the bound: nothing more can go now, so looking at each write would not help.
    return min(_share(bound), bound - left) if left <= bound else _share(bound)


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
