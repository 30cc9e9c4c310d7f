"""Reductions, scans, sorts and histograms.

Named ones have an identity, which lanes that are not valid read. Those with a region combine by any
function of scalars; ``valid`` is the mask of the lanes that take part, where it is not all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    BoolAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
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
from ninetoothed.ir.nt.attributes import TensorType
from ninetoothed.ir.nt.shapes import AlongAxis
from ninetoothed.ir.nt.types import scalar_of, shape_of, with_scalar, without_dim
from ninetoothed.language.table import REDUCTIONS, SCANS
from ninetoothed.symbolic.expr import IndexExpr


@irdl_op_definition
class ReduceOp(AlongAxis):
    """A reduction of the language's table along ``axis``; lanes that are not valid read its
    identity.

    ```mlir
    %1 = nt.reduce "sum" %0 axis 1 : !nt.tensor<[BM, BN] x f32> -> !nt.tensor<[BM] x f32>
    ```
    """

    name = "nt.reduce"

    function = prop_def(StringAttr)
    value = operand_def(TensorType)
    result = result_def()

    assembly_format = "$function $value `axis` $axis attr-dict `:` type($value) `->` type($result)"

    def __init__(self, function: str, value: SSAValue | Operation, axis: int) -> None:
        value = SSAValue.get(value)
        super().__init__(
            operands=[value],
            properties={"function": StringAttr(function), "axis": IntegerAttr(axis, i64)},
            result_types=[without_dim(value.type, axis)],
        )

    def verify_(self) -> None:
        if self.function.data not in REDUCTIONS:
            raise VerifyException(f"nt.reduce: the language has no reduction {self.function.data}")
        self.check_dim(self.value.type)
        if self.result.type != without_dim(self.value.type, self.dim):
            raise VerifyException(
                f"nt.reduce: {self.value.type} along {self.dim} cannot be {self.result.type}"
            )


@irdl_op_definition
class ScanOp(AlongAxis):
    """A scan of the language's table along ``axis``: each lane combines all lanes up to it, or with
    ``reverse`` from it on. Lanes that are not valid read its identity; the result has the operand's
    guard.

    ```mlir
    %1 = nt.scan "cumsum" %0 axis 1 reverse false : !nt.tensor<[BM, BN] x f32>
    ```
    """

    name = "nt.scan"

    _T: ClassVar = VarConstraint("_T", base(TensorType))

    function = prop_def(StringAttr)
    value = operand_def(_T)
    reverse = prop_def(BoolAttr)
    result = result_def(_T)

    assembly_format = "$function $value `axis` $axis `reverse` $reverse attr-dict `:` type($value)"

    def __init__(
        self, function: str, value: SSAValue | Operation, axis: int, reverse: bool
    ) -> None:
        value = SSAValue.get(value)
        super().__init__(
            operands=[value],
            properties={
                "function": StringAttr(function),
                "axis": IntegerAttr(axis, i64),
                "reverse": BoolAttr.from_bool(reverse),
            },
            result_types=[value.type],
        )

    @property
    def reversed(self) -> bool:
        """True if it starts from the last lane."""
        return bool(self.reverse)

    def verify_(self) -> None:
        if self.function.data not in SCANS:
            raise VerifyException(f"nt.scan: the language has no scan {self.function.data}")
        self.check_dim(self.value.type)


@irdl_op_definition
class YieldOp(CombineTerminator):
    """Terminator of the combine regions of ``nt.reduce_by`` and ``nt.scan_by``.

    ```mlir
    nt.yield %0, %1 : f32, i32
    ```
    """

    name = "nt.yield"


class Combination(AlongAxis):
    """Base class of ``nt.reduce_by`` and ``nt.scan_by``."""

    values = var_operand_def(TensorType)
    valid = opt_operand_def(TensorType)
    results_ = var_result_def()
    combine = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsolatedFromAbove())

    @property
    def combined(self) -> tuple[SSAValue, ...]:
        """The results without the mask of the valid ones."""
        return tuple(self.results[: len(self.values)])

    def leaves(self, result: SSAValue) -> bool:
        """True if some lane of a result may not be valid, since ``valid`` may hold nowhere."""
        return self.valid is not None and result in self.combined

    def masked(self, valid: SSAValue) -> Combination:
        """The op with another mask, which takes over the region of this one."""
        raise NotImplementedError

    def _result(self, type: Attribute) -> Attribute:
        """The type of a result, from its operand's."""
        raise NotImplementedError

    def verify_(self) -> None:
        if not self.values:
            raise VerifyException(f"{self.name}: there is nothing to combine")
        shape = shape_of(self.values[0].type)
        self.check_dim(self.values[0].type)
        if any(shape_of(operand.type) != shape for operand in self.operands):
            raise VerifyException(f"{self.name}: the operands must have one shape")
        if self.valid is not None and scalar_of(self.valid.type) != i1:
            raise VerifyException(f"{self.name}: which lanes are valid is said by bits")
        scalars = [scalar_of(value.type) for value in self.values]
        if [argument.type for argument in self.combine.block.args] != scalars * 2:
            raise VerifyException(f"{self.name}: the region must take two scalars of each operand")
        if any(op.regions for op in self.combine.block.ops):
            raise VerifyException(f"{self.name}: the region must hold no branches and no loops")
        end = self.combine.block.last_op
        if not isinstance(end, YieldOp) or [v.type for v in end.values] != scalars:
            raise VerifyException(f"{self.name}: the region must give one scalar of each operand")
        expected = [self._result(operand.type) for operand in self.operands]
        if [result.type for result in self.results] != expected:
            raise VerifyException(
                f"{self.name}: the results must have the types {', '.join(map(str, expected))}"
            )


