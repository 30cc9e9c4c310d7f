"""Calls: primitives by their rows' names, Python functions inlined with Python's meaning, and a few
builtins.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ninetoothed.errors import (
    ArgumentError,
    NineToothedError,
    TypeMismatchError,
    UnsupportedSyntaxError,
    counted,
)
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context, Frame
from ninetoothed.frontend.primitives import HANDLERS
from ninetoothed.frontend.source import function_source
from ninetoothed.frontend.values import (
    BoundMethod,
    Method,
    Share,
    Size,
    Value,
    describe,
    is_sequence,
)
from ninetoothed.frontend.walk import evaluate, execute, expression
from ninetoothed.language.table import Primitive

_BUILTINS: dict[Any, Callable[..., Any]] = {
    name: name for name in (float, int, bool, len, abs, round, tuple, list)
}
_MAX_DEPTH = 64
_LANGUAGE = "ninetoothed.language."


@expression(ast.Call)
def _call(ctx: Context, node: ast.Call) -> Value:
    callee = evaluate(ctx, node.func)
    args: list[Value] = []
    for item in node.args:
        if isinstance(item, ast.Starred):
            args.extend(_starred(ctx, item))
        else:
            args.append(evaluate(ctx, item))
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise UnsupportedSyntaxError(
                "** in a call is not part of the language; name the arguments"
            )
        kwargs[keyword.arg] = evaluate(ctx, keyword.value)
    if isinstance(callee, BoundMethod):
        callee, args = callee.primitive, [callee.receiver, *args]
    if isinstance(callee, Primitive):
        return primitive(ctx, callee, args, kwargs)
    if isinstance(callee, Method):
        return callee.run(ctx, _bind(callee.name, callee.parameters, args, kwargs))
    if isinstance(callee, types.FunctionType):
        return inline(ctx, callee, args, kwargs)
    if getattr(callee, "__module__", None) == "builtins":
        return _builtin(ctx, callee, args)
    raise TypeMismatchError(
        f"{describe(callee)} cannot be called inside an application; functions of ntl and plain "
        "Python functions can"
    )


def _starred(ctx: Context, item: ast.Starred) -> tuple[Value, ...] | list[Value]:
    value = evaluate(ctx, item.value)
    if not is_sequence(value):
        with ctx.at(item):
            raise TypeMismatchError(f"* takes a tuple, not {describe(value)}; name the arguments")
    return value


_INSTEAD: dict[Any, str] = {
    float: "write x.to(ntl.float32)",
    int: "write x.to(ntl.int32)",
    bool: "write x != 0",
    len: "write x.shape[0]",
    abs: "write ntl.abs(x)",
    round: "write ntl.floor(x + 0.5)",
    print: "look at the outputs after the call",
}


def _builtin(ctx: Context, callee: Any, args: list[Value]) -> Value:
    args = [ctx.known(arg) for arg in args]
    if callee in (builtins.min, builtins.max, builtins.abs, builtins.sum):
        instead = {"min": "ntl.minimum", "max": "ntl.maximum", "abs": "ntl.abs", "sum": "ntl.sum"}
        if any(operators.is_runtime(arg) or isinstance(arg, Size) for arg in args):
            name = callee.__name__
            raise TypeMismatchError(
                f"{name} takes numbers known when compiling; use {instead[name]}"
            )
        return callee(*args)
    if callee not in _BUILTINS or any(operators.is_runtime(arg) for arg in args):
        on = f" on {describe(args[0])}" if callee in _BUILTINS and args else ""
        hint = f"; {_INSTEAD[callee]}" if callee in _INSTEAD else ""
        name = callee.__name__
        raise UnsupportedSyntaxError(f"the builtin {name} is not part of the language{on}{hint}")
    try:
        return callee(*args)
    except (TypeError, ValueError) as error:
        raise TypeMismatchError(f"{callee.__name__}: {error}") from None


def inline(
    ctx: Context, function: types.FunctionType, args: list[Value], kwargs: Mapping[str, Value]
) -> Value:
    """What a Python function returns for these arguments, its ops built here.

    Raises:
        ArgumentError: the arguments do not fit its signature.
        UnsupportedSyntaxError: it calls itself, or has no source.
    """
    source = function_source(function, "a called function")
    if any(frame.source.node is source.node for frame in ctx.frames):
        raise UnsupportedSyntaxError(f"{function.__name__} calls itself; write a loop")
    if len(ctx.frames) > _MAX_DEPTH:
        raise UnsupportedSyntaxError(f"calls are nested more than {_MAX_DEPTH} deep")
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        shown = f"{function.__name__}{inspect.signature(function)}"
        raise ArgumentError(f"{shown} does not take these arguments: {error}") from None
    bound.apply_defaults()
    ours = function.__module__.startswith(_LANGUAGE)
    if ours:
        # Functions of the language take values: none of them stores.
        for name, value in bound.arguments.items():
            bound.arguments[name] = ctx.read(value)
    loc = ctx.loc
    outputs = frozenset(
        name
        for name, value in bound.arguments.items()
        if isinstance(value, Share) and not value.by_value
    )
    frame = Frame(source, dict(bound.arguments), caller=loc, parameters=outputs)
    ctx.frames.append(frame)
    depth = ctx.conditional
    ctx.conditional = 0
    try:
        returned = execute(ctx, source.node.body)
    except NineToothedError as error:
        if ours:
            # The mistake is the caller's: no line of ours says anything about it.
            error.loc = loc
        raise
    finally:
        ctx.frames.pop()
        ctx.loc = loc
        ctx.conditional = depth
    return None if returned is None else returned.value


def primitive(
    ctx: Context, row: Primitive, args: list[Value], kwargs: Mapping[str, Value]
) -> Value:
    """What a primitive gives.

    Raises:
        ArgumentError: the arguments do not fit its signature.
    """
    bound = _bind(f"ntl.{row.name}", row.parameters, args, kwargs)
    handler = HANDLERS[row.op]
    try:
        return handler(ctx, row, bound)
    except NineToothedError:
        raise
    except TypeError as error:
        raise TypeMismatchError(f"ntl.{row.name}: {error}") from None


def _bind(
    callee: str, parameters: Sequence[str], args: list[Value], kwargs: Mapping[str, Value]
) -> dict[str, Value]:
    names = [text.partition("=")[0] for text in parameters]
    signature = f"{callee}({', '.join(parameters)})"
    if len(args) > len(names):
        raise ArgumentError(f"{signature} takes {counted(len(names), 'argument')}, not {len(args)}")
    bound = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise ArgumentError(f"{signature} has no argument {name}")
        if name in bound:
            raise ArgumentError(f"{signature} is given {name} twice")
        bound[name] = value
    for text in parameters:
        name, has_default, default = text.partition("=")
        if name not in bound:
            if not has_default:
                raise ArgumentError(f"{signature} needs {name}")
            bound[name] = ast.literal_eval(default)
    return bound
