"""Inlining of functions: Python's, Triton's and those that an application defines."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Mapping
from typing import Any, TypeGuard

from ninetoothed.definition.source import FunctionSource, function_source
from ninetoothed.errors import (
    ArgumentError,
    NineToothedError,
    TypeMismatchError,
    UnsupportedSyntaxError,
)
from ninetoothed.fingerprint.objects import is_callable_object
from ninetoothed.frontend import operators, triton_objects
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.frame import Frame, LocalFunction
from ninetoothed.frontend.name_resolution import constant, held_object, object_attribute
from ninetoothed.frontend.values import (
    Object,
    Size,
    Value,
    Variable,
    View,
    describe,
    is_ssa,
    unnamed,
)
from ninetoothed.frontend.variables import lent
from ninetoothed.frontend.walk import STATEMENTS, call, evaluate, execute
from ninetoothed.ir import nt
from ninetoothed.language.table import Primitive

_MAX_DEPTH = 64

Function = types.FunctionType | types.MethodType | LocalFunction | Object | functools.partial[Any]
"""Functions that are inlined, beside Triton's. An object is called by its ``__call__``."""
_PLAIN = (types.FunctionType, types.MethodType, LocalFunction, functools.partial)


def is_function(value: Value) -> TypeGuard[Function]:
    """True if :func:`inline` takes ``value``."""
    if isinstance(value, Object):
        return is_callable_object(value.value)
    return isinstance(value, _PLAIN) or triton_objects.is_function(value)


