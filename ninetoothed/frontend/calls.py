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

from xdsl.dialects.builtin import IntegerType

from ninetoothed import dtype as dtypes
from ninetoothed.errors import (
    ArgumentError,
    NineToothedError,
    ShapeError,
    TypeMismatchError,
    UnsupportedSyntaxError,
    counted,
)
from ninetoothed.frontend import memory, operators
from ninetoothed.frontend.context import Context, Frame
from ninetoothed.frontend.expressions import trans, truth
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
from ninetoothed.ir import nt
from ninetoothed.ir.index_expr import IndexExpr, as_expr
from ninetoothed.ir.meta_op import shape_text
from ninetoothed.language import rules
from ninetoothed.language.table import REDUCTIONS, Primitive

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
    handler = _HANDLERS[row.op]
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


Bound = dict[str, Value]
Handler = Callable[[Context, Primitive, Bound], Value]
_HANDLERS: dict[str, Handler] = dict(memory.HANDLERS)


def _handles(op: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        _HANDLERS[op] = handler
        return handler

    return register


@_handles("map")
def _map(ctx: Context, row: Primitive, bound: Bound) -> Value:
    return operators.elementwise(ctx, row.name, list(bound.values()))


@_handles("where")
def _where(ctx: Context, row: Primitive, bound: Bound) -> Value:
    return where(ctx, bound["condition"], bound["x"], bound["y"])


def where(ctx: Context, condition: Value, left: Value, right: Value) -> Value:
    """Lanes of ``left`` where the condition holds, else of ``right``."""
    bits = ctx.scalar(condition, "the condition")
    if nt.dtype_of(bits.type) != "i1":
        bits = operators.elementwise(ctx, "ne", [bits, 0])
    return operators.select(ctx, bits, left, right)


@_handles("reduce")
def _reduce(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = ctx.scalar(bound["input"], "the input")
    rank = len(nt.shape_of(block.type))
    if rank == 0:
        raise ShapeError(f"ntl.{row.name} reduces a block, not {describe(block)}; leave it out")
    rule = REDUCTIONS[row.name].rule
    assert rule is not None
    operand, _ = rule(rules.Operand(nt.dtype_of(block.type)))
    block = ctx.cast(block, operand)
    axis = bound["axis"]
    axes = list(range(rank)) if axis is None else [_axis(axis, rank, row.name)]
    for position in reversed(axes):
        block = ctx.add(nt.ReduceOp(row.name, block, position))
    if bound["keep_dims"]:
        for position in axes:
            block = ctx.add(nt.ExpandDimsOp(block, position))
    return block


def _axis(axis: Value, rank: int, name: str) -> int:
    if type(axis) is not int:
        raise TypeMismatchError(
            f"ntl.{name}: axis must be an integer that is known when compiling, not "
            f"{describe(axis)}"
        )
    if not -rank <= axis < rank:
        raise ShapeError(
            f"ntl.{name}: axis {axis} is out of range; give one from {-rank} to {rank - 1}"
        )
    return axis % rank


@_handles("dot")
def _dot(ctx: Context, row: Primitive, bound: Bound) -> Value:
    left = ctx.scalar(bound["input"], "the first matrix")
    right = ctx.scalar(bound["other"], "the second matrix")
    one, two = nt.shape_of(left.type), nt.shape_of(right.type)
    if len(one) != 2 or len(two) != 2:
        raise ShapeError(
            f"ntl.dot multiplies two-dimensional blocks, not {shape_text(one)} and "
            f"{shape_text(two)}; insert "
            "dims, as in x[:, None]"
        )
    if one[1] != two[0]:
        if one[1].value is not None and two[0].value is not None:
            raise ShapeError(
                f"ntl.dot: {shape_text(one)} and {shape_text(two)} do not multiply: {one[1]} is "
                f"not {two[0]}; "
                "transpose one with ntl.trans, or arrange it so that they agree"
            )
        right = operators.broadcast_to(ctx, right, (one[1], two[1]))
    precision = bound["input_precision"] or "tf32"
    if precision not in ("tf32", "tf32x3", "ieee"):
        raise ArgumentError(
            f"ntl.dot: input_precision is 'tf32', 'tf32x3' or 'ieee', not {describe(precision)}"
        )
    types = (nt.dtype_of(left.type), nt.dtype_of(right.type))
    if types[0] != types[1]:
        raise TypeMismatchError(
            f"ntl.dot takes two blocks of one element type, not {types[0]} and {types[1]}; "
            "convert one "
            "with .to(dtype)"
        )
    dtype = rules.accumulator(types[0])
    shape = (one[0], two[1])
    if bound["acc"] is None:
        acc = ctx.full(ctx.constant(0, dtype), shape)
    else:
        acc = ctx.cast(ctx.scalar(bound["acc"], "acc"), dtype)
        acc = operators.broadcast_to(ctx, acc, shape)
    return ctx.add(nt.DotOp(left, right, acc, precision))


def _dtype(value: Value, name: str) -> str:
    dtype = dtypes.lookup(value)
    if dtype is None:
        raise TypeMismatchError(
            f"ntl.{name}: {describe(value)} is no element type; write for example ntl.float32"
        )
    return dtype


def _shape(value: Value, name: str) -> tuple[IndexExpr, ...]:
    items = value if is_sequence(value) else (value,)
    sizes = [operators.as_size(item) for item in items]
    if any(size is None or (size.value is not None and size.value < 0) for size in sizes):
        raise ShapeError(
            f"ntl.{name}: a shape holds sizes that are known when compiling, as in (64,) and "
            "x.shape; not "
            f"({', '.join(map(describe, items))})"
        )
    return tuple(as_expr(size) for size in sizes if size is not None)


@_handles("full")
def _full(ctx: Context, row: Primitive, bound: Bound) -> Value:
    dtype = _dtype(bound["dtype"], row.name)
    shape = _shape(bound["shape"], row.name)
    value = bound.get("value", 0)
    if isinstance(value, bool | int | float):
        return operators.broadcast_to(ctx, ctx.constant(value, dtype), shape)
    scalar = ctx.scalar(value, "ntl.full: the value")
    if nt.shape_of(scalar.type):
        raise ShapeError(
            f"ntl.full fills with one number, not {describe(scalar)}; write ntl.broadcast_to(x, "
            "shape)"
        )
    return operators.broadcast_to(ctx, ctx.cast(scalar, dtype), shape)


@_handles("arange")
def _arange(ctx: Context, row: Primitive, bound: Bound) -> Value:
    start, end = (operators.as_size(bound[name]) for name in ("start", "end"))
    if start is None or end is None:
        raise TypeMismatchError(
            "ntl.arange: start and end must be integers that are known when compiling, as in "
            "ntl.arange(0, x.shape[0])"
        )
    length = end - start
    if length.value is not None and length.value < 1:
        raise ShapeError(
            f"ntl.arange: from {start} to {end}, exclusive, is nothing; end must be above start"
        )
    type = nt.block_type((length,), IntegerType(32))
    return ctx.add(nt.ArangeOp(nt.ExprAttr(start), type))


@_handles("cast")
def _cast(ctx: Context, row: Primitive, bound: Bound) -> Value:
    dtype = _dtype(bound["dtype"], row.name)
    value = bound["input"]
    if isinstance(value, bool | int | float):
        return ctx.constant(value, dtype)
    return ctx.cast(ctx.scalar(value), dtype)


@_handles("trans")
def _trans(ctx: Context, row: Primitive, bound: Bound) -> Value:
    return trans(ctx, ctx.scalar(bound["input"]))


@_handles("expand_dims")
def _expand_dims(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = ctx.scalar(bound["input"])
    rank = len(nt.shape_of(block.type))
    return ctx.add(nt.ExpandDimsOp(block, _axis(bound["axis"], rank + 1, row.name)))


@_handles("broadcast_to")
def _broadcast_to(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = ctx.scalar(bound["input"])
    return operators.broadcast_to(ctx, block, _shape(bound["shape"], row.name))


@_handles("flip")
def _flip(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = ctx.scalar(bound["x"], "the input")
    rank = len(nt.shape_of(block.type))
    if rank == 0:
        raise ShapeError(f"ntl.flip reverses a block, not {describe(block)}; leave it out")
    dim = -1 if bound["dim"] is None else bound["dim"]
    return ctx.add(nt.FlipOp(block, _axis(dim, rank, row.name)))


@_handles("static_assert")
def _static_assert(ctx: Context, row: Primitive, bound: Bound) -> Value:
    known = truth(ctx, bound["condition"])
    if known is None:
        raise TypeMismatchError(
            "ntl.static_assert takes a condition that is known when compiling, not "
            f"{describe(bound['condition'])}"
        )
    if not known:
        raise TypeMismatchError(
            bound["message"] or "ntl.static_assert: the condition does not hold"
        )
    return None


@_handles("range")
@_handles("static_range")
def _loose_range(ctx: Context, row: Primitive, bound: Bound) -> Value:
    raise UnsupportedSyntaxError(
        f"ntl.{row.name} stands in a loop only; write `for i in ntl.{row.name}(n)`"
    )
