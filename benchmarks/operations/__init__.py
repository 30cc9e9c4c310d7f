"""The operations that are measured: each file has its in a tuple ``OPERATIONS``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from benchmarks.operation import Operation


@cache
def operations() -> dict[str, Operation]:
    """All of them by name, in alphabetical order."""
    found: dict[str, Operation] = {}
    for entry in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{entry.name}")
        found |= {operation.name: operation for operation in module.OPERATIONS}
    return dict(sorted(found.items()))
