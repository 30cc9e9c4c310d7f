"""Reductions, scans and histograms."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, TensorType, i1, i32
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import CombineTerminator, PureOp
from ninetoothed.ir.tt.types import block_of, scalar_of, shape_of, tensor_of


class Combination(PureOp):
    """Base class of ``tt.reduce`` and ``tt.scan``.

    Triton's regions may use outer values; ours do not, so that each can be a function.
    """

    srcs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    results_ = var_result_def()
    combine = region_def("single_block")

    traits = traits_def(IsolatedFromAbove())

    def _result(self, src: Attribute) -> Attribute:
        """The type of a result, from its operand's."""
        raise NotImplementedError

    def verify_(self) -> None:
        scalars = [scalar_of(src.type) for src in self.srcs]
        if [argument.type for argument in self.combine.block.args] != scalars * 2:
            raise VerifyException(f"{self.name}: the region must take two scalars of each operand")
        end = self.combine.block.last_op
        if not isinstance(end, CombineTerminator) or [v.type for v in end.values] != scalars:
            raise VerifyException(f"{self.name}: the region must give one scalar of each operand")
        ranks = {len(shape_of(src.type)) for src in self.srcs}
        if any(not 0 <= self.axis.value.data < rank for rank in ranks):
            raise VerifyException(f"{self.name}: the operands have no axis {self.axis.value.data}")
        expected = [self._result(src.type) for src in self.srcs]
        if [result.type for result in self.results] != expected:
            raise VerifyException(
                f"{self.name}: the results must have the types {', '.join(map(str, expected))}"
            )


@irdl_op_definition
class ReduceOp(Combination):
    """Reduction along ``axis``; the region combines two scalars.

    ```mlir
    %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128xf32>) -> f32
    ```
    """

    name = "tt.reduce"

    def __init__(self, srcs: Sequence[SSAValue], axis: int, combine: Region) -> None:
        super().__init__(
            operands=[list(srcs)],
            properties={"axis": IntegerAttr(axis, i32)},
            result_types=[[_without(src.type, axis) for src in srcs]],
            regions=[combine],
        )

    def _result(self, src: Attribute) -> Attribute:
        return _without(src, self.axis.value.data)


def _without(type: Attribute, axis: int) -> Attribute:
    """The type of a block without one of its dims."""
    shape = list(shape_of(type))
    del shape[axis]
    return block_of(shape, scalar_of(type))


@irdl_op_definition
class ReduceReturnOp(CombineTerminator):
    """Terminator of the combine region of a reduction.

    ```mlir
    tt.reduce.return %c : f32
    ```
    """

    name = "tt.reduce.return"


@irdl_op_definition
class ScanOp(Combination):
    """Scan along ``axis``, from the last lane with ``reverse``; the region combines the accumulator
    with the next scalar.

    ```mlir
    %1 = "tt.scan"(%0) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<128xf32>) -> tensor<128xf32>
    ```
    """

    name = "tt.scan"

    reverse = prop_def(BoolAttr)

    def __init__(self, srcs: Sequence[SSAValue], axis: int, reverse: bool, combine: Region) -> None:
        super().__init__(
            operands=[list(srcs)],
            properties={"axis": IntegerAttr(axis, i32), "reverse": BoolAttr.from_bool(reverse)},
            result_types=[[src.type for src in srcs]],
            regions=[combine],
        )

    def _result(self, src: Attribute) -> Attribute:
        return src


@irdl_op_definition
class ScanReturnOp(CombineTerminator):
    """Terminator of the combine region of a scan.

    ```mlir
    tt.scan.return %c : f32
    ```
    """

    name = "tt.scan.return"


@irdl_op_definition
class HistogramOp(PureOp):
    """Histogram of the numbers below the size of the result; no lane in the mask may hold another.

    ```mlir
    %2 = tt.histogram %0, %1 : tensor<128xi1> : tensor<128xi32> -> tensor<16xi32>
    ```
    """

    name = "tt.histogram"

    src = operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$src (`,` $mask^ `:` type($mask))? attr-dict `:` type($src) `->` type($result)"
    )

    def __init__(self, src: SSAValue, bins: int, mask: SSAValue | None = None) -> None:
        super().__init__(
            operands=[src, [] if mask is None else [mask]], result_types=[tensor_of(i32, [bins])]
        )

    def verify_(self) -> None:
        if len(shape_of(self.src.type)) != 1 or scalar_of(self.src.type) != i32:
            raise VerifyException("tt.histogram: the operand must be a row of i32")
        if len(shape_of(self.result.type)) != 1 or scalar_of(self.result.type) != i32:
            raise VerifyException("tt.histogram: the result must be a row of i32")
        if self.mask is not None and self.mask.type != tensor_of(i1, shape_of(self.src.type)):
            raise VerifyException("tt.histogram: the mask must be bits of the operand's shape")
