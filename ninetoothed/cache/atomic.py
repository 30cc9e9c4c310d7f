"""Atomic file writes."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from ninetoothed.cache import eviction


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` so that no reader ever sees a part of it.

    Raises:
        OSError: the folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(
        prefix=eviction.TEMPORARY_PREFIX, suffix=path.suffix, dir=path.parent
    )
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
