"""Second cache folder, behind the writable one: it is read, and nothing else is done to it.

It may lie on a file system that takes no writes, or serve many machines at once. No use is noted
there, nothing is counted, locked or evicted, and what is found there is not copied. Its entries are
code that is run, too: they count by the rules of the writable folder (see ``folder``). Where it
cannot be read, the process does without, and warns once.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Generator
from pathlib import Path

from ninetoothed import config
from ninetoothed.cache import eviction, folder

SETTING = "NINETOOTHED_CACHE_READ_ONLY_DIR"

# The folders that were checked, each by whoever came first.
_checked: dict[Path, object] = {}


def place() -> Path | None:
    """The folder; None where the user has named none.

    Warns:
        RuntimeWarning: it cannot be used, the first time that it is asked for.
    """
    found = config.cache_read_only_dir()
    if found is None:
        return None
    # Any number of threads may come at once, and one of them puts its own there.
    own = object()
    if _checked.setdefault(found, own) is own:
        reason = problem(found)
        if reason is not None:
            warnings.warn(
                f"no kernels are taken from a second cache folder: {reason}",
                RuntimeWarning,
                stacklevel=4,
            )
    return found


def problem(found: Path) -> str | None:
    """The reason why the folder cannot be used, with the remedy; None where it can."""
    try:
        # A folder that has not all of the rooms lacks some kinds of entries.
        with folder.opened(found, setting=SETTING):
            pass
        for kind in eviction.KINDS:
            with contextlib.suppress(FileNotFoundError), room(found, kind):
                pass
    except folder.UnsafeFolderError as error:
        return str(error)
    except OSError as error:
        return f"{found} cannot be read ({error}); set {SETTING} to a folder that can, or to none"
    with contextlib.suppress(OSError):
        if os.path.samefile(found, config.cache_dir()):
            return (
                f"{found} is the folder that is written to, too; set {SETTING} to another than "
                f"{folder.WRITABLE}, or to none"
            )
    return None


@contextlib.contextmanager
def room(found: Path, kind: str) -> Generator[int]:
    """Descriptor of the room of one kind of entries.

    Raises:
        OSError: it is not there, is not safe, or cannot be read.
    """
    with folder.opened(found, kind, setting=SETTING) as descriptor:
        yield descriptor
