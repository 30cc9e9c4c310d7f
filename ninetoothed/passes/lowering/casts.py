"""Conversions between scalar types, as Triton forms them (``triton.language.semantic.cast``)."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, BFloat16Type, Float16Type, Float32Type, IntegerType
from xdsl.ir import Attribute, SSAValue

from ninetoothed.ir import tt
from ninetoothed.passes.lowering.elementwise import Insert, constant

_NEAREST = 1


def cast(
    insert: Insert, value: SSAValue, scalar: Attribute, from_unsigned: bool, to_unsigned: bool
) -> SSAValue:
    """``value`` with lanes of ``scalar``, a signless type."""
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
        return insert((tt.FPToUIOp if to_unsigned else tt.FPToSIOp)(value, type))
    if isinstance(scalar, AnyFloat):
        return insert((tt.UIToFPOp if from_unsigned else tt.SIToFPOp)(value, type))
    assert isinstance(source, IntegerType)
    assert isinstance(scalar, IntegerType)
    if source.width.data > scalar.width.data:
        return insert(tt.TruncIOp(value, type))
    return insert((tt.ExtUIOp if from_unsigned else tt.ExtSIOp)(value, type))


def _between_floats(
    insert: Insert, value: SSAValue, source: AnyFloat, scalar: AnyFloat
) -> SSAValue:
    type = tt.block_of(tt.shape_of(value.type), scalar)
    if source.bitwidth == 8 or scalar.bitwidth == 8:
        rounding = _NEAREST if scalar.bitwidth < source.bitwidth else None
        return insert(tt.FpToFpOp(value, scalar, rounding))
    halves = (Float16Type(), BFloat16Type())
    if source in halves and scalar != Float32Type():
        wide = insert(arith.ExtFOp(value, tt.block_of(tt.shape_of(value.type), Float32Type())))
        return _between_floats(insert, wide, Float32Type(), scalar)
    wider = scalar.bitwidth > source.bitwidth
    return insert((arith.ExtFOp if wider else arith.TruncFOp)(value, type))
