"""What is computed with blocks: shapes, matrix products, reductions, conversions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.tt.types import block_of, scalar_of, shape_of, tensor_of


@irdl_op_definition
class MakeRangeOp(IRDLOperation):
    """``start, …, end - 1``; the length is a power of two.

    ```mlir
    %0 = tt.make_range 0 : i32 128 : i32 -> tensor<128xi32>
    ```
    """

    name = "tt.make_range"

    start = prop_def(IntegerAttr)
    end = prop_def(IntegerAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())

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


@irdl_op_definition
class SplatOp(IRDLOperation):
    """A block whose lanes all hold one scalar.

    ```mlir
    %1 = tt.splat %0 : i32 -> tensor<128xi32>
    ```
    """

    name = "tt.splat"

    src = operand_def()
    result = result_def(TensorType)

    traits = traits_def(Pure())

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, shape: Sequence[int]) -> None:
        src = SSAValue.get(src)
        super().__init__(operands=[src], result_types=[tensor_of(src.type, shape)])

    def verify_(self) -> None:
        if scalar_of(self.result.type) != self.src.type:
            raise VerifyException("tt.splat: the lanes must have the scalar's type")


@irdl_op_definition
class ExpandDimsOp(IRDLOperation):
    """A dim of size 1 inserted at ``axis``.

    ```mlir
    %1 = tt.expand_dims %0 1 : i32 : tensor<64xi32> -> tensor<64x1xi32>
    ```
    """

    name = "tt.expand_dims"

    src = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())

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
        shape.insert(self.axis.value.data, 1)
        if self.result.type != tensor_of(scalar_of(self.src.type), shape):
            raise VerifyException(f"tt.expand_dims: the result's shape must be {tuple(shape)}")


@irdl_op_definition
class BroadcastOp(IRDLOperation):
    """Dims of size 1 repeated.

    ```mlir
    %1 = tt.broadcast %0 : tensor<64x1xi32> -> tensor<64x32xi32>
    ```
    """

    name = "tt.broadcast"

    src = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, shape: Sequence[int]) -> None:
        src = SSAValue.get(src)
        super().__init__(operands=[src], result_types=[tensor_of(scalar_of(src.type), shape)])

    def verify_(self) -> None:
        old, new = shape_of(self.src.type), shape_of(self.result.type)
        if len(old) != len(new) or any(
            one not in (1, two) for one, two in zip(old, new, strict=True)
        ):
            raise VerifyException(f"tt.broadcast: {old} cannot become {new}")


@irdl_op_definition
class TransOp(IRDLOperation):
    """The dims reordered.

    ```mlir
    %1 = tt.trans %0 array<i32: 1, 0> : tensor<64x32xf16> -> tensor<32x64xf16>
    ```
    """

    name = "tt.trans"

    src = operand_def(TensorType)
    order = prop_def(DenseArrayBase.constr(i32))
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(self, src: SSAValue | Operation, order: Sequence[int]) -> None:
        src = SSAValue.get(src)
        shape = shape_of(src.type)
        super().__init__(
            operands=[src],
            properties={"order": DenseArrayBase.from_list(i32, list(order))},
            result_types=[tensor_of(scalar_of(src.type), [shape[dim] for dim in order])],
        )

    def verify_(self) -> None:
        old, order = shape_of(self.src.type), self.order.get_values()
        if sorted(order) != list(range(len(old))):
            raise VerifyException("tt.trans: order must name each dim once")
        if tuple(old[int(dim)] for dim in order) != shape_of(self.result.type):
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
        # A format would print the array's bytes.
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
class GatherOp(IRDLOperation):
    """Lanes of ``src`` picked along ``axis`` by ``indices``, each below the size.

    ```mlir
    %2 = tt.gather %0[%1] 1 : i32 : tensor<64x32xf16>[tensor<64x16xi32>] -> tensor<64x16xf16>
    ```
    """

    name = "tt.gather"

    src = operand_def(TensorType)
    indices = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())

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
class MulhiuiOp(IRDLOperation):
    """The upper half of the product of two unsigned integers.

    ```mlir
    %2 = tt.mulhiui %0, %1 : tensor<128xi32>
    ```
    """

    name = "tt.mulhiui"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    x = operand_def(_T)
    y = operand_def(_T)
    result = result_def(_T)

    traits = traits_def(Pure())

    assembly_format = "$x `,` $y attr-dict `:` type($result)"

    def __init__(self, x: SSAValue | Operation, y: SSAValue | Operation) -> None:
        x = SSAValue.get(x)
        super().__init__(operands=[x, y], result_types=[x.type])

    def verify_(self) -> None:
        if scalar_of(self.result.type) not in (i32, i64):
            raise VerifyException("tt.mulhiui: the operands must be integers of 32 or 64 bits")


PRECISIONS = {"tf32": 0, "tf32x3": 1, "ieee": 2}


@irdl_op_definition
class DotOp(IRDLOperation):
    """``a @ b + c``. ``inputPrecision`` is an entry of ``PRECISIONS``.

    ```mlir
    %3 = tt.dot %0, %1, %2 0 : i32 0 : i32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    ```
    """

    name = "tt.dot"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    c = operand_def(_T)
    inputPrecision = prop_def(IntegerAttr)
    maxNumImpreciseAcc = prop_def(IntegerAttr)
    result = result_def(_T)

    traits = traits_def(Pure())

    assembly_format = (
        "$a `,` $b `,` $c $inputPrecision $maxNumImpreciseAcc attr-dict "
        "`:` type($a) `*` type($b) `->` type($result)"
    )

    def __init__(
        self, a: SSAValue, b: SSAValue, c: SSAValue, precision: str, imprecise: int = 0
    ) -> None:
        super().__init__(
            operands=[a, b, c],
            properties={
                "inputPrecision": IntegerAttr(PRECISIONS[precision], i32),
                "maxNumImpreciseAcc": IntegerAttr(imprecise, i32),
            },
            result_types=[c.type],
        )

    def verify_(self) -> None:
        a, b, c = shape_of(self.a.type), shape_of(self.b.type), shape_of(self.c.type)
        if len(a) != 2 or len(b) != 2 or a[1] != b[0] or c != (a[0], b[1]):
            raise VerifyException(f"tt.dot: shapes {a}, {b} and {c} do not multiply")


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """A reduction along ``axis``; the region combines two scalars.

    ```mlir
    %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128xf32>) -> f32
    ```
    """

    name = "tt.reduce"

    srcs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    results_ = var_result_def()
    combine = region_def("single_block")

    traits = traits_def(Pure())

    def __init__(self, srcs: Sequence[SSAValue], axis: int, combine: Region) -> None:
        results: list[Attribute] = []
        for src in srcs:
            shape = list(shape_of(src.type))
            del shape[axis]
            results.append(block_of(shape, scalar_of(src.type)))
        super().__init__(
            operands=[list(srcs)],
            properties={"axis": IntegerAttr(axis, i32)},
            result_types=[results],
            regions=[combine],
        )

    def verify_(self) -> None:
        expected = [scalar_of(src.type) for src in self.srcs] * 2
        if [argument.type for argument in self.combine.block.args] != expected:
            raise VerifyException("tt.reduce: the region must take two scalars of each operand")


@irdl_op_definition
class ReduceReturnOp(IRDLOperation):
    """What a combination gives.

    ```mlir
    tt.reduce.return %c : f32
    ```
    """

    name = "tt.reduce.return"

    values = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, values: Sequence[SSAValue | Operation]) -> None:
        super().__init__(operands=[values])


@irdl_op_definition
class FpToFpOp(IRDLOperation):
    """A conversion from or to an eight-bit float; ``rounding`` 0 truncates, 1 rounds to nearest
    even.

    ```mlir
    %1 = tt.fp_to_fp %0 : tensor<128xf8E5M2> -> tensor<128xf16>
    ```
    """

    name = "tt.fp_to_fp"

    src = operand_def()
    rounding = opt_prop_def(IntegerAttr)
    result = result_def()

    traits = traits_def(Pure())

    assembly_format = "$src (`rounding` $rounding^)? attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue, scalar: Attribute, rounding: int | None = None) -> None:
        super().__init__(
            operands=[src],
            properties={} if rounding is None else {"rounding": IntegerAttr(rounding, i32)},
            result_types=[block_of(shape_of(src.type), scalar)],
        )