def _operands(
    values: Sequence[SSAValue], valid: SSAValue | None
) -> list[SSAValue | Sequence[SSAValue]]:
    return [list(values), [] if valid is None else [valid]]


@irdl_op_definition
class ReduceByOp(Combination):
    """A reduction along ``axis``: the region combines two tuples of scalars, the left from lower
    lanes, to one. It must be associative and commutative.

    With ``valid``, only lanes where it holds take part, and one more result is the mask of the
    reduced lanes that are valid.

    ```mlir
    %2, %3 = nt.reduce_by %0 valid %1 : !nt.tensor<[B] x i1> axis 0 {
    ^bb0(%left : f32, %right : f32):
      %4 = nt.elementwise "mul"(%left, %right) : (f32, f32) -> f32
      nt.yield %4 : f32
    } : !nt.tensor<[B] x f32> -> f32, i1
    ```
    """

    name = "nt.reduce_by"

    assembly_format = (
        "$values (`valid` $valid^ `:` type($valid))? `axis` $axis $combine attr-dict "
        "`:` type($values) `->` type($results_)"
    )

    def __init__(
        self, values: Sequence[SSAValue], axis: int, combine: Region, valid: SSAValue | None = None
    ) -> None:
        operands = [*values] if valid is None else [*values, valid]
        super().__init__(
            operands=_operands(values, valid),
            properties={"axis": IntegerAttr(axis, i64)},
            result_types=[[without_dim(operand.type, axis) for operand in operands]],
            regions=[combine],
        )

    def masked(self, valid: SSAValue) -> ReduceByOp:
        """The op with another mask, which takes over the region of this one."""
        return ReduceByOp(self.values, self.dim, self.detach_region(self.combine), valid)

    def _result(self, type: Attribute) -> Attribute:
        return without_dim(type, self.dim)


@irdl_op_definition
class ScanByOp(Combination):
    """A scan along ``axis``: each lane combines all lanes up to it, or with ``reverse`` from it on.
    The region combines the accumulator, on the left, with the next lane. It must be associative.

    With ``valid``, only lanes where it holds take part, and only these are valid in the result; one
    more result is the mask of lanes up to which some lane did.

    ```mlir
    %1 = nt.scan_by %0 axis 0 reverse false {
    ^bb0(%left : f32, %right : f32):
      %2 = nt.elementwise "mul"(%left, %right) : (f32, f32) -> f32
      nt.yield %2 : f32
    } : !nt.tensor<[B] x f32> -> !nt.tensor<[B] x f32>
    ```
    """

    name = "nt.scan_by"

    reverse = prop_def(BoolAttr)

    assembly_format = (
        "$values (`valid` $valid^ `:` type($valid))? `axis` $axis `reverse` $reverse $combine "
        "attr-dict `:` type($values) `->` type($results_)"
    )

    def __init__(
        self,
        values: Sequence[SSAValue],
        axis: int,
        reverse: bool,
        combine: Region,
        valid: SSAValue | None = None,
    ) -> None:
        operands = [*values] if valid is None else [*values, valid]
        super().__init__(
            operands=_operands(values, valid),
            properties={"axis": IntegerAttr(axis, i64), "reverse": BoolAttr.from_bool(reverse)},
            result_types=[[operand.type for operand in operands]],
            regions=[combine],
        )

    @property
    def reversed(self) -> bool:
        """True if it starts from the last lane."""
        return bool(self.reverse)

    def masked(self, valid: SSAValue) -> ScanByOp:
        """The op with another mask, which takes over the region of this one."""
        region = self.detach_region(self.combine)
        return ScanByOp(self.values, self.dim, self.reversed, region, valid)

    def _result(self, type: Attribute) -> Attribute:
        return type


