"""Expressions: names, numbers, operators, attributes and indices."""

from __future__ import annotations

import ast
import difflib
import enum
import types
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from xdsl.ir import SSAValue

from ninetoothed import dtype as dtypes
from ninetoothed import language
from ninetoothed.dtype import INTEGERS
from ninetoothed.errors import (
    ShapeError,
    TypeMismatchError,
    UndefinedNameError,
    UnsupportedSyntaxError,
    counted,
)
from ninetoothed.frontend import memory, operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import (
    BoundMethod,
    Level,
    Share,
    Size,
    Source,
    Value,
    describe,
    is_sequence,
    is_ssa,
)
from ninetoothed.frontend.walk import evaluate, expression, unsupported
from ninetoothed.ir import nt
from ninetoothed.ir.meta_op import shape_text
from ninetoothed.language.table import TABLE, Primitive

_MISSING = object()
_BUILTINS = ("range", "float", "int", "bool", "len", "abs", "min", "max", "sum")
_METHODS = ("sum", "max", "min", "trans", "expand_dims", "broadcast_to", "abs", "exp", "sqrt")

_CONSTANTS: tuple[type, ...] = (
    types.NoneType,
    bool,
    int,
    float,
    str,
    tuple,
    list,
    type,
    types.FunctionType,
    types.ModuleType,
    Primitive,
)
"""Classes of the objects from outside that an application may use as they are."""


@expression(ast.Constant)
def _constant(ctx: Context, node: ast.Constant) -> Value:
    return node.value


@expression(ast.Name)
def _name(ctx: Context, node: ast.Name) -> Value:
    frame = ctx.frame
    if node.id in frame.locals:
        return frame.locals[node.id]
    if node.id in frame.undefined:
        raise UndefinedNameError(f"{node.id} {frame.undefined[node.id]}")
    if node.id in frame.source.local_names:
        raise UndefinedNameError(f"{node.id} has no value yet; assign it before")
    try:
        found = frame.source.lookup(node.id)
    except KeyError:
        raise UndefinedNameError(_unknown(ctx, node.id)) from None
    except ValueError:
        raise UndefinedNameError(
            f"{node.id} has no value yet; assign it before the kernel is made"
        ) from None
    return constant(node.id, found)


def _unknown(ctx: Context, name: str) -> str:
    frame = ctx.frame
    known = [*frame.locals, *frame.source.names(), *_BUILTINS]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "assign it first, or import it"
    return f"there is no name {name}; {hint}"


def constant(name: str, value: Any) -> Value:
    """A Python object from outside the application, if the language has it.

    Raises:
        TypeMismatchError: it does not.
    """
    if isinstance(value, enum.Enum):
        return constant(name, value.value)
    if isinstance(value, _CONSTANTS):
        return value
    dtype = dtypes.lookup(value)
    if dtype is not None:
        return dtype
    if isinstance(value, types.BuiltinFunctionType):
        return value
    word = type(value).__name__
    raise TypeMismatchError(
        f"{name} is a {word} from outside the application, which cannot be used inside; "
        "numbers, element types, tuples and functions can, and tensors come in as parameters"
    )


@expression(ast.Tuple)
def _tuple(ctx: Context, node: ast.Tuple) -> Value:
    return tuple(evaluate(ctx, item) for item in node.elts)


@expression(ast.List)
def _list(ctx: Context, node: ast.List) -> Value:
    return [evaluate(ctx, item) for item in node.elts]


@expression(ast.BinOp)
def _binary(ctx: Context, node: ast.BinOp) -> Value:
    entry = operators.BINARY.get(type(node.op))
    left = evaluate(ctx, node.left)
    right = evaluate(ctx, node.right)
    if isinstance(node.op, ast.Add) and is_sequence(left) and type(left) is type(right):
        return left + right
    if entry is None:
        if isinstance(node.op, ast.Pow) and not any(
            operators.is_runtime(value) or isinstance(value, Size) for value in (left, right)
        ):
            return left**right
        raise unsupported(node.op)
    return operators.apply(ctx, entry, left, right)


