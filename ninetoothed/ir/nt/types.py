"""Questions about the types of blocks and scalars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute

from ninetoothed.ir.index_expr import IndexExpr
from ninetoothed.ir.nt.attributes import TensorType


def shape_of(type: Attribute) -> tuple[IndexExpr, ...]:
    """The sizes of a block; of a scalar, none."""
    return type.sizes if isinstance(type, TensorType) else ()


def with_scalar(type: Attribute, scalar: Attribute) -> Attribute:
    """The type of the same shape with other scalars."""
    return TensorType(type.shape, scalar) if isinstance(type, TensorType) else scalar


def block_type(sizes: Iterable[IndexExpr | int], scalar: Attribute) -> Attribute:
    """A block's type; of no dims, the scalar's."""
    sizes = tuple(sizes)
    return TensorType.of(sizes, scalar) if sizes else scalar


def scalar_of(type: Attribute) -> Attribute:
    """The scalar type of a block or scalar."""
    return type.element_type if isinstance(type, TensorType) else type


def share_type(ref: Attribute) -> Attribute:
    """What reading a parameter's share gives: its innermost level; a share of no dims is a scalar."""
    assert isinstance(ref, TensorType)
    block = ref.levels[-1]
    return block if block.sizes else block.element_type


Number = FloatAttr[AnyFloat] | IntegerAttr[IntegerType]


def number(value: float | int, scalar: Attribute) -> Number:
    """``value`` as an attribute of a scalar type."""
    if isinstance(scalar, AnyFloat):
        return FloatAttr(float(value), scalar)
    assert isinstance(scalar, IntegerType)
    return IntegerAttr(int(value), cast("IntegerType", scalar), truncate_bits=True)
