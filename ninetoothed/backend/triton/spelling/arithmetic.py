"""Elementwise ops of ``arith``, ``math`` and ``tt``."""

from __future__ import annotations

from functools import partial
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects import math as mlir_math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
)
from xdsl.ir import Operation

from ninetoothed.backend.triton.expression import (
    BIT,
    Expr,
    binary,
    bitcast,
    call,
    cast,
    literal,
    signed,
    standalone,
    typed,
    unary,
    unsigned,
    unsigned_binary,
    unsigned_text,
)
from ninetoothed.backend.triton.spelling.operands import SPELLINGS, Operands, scalar_of
from ninetoothed.backend.triton.ttir import splat_value
from ninetoothed.errors import CompilerError
from ninetoothed.ir import tt
from ninetoothed.ir.diagnostics import fail

_TWICE = ("one", "ueq", "ord", "uno")


def repeats_operands(op: Operation) -> bool:
    """True if the spelling of ``op`` holds an operand more than once, which must be a name then."""
    if isinstance(op, tt.CmpfOp):
        return op.comparison in _TWICE
    return isinstance(op, arith.FloorDivSIOp | arith.CeilDivSIOp)


@SPELLINGS.register(arith.ConstantOp)
def _constant(operands: Operands, op: arith.ConstantOp) -> Expr:
    value = op.value
    number = value.value.data if isinstance(value, IntegerAttr | FloatAttr) else splat_value(value)
    if number is None:
        message = "a constant of unequal values has no spelling in Triton-Python"
        raise fail(op, message, CompilerError)
    return literal(number, scalar_of(op))


def _binary(operator: str, operands: Operands, op: Any) -> Expr:
    return binary(operator, operands.expr(op.lhs), operands.expr(op.rhs))


def _unsigned(operator: str, operands: Operands, op: Any) -> Expr:
    left, right = operands.expr(op.lhs), operands.expr(op.rhs)
    return signed(unsigned_binary(operator, left, right, scalar_of(op)))


def _divided(operator: str, operands: Operands, op: Any) -> Expr:
    # Triton divides in float32 where the operands are narrower.
    quotient, scalar = _binary(operator, operands, op), scalar_of(op)
    return quotient if isinstance(scalar, Float32Type | Float64Type) else cast(quotient, scalar)


for _operator, _ops in {
    "+": (arith.AddiOp, arith.AddfOp),
    "-": (arith.SubiOp, arith.SubfOp),
    "*": (arith.MuliOp, arith.MulfOp),
    "//": (arith.DivSIOp,),
    "%": (arith.RemSIOp,),
    "&": (arith.AndIOp,),
    "|": (arith.OrIOp,),
    "<<": (arith.ShLIOp,),
    ">>": (arith.ShRSIOp,),
}.items():
    SPELLINGS.register(*_ops)(partial(_binary, _operator))
SPELLINGS.register(arith.DivUIOp)(partial(_unsigned, "//"))
SPELLINGS.register(arith.RemUIOp)(partial(_unsigned, "%"))
SPELLINGS.register(arith.ShRUIOp)(partial(_unsigned, ">>"))
SPELLINGS.register(arith.DivfOp)(partial(_divided, "/"))
SPELLINGS.register(tt.RemfOp)(partial(_divided, "%"))


@SPELLINGS.register(arith.XOrIOp)
def _xori(operands: Operands, op: arith.XOrIOp) -> Expr:
    left, right = operands.expr(op.lhs), operands.expr(op.rhs)
    if left.scalar == BIT:
        for one, other in ((left, right), (right, left)):
            if other.literal is True and one.literal is None:
                return unary("~", one)
    return binary("^", left, right)


@SPELLINGS.register(arith.FloorDivSIOp, arith.CeilDivSIOp)
def _rounded_division(operands: Operands, op: arith.FloorDivSIOp | arith.CeilDivSIOp) -> Expr:
    """Triton's ``//`` rounds towards zero: one step more where the operands' signs say so."""
    step, sign = ("-", "<") if isinstance(op, arith.FloorDivSIOp) else ("+", ">=")
    left, right = typed(operands.expr(op.lhs)), operands.expr(op.rhs)
    zero, one = literal(0, left.scalar), literal(1, left.scalar)
    inexact = binary("!=", binary("%", left, right), zero, BIT)
    signs = binary(sign, binary("^", left, right), zero, BIT)
    quotient = binary("//", left, right)
    operands_ = [binary("&", inexact, signs), binary(step, quotient, one), quotient]
    return call("tl.where", operands_, scalar_of(op))


