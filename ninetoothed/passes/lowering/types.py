"""Type conversion from ``nt`` to Triton: blocks as ``tensor``, signless integers."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import IntegerType, UnrealizedConversionCastOp, i8
from xdsl.ir import Attribute, SSAValue

from ninetoothed.ir import nt, tt
from ninetoothed.ir.rewriting import Inserter


def signless(scalar: Attribute) -> Attribute:
    """A signless scalar type; a pointer, to its pointee's type in memory."""
    if isinstance(scalar, IntegerType):
        return IntegerType(cast("IntegerType", scalar).width.data)
    if isinstance(scalar, tt.PointerType):
        return tt.PointerType(in_memory(scalar.pointee))
    return scalar


def is_unsigned(type: Attribute) -> bool:
    """True if the lanes are unsigned integers, bits included."""
    return nt.dtype_of(type).startswith("u") or nt.dtype_of(type) == "i1"


def numbers(type: Attribute) -> tuple[int, ...]:
    """The sizes of a block as numbers."""
    sizes = [size.value for size in nt.shape_of(type)]
    return tuple(size for size in sizes if size is not None)


def lowered(type: Attribute) -> Attribute:
    """Convert the type of a block or scalar of ``nt`` to Triton's."""
    if isinstance(type, nt.TensorType):
        return tt.tensor_of(signless(type.element_type), numbers(type))
    return signless(type)


def in_memory(scalar: Attribute) -> Attribute:
    """The type of a scalar in memory: bits are bytes."""
    scalar = signless(scalar)
    return i8 if scalar == IntegerType(1) else scalar


def bridge(inserter: Inserter, value: SSAValue, type: Attribute) -> SSAValue:
    """Cast ``value`` to ``type`` between the dialects; ``nt-lower-to-tt`` removes the cast."""
    if value.type == type:
        return value
    return inserter.add(UnrealizedConversionCastOp.get([value], [type]))