@expression(ast.UnaryOp)
def _unary(ctx: Context, node: ast.UnaryOp) -> Value:
    value = evaluate(ctx, node.operand)
    if isinstance(node.op, ast.UAdd):
        return ctx.read(value)
    if isinstance(node.op, ast.Not):
        known = truth(ctx, value)
        if known is not None:
            return not known
        return operators.elementwise(ctx, "eq", [value, False])
    return operators.apply(ctx, operators.UNARY[type(node.op)], value)


@expression(ast.BoolOp)
def _bool(ctx: Context, node: ast.BoolOp) -> Value:
    conjunction = isinstance(node.op, ast.And)
    result: Value = _MISSING
    for item in node.values:
        value = evaluate(ctx, item)
        known = truth(ctx, value)
        if known is not None:
            if known != conjunction:
                # Decided: Python evaluates no further.
                return value if result is _MISSING else known
            continue
        bit = condition(ctx, value)
        result = (
            bit
            if result is _MISSING
            else operators.elementwise(ctx, "and" if conjunction else "or", [result, bit])
        )
    return conjunction if result is _MISSING else result


@expression(ast.Compare)
def _compare(ctx: Context, node: ast.Compare) -> Value:
    left = evaluate(ctx, node.left)
    result: Value = True
    for op, item in zip(node.ops, node.comparators, strict=True):
        right = evaluate(ctx, item)
        value = _comparison(ctx, op, left, right)
        if value is False:
            return False
        if value is not True:
            result = value if result is True else operators.elementwise(ctx, "and", [result, value])
        left = right
    return result


