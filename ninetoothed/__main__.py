"""``python -m ninetoothed``: what is done about the package from a shell.

python -m ninetoothed cache info                  what the cache folder holds
python -m ninetoothed cache clear                 deletes its entries
python -m ninetoothed cache clear --kind tuning   those of one kind
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ninetoothed import config
from ninetoothed.errors import NineToothedError
from ninetoothed.runtime import cache_folder

_NOUNS = {
    "artifacts": ("artifact", "artifacts"),
    "binaries": ("binary", "binaries"),
    "spaces": ("space of configurations", "spaces of configurations"),
    "kernels": ("kernel's record", "kernels' records"),
    "tuning": ("tuning result", "tuning results"),
    "sources": ("source", "sources"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command that ``arguments`` (default: the process's) name; returns its exit code.

    Raises:
        SystemExit: the arguments name no command (its code is 2), or ask for help.
    """
    parsed = _parser().parse_args(arguments)
    folder = config.cache_dir()
    try:
        if not folder.is_dir():
            print(f"there is no folder {folder}: nothing is kept yet")
            return 0
        return _info(folder) if parsed.action == "info" else _clear(folder, parsed.kind)
    except OSError as error:
        return _fail(f"{folder} cannot be read: {error}")
    except NineToothedError as error:
        return _fail(error.message)


def _info(folder: Path) -> int:
    entries = cache_folder.scan(folder).entries
    rows = [(kind, [file for file in entries if file.kind == kind]) for kind in cache_folder.KINDS]
    bound = config.cache_size()
    print(f"folder      {folder}")
    for title, files in [*rows, ("total", entries)]:
        print(f"{title:10}  {_number(len(files), 'entry', 'entries')}, {_size(files)}")
    print(f"bound       {f'{bound:,} bytes' if bound else 'none'}")
    if entries:
        print(f"oldest use  {_time(entries[0].used)}")
        print(f"newest use  {_time(entries[-1].used)}")
    return 0


def _clear(folder: Path, kind: str | None) -> int:
    contents = cache_folder.scan(folder)
    kinds = cache_folder.KINDS if kind is None else (kind,)
    left: list[OSError] = []

    def remove(files: Sequence[cache_folder.File]) -> list[cache_folder.File]:
        """Those of ``files`` that are of these kinds and could be removed."""
        removed: list[cache_folder.File] = []
        for file in files:
            if file.kind not in kinds:
                continue
            error = cache_folder.remove(file)
            if error is None:
                removed.append(file)
            else:
                left.append(error)
        return removed

    entries = remove(contents.entries)
    counts = [_number(sum(file.kind == kind for file in entries), *_NOUNS[kind]) for kind in kinds]
    print(f"removed {', '.join(counts)} ({_size(entries)}) from {folder}")
    if stale := remove(contents.stale):
        print(f"removed {_number(len(stale), 'file', 'files')} of killed processes")
    if left:
        return _fail(f"{_number(len(left), 'file', 'files')} cannot be removed: {left[0]}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ninetoothed", description="What is done about NineToothed from a shell."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    text = "see or empty the folder of compiled kernels and tuning results"
    cache = commands.add_parser("cache", help=text, description=text)
    actions = cache.add_subparsers(dest="action", required=True)
    text = "say what the folder holds, and when it was used"
    actions.add_parser("info", help=text, description=text)
    text = "delete the entries, and say how many they were"
    clear = actions.add_parser("clear", help=text, description=text)
    clear.add_argument("--kind", choices=cache_folder.KINDS, help="those of one kind (all)")
    return parser


def _fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


def _number(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"


def _size(files: Sequence[cache_folder.File]) -> str:
    return _number(sum(file.bytes for file in files), "byte", "bytes")


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


if __name__ == "__main__":
    sys.exit(main())
