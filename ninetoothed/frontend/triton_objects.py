"""Triton's objects in functions written for Triton, mapped to ours by name.

They are recognised by their modules' names, so that Triton is not imported here.
"""

from __future__ import annotations

import types
from typing import Any

from ninetoothed import language
from ninetoothed.errors import UndefinedNameError
from ninetoothed.language import libdevice
from ninetoothed.language.table import TABLE

_LANGUAGE = "triton.language"
_EXTRA = f"{_LANGUAGE}.extra"
_RUNTIME = "triton.runtime."
_JIT = ("JITFunction", "InterpretedFunction")
_COMPILE_TIME = "ConstexprFunction"
_FUNCTIONS = (*_JIT, _COMPILE_TIME)


def is_function(value: Any) -> bool:
    """True for a function of Triton's, which is inlined or called when compiling."""
    return type(value).__name__ in _FUNCTIONS and type(value).__module__.startswith(_RUNTIME)


def plain_function(value: Any) -> types.FunctionType | None:
    """The Python function that ``@triton.jit`` was given; None: ``value`` is none of Triton's."""
    return value.fn if is_function(value) and type(value).__name__ in _JIT else None


def compile_time_function(value: Any) -> types.FunctionType | None:
    """The function of one that Triton runs when compiling, as ``triton.cdiv``; else None."""
    return value.fn if is_function(value) and type(value).__name__ == _COMPILE_TIME else None


def is_constexpr(value: Any) -> bool:
    """True for ``tl.constexpr`` and ``ntl.constexpr``, or their name."""
    if isinstance(value, str):
        return value.rpartition(".")[2] == "constexpr"
    return value is TABLE["constexpr"] or (
        isinstance(value, type) and value.__name__ == "constexpr" and _is_of_language(value)
    )


def _is_of_language(value: Any) -> bool:
    module: Any = getattr(value, "__module__", None)
    return isinstance(module, str) and f"{module}.".startswith(f"{_LANGUAGE}.")


def adopted(value: Any) -> Any:
    """Our object for one of ``triton.language``; any other object as it is.

    Raises:
        UndefinedNameError: a function of Triton's that the language does not have.
    """
    if is_constexpr(type(value)):
        return value.value
    named = isinstance(value, type | types.FunctionType) or is_function(value)
    if not named or not _is_of_language(value):
        return value
    home = counterpart(value.__module__)
    try:
        return getattr(home, value.__name__)
    except AttributeError:
        raise UndefinedNameError(
            f"ntl has no {value.__name__}, which triton.language has"
        ) from None


def counterpart(module: str) -> types.ModuleType | None:
    """Our module that has the names of one of Triton's."""
    if f"{module}.".startswith(f"{_EXTRA}."):
        return libdevice if module.endswith(".libdevice") else None
    return language if f"{module}.".startswith(f"{_LANGUAGE}.") else None


def inner_module(module: types.ModuleType, name: str) -> types.ModuleType | None:
    """A module inside one of Triton's, as ``tl.math`` and ``tl.extra``; else None."""
    if not f"{module.__name__}.".startswith("triton."):
        return None
    found = getattr(module, name, None)
    return found if isinstance(found, types.ModuleType) else None
