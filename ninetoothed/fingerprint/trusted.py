"""Trusted library code, identified by name: it is the same in every process of the versions that
are hashed.
"""

from __future__ import annotations

import types

_PACKAGES = ("ninetoothed", "triton")
_MODULES = (
    *("abc", "builtins", "collections", "contextlib", "dataclasses", "enum", "functools"),
    *("math", "operator", "reprlib", "types", "typing"),
)
_PURE_MODULES = ("math", "_operator")
_PURE = (
    *("abs", "all", "any", "bool", "divmod", "isinstance", "len", "max", "min", "pow", "round"),
    *("sorted", "sum"),
)


def is_ours(module: str) -> bool:
    """True if a module belongs to this package or to Triton."""
    return module.partition(".")[0] in _PACKAGES


def is_trusted(module: str) -> bool:
    """True if functions and classes of a module are identified by their names."""
    return is_ours(module) or module in _MODULES


def is_pure(function: types.BuiltinFunctionType) -> bool:
    """True if the result of a C function depends on its arguments alone."""
    if function.__module__ == "builtins":
        return function.__name__ in _PURE
    return function.__module__ in _PURE_MODULES
