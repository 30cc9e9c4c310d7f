"""Command line, ``python -m ninetoothed``: the cache folder, the tuning results, and kernels that
are compiled where no GPU is.

python -m ninetoothed cache info                  shows the contents of the cache folder
python -m ninetoothed cache clear                 deletes its entries
python -m ninetoothed cache clear --kind tuning   those of one kind
python -m ninetoothed tuning export tuned.json    writes the tuning results to a file
python -m ninetoothed tuning load tuned.json      brings those of a file into the cache folder
python -m ninetoothed precompile module:kernel    compiles what calls on a GPU will need
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from ninetoothed import config, tuning
from ninetoothed.cache import eviction
from ninetoothed.cache.folder import UnsafeFolderError, check
from ninetoothed.cache.read_only import ReadOnlyFolder
from ninetoothed.errors import NineToothedError

_NOUNS = {
    "kernels": ("kernel", "kernels"),
    "spaces": ("space", "spaces"),
    "artifacts": ("artifact", "artifacts"),
    "binaries": ("binary", "binaries"),
    "tuning": ("tuning result", "tuning results"),
    "sources": ("source", "sources"),
}
_KINDS = """
kinds of entries:
  kernels    a kernel's checks, and the info of its signatures
  spaces     the configurations that a kernel may run with
  artifacts  a kernel in one configuration, as text
  binaries   a kernel's device code
  tuning     which configurations were fast
  sources    Triton kernels that profilers and Triton read from files
"""


_CALLS = """
a call's arguments are NAME=VALUE, with commas between them:
  x=fp16[4096, 4096]             a tensor: its element type and its sizes
  x=fp16[4096, 4096][1, 4096]    one with strides, in elements (default: contiguous)
  x=fp32[]                       one of no dims
  eps=1e-6, BLOCK=64, flag=True  numbers, and values of constexpr symbols

tensors start at multiples of 16 bytes, as torch allocates them, and share no memory

example:
  python -m ninetoothed precompile kernels:matmul --target sm_90 --device 'NVIDIA H200' \\
    --call 'lhs=fp16[4096, 4096], rhs=fp16[4096, 4096], output=fp16[4096, 4096]' -o kernels/
"""


class _Form(TypedDict):
    epilog: str
    formatter_class: type[argparse.HelpFormatter]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` (default: the process's) name; returns its exit code.

    Raises:
        SystemExit: the arguments name no command (its code is 2), or ask for help.
    """
    parsed = _parser().parse_args(arguments)
    if parsed.command == "precompile":
        return _precompile(parsed)
    folder = config.cache_dir()
    try:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            check(folder, eviction.KINDS)
        if parsed.command == "tuning":
            return _tuning(parsed.action, parsed.file)
        if not folder.is_dir():
            print(f"there is no folder {folder}: nothing is kept yet")
            if parsed.action == "info":
                _print_read_only()
            return 0
        return _info(folder) if parsed.action == "info" else _clear(folder, parsed.kind)
    except UnsafeFolderError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"{folder} cannot be read: {error}")
    except NineToothedError as error:
        return _fail(error.message)


def _info(folder: Path) -> int:
    entries = eviction.scan(folder).entries
    rows = [(kind, [file for file in entries if file.kind == kind]) for kind in eviction.KINDS]
    bound = config.cache_size()
    print(f"folder      {folder}")
    for title, files in [*rows, ("total", entries)]:
        print(f"{title:10}  {_number(len(files), 'entry', 'entries')}, {_size(files)}")
    print(f"bound       {f'{bound:,} bytes' if bound else 'none'}")
    if entries:
        print(f"oldest use  {_time(entries[0].used)}")
        print(f"newest use  {_time(entries[-1].used)}")
    _print_read_only()
    return 0


def _print_read_only() -> None:
    """Print a line on the second folder, if there is one."""
    folder = config.cache_read_only_dir()
    if folder is None:
        return
    problem = ReadOnlyFolder(folder).problem()
    if problem is not None:
        print(f"read-only   not used: {problem}")
        return
    entries = eviction.scan(folder).entries
    print(f"read-only   {folder}: {_number(len(entries), 'entry', 'entries')}, {_size(entries)}")


