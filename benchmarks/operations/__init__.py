"""The operations that are measured: each file has its in a tuple ``OPERATIONS``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from benchmarks.operation import Operation


@cache
def by_file() -> dict[str, tuple[Operation, ...]]:
    """The operations of each file, by its name without the ending, in alphabetical order."""
    names = sorted(entry.name for entry in pkgutil.iter_modules(__path__))
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    return {name: tuple(module.OPERATIONS) for name, module in modules.items()}


@cache
def operations() -> dict[str, Operation]:
    """All of them by name, in alphabetical order."""
    found = {one.name: one for several in by_file().values() for one in several}
    return dict(sorted(found.items()))
