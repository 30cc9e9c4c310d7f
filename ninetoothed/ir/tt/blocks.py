"""Ranges of integers, and elementwise integer arithmetic."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import AnyAttr, VarConstraint, irdl_op_definition, operand_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.tt.types import scalar_of, tensor_of


@irdl_op_definition
class MakeRangeOp(PureOp):
    """Range of integers ``start, …, end - 1``; the length is a power of two.

    ```mlir
    %0 = tt.make_range 0 : i32 128 : i32 -> tensor<128xi32>
    ```
    """

    name = "tt.make_range"

    start = prop_def(IntegerAttr)
    end = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = "$start $end attr-dict `->` type($result)"

    def __init__(self, start: int, end: int) -> None:
        super().__init__(
            properties={"start": IntegerAttr(start, i32), "end": IntegerAttr(end, i32)},
            result_types=[tensor_of(i32, [end - start])],
        )

    def verify_(self) -> None:
        length = self.end.value.data - self.start.value.data
        if length < 1 or length & (length - 1):
            raise VerifyException(f"tt.make_range: the length {length} must be a power of two")
        if self.result.type != tensor_of(i32, [length]):
            raise VerifyException(f"tt.make_range: the result must be a tensor<{length}xi32>")


class BinaryOp(PureOp):
    """Base class of elementwise ops on two values of one type."""

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    x = operand_def(_T)
    y = operand_def(_T)
    result = result_def(_T)

    assembly_format = "$x `,` $y attr-dict `:` type($result)"

    def __init__(self, x: SSAValue | Operation, y: SSAValue | Operation) -> None:
        x = SSAValue.get(x)
        super().__init__(operands=[x, y], result_types=[x.type])


@irdl_op_definition
class MulhiuiOp(BinaryOp):
    """The upper half of the product of two unsigned integers.

    ```mlir
    %2 = tt.mulhiui %0, %1 : tensor<128xi32>
    ```
    """

    name = "tt.mulhiui"

    def verify_(self) -> None:
        if scalar_of(self.result.type) not in (i32, i64):
            raise VerifyException("tt.mulhiui: the operands must be integers of 32 or 64 bits")
