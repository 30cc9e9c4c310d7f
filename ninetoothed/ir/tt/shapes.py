"""Shape ops: splat, broadcast, transpose, gather, reshape, join and split."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, TensorType, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import VarConstraint, base, irdl_op_definition, operand_def, prop_def, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.folding import Reshaping, Transposition
from ninetoothed.ir.tt.types import scalar_of, shape_of, tensor_of


@irdl_op_definition
class SplatOp(PureOp):
    """Splat: a block with one scalar in all lanes.

    ```mlir
    %1 = tt.splat %0 : i32 -> tensor<128xi32>
    ```
    """

    name = "tt.splat"

    src = operand_def()
    result = result_def(TensorType)

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, shape: Sequence[int]) -> None:
        src = SSAValue.get(src)
        super().__init__(operands=[src], result_types=[tensor_of(src.type, shape)])

    def verify_(self) -> None:
        if scalar_of(self.result.type) != self.src.type:
            raise VerifyException("tt.splat: the lanes must have the scalar's type")


@irdl_op_definition
class ExpandDimsOp(PureOp):
    """Insert a dim of size 1 at ``axis``.

    ```mlir
    %1 = tt.expand_dims %0 1 : i32 : tensor<64xi32> -> tensor<64x1xi32>
    ```
    """

    name = "tt.expand_dims"

    src = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = "$src $axis attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, axis: int) -> None:
        src = SSAValue.get(src)
        shape = list(shape_of(src.type))
        shape.insert(axis, 1)
        super().__init__(
            operands=[src],
            properties={"axis": IntegerAttr(axis, i32)},
            result_types=[tensor_of(scalar_of(src.type), shape)],
        )

    def verify_(self) -> None:
        shape = list(shape_of(self.src.type))
        axis = self.axis.value.data
        if not 0 <= axis <= len(shape):
            raise VerifyException(f"tt.expand_dims: there is no axis {axis}")
        shape.insert(axis, 1)
        if self.result.type != tensor_of(scalar_of(self.src.type), shape):
            raise VerifyException(f"tt.expand_dims: the result's shape must be {tuple(shape)}")


class _ToShape(PureOp, Reshaping):
    """Base class of ``tt.broadcast`` and ``tt.reshape``."""

    src = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, shape: Sequence[int]) -> None:
        src = SSAValue.get(src)
        super().__init__(operands=[src], result_types=[tensor_of(scalar_of(src.type), shape)])


@irdl_op_definition
class BroadcastOp(_ToShape):
    """Broadcast dims of size 1.

    ```mlir
    %1 = tt.broadcast %0 : tensor<64x1xi32> -> tensor<64x32xi32>
    ```
    """

    name = "tt.broadcast"

    def verify_(self) -> None:
        old, new = shape_of(self.src.type), shape_of(self.result.type)
        if len(old) != len(new) or any(
            one not in (1, two) for one, two in zip(old, new, strict=True)
        ):
            raise VerifyException(f"tt.broadcast: {old} cannot become {new}")


@irdl_op_definition
class TransOp(PureOp, Transposition):
    """Transpose: new dim ``i`` is old dim ``order[i]``.

    ```mlir
    %1 = tt.trans %0 array<i32: 1, 0> : tensor<64x32xf16> -> tensor<32x64xf16>
    ```
    """

    name = "tt.trans"

    src = operand_def(TensorType)
    order = prop_def(DenseArrayBase.constr(i32))
    result = result_def(TensorType)

    def __init__(self, src: SSAValue | Operation, order: Sequence[int]) -> None:
        src = SSAValue.get(src)
        shape = shape_of(src.type)
        super().__init__(
            operands=[src],
            properties={"order": DenseArrayBase.from_list(i32, list(order))},
            result_types=[tensor_of(scalar_of(src.type), [shape[dim] for dim in order])],
        )

    @property
    def dims(self) -> tuple[int, ...]:
        """The order."""
        return tuple(map(int, self.order.get_values()))

    def verify_(self) -> None:
        old = shape_of(self.src.type)
        if sorted(self.dims) != list(range(len(old))):
            raise VerifyException("tt.trans: order must name each dim once")
        if tuple(old[dim] for dim in self.dims) != shape_of(self.result.type):
            raise VerifyException("tt.trans: the result's shape must be the operand's, reordered")

    @classmethod
    def parse(cls, parser: Parser) -> TransOp:
        src = parser.parse_unresolved_operand()
        order = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        parser.parse_punctuation("->")
        return cls.create(
            operands=[parser.resolve_operand(src, type)],
            properties={"order": order},
            attributes=attributes,
            result_types=[parser.parse_type()],
        )

    def print(self, printer: Printer) -> None:
        # An assembly format would print the array's bytes.
        printer.print_string(" ")
        printer.print_operand(self.src)
        printer.print_string(" ")
        printer.print_attribute(self.order)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.src.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class GatherOp(PureOp):
    """Gather lanes of ``src`` along ``axis`` by ``indices``, each in bounds.

    ```mlir
    %2 = tt.gather %0[%1] 1 : i32 : tensor<64x32xf16>[tensor<64x16xi32>] -> tensor<64x16xf16>
    ```
    """

    name = "tt.gather"

    src = operand_def(TensorType)
    indices = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$src `[` $indices `]` $axis attr-dict `:` type($src) `[` type($indices) `]` "
        "`->` type($result)"
    )

    def __init__(self, src: SSAValue | Operation, indices: SSAValue | Operation, axis: int) -> None:
        src, indices = SSAValue.get(src), SSAValue.get(indices)
        super().__init__(
            operands=[src, indices],
            properties={"axis": IntegerAttr(axis, i32)},
            result_types=[tensor_of(scalar_of(src.type), shape_of(indices.type))],
        )

    def verify_(self) -> None:
        src, indices = list(shape_of(self.src.type)), list(shape_of(self.indices.type))
        axis = self.axis.value.data
        if len(src) != len(indices) or not 0 <= axis < len(src):
            raise VerifyException(
                f"tt.gather: {shape_of(self.indices.type)} does not index "
                f"{shape_of(self.src.type)} along {axis}"
            )
        if not isinstance(scalar_of(self.indices.type), IntegerType):
            raise VerifyException("tt.gather: the indices must be integers")
        del src[axis], indices[axis]
        if src != indices:
            raise VerifyException("tt.gather: the other dims must be those of the indices")
        expected = tensor_of(scalar_of(self.src.type), shape_of(self.indices.type))
        if self.result.type != expected:
            raise VerifyException(f"tt.gather: the result must be a {expected}")


@irdl_op_definition
class ReshapeOp(_ToShape):
    """Reshape, in row-major order.

    ```mlir
    %1 = tt.reshape %0 : tensor<64x32xf16> -> tensor<2048xf16>
    ```
    """

    name = "tt.reshape"

    def verify_(self) -> None:
        old, new = shape_of(self.src.type), shape_of(self.result.type)
        if prod(old) != prod(new) or scalar_of(self.src.type) != scalar_of(self.result.type):
            raise VerifyException(f"tt.reshape: {self.src.type} cannot become {self.result.type}")


@irdl_op_definition
class UnsplatOp(PureOp):
    """Unsplat: the only lane of a block, as a scalar.

    ```mlir
    %1 = tt.unsplat %0 : tensor<1xf16> -> f16
    ```
    """

    name = "tt.unsplat"

    src = operand_def(TensorType)
    result = result_def()

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation) -> None:
        src = SSAValue.get(src)
        super().__init__(operands=[src], result_types=[scalar_of(src.type)])

    def verify_(self) -> None:
        if prod(shape_of(self.src.type)) != 1:
            raise VerifyException(f"tt.unsplat: {self.src.type} has more than one lane")
        if self.result.type != scalar_of(self.src.type):
            raise VerifyException(f"tt.unsplat: the result must be a {scalar_of(self.src.type)}")


@irdl_op_definition
class JoinOp(PureOp):
    """Join two blocks along a new last dim of size 2.

    ```mlir
    %2 = tt.join %0, %1 : tensor<64xf16> -> tensor<64x2xf16>
    ```
    """

    name = "tt.join"

    _T: ClassVar = VarConstraint("_T", base(TensorType))

    lhs = operand_def(_T)
    rhs = operand_def(_T)
    result = result_def(TensorType)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        lhs = SSAValue.get(lhs)
        result = tensor_of(scalar_of(lhs.type), [*shape_of(lhs.type), 2])
        super().__init__(operands=[lhs, rhs], result_types=[result])

    def verify_(self) -> None:
        expected = tensor_of(scalar_of(self.lhs.type), [*shape_of(self.lhs.type), 2])
        if self.result.type != expected:
            raise VerifyException(f"tt.join: the result must be a {expected}")


@irdl_op_definition
class SplitOp(PureOp):
    """Split a block along its last dim, of size 2.

    ```mlir
    %1, %2 = tt.split %0 : tensor<64x2xf16> -> tensor<64xf16>
    ```
    """

    name = "tt.split"

    _T: ClassVar = VarConstraint("_T", base(TensorType))

    src = operand_def(TensorType)
    outLHS = result_def(_T)
    outRHS = result_def(_T)

    assembly_format = "$src attr-dict `:` type($src) `->` type($outLHS)"

    def __init__(self, src: SSAValue | Operation) -> None:
        src = SSAValue.get(src)
        half = tensor_of(scalar_of(src.type), shape_of(src.type)[:-1])
        super().__init__(operands=[src], result_types=[half, half])

    def verify_(self) -> None:
        shape = shape_of(self.src.type)
        if len(shape) < 2 or shape[-1] != 2:
            raise VerifyException(f"tt.split: the last dim of {shape} must be 2, behind others")
        expected = tensor_of(scalar_of(self.src.type), shape[:-1])
        if self.outLHS.type != expected:
            raise VerifyException(f"tt.split: the results must be a {expected} each")
