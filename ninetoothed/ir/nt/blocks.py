"""The ops of an application: reads and writes of parameters, and arithmetic on blocks.

Values are blocks (one-level ``!nt.tensor`` of scalars) and scalars. Types are explicit: promotion,
broadcasting and casts are ops, so that no later pass guesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.nt.attributes import ExprAttr, ExprsAttr, TensorType
from ninetoothed.ir.nt.types import block_type, scalar_of, shape_of, share_type, with_scalar
from ninetoothed.language.table import MAPS, REDUCTIONS


def check_indices(op: Operation, ref: Attribute, count: int) -> None:
    """Hold an op to one index a dim of the levels above the block."""
    assert isinstance(ref, TensorType)
    expected = sum(len(level.sizes) for level in ref.levels[:-1])
    if count != expected:
        raise VerifyException(
            f"{op.name}: {count} indices for {expected} dims of the levels above the block"
        )


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Read a block: the share ``ref``, indexed down to its innermost level.

    Where the access's guard is false the lanes are ``other``; without ``other`` they are
    unspecified.

    ```mlir
    %1 = nt.load %x[%k] other 0.0 : f16
        : !nt.tensor<[n] x !nt.tensor<[B] x f16>>[i32] -> !nt.tensor<[B] x f16>
    ```
    """

    name = "nt.load"

    ref = operand_def(TensorType)
    indices = var_operand_def()
    other = opt_prop_def(FloatAttr | IntegerAttr)
    result = result_def()

    traits = traits_def(MemoryReadEffect())

    assembly_format = (
        "$ref `[` $indices `]` (`other` $other^)? attr-dict "
        "`:` type($ref) `[` type($indices) `]` `->` type($result)"
    )

    def __init__(
        self,
        ref: SSAValue,
        indices: Sequence[SSAValue] = (),
        other: FloatAttr | IntegerAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[ref, list(indices)],
            properties={} if other is None else {"other": other},
            result_types=[share_type(ref.type)],
        )

    def verify_(self) -> None:
        check_indices(self, self.ref.type, len(self.indices))
        if self.result.type != share_type(self.ref.type):
            raise VerifyException(
                f"nt.load: the result must have type {share_type(self.ref.type)}, not {self.result.type}"
            )


