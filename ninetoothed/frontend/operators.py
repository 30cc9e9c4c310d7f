"""Elementwise operations: promotion, broadcasting and constant folding."""

from __future__ import annotations

import ast
import linecache
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import SSAValue

from ninetoothed.dtype import DTYPES, INTEGERS
from ninetoothed.errors import ShapeError, TypeMismatchError
from ninetoothed.frontend import division
from ninetoothed.frontend.block_sizes import require_equal
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import Size, Value, View, describe, is_ssa
from ninetoothed.ir import nt
from ninetoothed.language import rules
from ninetoothed.language.table import ELEMENTWISE, TABLE, Primitive
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.symbolic.expr import IndexExpr, as_expr, binary, const, symbol_names
from ninetoothed.symbolic.normal_form import normalize

Operator = tuple[str, Callable[..., Any], str | None]
"""A row of the table, the function of Python objects, and the operation on sizes, if any."""

MOST_BITS = 4096
"""Of integers that are computed when compiling: more than any type has, and than takes time."""


def require_few_bits(bits: int) -> None:
    """Raise ``OverflowError`` for an integer of this many bits if it is of no use."""
    if bits > MOST_BITS:
        raise OverflowError(f"the result has more than {MOST_BITS:,} bits")


def _shifted(value: Any, count: Any) -> Any:
    if isinstance(value, int) and isinstance(count, int) and value:
        require_few_bits(value.bit_length() + count)
    return value << count


BINARY: dict[type[ast.operator], Operator] = {
    ast.Add: ("add", operator.add, "add"),
    ast.Sub: ("sub", operator.sub, "sub"),
    ast.Mult: ("mul", operator.mul, "mul"),
    ast.Div: ("truediv", operator.truediv, None),
    ast.FloorDiv: ("floordiv", division.quotient, "floordiv"),
    ast.Mod: ("mod", division.remainder, "mod"),
    ast.BitAnd: ("and", operator.and_, None),
    ast.BitOr: ("or", operator.or_, None),
    ast.BitXor: ("xor", operator.xor, None),
    ast.LShift: ("shl", _shifted, None),
    ast.RShift: ("shr", operator.rshift, None),
}
COMPARE: dict[type[ast.cmpop], Operator] = {
    ast.Lt: ("lt", operator.lt, "lt"),
    ast.LtE: ("le", operator.le, "le"),
    ast.Gt: ("gt", operator.gt, "gt"),
    ast.GtE: ("ge", operator.ge, "ge"),
    ast.Eq: ("eq", operator.eq, "eq"),
    ast.NotEq: ("ne", operator.ne, "ne"),
}
UNARY: dict[type[ast.unaryop], Operator] = {
    ast.USub: ("neg", operator.neg, None),
    ast.Invert: ("invert", operator.invert, None),
}
_BITWISE = ("and", "or", "xor", "shl", "shr", "invert")
_COMPARISONS = tuple(row[0] for row in COMPARE.values())
_DIVISIONS = ("floordiv", "mod")


def is_runtime(value: Value) -> bool:
    """True if ``value`` is known at run time only."""
    return isinstance(value, SSAValue | View)


def apply(ctx: Context, entry: Operator, *operands: Value) -> Value:
    """One of Python's operators on any values.

    Raises:
        TypeMismatchError, ShapeError: the operands do not fit it.
    """
    name, function, on_sizes = entry
    operands = tuple(ctx.read(operand) for operand in operands)
    if name in ("add", "sub") and any(map(_is_pointer, operands)):
        return _moved(ctx, name, *operands)
    if not any(is_runtime(operand) for operand in operands):
        folded = _fold(ctx, function, on_sizes, name, operands)
        if folded is not NotImplemented:
            return folded
    if name == "shr":
        return _shifted_right(ctx, *operands)
    return elementwise(ctx, name, operands)


def _is_pointer(value: Value) -> bool:
    return is_ssa(value) and nt.is_pointer(value.type)


