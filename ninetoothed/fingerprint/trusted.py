"""Trusted library code, identified by name: it is the same in every process of the versions that
are hashed.

A name alone proves nothing, for whoever makes a function or a class may give it any: what has the
name of a library's must be found there, or have been compiled from its file.
"""

from __future__ import annotations

import operator
import sys
import types
from typing import Any

_PACKAGES = ("ninetoothed", "triton")
_MODULES = (
    *("abc", "builtins", "collections", "contextlib", "dataclasses", "enum", "functools"),
    *("math", "operator", "reprlib", "types", "typing"),
)
HEAP_TYPE = 1 << 9
"""Flag of classes that are made by a program: it may put attributes there."""
_PURE_MODULES = ("math", "_operator")
_PURE = (
    *("abs", "all", "any", "bool", "divmod", "isinstance", "len", "max", "min", "pow", "round"),
    *("sorted", "sum"),
)
_PURE_CLASSES = (
    *(bool, int, float, tuple, list, dict, range, slice, enumerate, zip, map, filter, reversed),
    *(AssertionError, ValueError, TypeError),
)


def is_ours(module: str) -> bool:
    """True if a module belongs to this package or to Triton."""
    return module.partition(".")[0] in _PACKAGES


def is_trusted_function(function: types.FunctionType) -> bool:
    """True if a function is identified by its name: it was compiled from the file of a trusted
    module.
    """
    module = sys.modules.get(str(function.__globals__.get("__name__")))
    if module is None or vars(module) is not function.__globals__:
        return False
    file = function.__code__.co_filename
    return _is_trusted(module.__name__) and (
        file.startswith("<frozen ") or file == getattr(module, "__file__", None)
    )


def is_trusted_class(kind: type[Any]) -> bool:
    """True if a class is identified by its name: it is Python's own, or is found in a trusted
    module.
    """
    if not kind.__flags__ & HEAP_TYPE:
        return True
    if not _is_trusted(kind.__module__):
        return False
    try:
        return operator.attrgetter(kind.__qualname__)(sys.modules.get(kind.__module__)) is kind
    except AttributeError:
        return False


def _is_trusted(module: str) -> bool:
    return is_ours(module) or module in _MODULES


def is_pure(function: types.BuiltinFunctionType) -> bool:
    """True if the result of a C function depends on its arguments alone."""
    if function.__module__ == "builtins":
        return function.__name__ in _PURE
    return function.__module__ in _PURE_MODULES


def is_pure_class(kind: type[Any]) -> bool:
    """True if a call of a class depends on its arguments alone, and on no address or hash."""
    return kind in _PURE_CLASSES