def _comparison(ctx: Context, op: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(op, ast.Is | ast.IsNot):
        # Members of enumerations are their values here, and one object in Python.
        plain = isinstance(left, str | int | float) and type(left) is type(right)
        same = left is right or (plain and left == right)
        return same == isinstance(op, ast.Is)
    if isinstance(op, ast.In | ast.NotIn):
        if is_sequence(right) and not operators.is_runtime(left):
            return (left in right) == isinstance(op, ast.In)
        raise TypeMismatchError("`in` takes a tuple of values that are known when compiling")
    return operators.apply(ctx, operators.COMPARE[type(op)], left, right)


@expression(ast.IfExp)
def _conditional(ctx: Context, node: ast.IfExp) -> Value:
    test = evaluate(ctx, node.test)
    known = truth(ctx, test)
    if known is not None:
        return evaluate(ctx, node.body if known else node.orelse)
    with ctx.at(node.test):
        bit = condition(ctx, test)
    return operators.elementwise(
        ctx, "where", [bit, evaluate(ctx, node.body), evaluate(ctx, node.orelse)]
    )


def truth(ctx: Context, value: Value) -> bool | None:
    """The truth of ``value`` where it is known when compiling, else None."""
    value = ctx.known(value)
    return None if isinstance(value, SSAValue | Share | Size) else bool(value)


def condition(ctx: Context, value: Value) -> SSAValue:
    """``value`` as one bit.

    Raises:
        ShapeError: it is a block of several lanes.
    """
    bit = ctx.scalar(value, "a condition")
    if nt.shape_of(bit.type):
        raise ShapeError(
            f"a condition must be one number, not {describe(bit)}; select lanes with ntl.where"
        )
    if nt.dtype_of(bit.type) != "i1":
        bit = operators.elementwise(ctx, "ne", [bit, 0])
    return bit


@expression(ast.Attribute)
def _attribute(ctx: Context, node: ast.Attribute) -> Value:
    value = evaluate(ctx, node.value)
    if isinstance(value, types.ModuleType):
        return _module_attribute(value, node.attr)
    if isinstance(value, enum.EnumType):
        return _member(value, node.attr)
    if node.attr == "value" and isinstance(value, bool | int | float):
        return value
    if isinstance(value, Source) and node.attr in memory.SOURCE_ATTRIBUTES:
        return memory.SOURCE_ATTRIBUTES[node.attr](value)
    if isinstance(value, Share):
        if node.attr in memory.SHARE_ATTRIBUTES:
            return memory.SHARE_ATTRIBUTES[node.attr](value)
        found = _share_attribute(value, node.attr)
        if found is not _MISSING:
            return found
        value = ctx.read(value)
    if isinstance(value, Level):
        found = _level_attribute(value.type, node.attr)
        if found is not _MISSING:
            return found
    if isinstance(value, SSAValue | Size | int | float):
        found = _block_attribute(ctx, ctx.scalar(value), node.attr)
        if found is not _MISSING:
            return found
    raise UndefinedNameError(f"{describe(value)} has no attribute {node.attr}{_attributes(value)}")


def _attributes(value: Value) -> str:
    """What has attributes, for an error."""
    if isinstance(value, Level):
        return "; a level has shape, dtype and ndim"
    if isinstance(value, Source):
        return "; a source has shape, ndim, dtype, strides, stride(dim) and data_ptr()"
    if isinstance(value, SSAValue | Size | int | float):
        return f"; a block has shape, dtype, ndim, T, to(dtype) and {', '.join(_METHODS)}"
    return " in the language; parameters, blocks and modules have some"


def _module_attribute(module: types.ModuleType, name: str) -> Value:
    if module.__name__ == "triton.language":
        # Triton's names mean ours.
        module = language
    try:
        found = getattr(module, name)
    except AttributeError:
        near = difflib.get_close_matches(name, dir(module), n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UndefinedNameError(f"the module {module.__name__} has no {name}{hint}") from None
    return constant(f"{module.__name__}.{name}", found)


def _member(enumeration: enum.EnumType, name: str) -> Value:
    """The value of an enumeration's member: a call's constexpr numbers are such values, too."""
    members: Mapping[str, Any] = enumeration.__members__
    if name not in members:
        raise UndefinedNameError(
            f"the class {enumeration.__name__} has no member {name}; members are "
            f"{', '.join(members)}"
        )
    return constant(f"{enumeration.__name__}.{name}", members[name])


def _level_attribute(level: nt.TensorType, name: str) -> Value:
    if name == "shape":
        return tuple(operators.size_value(size) for size in level.sizes)
    if name == "ndim":
        return len(level.sizes)
    if name == "dtype":
        below = level.element_type
        return Level(below) if isinstance(below, nt.TensorType) else nt.dtype_of(below)
    return _MISSING


def _share_attribute(share: Share, name: str) -> Value:
    return _level_attribute(share.levels[0], name)


def _block_attribute(ctx: Context, block: SSAValue, name: str) -> Value:
    type = block.type
    if name == "shape":
        return tuple(operators.size_value(size) for size in nt.shape_of(type))
    if name == "ndim":
        return len(nt.shape_of(type))
    if name == "dtype":
        return nt.dtype_of(type)
    if name == "T":
        return trans(ctx, block)
    if name == "to":
        return BoundMethod(TABLE["cast"], block)
    if name in _METHODS:
        return BoundMethod(TABLE[name], block)
    return _MISSING


def trans(ctx: Context, block: SSAValue) -> SSAValue:
    """The last two dims swapped.

    Raises:
        ShapeError: there are fewer than two.
    """
    rank = len(nt.shape_of(block.type))
    if rank < 2:
        raise ShapeError(
            f"{describe(block)} has no two dims to swap; give it another, as in "
            "ntl.expand_dims(x, 0)"
        )
    return ctx.add(nt.TransOp(block, (*range(rank - 2), rank - 1, rank - 2)))


@expression(ast.Subscript)
def _subscript(ctx: Context, node: ast.Subscript) -> Value:
    value = evaluate(ctx, node.value)
    source = addressed(value)
    if source is not None:
        return memory.read_source(ctx, source, node.slice)
    if isinstance(value, Share) and value.is_block and _inserts_dims(node.slice):
        return _new_dims(ctx, ctx.read(value), node.slice)
    if isinstance(value, Share):
        return index_share(ctx, value, node.slice)
    if isinstance(value, tuple | list | str):
        return _index_tuple(ctx, value, node.slice)
    if is_ssa(value):
        return _new_dims(ctx, value, node.slice)
    raise TypeMismatchError(f"{describe(value)} cannot be indexed")


def addressed(value: Value) -> Source | None:
    """The source that indices of ``value`` address; None: they index levels, or no tensor."""
    if isinstance(value, Source):
        return value
    return memory.unarranged(value) if isinstance(value, Share) else None


def _inserts_dims(index: ast.expr) -> bool:
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(node, ast.Constant) and node.value is None for node in nodes)


def index_share(ctx: Context, share: Share, index: ast.expr) -> Share:
    """The share with the levels above its block indexed.

    Raises:
        ShapeError: too many indices.
        TypeMismatchError: an index that is no integer.
    """
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    indices = list(share.indices)
    for item in nodes:
        if isinstance(item, ast.Slice):
            with ctx.at(item):
                raise unsupported(item)
    left = sum(len(level.sizes) for level in share.levels[:-1])
    if len(nodes) > left:
        raise ShapeError(
            f"{share.name} takes {left} {'index' if left == 1 else 'indices'} above its block, "
            f"not {len(nodes)}; leave the others out"
            if left
            else f"{share.name} is a block and is not indexed; write {share.name}, and ntl.where "
            "to select"
        )
    first = share.levels[0]
    if len(nodes) < len(first.sizes):
        raise ShapeError(
            f"a level of {share.name} has {counted(len(first.sizes), 'dim')}, of sizes "
            f"{shape_text(first.sizes)}; give as many indices, not {len(nodes)}"
        )
    for item in nodes:
        with ctx.at(item):
            value = ctx.scalar(evaluate(ctx, item), "an index")
            if nt.shape_of(value.type) or nt.dtype_of(value.type) not in INTEGERS:
                raise TypeMismatchError(f"an index must be one integer, not {describe(value)}")
        indices.append(value)
    return replace(share, indices=tuple(indices))


def _index_tuple(ctx: Context, value: Any, index: ast.expr) -> Value:
    if isinstance(index, ast.Slice):
        bounds = [
            None if part is None else ctx.known(evaluate(ctx, part))
            for part in (index.lower, index.upper, index.step)
        ]
        position: Any = slice(*bounds)
    else:
        position = ctx.known(evaluate(ctx, index))
    try:
        return value[position]
    except IndexError:
        raise ShapeError(
            f"index {position} is out of range for {describe(value)}; count from 0"
        ) from None
    except TypeError:
        raise TypeMismatchError(
            f"{describe(value)} is indexed by integers that are known when compiling"
        ) from None


def _new_dims(ctx: Context, block: SSAValue, index: ast.expr) -> SSAValue:
    """``x[:, None]``: dims of size 1 inserted."""
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    added = [axis for axis, node in enumerate(nodes) if _inserts_dims(node)]
    for axis, node in enumerate(nodes):
        whole = isinstance(node, ast.Slice) and not (node.lower or node.upper or node.step)
        if not whole and axis not in added:
            raise UnsupportedSyntaxError(
                "a block is indexed by : and None only, as in x[:, None]; read parts of a tensor "
                "by "
                "arranging it"
            )
    rank, kept = len(nt.shape_of(block.type)), len(nodes) - len(added)
    if kept != rank:
        raise ShapeError(f"{kept} `:` for {describe(block)}; write one a dim, as in x[:, None]")
    for axis in added:
        block = ctx.add(nt.ExpandDimsOp(block, axis))
    return block