@irdl_op_definition
class SortOp(AlongAxis):
    """Sort integers along ``axis``; the result has the first lanes of the order, as many as its
    type says. Lanes that are not valid go behind all others, and stay so.

    ``bitonic``: the lanes of the operand are known to rise and then fall, or to fall and then rise,
    which one merge sorts; of others, the result is unspecified. ``reversed``: the result is
    flipped.

    ```mlir
    %1 = nt.sort %0 axis 1 descending true
        : !nt.tensor<[BM, BN] x i32> -> !nt.tensor<[BM, 8] x i32>
    ```
    """

    name = "nt.sort"

    value = operand_def(TensorType)
    descending = prop_def(BoolAttr)
    bitonic = opt_prop_def(UnitAttr)
    reversed = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    assembly_format = (
        "(`bitonic` $bitonic^)? $value `axis` $axis `descending` $descending "
        "(`reversed` $reversed^)? attr-dict `:` type($value) `->` type($result)"
    )

    def __init__(
        self,
        value: SSAValue | Operation,
        axis: int,
        descending: bool,
        first: IndexExpr | None = None,
    ) -> None:
        """``first``: how many lanes the result has; None: all."""
        value = SSAValue.get(value)
        sizes = list(shape_of(value.type))
        # Of an axis that is not there, the verifier says so.
        if first is not None and 0 <= axis < len(sizes):
            sizes[axis] = first
        super().__init__(
            operands=[value],
            properties={
                "axis": IntegerAttr(axis, i64),
                "descending": BoolAttr.from_bool(descending),
            },
            result_types=[TensorType.of(sizes, scalar_of(value.type))],
        )

    @property
    def falls(self) -> bool:
        """True if the order is descending."""
        return bool(self.descending)

    def verify_(self) -> None:
        self.check_dim(self.value.type)
        scalar = scalar_of(self.value.type)
        if not isinstance(scalar, IntegerType) or scalar == i1:
            raise VerifyException("nt.sort: integers are sorted")
        sizes, first = list(shape_of(self.value.type)), list(shape_of(self.result.type))
        most = sizes[self.dim].value
        if len(first) == len(sizes):
            sizes[self.dim] = first[self.dim]
        if self.result.type != TensorType.of(sizes, scalar_of(self.value.type)):
            raise VerifyException(
                f"nt.sort: {self.value.type} along {self.dim} cannot be {self.result.type}"
            )
        least = first[self.dim].value
        if most is not None and least is not None and least > most:
            raise VerifyException(f"nt.sort: of {most} lanes there are no first {least}")


@irdl_op_definition
class HistogramOp(PureOp):
    """Histogram: how many lanes hold ``0``, ``1``, …, below the size of the result. Other numbers,
    and lanes that are not valid or not in the mask, are not counted.

    ```mlir
    %2 = nt.histogram %0 mask %1 : !nt.tensor<[B] x i1>
        : !nt.tensor<[B] x i32> -> !nt.tensor<[10] x i32>
    ```
    """

    name = "nt.histogram"

    value = operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$value (`mask` $mask^ `:` type($mask))? attr-dict `:` type($value) `->` type($result)"
    )

    def __init__(self, value: SSAValue, bins: IndexExpr, mask: SSAValue | None = None) -> None:
        super().__init__(
            operands=[value, [] if mask is None else [mask]],
            result_types=[TensorType.of((bins,), i32)],
        )

    @property
    def bins(self) -> IndexExpr:
        """The number of bins."""
        return shape_of(self.result.type)[0]

    def masked(self, mask: SSAValue) -> HistogramOp:
        """A copy of the op with another mask."""
        return HistogramOp(self.value, self.bins, mask)

    def verify_(self) -> None:
        if len(shape_of(self.value.type)) != 1 or len(shape_of(self.result.type)) != 1:
            raise VerifyException("nt.histogram: the operand and the result must have one dim")
        if not isinstance(scalar_of(self.value.type), IntegerType):
            raise VerifyException("nt.histogram: integers are counted")
        if scalar_of(self.result.type) != i32:
            raise VerifyException("nt.histogram: counts must be i32")
        if self.mask is not None and self.mask.type != with_scalar(self.value.type, i1):
            raise VerifyException("nt.histogram: the mask must be bits of the operand's shape")