@irdl_op_definition
class GuardOp(IRDLOperation):
    """Which lanes of a share are elements of the source: the access's guard, as a block of ``i1``.

    ```mlir
    %1 = nt.guard %x[%k] : !nt.tensor<[n] x !nt.tensor<[B] x f16>>[i32] -> !nt.tensor<[B] x i1>
    ```
    """

    name = "nt.guard"

    ref = operand_def(TensorType)
    indices = var_operand_def()
    result = result_def()

    traits = traits_def(Pure())

    assembly_format = (
        "$ref `[` $indices `]` attr-dict `:` type($ref) `[` type($indices) `]` `->` type($result)"
    )

    def __init__(self, ref: SSAValue, indices: Sequence[SSAValue] = ()) -> None:
        super().__init__(
            operands=[ref, list(indices)],
            result_types=[with_scalar(share_type(ref.type), i1)],
        )

    def verify_(self) -> None:
        check_indices(self, self.ref.type, len(self.indices))
        expected = with_scalar(share_type(self.ref.type), i1)
        if self.result.type != expected:
            raise VerifyException(
                f"nt.guard: the result must have type {expected}, not {self.result.type}"
            )


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Write a block to a share; lanes outside the access's guard write nothing.

    ```mlir
    nt.store %0, %z[] : !nt.tensor<[B] x f16>, !nt.tensor<[B] x f16>[]
    ```
    """

    name = "nt.store"

    value = operand_def()
    ref = operand_def(TensorType)
    indices = var_operand_def()

    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$value `,` $ref `[` $indices `]` attr-dict "
        "`:` type($value) `,` type($ref) `[` type($indices) `]`"
    )

    def __init__(self, value: SSAValue, ref: SSAValue, indices: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[value, ref, list(indices)])

    def verify_(self) -> None:
        check_indices(self, self.ref.type, len(self.indices))
        if self.value.type != share_type(self.ref.type):
            raise VerifyException(
                f"nt.store: the value must have type {share_type(self.ref.type)}, not {self.value.type}"
            )


@irdl_op_definition
class SizeOp(IRDLOperation):
    """The value of an expression over the kernel's sizes, strides and block sizes.

    ```mlir
    %steps = nt.size <x_size_1 ceildiv B> : i32
    ```
    """

    name = "nt.size"

    expr = prop_def(ExprAttr)
    result = result_def(IntegerType | IndexType)

    traits = traits_def(Pure())

    assembly_format = "$expr attr-dict `:` type($result)"

    def __init__(self, expr: ExprAttr, type: IntegerType | IndexType) -> None:
        super().__init__(properties={"expr": expr}, result_types=[type])


@irdl_op_definition
class FullOp(IRDLOperation):
    """A block whose lanes all hold one scalar.

    ```mlir
    %1 = nt.full %0 : f32 -> !nt.tensor<[BM, BN] x f32>
    ```
    """

    name = "nt.full"

    value = operand_def()
    result = result_def(TensorType)

    traits = traits_def(Pure())

    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue | Operation, type: Attribute) -> None:
        super().__init__(operands=[value], result_types=[type])

    def verify_(self) -> None:
        if scalar_of(self.result.type) != self.value.type:
            raise VerifyException(
                f"nt.full: a block of {scalar_of(self.result.type)} cannot hold {self.value.type}"
            )


@irdl_op_definition
class ArangeOp(IRDLOperation):
    """``start, start + 1, …`` along the one dim.

    ```mlir
    %1 = nt.arange <0> : !nt.tensor<[B] x i32>
    ```
    """

    name = "nt.arange"

    start = prop_def(ExprAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    assembly_format = "$start attr-dict `:` type($result)"

    def __init__(self, start: ExprAttr, type: Attribute) -> None:
        super().__init__(properties={"start": start}, result_types=[type])

    def verify_(self) -> None:
        if len(shape_of(self.result.type)) != 1:
            raise VerifyException("nt.arange: the result must have one dim")


@irdl_op_definition
class MapOp(IRDLOperation):
    """An elementwise operation of the language's table, named by ``function``, on values of one
    shape.

    ```mlir
    %2 = nt.map "add"(%0, %1) : (!nt.tensor<[B] x f16>, !nt.tensor<[B] x f16>) -> !nt.tensor<[B] x f16>
    ```
    """

    name = "nt.map"

    function = prop_def(StringAttr)
    arguments = var_operand_def()
    result = result_def()

    traits = traits_def(Pure())

    assembly_format = (
        "$function `(` $arguments `)` attr-dict `:` functional-type($arguments, $result)"
    )

    def __init__(self, function: str, arguments: Sequence[SSAValue], type: Attribute) -> None:
        super().__init__(
            operands=[list(arguments)],
            properties={"function": StringAttr(function)},
            result_types=[type],
        )

    def verify_(self) -> None:
        row = MAPS.get(self.function.data)
        if row is None:
            raise VerifyException(f"nt.map: the language has no function {self.function.data}")
        if len(self.arguments) != len(row.parameters):
            raise VerifyException(
                f"nt.map {row.name}: {len(self.arguments)} arguments for {len(row.parameters)}"
            )
        shape = shape_of(self.result.type)
        for argument in self.arguments:
            if shape_of(argument.type) != shape:
                raise VerifyException(
                    f"nt.map {self.function.data}: an argument of type {argument.type} for a result of "
                    f"type {self.result.type}; the shapes must be equal"
                )


@irdl_op_definition
class CastOp(IRDLOperation):
    """The values in another scalar type, by Triton's rules of conversion.

    ```mlir
    %1 = nt.cast %0 : !nt.tensor<[B] x f32> -> !nt.tensor<[B] x f16>
    ```
    """

    name = "nt.cast"

    value = operand_def()
    result = result_def()

    traits = traits_def(Pure())

    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue | Operation, scalar: Attribute) -> None:
        value = SSAValue.get(value)
        super().__init__(operands=[value], result_types=[with_scalar(value.type, scalar)])

    def verify_(self) -> None:
        if shape_of(self.value.type) != shape_of(self.result.type):
            raise VerifyException("nt.cast: the shapes must be equal")


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """A reduction of the language's table along ``axis``; lanes outside the guard read its
    identity.

    ```mlir
    %1 = nt.reduce "sum" %0 axis [1] : !nt.tensor<[BM, BN] x f32> -> !nt.tensor<[BM] x f32>
    ```
    """

    name = "nt.reduce"

    function = prop_def(StringAttr)
    value = operand_def(TensorType)
    axis = prop_def(ExprsAttr)
    result = result_def()

    traits = traits_def(Pure())

    assembly_format = "$function $value `axis` $axis attr-dict `:` type($value) `->` type($result)"

    def __init__(self, function: str, value: SSAValue | Operation, axis: int) -> None:
        value = SSAValue.get(value)
        sizes = list(shape_of(value.type))
        del sizes[axis]
        super().__init__(
            operands=[value],
            properties={"function": StringAttr(function), "axis": ExprsAttr.of((axis,))},
            result_types=[block_type(sizes, scalar_of(value.type))],
        )

    @property
    def dim(self) -> int:
        """The dim that is reduced."""
        return self.axis.data[0].args[0]

    def verify_(self) -> None:
        if self.function.data not in REDUCTIONS:
            raise VerifyException(f"nt.reduce: the language has no reduction {self.function.data}")
        sizes = list(shape_of(self.value.type))
        if not 0 <= self.dim < len(sizes):
            raise VerifyException(f"nt.reduce: there is no dim {self.dim}")
        del sizes[self.dim]
        if self.result.type != block_type(sizes, scalar_of(self.value.type)):
            raise VerifyException(
                f"nt.reduce: {self.value.type} along {self.dim} cannot be {self.result.type}"
            )


@irdl_op_definition
class DotOp(IRDLOperation):
    """``a @ b + acc`` of two-dimensional blocks; lanes outside the guards of ``a`` and ``b`` read 0
    along K.

    ``precision``: how products of f32 are formed, ``"tf32"``, ``"tf32x3"`` or ``"ieee"``.

    ```mlir
    %3 = nt.dot %0, %1, %2 "tf32"
        : !nt.tensor<[BM, BK] x f16>, !nt.tensor<[BK, BN] x f16> -> !nt.tensor<[BM, BN] x f32>
    ```
    """

    name = "nt.dot"

    _T: ClassVar = VarConstraint("_T", base(TensorType))

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    acc = operand_def(_T)
    precision = prop_def(StringAttr)
    result = result_def(_T)

    traits = traits_def(Pure())

    assembly_format = (
        "$a `,` $b `,` $acc $precision attr-dict `:` type($a) `,` type($b) `->` type($result)"
    )

    def __init__(self, a: SSAValue, b: SSAValue, acc: SSAValue | Operation, precision: str) -> None:
        acc = SSAValue.get(acc)
        super().__init__(
            operands=[a, b, acc],
            properties={"precision": StringAttr(precision)},
            result_types=[acc.type],
        )

    def verify_(self) -> None:
        a, b = shape_of(self.a.type), shape_of(self.b.type)
        if len(a) != 2 or len(b) != 2 or a[1] != b[0]:
            raise VerifyException(f"nt.dot: {self.a.type} and {self.b.type} do not multiply")
        if shape_of(self.acc.type) != (a[0], b[1]):
            raise VerifyException(f"nt.dot: the accumulator cannot be {self.acc.type}")
        if scalar_of(self.a.type) != scalar_of(self.b.type):
            raise VerifyException("nt.dot: the operands must have one scalar type")


@irdl_op_definition
class FinishOp(IRDLOperation):
    """The end of an application.

    ```mlir
    nt.finish
    ```
    """

    name = "nt.finish"

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "attr-dict"
