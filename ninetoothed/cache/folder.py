"""The cache folder and its rooms, opened so that nobody else decides what they hold.

What the cache holds is run. So the folder, each room (the folder of one kind of entries) and each
file must belong to this user or to root, and nobody else may be able to write to them. That is
asked of what was opened, and all that follows goes through its descriptor: what is put in its place
between the check and the use is not used. Below the folder no link is followed; the folder itself
may be reached through links of this user's and of root's.

Who may write to a folder above can put another folder in the place of this one, but none that
passes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import stat
from collections.abc import Generator, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

_HAS_DESCRIPTORS = os.open in os.supports_dir_fd
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
# Files are opened without waiting for the other end of a pipe, either.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_PLAIN = _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_FOLDER_MODE = 0o777 & ~_OTHERS_WRITE
_FILE_MODE = 0o666 & ~_OTHERS_WRITE
WRITABLE = "NINETOOTHED_CACHE_DIR"
"""The setting that names the folder, which errors tell to set, where no other is given."""


class UnsafeFolderError(OSError):
    """Others could change what the cache folder or a room holds; the text has the remedy."""


class Descriptor:
    """What :func:`os.open` opened, closed at the end of a ``with`` block, or when it is dropped.

    A signal's handler may raise (Ctrl-C's does) between any two steps of Python's, where a bare
    number would be lost. So it goes from ``os.open`` into this object, and from here to
    ``os.close``, by one call each that takes no step of Python's inside.
    """

    def __init__(
        self,
        path: str | Path,
        flags: int,
        mode: int = 0o777,
        *,
        dir_fd: int | None = None,
    ) -> None:
        self._number: list[int] = []
        self._number.extend(map(partial(os.open, mode=mode, dir_fd=dir_fd), (path,), (flags,)))

    def fileno(self) -> int:
        """Number of the descriptor, while it is open."""
        return self._number[0]

    def close(self) -> None:
        """Close it, if it is open."""
        any(map(os.close, map(self._number.pop, range(len(self._number)))))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # Interrupted in its first step, it has none.
        if hasattr(self, "_number"):
            self.close()


@contextlib.contextmanager
def opened(
    folder: Path, room: str | None = None, *, make: bool = False, setting: str = WRITABLE
) -> Generator[int]:
    """Descriptor of the cache folder, or of a room of it, which is safe; ``make``: it is made.

    ``setting``: the one that names the folder.

    Raises:
        UnsafeFolderError: others could change what it holds.
        OSError: it is not there, or cannot be made or read.
    """
    if not _HAS_DESCRIPTORS:
        raise OSError(errno.ENOTSUP, "files cannot be opened relative to a folder on this system")
    with contextlib.ExitStack() as stack:
        number = stack.enter_context(_opened(folder, make)).fileno()
        _check_links(folder, setting)
        _check(os.fstat(number), folder, folder, setting)
        if room is not None:
            opening = _opened_room(number, folder, room, make, setting)
            number = stack.enter_context(opening).fileno()
            _check(os.fstat(number), folder / room, folder, setting)
        yield number


def check(folder: Path, rooms: Sequence[str]) -> None:
    """Check a cache folder and those of the ``rooms`` that are there.

    Raises:
        UnsafeFolderError: others could change what one of them holds.
        OSError: the folder is not there, or cannot be read.
    """
    with opened(folder) as descriptor:
        for room in rooms:
            with contextlib.suppress(FileNotFoundError):
                status = os.stat(room, dir_fd=descriptor, follow_symlinks=False)
                _check(status, folder / room, folder, WRITABLE)


def open_file(folder: int, name: str, flags: int) -> Descriptor:
    """Open a file that is there, by its folder's descriptor.

    Raises:
        OSError: it cannot be opened, is no plain file, has another name, or is not safe.
    """
    descriptor = Descriptor(name, flags | _PLAIN, dir_fd=folder)
    status = os.fstat(descriptor.fileno())
    # One that was just replaced has no name left.
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        raise OSError(errno.EINVAL, "is no plain file with one name", name)
    if not _is_trusted(status) or status.st_mode & _OTHERS_WRITE:
        raise PermissionError(errno.EPERM, "others could have written it", name)
    return descriptor


def create_file(folder: int, name: str) -> Descriptor:
    """Create a file, by its folder's descriptor, and open it for writing.

    Its mode is the umask's, but others cannot write to it.

    Raises:
        OSError: it cannot be created, or something has the name.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
    return Descriptor(name, flags, _FILE_MODE, dir_fd=folder)


def read(folder: int, name: str) -> tuple[str, os.stat_result]:
    """Text and status of a file of a folder.

    Raises:
        OSError: it cannot be read, or is not safe.
        UnicodeDecodeError: it is no text.
    """
    with (
        open_file(folder, name, os.O_RDONLY) as descriptor,
        open(descriptor.fileno(), encoding="utf-8", newline="", closefd=False) as file,
    ):
        return file.read(), os.fstat(file.fileno())


def _opened(folder: Path, make: bool) -> Descriptor:
    try:
        return Descriptor(folder, _DIRECTORY)
    except FileNotFoundError:
        if not make:
            raise
    # The folders above are the user's own affair.
    folder.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
    return Descriptor(folder, _DIRECTORY)


def _opened_room(number: int, folder: Path, room: str, make: bool, setting: str) -> Descriptor:
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(room, _FOLDER_MODE, dir_fd=number)
    try:
        return Descriptor(room, _DIRECTORY | _NO_LINK, dir_fd=number)
    except FileNotFoundError:
        raise
    except OSError:
        # Which error a link is differs between systems.
        status = os.stat(room, dir_fd=number, follow_symlinks=False)
        _check(status, folder / room, folder, setting)
        raise


def _check_links(folder: Path, setting: str) -> None:
    """Check that nobody else's link leads to the folder."""
    folder = folder.absolute()
    for path in (folder, *folder.parents):
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode) and not _is_trusted(status):
            raise UnsafeFolderError(
                f"{path} is a link of user {status.st_uid}'s, who could lead it to any folder; "
                f"remove it, or {_remedy(setting)}"
            )


def _check(status: os.stat_result, path: Path, folder: Path, setting: str) -> None:
    """Check the owner and the mode of the cache folder, or of a room."""
    if stat.S_ISLNK(status.st_mode):
        raise UnsafeFolderError(
            f"{path} is a link, and none is followed in the cache folder; remove it, or set "
            f"{setting} to the folder that has room for all"
        )
    if not _is_trusted(status):
        raise UnsafeFolderError(
            f"{path} belongs to user {status.st_uid}, who could put code there that is run as "
            f"user {os.geteuid()}; {_remedy(setting)}"
        )
    if status.st_mode & _OTHERS_WRITE:
        raise UnsafeFolderError(
            f"{path} has the mode {stat.S_IMODE(status.st_mode):o}, so others could put code there "
            f"that is run as user {os.geteuid()}; `chmod -R go-w {shlex.quote(str(folder))}`, or "
            f"{_remedy(setting)}"
        )


def _remedy(setting: str) -> str:
    owner = "of your own" if setting == WRITABLE else "of your own or root's"
    return f"set {setting} to a folder {owner}"


def _is_trusted(status: os.stat_result) -> bool:
    """True if the owner is this user or root, who may do anything as this user."""
    # Where there are no user ids, all files have root's.
    return status.st_uid == 0 or status.st_uid == os.geteuid()
