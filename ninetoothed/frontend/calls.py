"""Calls: primitives by their rows' names, functions, which are inlined, and Python's own."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping, Sequence

from ninetoothed.errors import (
    ArgumentError,
    NineToothedError,
    TypeMismatchError,
    UnsupportedSyntaxError,
    counted,
)
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.inlining import inline, is_function
from ninetoothed.frontend.primitives import HANDLERS
from ninetoothed.frontend.python_calls import is_python, python_call
from ninetoothed.frontend.values import (
    BoundMethod,
    Method,
    Size,
    Value,
    describe,
    is_sequence,
    unnamed,
)
from ninetoothed.frontend.variables import variable
from ninetoothed.frontend.walk import EXPRESSIONS, caller, evaluate, starred
from ninetoothed.language.table import TABLE, Primitive


@EXPRESSIONS.register(ast.Call)
def _call(ctx: Context, node: ast.Call) -> Value:
    result = ctx.returned[node] = call(ctx, *_evaluated(ctx, node, _value))
    return result


def call_statement(ctx: Context, node: ast.Call) -> Value:
    """The value of a call that is a statement: parameters that are given plain variables name them.

    Raises:
        NineToothedError: it is wrong; with its place.
    """
    with ctx.at(node):
        callee, args, kwargs = _evaluated(ctx, node, variable)
        if not is_function(callee):
            args = [unnamed(arg) for arg in args]
            kwargs = {name: unnamed(value) for name, value in kwargs.items()}
        return call(ctx, callee, args, kwargs)


def _value(ctx: Context, node: ast.expr, value: Value) -> Value:
    return value


def _evaluated(
    ctx: Context, node: ast.Call, argument: Callable[[Context, ast.expr, Value], Value]
) -> tuple[Value, list[Value], dict[str, Value]]:
    """The function that is called, and its arguments."""
    callee = evaluate(ctx, node.func)
    # An earlier argument is read before a later one writes.
    last = _last_call(node) if isinstance(callee, Primitive) else -1
    args: list[Value] = []
    for position, item in enumerate(node.args):
        if isinstance(item, ast.Starred):
            args.extend(starred(ctx, item, "name the arguments"))
        else:
            value = evaluate(ctx, item)
            value = ctx.now(value) if position < last else value
            args.append(argument(ctx, item, value))
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise UnsupportedSyntaxError(
                "** in a call is not part of the language; name the arguments"
            )
        value = evaluate(ctx, keyword.value)
        kwargs[keyword.arg] = argument(ctx, keyword.value, value)
    return callee, args, kwargs


def _last_call(node: ast.Call) -> int:
    """The position of the last argument that holds a call; -1: there is none."""
    found = -1
    for position, item in enumerate([*node.args, *node.keywords]):
        if any(isinstance(inner, ast.Call) for inner in ast.walk(item)):
            found = position
    return found


@caller
def call(ctx: Context, callee: Value, args: list[Value], kwargs: Mapping[str, Value]) -> Value:
    """Call ``callee`` with these arguments.

    Raises:
        TypeMismatchError: it cannot be called.
    """
    if isinstance(callee, BoundMethod):
        callee, args = callee.function, [callee.receiver, *args]
    if isinstance(callee, Primitive):
        return primitive(ctx, callee, args, kwargs)
    if isinstance(callee, Method):
        return callee.run(ctx, _bind(callee.name, callee.parameters, args, kwargs))
    if is_function(callee):
        return inline(ctx, callee, args, kwargs)
    if callee is builtins.print:
        return _print(ctx, args, kwargs)
    if is_python(callee):
        return python_call(ctx, callee, args, kwargs)
    raise TypeMismatchError(
        f"{describe(callee)} cannot be called inside an application; functions of ntl and plain "
        "Python functions can"
    )


def _print(ctx: Context, args: list[Value], kwargs: Mapping[str, Value]) -> Value:
    """``print`` of blocks and scalars happens at run time, of anything else when compiling."""
    if kwargs:
        raise ArgumentError(
            f"print has no argument {next(iter(kwargs))} in the language; give it values only"
        )
    flat = _flattened(args)
    if not any(operators.is_runtime(arg) or isinstance(arg, Size) for arg in flat):
        return primitive(ctx, TABLE["static_print"], args, {})
    prefix = flat.pop(0) if isinstance(flat[0], str) else ""
    return primitive(ctx, TABLE["device_print"], [prefix, *flat], {})


def _flattened(values: Sequence[Value]) -> list[Value]:
    """The values, tuples flattened."""
    found: list[Value] = []
    for value in values:
        found.extend(_flattened(value) if is_sequence(value) else [value])
    return found


def primitive(
    ctx: Context, row: Primitive, args: list[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Call a primitive by its row.

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
    names = [text.partition("=")[0].lstrip("*") for text in parameters]
    signature = f"{callee}({', '.join(parameters)})"
    # Parameters behind a starred one are given by name.
    stars = [index for index, text in enumerate(parameters) if text.startswith("*")]
    if len(args) > len(names) and not stars:
        raise ArgumentError(f"{signature} takes {counted(len(names), 'argument')}, not {len(args)}")
    count = stars[0] if stars else len(names)
    bound: dict[str, Value] = dict(zip(names[:count], args, strict=False))
    if len(args) > count:
        bound[names[count]] = tuple(args[count:])
    for name, value in kwargs.items():
        if name not in names:
            raise ArgumentError(f"{signature} has no argument {name}")
        if name in bound:
            raise ArgumentError(f"{signature} is given {name} twice")
        spread = stars and name == names[count] and not is_sequence(value)
        bound[name] = (value,) if spread else value
    for text in parameters:
        name, has_default, default = text.partition("=")
        if name.startswith("*"):
            bound.setdefault(name[1:], ())
        elif name not in bound:
            if not has_default:
                raise ArgumentError(f"{signature} needs {name}")
            bound[name] = ast.literal_eval(default)
    return bound
