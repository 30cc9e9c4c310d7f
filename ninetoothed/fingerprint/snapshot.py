"""Snapshot of what a kernel's functions read from outside, taken when the kernel is made.

The frontend runs at the first call of each signature, long after ``make``. It reads names,
attributes, defaults and source lines here, so that what is changed in between is not seen.
"""

from __future__ import annotations

import functools
import linecache
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ninetoothed.dtype import own_type


class Capture:
    """Copies of the values that functions, modules and classes held.

    Containers are copied; what they hold is not, and neither are objects: the language takes none
    that can change.
    """

    def __init__(self) -> None:
        self._names: dict[types.FunctionType, dict[str, Any]] = {}
        self._defaults: dict[types.FunctionType, tuple[Any, Any]] = {}
        # The owner is kept in the value, so that its id stays its own.
        self._attributes: dict[tuple[int, str], tuple[Any, Any]] = {}
        self._classes: set[type] = set()
        self._lines: dict[str, Sequence[str]] = {}

    def keep_function(self, function: types.FunctionType) -> dict[str, Any]:
        """Keep a function's defaults; returns a dict that takes the names that it reads."""
        self._defaults[function] = frozen(function.__defaults__), frozen(function.__kwdefaults__)
        return self._names.setdefault(function, {})

    def keep_attribute(self, owner: Any, name: str, value: Any) -> None:
        """Keep the value of ``owner.name``."""
        self._attributes[id(owner), name] = owner, frozen(value)

    def keep_class(self, owner: type) -> None:
        """Mark a class of which all attributes are kept."""
        self._classes.add(owner)

    def is_whole(self, owner: object) -> bool:
        """True if attributes of ``owner`` that are not kept did not exist."""
        return isinstance(owner, type) and owner in self._classes

    def names(self, function: types.FunctionType) -> Mapping[str, Any]:
        """Values of the names that a function reads from outside; empty if none were kept."""
        return self._names.get(function, {})

    def attribute(self, owner: Any, name: str, default: Any) -> Any:
        """Value of ``owner.name``, or ``default`` if it was not kept."""
        found = self._attributes.get((id(owner), name))
        return default if found is None else found[1]

    def with_defaults(self, function: types.FunctionType) -> types.FunctionType:
        """The function with the defaults that were kept."""
        if function not in self._defaults:
            return function
        positional, by_keyword = self._defaults[function]
        copy = types.FunctionType(
            function.__code__,
            function.__globals__,
            function.__name__,
            positional,
            function.__closure__,
        )
        copy.__kwdefaults__ = by_keyword
        copy.__annotations__ = function.__annotations__
        return copy

    def lines(self, function: types.FunctionType) -> Sequence[str]:
        """Lines of the file that a function is in; empty if they cannot be read."""
        file = function.__code__.co_filename
        if file not in self._lines:
            self._lines[file] = source_lines(function)
        return self._lines[file]


def source_lines(function: types.FunctionType) -> Sequence[str]:
    """Lines of the file that a function is in; empty if they cannot be read."""
    file = function.__code__.co_filename
    linecache.checkcache(file)
    # What has no file, as in an archive, is read from its module. The function names one, but it is
    # not the code's where that was executed from elsewhere.
    module = sys.modules.get(function.__module__)
    in_module = getattr(module, "__file__", None) == file
    return linecache.getlines(file, vars(module) if in_module and module is not None else None)


def is_rewritten(function: types.FunctionType) -> bool:
    """True if an import hook may have changed the code of a function's module, as pytest's does: it
    cannot be compared with the text.
    """
    spec = getattr(sys.modules.get(function.__module__), "__spec__", None)
    loader = cast("type[Any]", type(getattr(spec, "loader", None)))
    return loader.__module__.partition(".")[0] not in _LOADERS


_LOADERS = ("builtins", "importlib", "_frozen_importlib", "_frozen_importlib_external", "zipimport")
"""Modules of Python's own loaders, and of None."""


def frozen(value: Any) -> Any:
    """Copy of ``value`` with its lists, dicts, sets, partials and tensors of no dims copied."""
    container = _CONTAINERS.get(type(value))
    if container is not None:
        return container(frozen(item) for item in value)
    if type(value) is dict:
        items = cast("dict[Any, Any]", value).items()
        return {key: frozen(item) for key, item in items}
    if type(value) is functools.partial:
        partial = cast("functools.partial[Any]", value)
        keywords = {name: frozen(item) for name, item in partial.keywords.items()}
        return functools.partial(partial.func, *map(frozen, partial.args), **keywords)
    return value if own_type(value) is None else value.detach().clone()


_CONTAINERS: dict[Any, Any] = {kind: kind for kind in (tuple, list, set, frozenset)}
