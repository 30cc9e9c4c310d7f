"""Queries on the types of blocks and scalars."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import cast

from xdsl.dialects.builtin import AnyFloat, Float32Type, FloatAttr, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute

from ninetoothed.ir.nt.attributes import TensorType
from ninetoothed.symbolic.expr import IndexExpr


def shape_of(type: Attribute) -> tuple[IndexExpr, ...]:
    """The sizes of a block; of a scalar, none."""
    return type.sizes if isinstance(type, TensorType) else ()


def with_scalar(type: Attribute, scalar: Attribute) -> Attribute:
    """The type of the same shape with another scalar type."""
    return TensorType(type.shape, scalar) if isinstance(type, TensorType) else scalar


def block_type(sizes: Iterable[IndexExpr | int], scalar: Attribute) -> Attribute:
    """A block's type; of no dims, the scalar's."""
    sizes = tuple(sizes)
    return TensorType.of(sizes, scalar) if sizes else scalar


def without_dim(type: Attribute, dim: int) -> Attribute:
    """The type of a block that lost a dim."""
    sizes = list(shape_of(type))
    del sizes[dim]
    return block_type(sizes, scalar_of(type))


def scalar_of(type: Attribute) -> Attribute:
    """The scalar type of a block or scalar."""
    return type.element_type if isinstance(type, TensorType) else type


def loaded_type(ref: Attribute) -> Attribute:
    """The type of a load of a tile: its innermost level; of a tile of no dims, a scalar."""
    assert isinstance(ref, TensorType)
    block = ref.levels[-1]
    return block if block.sizes else block.element_type


Number = FloatAttr[AnyFloat] | IntegerAttr[IntegerType]


def number(value: float | int, scalar: Attribute) -> Number:
    """``value`` as an attribute of a scalar type: bits are ``!= 0``, integers wrap, and floats are
    rounded to f32 and then to their type, as in Triton.
    """
    if isinstance(scalar, AnyFloat):
        return FloatAttr(_rounded(value, scalar), scalar)
    assert isinstance(scalar, IntegerType)
    integer = int(value != 0) if scalar == i1 else int(value)
    return IntegerAttr(integer, cast("IntegerType", scalar), truncate_bits=True)


def _rounded(value: float | int, scalar: AnyFloat) -> float:
    value = float(value)
    if scalar.bitwidth == 64 or math.isnan(value):
        return value
    for type in (Float32Type(), scalar):
        try:
            (found,) = type.unpack(type.pack([value]), 1)
        except OverflowError:
            found = math.inf
        # A type without infinities saturates.
        value = math.copysign(_largest(type) if math.isnan(found) else found, value)
    return value


def _largest(scalar: AnyFloat) -> float:
    """The largest finite number of an eight-bit float type."""
    found = [scalar.unpack(bytes([bits]), 1)[0] for bits in (0x7F, 0x7E)]
    return max(filter(math.isfinite, found))
