"""Calls of Python's builtins and of functions of ``math``.

Of values that are known when compiling Python computes the result. Of others, ``max`` and ``min``
are chains of ``ntl.maximum`` and ``ntl.minimum``, and the rest has a counterpart in ``ntl``.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from ninetoothed import language
from ninetoothed.errors import ArgumentError, TypeMismatchError, UnsupportedSyntaxError
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import Size, Value, describe, is_sequence, is_ssa
from ninetoothed.frontend.walk import call
from ninetoothed.language import libdevice
from ninetoothed.language.table import TABLE
from ninetoothed.symbolic.expr import binary

_EXTREMA: dict[Any, str] = {builtins.max: "maximum", builtins.min: "minimum"}
_BUILTINS = (*(float, int, bool, len, abs, round, tuple, list, sum), *_EXTREMA)

_INSTEAD: dict[Any, str] = {
    float: "write x.to(ntl.float32)",
    int: "write x.to(ntl.int32)",
    bool: "write x != 0",
    len: "write x.shape[0]",
    round: "write ntl.floor(x + 0.5)",
}
# Functions of `math` whose counterpart has another name.
_RENAMED = {"fabs": "abs", "gamma": "libdevice.tgamma", "isfinite": "libdevice.finitef"}


def is_python(callee: Value) -> bool:
    """True for a builtin, and for a function of ``math``."""
    return getattr(callee, "__module__", None) in ("builtins", "math")


def python_call(
    ctx: Context, callee: Callable[..., Any], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Call a builtin, or a function of ``math``.

    Raises:
        UnsupportedSyntaxError: a builtin that the language does not have.
        TypeMismatchError: values that are not known when compiling, or have no result.
        ArgumentError: ``max`` or ``min`` has a keyword, and is of blocks.
    """
    if callee in _EXTREMA:
        return _extremum(ctx, callee, args, kwargs)
    if callee.__module__ == "math":
        return _of_math(ctx, callee, args, kwargs)
    name = callee.__name__
    if callee in (builtins.abs, builtins.sum) and _unknown(ctx, args):
        raise TypeMismatchError(f"{name} takes numbers known when compiling; use ntl.{name}")
    args = [ctx.known(arg) for arg in args]
    if callee not in _BUILTINS or any(operators.is_runtime(arg) for arg in args):
        on = f" on {describe(args[0])}" if callee in _BUILTINS and args else ""
        hint = f"; {_INSTEAD[callee]}" if callee in _INSTEAD else ""
        raise UnsupportedSyntaxError(f"the builtin {name} is not part of the language{on}{hint}")
    return _computed(ctx, callee, args, kwargs)


def _computed(
    ctx: Context, callee: Callable[..., Any], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """What Python computes of known values.

    Raises:
        TypeMismatchError: nothing.
    """
    values = [_known(ctx, arg) for arg in args]
    name, shown = callee.__name__, ", ".join(map(repr, values))
    try:
        result = callee(*values, **{key: _known(ctx, value) for key, value in kwargs.items()})
        if isinstance(result, int):
            operators.require_few_bits(result.bit_length())
        return result
    except (TypeError, ValueError, OverflowError) as error:
        if callee.__module__ == "math" and not isinstance(error, TypeError):
            # Python's words differ from version to version.
            raise TypeMismatchError(
                f"math.{name}({shown}) has no value that a number holds; give it other numbers"
            ) from None
        raise TypeMismatchError(f"{name}: {error}") from None


def _known(ctx: Context, value: Value) -> Value:
    """``value``, with the numbers of sizes that are known; also inside of tuples and lists."""
    if is_sequence(value):
        return type(value)(_known(ctx, item) for item in value)
    return ctx.known(value)


def _unknown(ctx: Context, values: Sequence[Value]) -> list[Value]:
    """Those of the values, and of the items of tuples, that are not known when compiling."""
    found: list[Value] = []
    for value in values:
        if is_sequence(value):
            found += _unknown(ctx, value)
        elif operators.is_runtime(value) or (
            isinstance(value, Size) and not ctx.is_known(value.expr)
        ):
            found.append(value)
    return found


def _extremum(
    ctx: Context, callee: Any, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """``max`` or ``min``."""
    items = args[0] if len(args) == 1 and is_sequence(args[0]) else args
    if not _unknown(ctx, [*items, *kwargs.values()]):
        return _computed(ctx, callee, args, kwargs)
    name = callee.__name__
    if kwargs:
        raise ArgumentError(
            f"{name} has no argument {next(iter(kwargs))} for values that are computed at run "
            "time; give it values only"
        )
    if len(items) == 1:
        raise TypeMismatchError(
            f"{name} takes two values or more, not {describe(items[0])} alone; write "
            f"ntl.{name}(x) for the {'largest' if name == 'max' else 'smallest'} lane of a block"
        )
    return reduce(lambda one, two: _larger(ctx, callee, one, two), items)


def _larger(ctx: Context, callee: Any, one: Value, two: Value) -> Value:
    """``max`` of two values, or ``min``."""
    if not any(operators.is_runtime(value) or isinstance(value, Size) for value in (one, two)):
        return _computed(ctx, callee, [one, two], {})
    left, right = operators.as_size(one), operators.as_size(two)
    if left is not None and right is not None:
        return operators.computed(ctx, binary(callee.__name__, left, right))
    return call(ctx, TABLE[_EXTREMA[callee]], [one, two], {})


def _of_math(
    ctx: Context, callee: Any, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A function of ``math``, whose arguments are known when compiling."""
    unknown = _unknown(ctx, [*args, *kwargs.values()])
    if unknown:
        name = callee.__name__
        raise TypeMismatchError(
            f"math.{name} takes numbers that are known when compiling, not "
            f"{describe(unknown[0])}; {_counterpart(name, unknown[0])}"
        )
    return _computed(ctx, callee, args, kwargs)


def _counterpart(name: str, value: Value) -> str:
    """The hint of an error: the function of ntl that is meant."""
    found = _RENAMED.get(name, name)
    if name not in _RENAMED and name not in dir(language):
        if name not in dir(libdevice):
            return "write what it computes with operators and functions of ntl"
        found = f"libdevice.{name}"
    integers = isinstance(value, Size) or (is_ssa(value) and operators.is_integer(value))
    return f"write ntl.{found}({'x.to(ntl.float32)' if integers else 'x'})"
