"""Addresses of the elements of a tile by their coordinates in it, and descriptors of its tensor."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.nt.attributes import ExprsAttr, TensorType
from ninetoothed.ir.nt.blocks import GuardOp, LoadOp, StoreOp, check_indices
from ninetoothed.ir.nt.forwarding import StoredOp
from ninetoothed.ir.nt.memory import OffsetsOp
from ninetoothed.ir.nt.types import scalar_of, with_scalar
from ninetoothed.ir.tt.descriptors import MakesDescriptor, TensorDescType, box_of
from ninetoothed.ir.tt.types import PointerType, shape_of, tensor_of
from ninetoothed.symbolic.expr import IndexExpr


@irdl_op_definition
class AddressOp(PureOp):
    """Pointers to the elements of a tile at ``coordinates``, one a dim and all of one shape, and
    the mask of those in bounds: of the block's sizes and of the access's guard.

    The guards of both results are the conjunction of the coordinates'.

    ```mlir
    %p, %m = nt.address %x[%k] [%i, %j]
        : !nt.tensor<[n] x !nt.tensor<[BM, BN] x f16>>[i32] [!nt.tensor<[B] x i32>, !nt.tensor<[B] x i32>]
        -> !nt.tensor<[B] x !tt.ptr<f16>>, !nt.tensor<[B] x i1>
    ```
    """

    name = "nt.address"

    ref = operand_def(TensorType)
    indices = var_operand_def()
    coordinates = var_operand_def()
    pointers = result_def()
    exists = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = (
        "$ref `[` $indices `]` `[` $coordinates `]` attr-dict `:` type($ref) "
        "`[` type($indices) `]` `[` type($coordinates) `]` "
        "`->` type($pointers) `,` type($exists)"
    )

    def __init__(
        self, ref: SSAValue, indices: Sequence[SSAValue], coordinates: Sequence[SSAValue]
    ) -> None:
        assert isinstance(ref.type, TensorType)
        shape = coordinates[0].type
        pointer = PointerType(ref.type.scalar)
        super().__init__(
            operands=[ref, list(indices), list(coordinates)],
            result_types=[with_scalar(shape, pointer), with_scalar(shape, i1)],
        )

    def verify_(self) -> None:
        assert isinstance(self.ref.type, TensorType)
        check_indices(self, self.ref.type, len(self.indices))
        block = self.ref.type.levels[-1]
        if not block.sizes or len(self.coordinates) != len(block.sizes):
            raise VerifyException(
                f"nt.address: {len(self.coordinates)} coordinates in a block of type {block}"
            )
        shape = self.coordinates[0].type
        if any(one.type != shape for one in self.coordinates):
            raise VerifyException("nt.address: the coordinates must have one type")
        if scalar_of(shape) not in (IntegerType(32), IntegerType(64)):
            raise VerifyException("nt.address: coordinates are i32 or i64")
        expected = (
            with_scalar(shape, PointerType(self.ref.type.scalar)),
            with_scalar(shape, i1),
        )
        if tuple(self.result_types) != expected:
            raise VerifyException(
                f"nt.address: the results must have the types {expected[0]} and {expected[1]}"
            )


@irdl_op_definition
class HostDescriptorOp(PureOp):
    """A tensor descriptor that the host makes, an argument of the kernel: of the tensor that the
    tile ``ref`` is of, from its first element on, with ``shape`` and ``strides`` in elements, the
    last of which is 1.

    ```mlir
    %1 = nt.host_descriptor %x [m, n] strides [s, 1]
        : !nt.tensor<[BM, BN] x f16> -> !tt.tensordesc<tensor<128x64xf16>>
    ```
    """

    name = "nt.host_descriptor"

    ref = operand_def(TensorType)
    shape = prop_def(ExprsAttr)
    strides = prop_def(ExprsAttr)
    result = result_def(TensorDescType)

    traits = traits_def(MakesDescriptor())

    assembly_format = "$ref $shape `strides` $strides attr-dict `:` type($ref) `->` type($result)"

    def __init__(
        self,
        ref: SSAValue,
        shape: Sequence[IndexExpr],
        strides: Sequence[IndexExpr],
        box: Sequence[int],
        element: Attribute,
    ) -> None:
        super().__init__(
            operands=[ref],
            properties={"shape": ExprsAttr.of(shape), "strides": ExprsAttr.of(strides)},
            result_types=[TensorDescType(tensor_of(element, box))],
        )

    def verify_(self) -> None:
        box = box_of(self.result.type)
        dims = len(shape_of(box))
        for name, exprs in (("sizes", self.shape.data), ("strides", self.strides.data)):
            if len(exprs) != dims:
                raise VerifyException(f"{self.name}: {len(exprs)} {name} for a box {box}")
        if self.strides.data[-1].value != 1:
            raise VerifyException(f"{self.name}: the last stride is 1")


TileOp = LoadOp | StoredOp | StoreOp | GuardOp | OffsetsOp | AddressOp
"""Ops that refer to a tile by its indices in the levels between the programs and the block."""
