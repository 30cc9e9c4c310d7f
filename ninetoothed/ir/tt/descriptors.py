"""Tensor descriptors: boxes of a tensor that are moved whole, without a pointer and a mask a lane.

Targets that have them (NVIDIA's TMA, from sm_90 on) move a box by one instruction; for others
Triton makes pointers and masks of them. A program makes a descriptor itself, or it is an argument:
then the host makes it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FixedBitwidthType, i32, i64
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    SameVariadicOperandSize,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser
from xdsl.traits import IsolatedFromAbove, MemoryReadEffect, MemoryWriteEffect, OpTrait
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.tt.types import pointee_of, scalar_of, shape_of, tensor_of

MOST_DIMS = 5
"""Of a descriptor: the hardware's limit."""

LEAST_BYTES = 16
"""Of a row of a box."""


@irdl_attr_definition
class TensorDescType(ParametrizedAttribute, TypeAttribute):
    """A tensor descriptor, with the type of the boxes that it moves.

    It is spelled as in Triton 3.7: ``!tt.tensordesc<tensor<128x64xf16>>``.
    """

    name = "tt.tensordesc"

    box: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [parser.parse_type()]

    def verify(self) -> None:
        shape, scalar = shape_of(self.box), scalar_of(self.box)
        if not shape:
            raise VerifyException(f"tt.tensordesc: a box is a block, not {self.box}")
        if len(shape) > MOST_DIMS or any(size < 1 or size.bit_count() > 1 for size in shape):
            raise VerifyException(
                f"tt.tensordesc: {self.box} is no box of at most {MOST_DIMS} dims, each of which "
                "is a power of two"
            )
        bits = scalar.bitwidth if isinstance(scalar, FixedBitwidthType) else 0
        if shape[-1] * bits < 8 * LEAST_BYTES:
            raise VerifyException(
                f"tt.tensordesc: a row of {self.box} has fewer than {LEAST_BYTES} bytes"
            )


def box_of(type: Attribute) -> Attribute:
    """The type of the boxes that a descriptor moves.

    Raises:
        VerifyException: the type is another one.
    """
    if not isinstance(type, TensorDescType):
        raise VerifyException(f"{type} is no tensor descriptor")
    return type.box


class MakesDescriptor(OpTrait):
    """The result is a tensor descriptor, made of what is the same wherever it is used."""


@irdl_op_definition
class MakeTensorDescOp(PureOp):
    """Make a tensor descriptor in the program: of a tensor at ``base``, with its ``shape`` and its
    ``strides`` in elements, the last of which is 1.

    ``base`` and the other strides must be multiples of 16 bytes.

    ```mlir
    %1 = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one]
        : !tt.ptr<f16>, !tt.tensordesc<tensor<128x64xf16>>
    ```
    """

    name = "tt.make_tensor_descriptor"

    base = operand_def()
    shape = var_operand_def(i32)
    strides = var_operand_def(i64)
    result = result_def(TensorDescType)

    irdl_options = (SameVariadicOperandSize(),)

    traits = traits_def(MakesDescriptor())

    assembly_format = (
        "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)"
    )

    def __init__(
        self,
        base: SSAValue,
        shape: Sequence[SSAValue],
        strides: Sequence[SSAValue],
        box: Sequence[int],
    ) -> None:
        result = TensorDescType(tensor_of(pointee_of(base.type), box))
        super().__init__(operands=[base, shape, strides], result_types=[result])

    def verify_(self) -> None:
        box = box_of(self.result.type)
        if scalar_of(box) != pointee_of(self.base.type):
            raise VerifyException(f"{self.name}: {self.base.type} does not point to {box}")
        if len(self.shape) != len(shape_of(box)):
            raise VerifyException(f"{self.name}: {len(self.shape)} sizes for a box {box}")


def _is_known(desc: SSAValue) -> bool:
    """Not one of several that a loop or a branch chooses."""
    if isinstance(desc.owner, Block):
        around = desc.owner.parent_op()
        return around is None or around.has_trait(IsolatedFromAbove)
    return desc.owner.has_trait(MakesDescriptor)


def _check(op: Operation, desc: SSAValue, indices: Sequence[SSAValue], value: SSAValue) -> None:
    if not _is_known(desc):
        raise VerifyException(
            f"{op.name}: the descriptor is neither made by an op nor an argument of the kernel"
        )
    box = box_of(desc.type)
    if value.type != box:
        raise VerifyException(f"{op.name}: {desc.type} does not move {value.type}")
    if len(indices) != len(shape_of(box)):
        raise VerifyException(f"{op.name}: {len(indices)} indices of a box {box}")


@irdl_op_definition
class DescriptorLoadOp(IRDLOperation):
    """Load the box that begins at ``indices``; what lies outside of the tensor is 0.

    ```mlir
    %1 = tt.descriptor_load %desc[%i, %j]
        : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
    ```
    """

    name = "tt.descriptor_load"

    desc = operand_def(TensorDescType)
    indices = var_operand_def(i32)
    result = result_def()

    traits = traits_def(MemoryReadEffect())

    assembly_format = "$desc `[` $indices `]` attr-dict `:` type($desc) `->` type($result)"

    def __init__(self, desc: SSAValue, indices: Sequence[SSAValue]) -> None:
        super().__init__(operands=[desc, indices], result_types=[box_of(desc.type)])

    def verify_(self) -> None:
        _check(self, self.desc, self.indices, self.result)


@irdl_op_definition
class DescriptorStoreOp(IRDLOperation):
    """Store a box that begins at ``indices``; what lies outside of the tensor is not written.

    A row ends at a multiple of 16 bytes: that of a tensor must, too.

    ```mlir
    tt.descriptor_store %desc[%i, %j], %v : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf16>
    ```
    """

    name = "tt.descriptor_store"

    desc = operand_def(TensorDescType)
    src = operand_def()
    indices = var_operand_def(i32)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$desc `[` $indices `]` `,` $src attr-dict `:` type($desc) `,` type($src)"

    def __init__(self, desc: SSAValue, src: SSAValue, indices: Sequence[SSAValue]) -> None:
        super().__init__(operands=[desc, src, indices])

    def verify_(self) -> None:
        _check(self, self.desc, self.indices, self.src)