def _moved(ctx: Context, name: str, left: Value, right: Value) -> SSAValue:
    """Pointer arithmetic: a pointer plus or minus an offset in elements."""
    if _is_pointer(right) and name == "add":
        left, right = right, left
    if _is_pointer(right):
        raise TypeMismatchError(
            f"{spelling(name)} of {describe(left)} and {describe(right)}: a pointer is moved by "
            "integers; write pointer + offset"
        )
    offset = ctx.scalar(right, "an offset")
    dtype = nt.dtype_of(offset.type)
    if DTYPES[dtype].kind not in ("int", "uint"):
        raise TypeMismatchError(
            f"a pointer is moved by integers, not by {describe(offset)}; convert it with "
            ".to(ntl.int32)"
        )
    # As in Triton, unsigned offsets are zero-extended.
    wide = "i32" if DTYPES[dtype].kind == "int" and DTYPES[dtype].bits <= 32 else "i64"
    offset = ctx.cast(offset, wide)
    if name == "sub":
        offset = elementwise(ctx, "neg", [offset])
    (pointer, offset), _ = broadcast(ctx, [left, offset])
    return ctx.add(nt.AddPtrOp(pointer, offset))


def _fold(
    ctx: Context,
    function: Callable[..., Any],
    on_sizes: str | None,
    name: str,
    operands: Sequence[Value],
) -> Value:
    if any(isinstance(operand, Size) for operand in operands):
        exprs = [as_size(operand) for operand in operands]
        if name == "neg" and exprs[0] is not None:
            return computed(ctx, -exprs[0])
        if on_sizes is None:
            return _of_known(ctx, function, name, operands, exprs)
        if len(exprs) != 2 or exprs[0] is None or exprs[1] is None:
            return NotImplemented
        if on_sizes in _DIVISIONS:
            return _divided(ctx, function, on_sizes, exprs[0], exprs[1])
        result = normalize(binary(on_sizes, exprs[0], exprs[1]))
        if name in _COMPARISONS:
            known = ctx.number(result)
            return NotImplemented if known is None else bool(known)
        return computed(ctx, result)
    return on_numbers(function, spelling(name), *operands)


def _divided(
    ctx: Context, function: Callable[..., Any], name: str, left: IndexExpr, right: IndexExpr
) -> Value:
    """``//`` or ``%`` of sizes."""
    if right.value == 0:
        raise ShapeError(f"{left} is divided by zero; a divisor must be at least 1")
    if _given(ctx, right) == 0:
        raise ShapeError(f"{left} is divided by {right}, which is 0; a divisor must be at least 1")
    result = division.of_sizes(ctx, name, left, right)
    if result is not None:
        return computed(ctx, result)
    if ctx.is_known(left) and ctx.is_known(right):
        return on_numbers(function, spelling(name), ctx.number(left), ctx.number(right))
    return NotImplemented


def _given(ctx: Context, expr: IndexExpr) -> int | None:
    """The number of a size that the call fixes, for whatever block sizes; else None."""
    if all(name in ctx.fixed for name in symbol_names(expr)):
        return ctx.number(expr)
    return None


def on_numbers(function: Callable[..., Any], name: str, *operands: Value) -> Value:
    """One of Python's operators, called ``name`` in errors, on values that are known.

    Raises:
        TypeMismatchError: it has no result.
    """
    try:
        result = function(*operands)
        if isinstance(result, int):
            require_few_bits(result.bit_length())
        return result
    except (TypeError, ZeroDivisionError, OverflowError, ValueError) as error:
        values = " and ".join(describe(operand) for operand in operands)
        raise TypeMismatchError(f"{name} of {values}: {error}") from None