def _clear(folder: Path, kind: str | None) -> int:
    contents = eviction.scan(folder)
    kinds = eviction.KINDS if kind is None else (kind,)
    left: list[OSError] = []

    def remove(files: Sequence[eviction.File]) -> list[eviction.File]:
        """Remove those of ``files`` that are of these kinds; returns the removed ones."""
        removed: list[eviction.File] = []
        for file in files:
            if file.kind not in kinds:
                continue
            error = eviction.remove(file)
            if error is None:
                removed.append(file)
            else:
                left.append(error)
        return removed

    entries = remove(contents.entries)
    eviction.remove_counters(folder)
    numbers = {kind: sum(file.kind == kind for file in entries) for kind in kinds}
    counts = [_number(number, *_NOUNS[kind]) for kind, number in numbers.items() if number]
    print(f"removed {', '.join(counts) or 'nothing'} ({_size(entries)}) from {folder}")
    if stale := remove(contents.stale):
        print(f"removed {_number(len(stale), 'file', 'files')} of killed processes")
    if left:
        return _fail(f"{_number(len(left), 'file', 'files')} cannot be removed: {left[0]}")
    return 0


def _tuning(action: str, file: str) -> int:
    count = tuning.export(file) if action == "export" else tuning.load(file)
    done = "written to" if action == "export" else "loaded from"
    print(f"{_number(count, *_NOUNS['tuning'])} {done} {file}")
    return 0


def _precompile(parsed: argparse.Namespace) -> int:
    # The compiler's modules, which the other commands do without.
    from ninetoothed.tools.precompile import precompile

    try:
        return precompile(
            parsed.kernel,
            parsed.target,
            parsed.device,
            parsed.call,
            parsed.output,
            parsed.refinements,
        )
    except NineToothedError as error:
        return _fail(str(error))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ninetoothed",
        description="The cache folder, the tuning results, and kernels compiled without a GPU.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    text = "see or empty the folder of compiled kernels and tuning results"
    cache = commands.add_parser("cache", help=text, description=text)
    actions = cache.add_subparsers(dest="action", required=True)
    form: _Form = {"epilog": _KINDS, "formatter_class": argparse.RawDescriptionHelpFormatter}
    text = "show the contents of the folder, and when it was used"
    actions.add_parser("info", help=text, description=text, **form)
    text = "delete the entries, and show how many they were"
    clear = actions.add_parser("clear", help=text, description=text, **form)
    clear.add_argument("--kind", choices=eviction.KINDS, help="those of one kind (all)")
    text = "take tuning results along in a file"
    results = commands.add_parser("tuning", help=text, description=text).add_subparsers(
        dest="action", required=True
    )
    text = "write the results of the cache folder to a file"
    results.add_parser("export", help=text, description=text).add_argument("file")
    text = "bring the results of a file into the cache folder"
    results.add_parser("load", help=text, description=text).add_argument("file")
    text = "compile what calls of a kernel will need on a GPU, where none is"
    form = _Form(epilog=_CALLS, formatter_class=argparse.RawDescriptionHelpFormatter)
    _add_call(commands.add_parser("precompile", help=text, description=text, **form))
    return parser


def _add_call(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``precompile``."""
    add = parser.add_argument
    add("kernel", metavar="MODULE:KERNEL", help="a kernel of a module, or a call that makes one")
    add("--target", metavar="ARCH", required=True, help="the GPU's architecture, as sm_90")
    add("--device", metavar="NAME", help="the GPU, as torch names it (the target's first one)")
    add(
        *("--call", "--shapes"),
        metavar="ARGS",
        action="append",
        required=True,
        help="a call's arguments; may be repeated",
    )
    add(
        "--refinements",
        metavar="N",
        type=int,
        choices=range(4),
        help="compile for the tuner's first N rounds around what may be fastest (3, which is all)",
    )
    add("-o", "--output", metavar="DIR", help="the cache folder that is filled (the user's)")


def _fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


def _number(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"


def _size(files: Sequence[eviction.File]) -> str:
    return _number(sum(file.bytes for file in files), "byte", "bytes")


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


if __name__ == "__main__":
    sys.exit(main())