def inline(
    ctx: Context, function: Function, args: list[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Inline a call; the value that it returns. Arguments of a call that is a statement may be
    variables (:class:`Variable`), which parameters of a function that returns nothing name.

    Raises:
        ArgumentError: the arguments do not fit its signature.
        TypeMismatchError: a constexpr parameter is given a value of the run time.
        UnsupportedSyntaxError: it calls itself, or has no source.
    """
    if isinstance(function, functools.partial):
        return _completed(ctx, function, args, kwargs)
    if isinstance(function, Object):
        return inline(ctx, object_attribute(ctx, function, "__call__"), args, kwargs)
    if isinstance(function, types.MethodType):
        return _method(ctx, function, args, kwargs)
    if triton_objects.compile_time_function(function) is not None:
        return _computed(ctx, function, args, kwargs)
    of_triton = triton_objects.plain_function(function)
    source = _source(ctx, function if of_triton is None else of_triton)
    name = source.node.name
    receiver = args[0].value if args and isinstance(args[0], Object) else None
    running = [frame for frame in ctx.frames if frame.source.function is source.function]
    if any(frame.receiver is receiver for frame in running):
        raise UnsupportedSyntaxError(f"{name} calls itself; write a loop")
    if len(ctx.frames) > _MAX_DEPTH:
        raise UnsupportedSyntaxError(f"calls are nested more than {_MAX_DEPTH} deep")
    values, named = _bound(ctx, source, args, kwargs)
    ours = source.of_language
    if ours or of_triton is not None:
        # Functions of the language, and of Triton, take values and store to no parameter.
        values = {parameter: ctx.read(value) for parameter, value in values.items()}
    if ours or of_triton is not None or source.returns_value:
        named = {}
    loc = ctx.loc
    frame = Frame(source, values, caller=loc, receiver=receiver)
    outputs = frozenset(name for name, value in values.items() if _is_output(value))
    # A function that returns a value changes its own variables only, as in Python.
    frame.parameters = frozenset() if source.returns_value else outputs
    if of_triton is None:
        values_of_caller = {*_values_of_caller(values, source), *outputs} - frame.parameters
        frame.lost = source.unread & values_of_caller - named.keys()
    if isinstance(function, LocalFunction):
        frame.enclosing = function.frame
    depth = ctx.conditional
    ctx.conditional = 0
    try:
        with lent(ctx, frame, named):
            returned = execute(ctx, source.node.body)
    except NineToothedError as error:
        if ours:
            # The mistake is in the caller's line, not in the library's.
            error.loc = loc
        raise
    finally:
        ctx.loc = loc
        ctx.conditional = depth
    return None if returned is None else returned.value


def _source(ctx: Context, function: types.FunctionType | LocalFunction) -> FunctionSource:
    if isinstance(function, LocalFunction):
        return function.source
    found = ctx.sources.get(function)
    if found is None:
        capture = ctx.frame.source.capture
        found = ctx.sources[function] = function_source(function, "a called function", capture)
    return found


def _completed(
    ctx: Context, partial: functools.partial[Any], args: list[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Call a ``functools.partial``."""
    function = constant(ctx, "the function of a partial", partial.func)
    what = "an argument of a partial"
    known = [constant(ctx, what, value) for value in partial.args]
    keywords = {name: constant(ctx, what, value) for name, value in partial.keywords.items()}
    if isinstance(function, Primitive):
        values = {name: unnamed(value) for name, value in kwargs.items()}
        return call(ctx, function, [*known, *map(unnamed, args)], {**keywords, **values})
    if not is_function(function):
        raise TypeMismatchError(
            f"a partial of {describe(function)} cannot be called inside an application; "
            "functions of ntl and those written with def can"
        )
    return inline(ctx, function, [*known, *args], {**keywords, **kwargs})


def _method(
    ctx: Context, method: types.MethodType, args: list[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Call a bound method."""
    function = constant(ctx, "the function of a method", method.__func__)
    if not is_function(function):
        raise TypeMismatchError(
            f"a method that is {describe(function)} cannot be called inside an application; "
            "functions written with def can"
        )
    return inline(ctx, function, [held_object(method.__self__), *args], kwargs)


def _computed(
    ctx: Context, function: Function, args: list[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Call a function that Triton runs when compiling."""
    plain = triton_objects.compile_time_function(function)
    assert plain is not None
    args = [ctx.known(unnamed(value)) for value in args]
    kwargs = {name: ctx.known(unnamed(value)) for name, value in kwargs.items()}
    given = (*args, *kwargs.values())
    if any(operators.is_runtime(value) for value in given):
        raise TypeMismatchError(
            f"{plain.__name__} takes values that are known when compiling; of others, write what "
            "it computes"
        )
    if all(isinstance(value, bool | int | float | str | None) for value in given):
        return constant(ctx, f"what {plain.__name__} returns", plain(*args, **kwargs))
    return inline(ctx, plain, args, kwargs)


def _bound(
    ctx: Context, source: FunctionSource, args: list[Value], kwargs: Mapping[str, Value]
) -> tuple[dict[str, Value], dict[str, Variable]]:
    """Bind arguments to parameters, defaults included; and the parameters that name variables."""
    name, signature = source.node.name, source.signature
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        shown = f"{name}{signature}"
        raise ArgumentError(f"{shown} does not take these arguments: {error}") from None
    given = {*bound.arguments}
    bound.apply_defaults()
    values: dict[str, Value] = {}
    named: dict[str, Variable] = {}
    for parameter in signature.parameters.values():
        value = bound.arguments[parameter.name]
        if isinstance(value, Variable):
            named[parameter.name] = value
        value = unnamed(value)
        if parameter.kind is parameter.VAR_POSITIONAL:
            value = tuple(map(unnamed, value))
        if parameter.kind is parameter.VAR_KEYWORD:
            raise UnsupportedSyntaxError(
                f"** in the parameters of {name} is not part of the language; name them"
            )
        if triton_objects.is_constexpr(parameter.annotation) and operators.is_runtime(value):
            raise TypeMismatchError(
                f"{parameter.name} of {name} is a constexpr and takes a value that is known when "
                f"compiling, not {describe(value)}"
            )
        if parameter.name not in given and parameter.default is not parameter.empty:
            value = value if is_ssa(value) else constant(ctx, parameter.name, value)
        values[parameter.name] = value
    return values, named


def _is_output(value: Value) -> bool:
    return isinstance(value, View) and not value.by_value


def _values_of_caller(values: Mapping[str, Value], source: FunctionSource) -> list[str]:
    """Parameters that hold numbers and blocks: assigning them does not affect the caller.

    Numbers that are known when compiling count where the function returns nothing, so that it can
    be called for nothing else.
    """
    known = () if source.returns_value else (bool, int, float, Size)
    return [
        name
        for name, value in values.items()
        if (isinstance(value, View) and value.by_value)
        or (is_ssa(value) and not nt.is_pointer(value.type))
        or isinstance(value, known)
    ]


@STATEMENTS.register(ast.FunctionDef)
def _define(ctx: Context, node: ast.FunctionDef) -> None:
    if node.decorator_list:
        with ctx.at(node.decorator_list[0]):
            raise UnsupportedSyntaxError(
                "a decorator inside an application is not part of the language; leave it out, or "
                "define the function outside"
            )
    positional = tuple(ctx.now(evaluate(ctx, item)) for item in node.args.defaults)
    by_keyword = {
        argument.arg: ctx.now(evaluate(ctx, item))
        for argument, item in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if item is not None
    }
    frame = ctx.frame
    source = frame.source.nested(node, (positional, by_keyword))
    for name in source.free_names:
        owner = frame.owner(name)
        if owner is not None and name in owner.source.loop_variables:
            raise UnsupportedSyntaxError(
                f"{node.name} reads the loop variable {name} of {owner.source.node.name}; give "
                f"{node.name} a parameter {name}, and pass it"
            )
    for name in source.variables:
        for outer in frame.outwards():
            if name in outer.parameters | outer.numbers:
                raise UnsupportedSyntaxError(
                    f"{node.name} assigns {name}, which is a variable of its own there and not "
                    f"the parameter of {outer.source.node.name}; give {node.name} a parameter "
                    f"{name}, and pass it"
                )
    if node.name in frame.parameters | frame.numbers | frame.constants:
        raise TypeMismatchError(f"{node.name} is a parameter; give the function another name")
    frame.locals[node.name] = LocalFunction(source, frame)
    frame.undefined.pop(node.name, None)