def _narrowed(result: Expr) -> Expr:
    # Triton 3.6 makes float32 of bfloat16.
    return cast(result, result.scalar) if isinstance(result.scalar, BFloat16Type) else result


def _call(function: str, keywords: tuple[str, ...], operands: Operands, op: Operation) -> Expr:
    """A function of Triton that converts numbers to int32 or float32 by itself."""
    values = [standalone(operands.expr(value)) for value in op.operands]
    return _narrowed(call(function, values, scalar_of(op), *keywords))


_NAN = ("propagate_nan=tl.PropagateNan.ALL",)
SPELLINGS.register(arith.MaxSIOp, arith.MaxnumfOp)(partial(_call, "tl.maximum", ()))
SPELLINGS.register(arith.MinSIOp, arith.MinnumfOp)(partial(_call, "tl.minimum", ()))
SPELLINGS.register(arith.MaximumfOp)(partial(_call, "tl.maximum", _NAN))
SPELLINGS.register(arith.MinimumfOp)(partial(_call, "tl.minimum", _NAN))
SPELLINGS.register(mlir_math.FmaOp)(partial(_call, "tl.fma", ()))
SPELLINGS.register(tt.PreciseSqrtOp)(partial(_call, "tl.sqrt_rn", ()))
SPELLINGS.register(tt.PreciseDivfOp)(partial(_call, "tl.div_rn", ()))


@SPELLINGS.register(tt.ClampfOp)
def _clampf(operands: Operands, op: tt.ClampfOp) -> Expr:
    return _call("tl.clamp", _NAN if op.propagates else (), operands, op)


def _unsigned_call(function: str, operands: Operands, op: Operation) -> Expr:
    values = [unsigned(operands.expr(value)) for value in op.operands]
    return signed(call(function, values, scalar_of(op)))


SPELLINGS.register(arith.MaxUIOp)(partial(_unsigned_call, "tl.maximum"))
SPELLINGS.register(arith.MinUIOp)(partial(_unsigned_call, "tl.minimum"))
# The interpreter of Triton 3.6, unlike a device, heeds the signs of signed integers here.
SPELLINGS.register(tt.MulhiuiOp)(partial(_unsigned_call, "tl.umulhi"))


def _function(name: str, operands: Operands, op: Operation) -> Expr:
    operand, scalar = typed(operands.expr(op.operands[0])), scalar_of(op)
    # Triton's functions take no narrower floats.
    if isinstance(scalar, Float16Type | BFloat16Type) and name != "abs":
        return cast(call(f"tl.{name}", [cast(operand, Float32Type())], Float32Type()), scalar)
    return call(f"tl.{name}", [operand], scalar)


for _function_op in (
    *(mlir_math.ExpOp, mlir_math.Exp2Op, mlir_math.LogOp, mlir_math.Log2Op, mlir_math.SqrtOp),
    *(mlir_math.RsqrtOp, mlir_math.SinOp, mlir_math.CosOp, mlir_math.ErfOp, mlir_math.FloorOp),
    mlir_math.CeilOp,
):
    SPELLINGS.register(_function_op)(partial(_function, _function_op.name.removeprefix("math.")))
SPELLINGS.register(mlir_math.AbsFOp, mlir_math.AbsIOp)(partial(_function, "abs"))


@SPELLINGS.register(arith.NegfOp)
def _negf(operands: Operands, op: arith.NegfOp) -> Expr:
    # Triton 3.6 makes 0 - x of -x, which loses the sign of zero.
    operand = typed(operands.expr(op.operand))
    return binary("*", operand, literal(-1.0, operand.scalar))


_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_MIRRORED = {"slt": "ugt", "sle": "uge", "sgt": "ult", "sge": "ule"}
_NEGATED = {"lt": ">=", "le": ">", "gt": "<=", "ge": "<"}


