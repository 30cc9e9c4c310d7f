"""Atomic file writes."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ninetoothed.cache import eviction
from ninetoothed.cache.folder import Descriptor, create_file


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` to ``path``, a file of the user's, so that no reader ever sees a part of it.

    Its mode is the umask's, as that of the user's other files.

    Raises:
        OSError: the folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = str(path.with_name(_temporary(path.suffix)))
    descriptor = Descriptor(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    _finish(descriptor, temporary, str(path), text, None)


def write_in(folder: int, name: str, text: str) -> None:
    """Write ``text`` to the file ``name`` of the cache, in the folder of a descriptor, likewise.

    Others cannot write to it, whatever the umask.

    Raises:
        OSError: the folder cannot be written.
    """
    temporary = _temporary(os.path.splitext(name)[1])
    _finish(create_file(folder, temporary), temporary, name, text, folder)


def _temporary(suffix: str) -> str:
    return f"{eviction.TEMPORARY_PREFIX}{os.urandom(8).hex()}{suffix}"


def _finish(
    descriptor: Descriptor, temporary: str, name: str, text: str, folder: int | None
) -> None:
    """Write to the temporary file, and rename it; a link at ``name`` is replaced, not followed."""
    try:
        with (
            descriptor,
            os.fdopen(
                descriptor.fileno(), "w", encoding="utf-8", newline="", closefd=False
            ) as file,
        ):
            file.write(text)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
