"""Callables that stand for functions: partials, bound methods, and objects with ``__call__``."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ninetoothed.definition.source import FunctionSource, function_source
from ninetoothed.errors import ArgumentError, counted
from ninetoothed.fingerprint.objects import is_callable_object, static_attribute
from ninetoothed.fingerprint.snapshot import Capture, frozen


@dataclass(frozen=True)
class BoundFunction:
    """A function with values for some of its parameters.

    ``receiver`` is the parameter that holds the object whose method it is, or None; ``name`` that
    of the kernel: an object's is its class's.
    """

    source: FunctionSource
    name: str
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    receiver: str | None = None

    @property
    def free(self) -> list[str]:
        """The positional parameters that have no value, in order."""
        code = self.source.function.__code__
        return [name for name in code.co_varnames[: code.co_argcount] if name not in self.values]

    @property
    def defaults(self) -> Mapping[str, object]:
        """The defaults of parameters without a value."""
        positional, by_keyword = self.source.defaults
        code = self.source.function.__code__
        last = code.co_varnames[code.co_argcount - len(positional) : code.co_argcount]
        found = {**dict(zip(last, positional, strict=True)), **by_keyword}
        return {name: value for name, value in found.items() if name not in self.values}


def bound_function(function: Any, role: str, capture: Capture | None = None) -> BoundFunction:
    """The function behind a callable; ``role`` and ``capture`` as in :func:`function_source`.

    Raises:
        ArgumentError: a partial gives values that the function does not take.
        UnsupportedSyntaxError: there is no plain Python function behind it, or a lambda.
    """
    args: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    name: str | None = None
    while isinstance(function, functools.partial):
        args = (*function.args, *args)
        keywords = {**function.keywords, **keywords}
        function = function.func
    has_receiver = True
    if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        args = (function.__self__, *args)
        function = function.__func__
    elif is_callable_object(function):
        args = (function, *args)
        name = cast("type[Any]", type(function)).__name__
        function, _ = static_attribute(function, "__call__")
    else:
        has_receiver = False
    source = function_source(function, role, capture)
    values = _values(source, args, keywords) if args or keywords else {}
    receiver = source.parameters[0] if has_receiver else None
    return BoundFunction(source, name or source.name, values, receiver)


def _values(
    source: FunctionSource, args: Sequence[Any], keywords: Mapping[str, Any]
) -> dict[str, object]:
    try:
        bound = source.signature.bind_partial(*args, **keywords)
    except TypeError as error:
        raise ArgumentError(
            f"{source.name}{source.signature} does not take what it is given: {error}; a "
            "partial of it gives values to its parameters",
            source.place(source.node),
        ) from None
    for parameter in bound.signature.parameters.values():
        if parameter.name in bound.arguments and parameter.kind in _SEVERAL:
            raise ArgumentError(
                f"{source.name}{source.signature} is given "
                f"{counted(len(bound.arguments[parameter.name]), 'value')} for {parameter}; name a "
                "parameter each",
                source.place(source.node),
            )
    return {name: frozen(value) for name, value in bound.arguments.items()}


_SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
