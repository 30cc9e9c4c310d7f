"""Pointers, and queries on the types of blocks and scalars."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, TensorType, i32
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.utils.exceptions import VerifyException

MAX_LANES = 1 << 20
"""Lanes of a block: Triton's limit."""


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """A pointer into global memory: ``!tt.ptr<f16>``."""

    name = "tt.ptr"

    pointee: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [parser.parse_type()]


def shape_of(type: Attribute) -> tuple[int, ...]:
    """The shape of a block; of a scalar, none."""
    return type.get_shape() if isinstance(type, TensorType) else ()


def scalar_of(type: Attribute) -> Attribute:
    """The scalar type of a block or scalar."""
    return (
        cast("TensorType[Attribute]", type).get_element_type()
        if isinstance(type, TensorType)
        else type
    )


@functools.lru_cache(maxsize=1024)
def _tensor(scalar: Attribute, shape: tuple[int, ...]) -> TensorType:
    return TensorType(scalar, shape)


def tensor_of(scalar: Attribute, shape: Sequence[int]) -> TensorType:
    """A block's type, cached: building one is slow."""
    return _tensor(scalar, tuple(shape))


def block_of(shape: Sequence[int], scalar: Attribute) -> Attribute:
    """A block's type; of no dims, the scalar's."""
    return tensor_of(scalar, shape) if shape else scalar


def pointee_of(type: Attribute) -> Attribute:
    """The pointee type of a pointer or a block of them, in the same shape.

    Raises:
        VerifyException: the type is another one.
    """
    pointer = scalar_of(type)
    if not isinstance(pointer, PointerType):
        raise VerifyException(f"{type} is no pointer, nor a block of them")
    return block_of(shape_of(type), pointer.pointee)


def integer_bits(scalar: Attribute) -> int:
    """The width of an integer type; 0 for other types."""
    return scalar.bitwidth if isinstance(scalar, IntegerType) else 0


@functools.lru_cache(maxsize=256)
def _hint(numbers: tuple[int, ...]) -> DenseIntOrFPElementsAttr[IntegerType]:
    return DenseIntOrFPElementsAttr.from_list(TensorType(i32, [len(numbers)]), numbers)


def hint_of(numbers: Sequence[int]) -> DenseIntOrFPElementsAttr[IntegerType]:
    """The attribute of a hint on an op (``tt.divisibility``, …): one number a dim, one of a scalar."""
    return _hint(tuple(numbers))
