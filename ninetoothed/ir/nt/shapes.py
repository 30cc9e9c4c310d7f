"""Shape ops: broadcast, transpose, flip, gather, reshape, join and split."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.folding import Reshaping, Transposition
from ninetoothed.ir.nt.attributes import ExprsAttr, TensorType
from ninetoothed.ir.nt.types import block_type, scalar_of, shape_of
from ninetoothed.symbolic.expr import IndexExpr, product
from ninetoothed.symbolic.normal_form import equal


class AlongAxis(PureOp):
    """Base class of ops along one dim, ``axis``."""

    axis = prop_def(IntegerAttr[I64])

    @property
    def dim(self) -> int:
        """The dim along which the op works."""
        return self.axis.value.data

    def check_dim(self, type: Attribute) -> None:
        """Verify that a type has the dim."""
        if not 0 <= self.dim < len(shape_of(type)):
            raise VerifyException(f"{self.name}: there is no dim {self.dim}")


@irdl_op_definition
class BroadcastOp(PureOp, Reshaping):
    """Broadcast dims of size 1.

    ```mlir
    %1 = nt.broadcast %0 : !nt.tensor<[BM, 1] x f32> -> !nt.tensor<[BM, BN] x f32>
    ```
    """

    name = "nt.broadcast"

    value = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue | Operation, sizes: Iterable[IndexExpr | int]) -> None:
        value = SSAValue.get(value)
        super().__init__(
            operands=[value], result_types=[TensorType.of(sizes, scalar_of(value.type))]
        )

    def verify_(self) -> None:
        old, new = shape_of(self.value.type), shape_of(self.result.type)
        fits = len(old) == len(new) and all(
            one == two or one.value == 1 for one, two in zip(old, new, strict=True)
        )
        if not fits or scalar_of(self.value.type) != scalar_of(self.result.type):
            raise VerifyException(
                f"nt.broadcast: {self.value.type} cannot become {self.result.type}"
            )


@irdl_op_definition
class ExpandDimsOp(AlongAxis):
    """Insert a dim of size 1 at ``axis``.

    ```mlir
    %1 = nt.expand_dims %0 axis 1 : !nt.tensor<[BM] x f32> -> !nt.tensor<[BM, 1] x f32>
    ```
    """

    name = "nt.expand_dims"

    value = operand_def()
    result = result_def(TensorType)

    assembly_format = "$value `axis` $axis attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue | Operation, axis: int) -> None:
        value = SSAValue.get(value)
        sizes: list[IndexExpr | int] = [*shape_of(value.type)]
        sizes.insert(axis, 1)
        super().__init__(
            operands=[value],
            properties={"axis": IntegerAttr(axis, i64)},
            result_types=[TensorType.of(sizes, scalar_of(value.type))],
        )

    def verify_(self) -> None:
        sizes = list(shape_of(self.result.type))
        if self.dim >= len(sizes) or sizes.pop(self.dim).value != 1:
            raise VerifyException(f"nt.expand_dims: dim {self.dim} of the result must be 1")
        if tuple(sizes) != shape_of(self.value.type):
            raise VerifyException("nt.expand_dims: the other dims must be those of the operand")


@irdl_op_definition
class TransOp(PureOp, Transposition):
    """Transpose: new dim ``i`` is old dim ``order[i]``.

    ```mlir
    %1 = nt.trans %0 order [1, 0] : !nt.tensor<[BM, BN] x f16> -> !nt.tensor<[BN, BM] x f16>
    ```
    """

    name = "nt.trans"

    value = operand_def(TensorType)
    order = prop_def(ExprsAttr)
    result = result_def(TensorType)

    assembly_format = "$value `order` $order attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue | Operation, order: Sequence[int]) -> None:
        value = SSAValue.get(value)
        sizes = shape_of(value.type)
        super().__init__(
            operands=[value],
            properties={"order": ExprsAttr.of(order)},
            result_types=[TensorType.of([sizes[dim] for dim in order], scalar_of(value.type))],
        )

    @property
    def dims(self) -> tuple[int, ...]:
        """The order."""
        return tuple(dim.args[0] for dim in self.order.data)

    def verify_(self) -> None:
        sizes = shape_of(self.value.type)
        if sorted(self.dims) != list(range(len(sizes))):
            raise VerifyException("nt.trans: order must name each dim once")
        if tuple(sizes[dim] for dim in self.dims) != shape_of(self.result.type):
            raise VerifyException("nt.trans: the result's sizes must be the operand's, reordered")


@irdl_op_definition
class FlipOp(AlongAxis):
    """Flip along ``axis``: lane ``i`` reads lane ``size - 1 - i``.

    ```mlir
    %1 = nt.flip %0 axis 1 : !nt.tensor<[BM, BN] x f16>
    ```
    """

    name = "nt.flip"

    _T: ClassVar = VarConstraint("_T", base(TensorType))

    value = operand_def(_T)
    result = result_def(_T)

    assembly_format = "$value `axis` $axis attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation, axis: int) -> None:
        value = SSAValue.get(value)
        super().__init__(
            operands=[value], properties={"axis": IntegerAttr(axis, i64)}, result_types=[value.type]
        )

    def verify_(self) -> None:
        self.check_dim(self.value.type)


@irdl_op_definition
class GatherOp(AlongAxis):
    """Gather along ``axis``: along it, a lane of the result reads the lane of ``value`` at its
    index.

    Lanes whose index is out of bounds are unspecified.

    ```mlir
    %2 = nt.gather %0[%1] axis 1
        : !nt.tensor<[BM, BN] x f16>[!nt.tensor<[BM, BK] x i32>] -> !nt.tensor<[BM, BK] x f16>
    ```
    """

    name = "nt.gather"

    value = operand_def(TensorType)
    indices = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$value `[` $indices `]` `axis` $axis attr-dict "
        "`:` type($value) `[` type($indices) `]` `->` type($result)"
    )

    def __init__(
        self, value: SSAValue | Operation, indices: SSAValue | Operation, axis: int
    ) -> None:
        value, indices = SSAValue.get(value), SSAValue.get(indices)
        result = TensorType.of(shape_of(indices.type), scalar_of(value.type))
        super().__init__(
            operands=[value, indices],
            properties={"axis": IntegerAttr(axis, i64)},
            result_types=[result],
        )

    def verify_(self) -> None:
        value, indices = list(shape_of(self.value.type)), list(shape_of(self.indices.type))
        if len(value) != len(indices) or not 0 <= self.dim < len(value):
            raise VerifyException(
                f"nt.gather: {self.value.type} cannot be indexed by {self.indices.type} along "
                f"{self.dim}"
            )
        if not isinstance(scalar_of(self.indices.type), IntegerType):
            raise VerifyException("nt.gather: the indices must be integers")
        del value[self.dim], indices[self.dim]
        if value != indices:
            raise VerifyException("nt.gather: the other dims must be those of the indices")
        expected = TensorType.of(shape_of(self.indices.type), scalar_of(self.value.type))
        if self.result.type != expected:
            raise VerifyException(f"nt.gather: the result must have type {expected}")


@irdl_op_definition
class ReshapeOp(PureOp, Reshaping):
    """Reshape, in row-major order; a block of one lane, also to a scalar.

    ```mlir
    %1 = nt.reshape %0 : !nt.tensor<[BM, 4] x f16> -> !nt.tensor<[BM * 4] x f16>
    ```
    """

    name = "nt.reshape"

    value = operand_def(TensorType)
    result = result_def()

    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue | Operation, sizes: Iterable[IndexExpr | int]) -> None:
        value = SSAValue.get(value)
        type = block_type(sizes, scalar_of(value.type))
        super().__init__(operands=[value], result_types=[type])

    def verify_(self) -> None:
        old, new = shape_of(self.value.type), shape_of(self.result.type)
        fits = equal(product(old), product(new))
        if not fits or scalar_of(self.value.type) != scalar_of(self.result.type):
            raise VerifyException(f"nt.reshape: {self.value.type} cannot become {self.result.type}")


@irdl_op_definition
class JoinOp(PureOp):
    """Join two blocks, or two scalars, along a new last dim of size 2.

    ```mlir
    %2 = nt.join %0, %1 : !nt.tensor<[B] x f16> -> !nt.tensor<[B, 2] x f16>
    ```
    """

    name = "nt.join"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    left = operand_def(_T)
    right = operand_def(_T)
    result = result_def(TensorType)

    assembly_format = "$left `,` $right attr-dict `:` type($left) `->` type($result)"

    def __init__(self, left: SSAValue | Operation, right: SSAValue | Operation) -> None:
        left = SSAValue.get(left)
        result = TensorType.of([*shape_of(left.type), 2], scalar_of(left.type))
        super().__init__(operands=[left, right], result_types=[result])

    def verify_(self) -> None:
        expected = TensorType.of([*shape_of(self.left.type), 2], scalar_of(self.left.type))
        if self.result.type != expected:
            raise VerifyException(f"nt.join: the result must have type {expected}")


@irdl_op_definition
class SplitOp(PureOp):
    """Split a block along its last dim, of size 2.

    ```mlir
    %1, %2 = nt.split %0 : !nt.tensor<[B, 2] x f16> -> !nt.tensor<[B] x f16>
    ```
    """

    name = "nt.split"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    value = operand_def(TensorType)
    left = result_def(_T)
    right = result_def(_T)

    assembly_format = "$value attr-dict `:` type($value) `->` type($left)"

    def __init__(self, value: SSAValue | Operation) -> None:
        value = SSAValue.get(value)
        half = block_type(shape_of(value.type)[:-1], scalar_of(value.type))
        super().__init__(operands=[value], result_types=[half, half])

    def verify_(self) -> None:
        sizes = shape_of(self.value.type)
        if not sizes or sizes[-1].value != 2:
            raise VerifyException(f"nt.split: the last dim of {self.value.type} must be 2")
        expected = block_type(sizes[:-1], scalar_of(self.value.type))
        if self.left.type != expected:
            raise VerifyException(f"nt.split: the halves must have type {expected}")
