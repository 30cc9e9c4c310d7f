"""Discovery of a dialect's ops and attributes in its modules."""

from __future__ import annotations

import sys
from typing import TypeVar

from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation

_T = TypeVar("_T")


def ops_of(package: str) -> list[type[IRDLOperation]]:
    """The op classes of a module, or of the imported modules of a package."""
    return _defined(IRDLOperation, package)


def attributes_of(package: str) -> list[type[Attribute]]:
    """The attribute classes, likewise."""
    return _defined(Attribute, package)


def _defined(base: type[_T], package: str) -> list[type[_T]]:
    modules = [m for name, m in sys.modules.items() if f"{name}.".startswith(f"{package}.")]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, base)
        # Base classes have no name.
        if value.__module__ == module.__name__ and hasattr(value, "name")
    ]