def _of_known(
    ctx: Context,
    function: Callable[..., Any],
    name: str,
    operands: Sequence[Value],
    exprs: Sequence[IndexExpr | None],
) -> Value:
    """A shift or a bitwise operation of sizes as Python has it, where their numbers are known."""
    if name not in _BITWISE or not all(expr is not None and ctx.is_known(expr) for expr in exprs):
        return NotImplemented
    size, count = exprs[0], operands[-1]
    if name in ("shl", "shr") and type(count) is int and 0 <= count < 63 and size is not None:
        # A product and a quotient, for which no block size needs to be fixed.
        power = const(1 << count)
        return computed(ctx, size * power if name == "shl" else size // power)
    return on_numbers(function, spelling(name), *map(ctx.known, operands))


def computed(ctx: Context, expr: IndexExpr) -> Value:
    """The value (:func:`size_value`) of a size that the application computes.

    Raises:
        TypeMismatchError: numbers that the type of sizes does not hold.
    """
    value = size_value(expr)
    if isinstance(value, Size):
        ctx.require_fitting(value.expr)
    return value


def as_size(value: Value) -> IndexExpr | None:
    """``value`` as an index expression, if it is a size or an integer."""
    if isinstance(value, Size):
        return value.expr
    return as_expr(value) if type(value) is int else None


def size_value(expr: IndexExpr) -> Value:
    """An expression as a value: an integer where it is known."""
    expr = normalize(expr)
    return Size(expr) if expr.value is None else expr.value


def literal(ctx: Context, value: bool | int | float) -> str:
    """The element type of a Python number.

    Raises:
        TypeMismatchError: an integer of more than 64 bits.
    """
    try:
        return ctx.literal(value)
    except TypeError as error:
        raise TypeMismatchError(f"{error}; use a smaller number, or a float") from None


def _operand(ctx: Context, value: Value) -> tuple[Value, rules.Operand]:
    if isinstance(value, bool | int | float):
        return value, rules.Operand(literal(ctx, value), value)
    value = ctx.scalar(value, "an operand")
    return value, rules.Operand(nt.dtype_of(value.type))


def elementwise(ctx: Context, name: str, values: Sequence[Value]) -> SSAValue:
    """Build the elementwise operation ``name``: operands promoted and broadcast.

    Raises:
        TypeMismatchError: element types that the operation does not take.
        ShapeError: shapes that do not broadcast.
    """
    row = ELEMENTWISE[name]
    assert row.rule is not None
    if name == "where":
        return select(ctx, ctx.scalar(values[0]), values[1], values[2])
    scalars, result = promoted(ctx, row, values)
    blocks, shape = broadcast(ctx, scalars)
    return ctx.add(nt.ElementwiseOp(name, blocks, nt.block_type(shape, nt.scalar_type(result))))


def promoted(ctx: Context, row: Primitive, values: Sequence[Value]) -> tuple[list[SSAValue], str]:
    """Values converted to the type of a row's operands, and its result's type.

    Raises:
        TypeMismatchError: element types that the operation does not take.
    """
    assert row.rule is not None
    values = [ctx.read(value) for value in values]
    try:
        operands = [_operand(ctx, value) for value in values]
        dtype, result = row.rule(*(operand for _, operand in operands))
    except TypeError as error:
        types = " and ".join(map(describe, values))
        raise TypeMismatchError(f"{spelling(row.name)} of {types}: {error}") from None
    _require_defined(ctx, row, values, dtype)
    return [to_dtype(ctx, value, dtype) for value, _ in operands], result


def _require_defined(ctx: Context, row: Primitive, values: Sequence[Value], dtype: str) -> None:
    """Check that an integer division or shift by a constant is defined.

    Raises:
        TypeMismatchError: it is not.
    """
    type = DTYPES[dtype]
    number = values[-1]
    if isinstance(number, Size):
        number = _given(ctx, number.expr)
    if type.kind == "float" or not isinstance(number, int):
        return
    if row.name in _DIVISIONS and number == 0:
        wrong = division.NO_QUOTIENT
    elif row.name in ("shl", "shr") and not 0 <= number < type.bits:
        wrong = f"{dtype} has {type.bits} bits; shift by 0 to {type.bits - 1}"
    else:
        return
    types = " and ".join(map(describe, values))
    raise TypeMismatchError(f"{spelling(row.name)} of {types}: {wrong}")


def _shifted_right(ctx: Context, left: Value, right: Value) -> SSAValue:
    """Right shift. As in Triton it is arithmetic where the left operand is signed (of a number, the
    right one), whatever the promoted type.
    """
    reference = _operand(ctx, right if isinstance(left, int | float) else left)[1]
    operands, dtype = promoted(ctx, ELEMENTWISE["shr"], [left, right])
    if reference.signed and DTYPES[dtype].kind == "uint":
        signed = f"i{DTYPES[dtype].bits}"
        return ctx.cast(_shifted_right(ctx, *(ctx.cast(x, signed) for x in operands)), dtype)
    return elementwise(ctx, "shr", operands)


def bits_of(ctx: Context, value: SSAValue) -> SSAValue:
    """Elementwise ``value != 0``; bits as they are."""
    return value if nt.dtype_of(value.type) == "i1" else elementwise(ctx, "ne", [value, 0])


def spelling(name: str) -> str:
    """A row of the table as users write it."""
    row = TABLE[name.removesuffix("_nan")]
    return f"ntl.{row.name}" if row.public else f"`{re.sub(r'[{0-9} ]', '', row.triton)}`"


def select(ctx: Context, bits: SSAValue, left: Value, right: Value) -> SSAValue:
    """Lanes of ``left`` where ``bits`` are set, else of ``right``: both promoted, all three
    broadcast.
    """
    values, dtype = promoted(ctx, ELEMENTWISE["where"], [left, right])
    blocks, shape = broadcast(ctx, [bits, *values])
    return ctx.add(nt.ElementwiseOp("where", blocks, nt.block_type(shape, nt.scalar_type(dtype))))


def to_dtype(ctx: Context, value: Value, dtype: str) -> SSAValue:
    """A number or a block in the element type ``dtype``."""
    if isinstance(value, bool | int | float):
        return ctx.constant(value, dtype)
    return ctx.cast(value, dtype)


def broadcast(
    ctx: Context, values: Sequence[SSAValue]
) -> tuple[list[SSAValue], tuple[IndexExpr, ...]]:
    """Broadcast values to one shape, by NumPy's rules; also that shape.

    Raises:
        ShapeError: two sizes differ, or may for a choice of block sizes, and neither is 1.
    """
    shape: tuple[IndexExpr, ...] = ()
    for value in values:
        shape = _joined(ctx, shape, nt.shape_of(value.type))
    return [broadcast_to(ctx, value, shape) for value in values], shape


def _joined(
    ctx: Context, left: tuple[IndexExpr, ...], right: tuple[IndexExpr, ...]
) -> tuple[IndexExpr, ...]:
    if len(left) < len(right):
        left, right = right, left
    offset = len(left) - len(right)
    sizes: list[IndexExpr] = list(left[:offset])
    for one, two in zip(left[offset:], right, strict=True):
        values = (one.value, two.value)
        if one != two and None not in values and 1 not in values:
            raise ShapeError(
                f"shapes {shape_text(left)} and {shape_text(right)} do not broadcast: {one} is not "
                f"{two}; make them equal, or one of them 1"
            )
        # A program's own sequence ends before the longest, to which other sizes are equal.
        own = not ctx.lengths.isdisjoint(symbol_names(two))
        sizes.append(two if one.value == 1 or own else one)
    return tuple(sizes)


def broadcast_to(ctx: Context, value: SSAValue, shape: tuple[IndexExpr, ...]) -> SSAValue:
    """Broadcast ``value`` to ``shape``; sizes that are not known to fit become a check of the call.

    Raises:
        ShapeError: it cannot have that shape.
    """
    old = nt.shape_of(value.type)
    if old == shape:
        return value
    if not old:
        return ctx.full(value, shape)
    if len(old) > len(shape):
        raise ShapeError(
            f"a block of shape {shape_text(old)} cannot become {shape_text(shape)}: it has more "
            "dims; reduce them, as in ntl.sum(x, 0)"
        )
    for _ in range(len(shape) - len(old)):
        value = ctx.add(nt.ExpandDimsOp(value, 0))
    return _repeat(ctx, value, shape)


def _repeat(ctx: Context, value: SSAValue, shape: tuple[IndexExpr, ...]) -> SSAValue:
    old = nt.shape_of(value.type)
    wanted = list(old)
    for dim, (one, two) in enumerate(zip(old, shape, strict=True)):
        if one == two or one.value == 1:
            continue
        if one.value is not None and two.value is not None:
            raise ShapeError(
                f"a block of shape {shape_text(old)} cannot become {shape_text(shape)}: {one} is "
                f"not {two}, and only dims of size 1 are repeated"
            )
        wanted[dim] = two
    value = assumed(ctx, value, tuple(wanted))
    return value if tuple(wanted) == shape else ctx.add(nt.BroadcastOp(value, shape))


def assumed(ctx: Context, value: SSAValue, shape: tuple[IndexExpr, ...]) -> SSAValue:
    """``value`` as a block of ``shape``; sizes that differ are checked at the call to be equal.

    Raises:
        ShapeError: they are not for every choice of block sizes.
    """
    old = nt.shape_of(value.type)
    for one, two in zip(old, shape, strict=True):
        if one == two:
            continue
        require_equal(ctx, one, two)
        line = "" if ctx.loc is None else linecache.getline(ctx.loc.file, ctx.loc.line).strip()
        where = line.replace("{", "{{").replace("}", "}}")
        message = (
            f"in `{where}` the sizes {one} and {two} must be equal: they are {{left}} and {{right}}"
        )
        ctx.checks.append(nt.CheckAttr(nt.Check((one,), (two,), message)))
    if old == shape:
        return value
    type = nt.block_type(shape, nt.scalar_of(value.type))
    return ctx.add(UnrealizedConversionCastOp.get([value], [type]))


def is_integer(value: SSAValue) -> bool:
    """True if the lanes are integers, and no bits."""
    return nt.dtype_of(value.type) in INTEGERS