@SPELLINGS.register(tt.CmpiOp)
def _cmpi(operands: Operands, op: tt.CmpiOp) -> Expr:
    left, right = operands.expr(op.lhs), operands.expr(op.rhs)
    comparison = op.comparison
    if left.scalar == BIT:
        # A signed bit that is set is -1.
        comparison = _MIRRORED.get(comparison, comparison)
    compare = unsigned_binary if comparison.startswith("u") else binary
    return compare(_COMPARISONS[comparison[-2:]], left, right, BIT)


@SPELLINGS.register(tt.CmpfOp)
def _cmpf(operands: Operands, op: tt.CmpfOp) -> Expr:
    comparison = op.comparison
    if comparison in ("true", "false"):
        return literal(comparison == "true", BIT)
    left, right = operands.expr(op.lhs), operands.expr(op.rhs)
    if comparison in ("ord", "uno"):
        operator, join = ("==", "&") if comparison == "ord" else ("!=", "|")
        first, second = (binary(operator, value, value, BIT) for value in (left, right))
        return first if op.lhs == op.rhs else binary(join, first, second)
    if comparison in ("one", "ueq"):
        unequal = binary("|", binary("<", left, right, BIT), binary(">", left, right, BIT))
        return unequal if comparison == "one" else unary("~", unequal)
    # With a NaN, comparisons are false but for !=.
    if comparison[0] == "o" or comparison == "une":
        return binary(_COMPARISONS[comparison[1:]], left, right, BIT)
    return unary("~", binary(_NEGATED[comparison[1:]], left, right, BIT))


@SPELLINGS.register(tt.SelectOp)
def _select(operands: Operands, op: tt.SelectOp) -> Expr:
    condition, left, right = (operands.expr(value) for value in (op.cond, op.lhs, op.rhs))
    if left.literal is not None and right.literal is not None:
        left = standalone(left)
        right = standalone(right) if left.literal is not None else right
    return call("tl.where", [condition, left, right], scalar_of(op))


@SPELLINGS.register(arith.ExtFOp, arith.TruncFOp, tt.FPToSIOp)
def _cast(operands: Operands, op: Operation) -> Expr:
    return cast(operands.expr(op.operands[0]), scalar_of(op))


@SPELLINGS.register(tt.FpToFpOp)
def _fp_to_fp(operands: Operands, op: tt.FpToFpOp) -> Expr:
    return cast(operands.expr(op.src), scalar_of(op), behind=', "rtz"' if op.truncates else "")


@SPELLINGS.register(tt.TruncIOp)
def _narrow(operands: Operands, op: tt.TruncIOp) -> Expr:
    operand, scalar = operands.expr(op.input), scalar_of(op)
    if scalar != BIT:
        return cast(operand, scalar)
    # A cast to a bit asks whether the number is not zero.
    lowest = binary("&", operand, literal(1, operand.scalar))
    return binary("!=", lowest, literal(0, operand.scalar), scalar)


@SPELLINGS.register(tt.SIToFPOp, tt.ExtSIOp)
def _from_signed(operands: Operands, op: tt.SIToFPOp | tt.ExtSIOp) -> Expr:
    operand, scalar = operands.expr(op.input), scalar_of(op)
    result = cast(operand, scalar)
    return binary("-", literal(0, scalar), result) if operand.scalar == BIT else result


@SPELLINGS.register(tt.UIToFPOp, tt.ExtUIOp)
def _from_unsigned(operands: Operands, op: tt.UIToFPOp | tt.ExtUIOp) -> Expr:
    return cast(unsigned(operands.expr(op.input)), scalar_of(op))


@SPELLINGS.register(tt.FPToUIOp)
def _to_unsigned(operands: Operands, op: tt.FPToUIOp) -> Expr:
    operand, scalar = operands.expr(op.input), scalar_of(op)
    if scalar == BIT:
        return cast(operand, scalar)
    return signed(cast(operand, scalar, unsigned_text(scalar)))


@SPELLINGS.register(arith.BitcastOp, tt.BitcastOp)
def _bitcast(operands: Operands, op: Operation) -> Expr:
    return bitcast(operands.expr(op.operands[0]), scalar_of(op))
