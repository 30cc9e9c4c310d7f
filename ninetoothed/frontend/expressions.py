"""Expressions: numbers, operators and attributes."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence

from xdsl.ir import SSAValue

from ninetoothed.dtype import DTYPES
from ninetoothed.errors import UndefinedNameError, did_you_mean
from ninetoothed.frontend import addressing, dtypes, operators
from ninetoothed.frontend.bindings import shape_words
from ninetoothed.frontend.conditions import negated, tested
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.data_movement import transposed
from ninetoothed.frontend.division import require_no_rounding_down
from ninetoothed.frontend.name_resolution import class_attribute, module_attribute, object_attribute
from ninetoothed.frontend.values import (
    BoundMethod,
    ElementType,
    Level,
    Object,
    PointerDtype,
    Size,
    Source,
    Value,
    View,
    describe,
    is_sequence,
    is_ssa,
)
from ninetoothed.frontend.walk import EXPRESSIONS, evaluate, starred, unsupported
from ninetoothed.ir import nt
from ninetoothed.language.methods import NAMES, method
from ninetoothed.language.torch_names import instead_of_method
from ninetoothed.symbolic.expr import product

_MISSING = object()
_ATTRIBUTES = ("shape", "dtype", "ndim", "numel", "T", "to")


@EXPRESSIONS.register(ast.Constant)
def _constant(ctx: Context, node: ast.Constant) -> Value:
    return node.value


@EXPRESSIONS.register(ast.Tuple)
def _tuple(ctx: Context, node: ast.Tuple) -> Value:
    return tuple(_elements(ctx, node.elts))


@EXPRESSIONS.register(ast.List)
def _list(ctx: Context, node: ast.List) -> Value:
    return _elements(ctx, node.elts)


def _elements(ctx: Context, items: Sequence[ast.expr]) -> list[Value]:
    found: list[Value] = []
    for item in items:
        if isinstance(item, ast.Starred):
            found += starred(ctx, item, "write the elements one by one")
        else:
            found.append(evaluate(ctx, item))
    return found


@EXPRESSIONS.register(ast.BinOp)
def _binary(ctx: Context, node: ast.BinOp) -> Value:
    left = ctx.now(evaluate(ctx, node.left))
    if not operators.is_runtime(left):
        require_no_rounding_down(node)
    return combined(ctx, node.op, left, evaluate(ctx, node.right))


def combined(ctx: Context, op: ast.operator, left: Value, right: Value) -> Value:
    """One of Python's binary operators.

    Raises:
        UnsupportedSyntaxError: the language does not have it.
        TypeMismatchError, ShapeError: the operands do not fit it.
    """
    if isinstance(op, ast.Add) and is_sequence(left) and type(left) is type(right):
        return left + right
    if isinstance(op, ast.Pow):
        return _power(ctx, op, left, ctx.known(right))
    entry = operators.BINARY.get(type(op))
    if entry is None:
        raise unsupported(op)
    return operators.apply(ctx, entry, left, right)


def _power(ctx: Context, op: ast.Pow, base: Value, exponent: Value) -> Value:
    """``base ** exponent``: of a block by repeated squaring, for an integer exponent from 1 on."""
    if type(exponent) is not int or exponent < 1:
        base = ctx.known(base)
    if not any(
        operators.is_runtime(value) or isinstance(value, Size) for value in (base, exponent)
    ):
        return operators.on_numbers(_real_power, "`**`", base, exponent)
    if type(exponent) is not int or exponent < 1:
        raise unsupported(op)
    base = ctx.now(base)
    times = operators.BINARY[ast.Mult]
    result: Value = None
    while exponent:
        if exponent % 2:
            result = base if result is None else operators.apply(ctx, times, result, base)
        exponent //= 2
        if exponent:
            base = operators.apply(ctx, times, base, base)
    return result


def _real_power(base: Value, exponent: Value) -> Value:
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1:
        operators.require_few_bits((abs(base).bit_length() - 1) * exponent)
    result = base**exponent
    if isinstance(result, complex):
        raise ValueError("the result is a complex number, which no block holds")
    return result


@EXPRESSIONS.register(ast.UnaryOp)
def _unary(ctx: Context, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return negated(ctx, tested(ctx, node.operand))
    if isinstance(node.op, ast.USub):
        require_no_rounding_down(node)
    value = evaluate(ctx, node.operand)
    if isinstance(node.op, ast.UAdd):
        return ctx.read(value)
    return operators.apply(ctx, operators.UNARY[type(node.op)], value)


@EXPRESSIONS.register(ast.Attribute)
def _attribute(ctx: Context, node: ast.Attribute) -> Value:
    value = evaluate(ctx, node.value)
    if isinstance(value, types.ModuleType):
        return module_attribute(ctx, value, node.attr)
    if isinstance(value, type):
        return class_attribute(ctx, value, node.attr)
    if isinstance(value, Object):
        return object_attribute(ctx, value, node.attr)
    if node.attr == "value" and isinstance(value, bool | int | float):
        return value
    if isinstance(value, Source) and node.attr in addressing.SOURCE_ATTRIBUTES:
        return addressing.SOURCE_ATTRIBUTES[node.attr](value)
    if isinstance(value, View):
        if node.attr in addressing.VIEW_ATTRIBUTES:
            return addressing.VIEW_ATTRIBUTES[node.attr](value)
        found = _level_attribute(value.levels[0], node.attr)
        if found is not _MISSING:
            return found
        value = ctx.read(value)
    if isinstance(value, str | PointerDtype):
        found = dtypes.attribute(value, node.attr, _MISSING)
        if found is not _MISSING:
            return found
    if isinstance(value, Level):
        found = _level_attribute(value.type, node.attr)
        if found is not _MISSING:
            return found
    if isinstance(value, SSAValue | Size | int | float):
        found = _block_attribute(ctx, ctx.computed(value, "the value"), node.attr)
        if found is not _MISSING:
            return found
    # The element type may be a default, as long as no call gives it.
    what = shape_words(value) if is_ssa(value) else describe(value)
    raise UndefinedNameError(f"{what} has no attribute {node.attr}{_attributes(value, node.attr)}")


def _attributes(value: Value, name: str) -> str:
    """The hint of an error: the attributes that there are."""
    if isinstance(value, Level):
        return "; a level has shape, dtype and ndim"
    if isinstance(value, str) and value in DTYPES:
        return (
            "; an element type has name, primitive_bitwidth, itemsize, and tests as is_floating()"
        )
    if isinstance(value, Source):
        return "; a source has shape, ndim, dtype, strides, stride(dim) and data_ptr()"
    if isinstance(value, SSAValue | Size | int | float):
        hint = instead_of_method(name) or did_you_mean(name, [*_ATTRIBUTES, *NAMES])
        return (
            f"; {hint or 'a block has shape, dtype, ndim, T, to(dtype), and methods as sum(axis)'}"
        )
    return " in the language; parameters, blocks and modules have some"


def _level_attribute(level: nt.TensorType, name: str) -> Value:
    if name == "shape":
        return tuple(operators.size_value(size) for size in level.sizes)
    if name == "ndim":
        return len(level.sizes)
    if name == "dtype":
        below = level.element_type
        return Level(below) if isinstance(below, nt.TensorType) else ElementType(nt.dtype_of(below))
    return _MISSING


def _block_attribute(ctx: Context, block: SSAValue, name: str) -> Value:
    sizes = nt.shape_of(block.type)
    if name == "shape":
        return tuple(operators.size_value(size) for size in sizes)
    if name == "ndim":
        return len(sizes)
    if name == "numel":
        return operators.size_value(product(sizes))
    if name == "dtype" and nt.is_pointer(block.type):
        return PointerDtype(nt.dtype_of(nt.pointee_of(block.type)))
    if name == "dtype":
        return ElementType(nt.dtype_of(block.type))
    if name == "T":
        return transposed(ctx, block)
    function = method(name)
    return _MISSING if function is None else BoundMethod(name, function, block)
