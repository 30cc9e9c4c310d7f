"""Eviction of the cache folder: least recently used entries, and files of killed processes.

Each kind has a folder, each entry a file. A file's modification time is that of its last use. No
file is locked: deletion is one step, so an entry that goes while another process looks for it is
simply absent. Only names that the package gives are counted and deleted, so a folder that holds
something else as well loses none of it; a room that is a link, or that others can write, is left
alone.

When the entries are larger than the bound, the least recently used ones go until 7/8 of it are
left. Results of tuning cost seconds to make again and few bytes to keep: they go only where they
alone are more than a quarter of the bound, and then the oldest of them. Entries of kernels and
their spaces let a process do without most of the package, in few bytes too: they are kept likewise.

Scanning a full folder takes a tenth of a second. So all processes count together what they write,
in the length of a file, and the one that reaches a sixteenth of the bound, or what was left of it,
scans.
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

from ninetoothed.cache.folder import UnsafeFolderError, create_file, open_file, opened

KINDS = ("kernels", "spaces", "artifacts", "binaries", "tuning", "sources")
"""The folders of the cache, in the order in which a call comes by them."""

# Small, and expensive to make again: each of these groups may have a quarter of the bound.
_LASTING = (("tuning",), ("kernels", "spaces"))

TEMPORARY_PREFIX = ".tmp-"
"""Prefix of the name of a file that is being written."""

COUNTER_PREFIX = ".written-"
"""Prefix of the name of a counter, whose length counts the bytes written since the last scan.

The bound follows, since what is left depends on it.
"""

# The largest length of a counter.
_COUNTER_BYTES = 1 << 16
# The least time between two noted uses.
_REFRESH_SECONDS = 3600.0
# The age from which a temporary file belongs to no running process.
_STALE_SECONDS = 3600.0
# Triton reads a source back from its file soon after it was asked for: it stays that long.
_SOURCE_SECONDS = 60.0
# The allowance where there is no bound: temporary files are looked for now and then.
_UNBOUNDED_ALLOWANCE = 64 << 20

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
    """Files below a cache folder, the least recently used first.

    ``stale``: the temporary files that killed processes have left, which are older than an hour.
    """

    entries: tuple[File, ...]
    stale: tuple[File, ...]


def scan(folder: Path) -> Contents:
    """List the files below ``folder``.

    Raises:
        OSError: a folder is there and cannot be read.
    """
    entries: list[File] = []
    stale: list[File] = []
    limit = time.time() - _STALE_SECONDS
    for kind in KINDS:
        is_entry = _NAMES[kind].fullmatch
        for name, file in _files(folder, kind):
            if is_entry(name):
                entries.append(file)
            elif file.used < limit and _TEMPORARY.fullmatch(name):
                stale.append(file)
    return Contents(tuple(sorted(entries)), tuple(sorted(stale)))


def remove(file: File) -> OSError | None:
    """Delete a file; returns the error if it is still there. Another process may be quicker."""
    path = Path(file.path)
    try:
        with opened(path.parents[1], file.kind) as room:
            os.unlink(path.name, dir_fd=room)
    except FileNotFoundError:
        return None
    except OSError as error:
        return error
    return None


def touch(room: int, name: str) -> None:
    """Mark a file of a room as used now. A disk that takes no notes is no error."""
    with contextlib.suppress(OSError):
        os.utime(name, dir_fd=room, follow_symlinks=False)


def refresh(room: int, name: str, used: float) -> None:
    """Mark a file as used now, if ``used``, the noted time, is an hour away."""
    # A time in the future, from another clock, would keep the entry for ever.
    if abs(time.time() - used) >= _REFRESH_SECONDS:
        touch(room, name)


def remove_counters(folder: Path) -> None:
    """Remove the files that count the bytes written, so that the next write scans the folder.

    Raises:
        OSError: the folder cannot be read, or is not safe.
    """
    with opened(folder) as descriptor:
        for name in os.listdir(descriptor):
            if name.startswith(COUNTER_PREFIX):
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=descriptor)


def hold(folder: Path, bound: int, written: Path, size: int) -> None:
    """Count an entry of ``size`` bytes that was written, and scan the folder when it is due.

    It never raises. ``bound``: the most bytes that the entries may have; 0: there is no bound.
    """
    allowance = _allowance(bound)
    unit = 1 + allowance // _COUNTER_BYTES
    counter = f"{COUNTER_PREFIX}{bound}"
    # The folder was not scanned so far, or the counter cannot be written.
    with contextlib.suppress(OSError), opened(folder) as descriptor:
        if _grown(descriptor, counter, min(size, allowance + 1), unit) <= allowance:
            return
    # One process scans; what the others write meanwhile is counted on.
    with contextlib.suppress(OSError), opened(folder) as descriptor:
        _start(descriptor, counter)
    left = _trim(folder, bound, written)
    with contextlib.suppress(OSError), opened(folder) as descriptor:
        _grown(descriptor, counter, allowance - left, unit)


def _start(folder: int, counter: str) -> None:
    """Empty a counter. What has its name and is none is replaced, and not written to."""
    try:
        descriptor = open_file(folder, counter, os.O_WRONLY)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(counter, dir_fd=folder)
        descriptor = create_file(folder, counter)
    with descriptor:
        os.ftruncate(descriptor.fileno(), 0)


def _grown(folder: int, counter: str, size: int, unit: int) -> int:
    """Add ``size`` bytes to a counter; returns the total. A byte of the file counts ``unit``."""
    with open_file(folder, counter, os.O_WRONLY | os.O_APPEND) as descriptor:
        os.write(descriptor.fileno(), bytes(-(-size // unit)))
        return os.fstat(descriptor.fileno()).st_size * unit


def _allowance(bound: int) -> int:
    """Bytes that may be written before the folder is scanned again."""
    return bound // 16 if bound else _UNBOUNDED_ALLOWANCE


def _trim(folder: Path, bound: int, written: Path) -> int:
    """Remove stale temporary files, and evict entries over the bound; never ``written``.

    It never raises: a disk that lets nothing be read or deleted stays as it is.

    Returns:
        How many bytes may be written before the next scan.
    """
    try:
        found = scan(folder)
    except OSError:
        return _allowance(bound)
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
    # Larger than the bound: nothing more can go now, so a scan at each write would not help.
    return min(_allowance(bound), bound - left) if left <= bound else _allowance(bound)


def _evict(files: Sequence[File], most: int, spared: Callable[[File], bool]) -> int:
    """Remove files in order until ``most`` bytes are left; returns the bytes left."""
    left = sum(file.bytes for file in files)
    for file in files:
        if left <= most:
            break
        if not spared(file) and remove(file) is None:
            left -= file.bytes
    return left


def _files(folder: Path, kind: str) -> Iterator[tuple[str, File]]:
    place = folder / kind
    with contextlib.ExitStack() as stack:
        try:
            room = stack.enter_context(opened(folder, kind))
        except (FileNotFoundError, NotADirectoryError, UnsafeFolderError):
            return
        for item in stack.enter_context(os.scandir(room)):
            if not item.is_file(follow_symlinks=False):
                continue
            # It may have gone since it was listed.
            with contextlib.suppress(FileNotFoundError):
                status = item.stat(follow_symlinks=False)
                file = File(status.st_mtime, f"{place}/{item.name}", kind, status.st_size)
                yield item.name, file
