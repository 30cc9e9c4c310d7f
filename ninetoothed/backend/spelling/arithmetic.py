"""``arith`` and ``math``."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from ninetoothed.backend.expression import (
    Expr,
    as_signed,
    as_unsigned,
    binary,
    call,
    cast,
    dtype_text,
    is_bit,
    literal,
    method,
    standalone,
    typed,
    typed_unsigned,
    unary,
    unsigned_binary,
    unsigned_text,
)
from ninetoothed.backend.spelling.operands import Operands, Spelling, scalar_of
from ninetoothed.backend.ttir import splat_value
from ninetoothed.errors import CompilerError
from ninetoothed.ir import tt


def constant(value: Attribute, scalar: Attribute) -> Expr:
    """The literal of an ``arith.constant``."""
    if isinstance(value, IntegerAttr):
        return literal(value.value.data, scalar)
    if isinstance(value, FloatAttr):
        return literal(value.value.data, scalar)
    number = splat_value(value)
    if number is not None:
        return literal(number, scalar)
    raise CompilerError(f"a constant of unequal values has no spelling in Triton-Python: {value}")


def _constant(operands: Operands, op: arith.ConstantOp) -> Expr:
    return constant(op.value, scalar_of(op))


def _binary(operator: str) -> Spelling:
    def spelling(operands: Operands, op: Any) -> Expr:
        return binary(operator, operands.expr(op.lhs), operands.expr(op.rhs))

    return spelling


def _divided(operator: str) -> Spelling:
    """Division of floats, which Triton does in float32 where the operands are narrower."""

    def spelling(operands: Operands, op: Any) -> Expr:
        scalar = scalar_of(op)
        quotient = binary(operator, operands.expr(op.lhs), operands.expr(op.rhs))
        return quotient if isinstance(scalar, Float32Type | Float64Type) else cast(quotient, scalar)

    return spelling


def _unsigned(operator: str) -> Spelling:
    def spelling(operands: Operands, op: Any) -> Expr:
        return as_signed(unsigned_binary(operator, operands.expr(op.lhs), operands.expr(op.rhs)))

    return spelling


def _xori(operands: Operands, op: arith.XOrIOp) -> Expr:
    left, right = operands.expr(op.lhs), operands.expr(op.rhs)
    if is_bit(left.scalar):
        for one, other in ((left, right), (right, left)):
            if other.literal is True and one.literal is None:
                return unary("~", one)
    return binary("^", left, right)


def _rounded_division(step: str, sign: str) -> Spelling:
    """Triton's ``//`` rounds towards zero: one ``step`` more where the operands' signs say so."""

    def spelling(operands: Operands, op: Any) -> Expr:
        left, right = operands.atom(op.lhs), operands.atom(op.rhs)
        if left.literal is not None:
            left = typed(left)
        zero, one = literal(0, left.scalar), literal(1, left.scalar)
        bit = IntegerType(1)
        inexact = binary("!=", binary("%", left, right), zero, bit)
        signs = binary(sign, binary("^", left, right), zero, bit)
        quotient = binary("//", left, right)
        condition = binary("&", inexact, signs)
        return call("tl.where", [condition, binary(step, quotient, one), quotient], scalar_of(op))

    return spelling


_UNSIGNED_EXTREMES = (arith.MaxUIOp, arith.MinUIOp)


def _extreme(function: str, nan: bool = False) -> Spelling:
    keywords = ("propagate_nan=tl.PropagateNan.ALL",) if nan else ()

    def spelling(operands: Operands, op: Any) -> Expr:
        scalar = scalar_of(op)
        values = [operands.expr(op.lhs), operands.expr(op.rhs)]
        if isinstance(op, _UNSIGNED_EXTREMES):
            unsigned = [typed_unsigned(as_unsigned(value)) for value in values]
            return as_signed(call(function, unsigned, scalar))
        # Triton 3.6 makes tensors of numbers at once, and float32 of bfloat16.
        result = call(function, [standalone(value) for value in values], scalar, *keywords)
        return cast(result, scalar) if isinstance(scalar, BFloat16Type) else result

    return spelling


_SIGNED_COMPARISONS = {"eq": "==", "ne": "!=", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">="}
_UNSIGNED_COMPARISONS = {"ult": "<", "ule": "<=", "ugt": ">", "uge": ">="}
_MIRRORED = {"slt": "ugt", "sle": "uge", "sgt": "ult", "sge": "ule"}


def _cmpi(operands: Operands, op: tt.CmpiOp) -> Expr:
    left, right = operands.expr(op.lhs), operands.expr(op.rhs)
    comparison = op.comparison
    if is_bit(left.scalar):
        # A signed bit that is set is -1.
        comparison = _MIRRORED.get(comparison, comparison)
    if comparison in _SIGNED_COMPARISONS:
        return binary(_SIGNED_COMPARISONS[comparison], left, right, IntegerType(1))
    return unsigned_binary(_UNSIGNED_COMPARISONS[comparison], left, right, IntegerType(1))


_ORDERED = {"oeq": "==", "ogt": ">", "oge": ">=", "olt": "<", "ole": "<=", "une": "!="}
_NEGATED = {"ugt": "<=", "uge": "<", "ult": ">=", "ule": ">"}


def _cmpf(operands: Operands, op: tt.CmpfOp) -> Expr:
    bit = IntegerType(1)
    comparison = op.comparison
    if comparison in _ORDERED:
        left, right = operands.expr(op.lhs), operands.expr(op.rhs)
        return binary(_ORDERED[comparison], left, right, bit)
    if comparison in _NEGATED:
        left, right = operands.expr(op.lhs), operands.expr(op.rhs)
        return unary("~", binary(_NEGATED[comparison], left, right, bit))
    if comparison in ("true", "false"):
        return literal(comparison == "true", bit)
    left, right = operands.atom(op.lhs), operands.atom(op.rhs)
    if comparison in ("one", "ueq"):
        unequal = binary("|", binary("<", left, right, bit), binary(">", left, right, bit))
        return unequal if comparison == "one" else unary("~", unequal)
    operator, join = ("==", "&") if comparison == "ord" else ("!=", "|")
    first, second = binary(operator, left, left, bit), binary(operator, right, right, bit)
    return first if op.lhs == op.rhs else binary(join, first, second)


def _select(operands: Operands, op: tt.SelectOp) -> Expr:
    condition, left, right = (operands.expr(value) for value in (op.cond, op.lhs, op.rhs))
    if left.literal is not None and right.literal is not None:
        left = standalone(left)
        right = standalone(right) if left.literal is not None else right
    return call("tl.where", [condition, left, right], scalar_of(op))


def _cast(operands: Operands, op: Any) -> Expr:
    return cast(operands.expr(op.operands[0]), scalar_of(op))


def _narrow(operands: Operands, op: Operation) -> Expr:
    operand, scalar = operands.expr(op.operands[0]), scalar_of(op)
    if not is_bit(scalar):
        return cast(operand, scalar)
    # A cast to a bit asks whether the number is not zero.
    lowest = binary("&", operand, literal(1, operand.scalar))
    return binary("!=", lowest, literal(0, operand.scalar), scalar)


def _from_signed(operands: Operands, op: Any) -> Expr:
    operand, scalar = operands.expr(op.operands[0]), scalar_of(op)
    result = cast(operand, scalar)
    return binary("-", literal(0, scalar), result) if is_bit(operand.scalar) else result


def _from_unsigned(operands: Operands, op: Any) -> Expr:
    operand = as_unsigned(operands.expr(op.operands[0]))
    if operand.literal is not None:
        operand = typed_unsigned(operand)
    return cast(operand, scalar_of(op))


def _to_unsigned(operands: Operands, op: Operation) -> Expr:
    operand, scalar = operands.expr(op.operands[0]), scalar_of(op)
    if is_bit(scalar):
        return cast(operand, scalar)
    return as_signed(method(operand, f"to({unsigned_text(scalar)})", scalar))


def _bitcast(operands: Operands, op: Operation) -> Expr:
    scalar = scalar_of(op)
    return method(operands.expr(op.operands[0]), f"to({dtype_text(scalar)}, bitcast=True)", scalar)


def _negf(operands: Operands, op: arith.NegfOp) -> Expr:
    # Triton 3.6 makes 0 - x of -x, which loses the sign of zero.
    operand = typed(operands.expr(op.operand))
    return binary("*", operand, literal(-1.0, operand.scalar))


def _function(name: str) -> Spelling:
    def spelling(operands: Operands, op: Any) -> Expr:
        operand, scalar = typed(operands.expr(op.operand)), scalar_of(op)
        # Triton's functions take no narrower floats.
        if isinstance(scalar, Float16Type | BFloat16Type) and name != "tl.abs":
            return cast(call(name, [cast(operand, Float32Type())], Float32Type()), scalar)
        return call(name, [operand], scalar)

    return spelling


def _call(name: str, *keywords: str) -> Spelling:
    """A function of Triton that converts numbers to int32 or float32 by itself."""

    def spelling(operands: Operands, op: Any) -> Expr:
        scalar = scalar_of(op)
        values = [standalone(operands.expr(value)) for value in op.operands]
        result = call(name, values, scalar, *keywords)
        # Triton 3.6 makes float32 of bfloat16.
        return cast(result, scalar) if isinstance(scalar, BFloat16Type) else result

    return spelling


def _clampf(operands: Operands, op: tt.ClampfOp) -> Expr:
    keywords = ("propagate_nan=tl.PropagateNan.ALL",) if op.propagates else ()
    return _call("tl.clamp", *keywords)(operands, op)


SPELLINGS: dict[str, Spelling] = {
    "arith.constant": _constant,
    "arith.addi": _binary("+"),
    "arith.subi": _binary("-"),
    "arith.muli": _binary("*"),
    "arith.divsi": _binary("//"),
    "arith.remsi": _binary("%"),
    "arith.divui": _unsigned("//"),
    "arith.remui": _unsigned("%"),
    "arith.floordivsi": _rounded_division("-", "<"),
    "arith.ceildivsi": _rounded_division("+", ">="),
    "arith.andi": _binary("&"),
    "arith.ori": _binary("|"),
    "arith.xori": _xori,
    "arith.shli": _binary("<<"),
    "arith.shrsi": _binary(">>"),
    "arith.shrui": _unsigned(">>"),
    "arith.minsi": _extreme("tl.minimum"),
    "arith.maxsi": _extreme("tl.maximum"),
    "arith.minui": _extreme("tl.minimum"),
    "arith.maxui": _extreme("tl.maximum"),
    "arith.addf": _binary("+"),
    "arith.subf": _binary("-"),
    "arith.mulf": _binary("*"),
    "arith.divf": _divided("/"),
    "arith.remf": _divided("%"),
    "arith.negf": _negf,
    "arith.maxnumf": _extreme("tl.maximum"),
    "arith.minnumf": _extreme("tl.minimum"),
    "arith.maximumf": _extreme("tl.maximum", nan=True),
    "arith.minimumf": _extreme("tl.minimum", nan=True),
    "arith.extf": _cast,
    "arith.truncf": _cast,
    "arith.sitofp": _from_signed,
    "arith.uitofp": _from_unsigned,
    "arith.fptosi": _cast,
    "arith.fptoui": _to_unsigned,
    "arith.extsi": _from_signed,
    "arith.extui": _from_unsigned,
    "arith.trunci": _narrow,
    "arith.bitcast": _bitcast,
    "arith.cmpi": _cmpi,
    "arith.cmpf": _cmpf,
    "arith.select": _select,
    "math.exp": _function("tl.exp"),
    "math.exp2": _function("tl.exp2"),
    "math.log": _function("tl.log"),
    "math.log2": _function("tl.log2"),
    "math.sqrt": _function("tl.sqrt"),
    "math.rsqrt": _function("tl.rsqrt"),
    "math.sin": _function("tl.sin"),
    "math.cos": _function("tl.cos"),
    "math.erf": _function("tl.erf"),
    "math.floor": _function("tl.floor"),
    "math.ceil": _function("tl.ceil"),
    "math.fma": _call("tl.fma"),
    "tt.clampf": _clampf,
    "tt.precise_sqrt": _call("tl.sqrt_rn"),
    "tt.precise_divf": _call("tl.div_rn"),
    "math.absf": _function("tl.abs"),
    "math.absi": _function("tl.abs"),
}
