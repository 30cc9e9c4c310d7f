"""Which cases a run measures, chosen by name, and in which order."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.operation import (
    DTYPES,
    LAYERS,
    LAYOUTS,
    LENGTHS,
    PROVIDERS,
    SERIES,
    SIZES,
    TOPS,
    Operation,
)
from benchmarks.records import Record

FROM_LARGE_TO_SMALL = (
    *("large", "square_4096", "ragged_large", "medium", "ragged", "square_1024", "small"),
    *("rows_16384", "rows_4096", "rows_256"),
    *("decode_down_64", "decode_64", "decode_16", "decode_1"),
    *("batch_1024", "batch_512"),
    *reversed(LENGTHS),
    *LAYERS,
    *reversed(TOPS),
)
"""The order of an operation's sizes. Kernels whose tuner keeps one choice for all sizes choose at
the first that they see, so it must not depend on the sizes that a run asks for first.
"""


class ChoiceError(Exception):
    """A name on the command line that nothing has."""


CASE = ("operation", "size", "dtype", "layout")
"""The fields that tell a case of the kernels from others."""


def key(record: Record) -> tuple[str, ...]:
    """What tells the case of a record from others."""
    return tuple(record[field] for field in CASE)


def label(record: Record) -> str:
    """The same for people."""
    return " ".join(key(record))


def choose(kind: str, asked: Sequence[str] | None, valid: Sequence[str]) -> tuple[str, ...]:
    """The names among ``valid``, in their order, that were asked for; all where nothing was.

    Each entry of ``asked`` is names or patterns such as ``rms_*``, separated by commas.

    Raises:
        ChoiceError: nothing has such a name; the message lists what is valid.
    """
    if asked is None:
        return tuple(valid)
    patterns = [name for entry in asked for name in entry.split(",") if name]
    known = f"{kind}s are {', '.join(valid)}"
    if not patterns:
        raise ChoiceError(f"no {kind} was named; {known}")
    found: set[str] = set()
    for pattern in patterns:
        matching = fnmatch.filter(valid, pattern)
        if not matching:
            raise ChoiceError(f"there is no {kind} {pattern!r}; {known}")
        found.update(matching)
    return tuple(name for name in valid if name in found)


def tasks(
    operations: Iterable[Operation],
    sizes: Iterable[str] = SIZES,
    dtypes: Iterable[str] = tuple(DTYPES),
    layouts: Iterable[str] = LAYOUTS,
) -> list[Record]:
    """The cases that these operations have, by :data:`CASE`, in the order of measuring them."""
    sizes, dtypes, layouts = set(sizes), set(dtypes), set(layouts)
    return [
        dict(zip(CASE, (operation.name, size, dtype, layout), strict=True))
        for operation in operations
        for dtype in operation.dtypes
        for layout in operation.layouts
        for size in FROM_LARGE_TO_SMALL
        if dtype in dtypes and layout in layouts and size in sizes and size in operation.sizes
        if size not in SERIES or (dtype, layout) == (operation.dtypes[0], operation.layouts[0])
    ]


_OPTIONS: dict[str, tuple[str, str, Sequence[str]]] = {
    "ops": ("operation", "operations", ()),
    "providers": ("provider", "who computes them", PROVIDERS),
    "sizes": ("size", "sizes", SIZES),
    "dtypes": ("dtype", "element types", tuple(DTYPES)),
    "layouts": ("layout", "layouts of the inputs", LAYOUTS),
}


def add_choices(parser: argparse.ArgumentParser, **defaults: str) -> None:
    """The options that choose cases and providers; ``defaults`` stand for what is not given."""
    for option, (_, text, names) in _OPTIONS.items():
        valid = f" ({', '.join(names)})" if names else ""
        default = defaults.get(option)
        parser.add_argument(
            f"--{option}",
            nargs="+",
            metavar="NAME",
            default=default and [default],
            help=f"{text}{valid}; default: {default or 'all'}",
        )


@dataclass(frozen=True)
class Chosen:
    """What those options name."""

    operations: Mapping[str, Operation]
    providers: tuple[str, ...]
    sizes: tuple[str, ...]
    dtypes: tuple[str, ...]
    layouts: tuple[str, ...]

    def tasks(self) -> list[Record]:
        """The cases.

        Raises:
            ChoiceError: the names are valid, and no operation has them together.
        """
        found = tasks(self.operations.values(), self.sizes, self.dtypes, self.layouts)
        if not found:
            lines = [
                f"  {name}: {', '.join(operation.dtypes)}; {', '.join(operation.layouts)}"
                for name, operation in self.operations.items()
            ]
            head = "none of these operations has such a case; they have"
            raise ChoiceError("\n".join([head, *lines]))
        return found


def chosen(arguments: argparse.Namespace, known: Mapping[str, Operation]) -> Chosen:
    """What the options of :func:`add_choices` name.

    Raises:
        ChoiceError: one names something that does not exist.
    """
    names = [
        choose(kind, getattr(arguments, option), valid or tuple(known))
        for option, (kind, _, valid) in _OPTIONS.items()
    ]
    operations = {name: known[name] for name in names[0]}
    return Chosen(operations, *names[1:])
