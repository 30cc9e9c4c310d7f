"""Second cache folder, behind the writable one: it is read, and nothing else is done to it.

It may lie on a file system that takes no writes, or serve many machines at once. No use is noted
there, nothing is counted, locked or evicted, and what is found there is not copied. Its entries are
code that is run, too: they count by the rules of the writable folder (see ``folder``). Where it
cannot be used, the process does without, and warns once.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ninetoothed import config
from ninetoothed.cache import eviction, folder

SETTING = "NINETOOTHED_CACHE_READ_ONLY_DIR"

# Those that were checked, each with an object of whoever came first.
_checked: dict[Path, object] = {}


@dataclass(frozen=True)
class ReadOnlyFolder:
    """A cache folder that is only read."""

    path: Path

    @staticmethod
    def of(path: Path) -> ReadOnlyFolder:
        """The folder of a path.

        Warns:
            RuntimeWarning: it cannot be used; the first time that it is asked for.
        """
        found = ReadOnlyFolder(path)
        # Any number of threads may come at once, and one of them puts its own there.
        own = object()
        if _checked.setdefault(path, own) is own:
            reason = found.problem()
            if reason is not None:
                warnings.warn(
                    f"no kernels are taken from a second cache folder: {reason}",
                    RuntimeWarning,
                    stacklevel=5,
                )
        return found

    def room(self, kind: str) -> AbstractContextManager[int]:
        """Descriptor of the room of one kind of entries; entering it raises an ``OSError`` where it
        is not there, is not safe, or cannot be read.
        """
        return folder.opened(self.path, kind, setting=SETTING)

    def problem(self) -> str | None:
        """The reason why the folder cannot be used, with the remedy; None where it can."""
        try:
            with folder.opened(self.path, setting=SETTING):
                pass
            for kind in eviction.KINDS:
                # A folder that has not all of the rooms lacks some kinds of entries.
                with contextlib.suppress(FileNotFoundError), self.room(kind):
                    pass
        except folder.UnsafeFolderError as error:
            return str(error)
        except OSError as error:
            return (
                f"{self.path} cannot be read ({error}); set {SETTING} to a folder that can, or to "
                "none"
            )
        with contextlib.suppress(OSError):
            if os.path.samefile(self.path, config.cache_dir()):
                return (
                    f"{self.path} is the folder that is written to, too; set {SETTING} to another "
                    f"than {folder.WRITABLE}, or to none"
                )
        return None
