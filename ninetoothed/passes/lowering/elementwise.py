"""Lowering of elementwise functions to ``arith`` and ``math``, by their rows' names.

Operands are lowered values of one type; ``unsigned``: integer lanes have no sign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ninetoothed.ir import nt, tt
from ninetoothed.language.registry import Registry

Insert = Callable[[Operation], SSAValue]
Handler = Callable[[Insert, bool, list[SSAValue]], SSAValue]


def constant(insert: Insert, value: float | int, type: Attribute) -> SSAValue:
    """Constant of a lowered type: a scalar, or a block with it in every lane."""
    attribute = nt.number(value, tt.scalar_of(type))
    if not isinstance(type, TensorType):
        return insert(arith.ConstantOp(attribute))
    type = cast("TensorType[Attribute]", type)
    if value not in (float("inf"), float("-inf")) and value == value:
        return insert(arith.ConstantOp(splat(attribute.value.data, type), type))
    # xDSL reads the hexadecimal form of a dense infinity as an integer; a scalar's it reads right.
    return insert(tt.SplatOp(insert(arith.ConstantOp(attribute)), tt.shape_of(type)))


def splat(value: float | int, type: TensorType[Attribute]) -> DenseIntOrFPElementsAttr[Any]:
    """The dense attribute of one number in every lane of ``type``."""
    numbered = cast("TensorType[Any]", type)
    return DenseIntOrFPElementsAttr.from_list(numbered, [value])


def _is_float(value: SSAValue) -> bool:
    return isinstance(tt.scalar_of(value.type), AnyFloat)


def _by_kind(
    floats: Callable[[SSAValue, SSAValue], Operation] | None,
    signed: Callable[[SSAValue, SSAValue], Operation],
    unsigned: Callable[[SSAValue, SSAValue], Operation] | None = None,
) -> Handler:
    """Lowering by the kind of number; ``unsigned`` where it differs from ``signed``."""

    def handler(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
        left, right = operands
        if floats is not None and _is_float(left):
            return insert(floats(left, right))
        op = unsigned if is_unsigned and unsigned is not None else signed
        return insert(op(left, right))

    return handler


def _compare(ordered: str, signed: str, unsigned: str) -> Handler:
    def handler(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
        left, right = operands
        if _is_float(left):
            return insert(tt.CmpfOp(ordered, left, right))
        return insert(tt.CmpiOp(unsigned if is_unsigned else signed, left, right))

    return handler


def _math(op: Callable[[SSAValue], Operation]) -> Handler:
    def handler(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
        return insert(op(operands[0]))

    return handler


def _negate(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
    (value,) = operands
    if _is_float(value):
        # Triton 3.6 cannot compile arith.negf; 0 - x would lose the sign of zero.
        return insert(arith.MulfOp(value, constant(insert, -1.0, value.type)))
    return insert(arith.SubiOp(constant(insert, 0, value.type), value))


def _invert(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
    (value,) = operands
    return insert(arith.XOrIOp(value, constant(insert, -1, value.type)))


def _abs(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
    (value,) = operands
    if _is_float(value):
        return insert(math.AbsFOp(value))
    return value if is_unsigned else insert(math.AbsIOp(value))


def _where(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
    return insert(tt.SelectOp(*operands))


def _umulhi(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
    return insert(tt.MulhiuiOp(*operands))


def _fma(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
    (value, *_) = operands
    fastmath = {"fastmath": arith.FastMathFlagsAttr("none")}
    return insert(
        math.FmaOp.create(operands=operands, properties=fastmath, result_types=[value.type])
    )


def _divide_precisely(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
    return insert(tt.PreciseDivfOp(*operands))


def _clamp(largest: str, smallest: str, propagate_nan: bool) -> Handler:
    def handler(insert: Insert, is_unsigned: bool, operands: list[SSAValue]) -> SSAValue:
        value, low, high = operands
        scalar = tt.scalar_of(value.type)
        # Of other floats Triton cannot lower its op where the bounds are opposite numbers.
        if isinstance(scalar, Float16Type | Float32Type):
            return insert(tt.ClampfOp(value, low, high, propagate_nan))
        raised = ELEMENTWISE_LOWERINGS[largest](insert, is_unsigned, [value, low])
        return ELEMENTWISE_LOWERINGS[smallest](insert, is_unsigned, [raised, high])

    return handler


ELEMENTWISE_LOWERINGS: Registry[str, Handler] = Registry(
    "the lowering of elementwise rows",
    {
        "add": _by_kind(arith.AddfOp, arith.AddiOp),
        "sub": _by_kind(arith.SubfOp, arith.SubiOp),
        "mul": _by_kind(arith.MulfOp, arith.MuliOp),
        "truediv": _by_kind(arith.DivfOp, arith.DivSIOp, arith.DivUIOp),
        "floordiv": _by_kind(None, arith.DivSIOp, arith.DivUIOp),
        "mod": _by_kind(tt.RemfOp, arith.RemSIOp, arith.RemUIOp),
        "and": _by_kind(None, arith.AndIOp),
        "or": _by_kind(None, arith.OrIOp),
        "xor": _by_kind(None, arith.XOrIOp),
        "shl": _by_kind(None, arith.ShLIOp),
        "shr": _by_kind(None, arith.ShRSIOp, arith.ShRUIOp),
        "maximum": _by_kind(arith.MaxnumfOp, arith.MaxSIOp, arith.MaxUIOp),
        "minimum": _by_kind(arith.MinnumfOp, arith.MinSIOp, arith.MinUIOp),
        "maximum_nan": _by_kind(arith.MaximumfOp, arith.MaxSIOp, arith.MaxUIOp),
        "minimum_nan": _by_kind(arith.MinimumfOp, arith.MinSIOp, arith.MinUIOp),
        "clamp": _clamp("maximum", "minimum", propagate_nan=False),
        "clamp_nan": _clamp("maximum_nan", "minimum_nan", propagate_nan=True),
        "fma": _fma,
        "sqrt_rn": _math(tt.PreciseSqrtOp),
        "div_rn": _divide_precisely,
        "lt": _compare("olt", "slt", "ult"),
        "le": _compare("ole", "sle", "ule"),
        "gt": _compare("ogt", "sgt", "ugt"),
        "ge": _compare("oge", "sge", "uge"),
        "eq": _compare("oeq", "eq", "eq"),
        "ne": _compare("une", "ne", "ne"),
        "neg": _negate,
        "invert": _invert,
        "abs": _abs,
        "umulhi": _umulhi,
        "where": _where,
        "exp": _math(math.ExpOp),
        "exp2": _math(math.Exp2Op),
        "log": _math(math.LogOp),
        "log2": _math(math.Log2Op),
        "sqrt": _math(math.SqrtOp),
        "rsqrt": _math(math.RsqrtOp),
        "sin": _math(math.SinOp),
        "cos": _math(math.CosOp),
        "erf": _math(math.ErfOp),
        "floor": _math(math.FloorOp),
        "ceil": _math(math.CeilOp),
    },
)

# The elementwise function that combines two lanes of a reduction or a scan.
COMBINE: dict[str, str] = {
    "sum": "add",
    "max": "maximum",
    "min": "minimum",
    "xor_sum": "xor",
    "reduce_or": "or",
    "cumsum": "add",
    "cumprod": "mul",
}
