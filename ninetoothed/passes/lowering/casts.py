"""Lowering of casts, as in Triton (``triton.language.semantic.cast``)."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    IntegerType,
    i32,
)
from xdsl.ir import Attribute, SSAValue

from ninetoothed.ir import nt, tt
from ninetoothed.passes.lowering.elementwise import Handler, Insert, constant
from ninetoothed.passes.lowering.function import LOWERINGS, Function
from ninetoothed.passes.lowering.types import is_unsigned, signless

_F32 = Float32Type()
_HALVES = (Float16Type(), BFloat16Type())


@LOWERINGS.register(nt.CastOp)
def _cast(f: Function, op: nt.CastOp) -> None:
    source, target = op.value.type, op.result.type
    value, scalar = f.value(op.value), signless(nt.scalar_of(target))
    if op.truncates:
        f.define(op, _truncated(f.add, value, scalar))
    else:
        f.define(op, cast(f.add, value, scalar, is_unsigned(source), is_unsigned(target)))


@LOWERINGS.register(nt.BitcastOp)
def _bitcast(f: Function, op: nt.BitcastOp) -> None:
    value, scalar = f.value(op.value), signless(nt.scalar_of(op.result.type))
    f.define(op, f.add(tt.BitcastOp(value, scalar)))


def cast(
    insert: Insert, value: SSAValue, scalar: Attribute, from_unsigned: bool, to_unsigned: bool
) -> SSAValue:
    """Cast ``value`` to lanes of ``scalar``, a signless type."""
    source = tt.scalar_of(value.type)
    if source == scalar:
        return value
    type = tt.block_of(tt.shape_of(value.type), scalar)
    if scalar == IntegerType(1):
        zero = constant(insert, 0, value.type)
        if isinstance(source, AnyFloat):
            return insert(tt.CmpfOp("une", value, zero))
        return insert(tt.CmpiOp("ne", value, zero))
    if isinstance(source, AnyFloat) and isinstance(scalar, AnyFloat):
        return _between_floats(insert, value, source, scalar)
    if isinstance(source, AnyFloat):
        return _to_integer(insert, value, scalar, to_unsigned)
    if isinstance(scalar, AnyFloat):
        return insert((tt.UIToFPOp if from_unsigned else tt.SIToFPOp)(value, type))
    assert isinstance(source, IntegerType)
    assert isinstance(scalar, IntegerType)
    if source.width.data > scalar.width.data:
        return insert(tt.TruncIOp(value, type))
    return insert((tt.ExtUIOp if from_unsigned else tt.ExtSIOp)(value, type))


def _to_integer(insert: Insert, value: SSAValue, scalar: Attribute, to_unsigned: bool) -> SSAValue:
    """Float to integer, truncated. Overflow is undefined, and in a narrow type may spoil the lanes
    beside it, whose bits are packed with it. So narrow types go through 32 bits.
    """
    type = tt.block_of(tt.shape_of(value.type), scalar)
    if isinstance(scalar, IntegerType) and scalar.width.data < 32:
        wide = tt.block_of(tt.shape_of(value.type), i32)
        return insert(tt.TruncIOp(insert(tt.FPToSIOp(value, wide)), type))
    return insert((tt.FPToUIOp if to_unsigned else tt.FPToSIOp)(value, type))


def _between_floats(
    insert: Insert, value: SSAValue, source: AnyFloat, scalar: AnyFloat
) -> SSAValue:
    widths = (source.bitwidth, scalar.bitwidth)
    # Conversions that Triton does in two steps, or cannot do in one; E5M2 to bf16 loses infinities.
    twice = (source in _HALVES and min(widths) > 8) or widths in ((8, 8), (8, 64), (64, 8))
    if (twice or (source, scalar) == (Float8E5M2Type(), BFloat16Type())) and scalar != _F32:
        wide = _between_floats(insert, value, source, _F32)
        return _between_floats(insert, wide, _F32, scalar)
    if 8 in widths:
        return insert(tt.FpToFpOp(value, scalar, "rtne" if widths[1] == 8 else None))
    type = tt.block_of(tt.shape_of(value.type), scalar)
    return insert((arith.ExtFOp if widths[1] > widths[0] else arith.TruncFOp)(value, type))


def _truncated(insert: Insert, value: SSAValue, scalar: Attribute) -> SSAValue:
    """Float to fewer bits, rounded towards zero; Triton does it from f32."""
    source = tt.scalar_of(value.type)
    assert isinstance(source, AnyFloat)
    if source != _F32:
        value = _between_floats(insert, value, source, _F32)
    return insert(tt.FpToFpOp(value, scalar, "rtz"))


def computed(
    insert: Insert, function: Handler, unsigned: bool, operands: list[SSAValue]
) -> SSAValue:
    """Apply an elementwise function to operands of one type. Triton has no arithmetic on floats of
    eight bits: they become f32, and the result is rounded once.
    """
    scalar = tt.scalar_of(operands[-1].type)
    if not (isinstance(scalar, AnyFloat) and scalar.bitwidth == 8):
        return function(insert, unsigned, operands)
    wide = [_between_floats(insert, operand, scalar, _F32) for operand in operands]
    result = function(insert, unsigned, wide)
    if tt.scalar_of(result.type) != _F32:
        return result
    return _between_floats(insert, result, _F32, scalar)
