"""``arith`` as Triton uses it: comparisons, selections and casts of whole blocks.

xDSL restricts the results of ``arith.cmpi`` and ``arith.cmpf``, the condition of ``arith.select``,
and conversions of integers to scalars. :data:`BLOCK_ARITH` is its dialect with these ops replaced,
and ``arith.remf`` added.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, TensorType, i1, i64
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp, ops_of
from ninetoothed.ir.tt.syntax import parse_operands, print_operands
from ninetoothed.ir.tt.types import tensor_of

INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


def bits_like(type: Attribute) -> Attribute:
    """``i1`` in the shape of ``type``."""
    return tensor_of(i1, type.get_shape()) if isinstance(type, TensorType) else i1


class _CompareOp(PureOp):
    PREDICATES: ClassVar[tuple[str, ...]]

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    predicate = prop_def(IntegerAttr)
    lhs = operand_def(_T)
    rhs = operand_def(_T)
    result = result_def(base(IntegerType) | base(TensorType))

    def __init__(
        self, predicate: str, lhs: SSAValue | Operation, rhs: SSAValue | Operation
    ) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(
            operands=[lhs, rhs],
            properties={"predicate": IntegerAttr(self.PREDICATES.index(predicate), i64)},
            result_types=[bits_like(lhs.type)],
        )

    @property
    def comparison(self) -> str:
        """The predicate's name."""
        return self.PREDICATES[self.predicate.value.data]

    def verify_(self) -> None:
        if not 0 <= self.predicate.value.data < len(self.PREDICATES):
            raise VerifyException(f"{self.name}: there is no predicate {self.predicate.value.data}")
        if self.result.type != bits_like(self.lhs.type):
            raise VerifyException(
                f"{self.name}: comparing {self.lhs.type} gives {bits_like(self.lhs.type)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> _CompareOp:
        predicate = parser.parse_identifier()
        if predicate not in cls.PREDICATES:
            parser.raise_error(f"{cls.name} has no predicate {predicate}")
        parser.parse_punctuation(",")
        (lhs, rhs), attributes = parse_operands(parser, lambda types, count: types * 2)
        op = cls(predicate, lhs, rhs)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.comparison},")
        print_operands(printer, self, self.lhs.type)


@irdl_op_definition
class CmpiOp(_CompareOp):
    """Comparison of integers, ``s`` signed or ``u`` unsigned.

    ```mlir
    %2 = arith.cmpi slt, %0, %1 : tensor<128xi32>
    ```
    """

    name = "arith.cmpi"

    PREDICATES: ClassVar = INTEGER_PREDICATES


@irdl_op_definition
class CmpfOp(_CompareOp):
    """Comparison of floats: ``o`` (ordered) is false with a NaN, ``u`` (unordered) is true.

    ```mlir
    %2 = arith.cmpf olt, %0, %1 : tensor<128xf32>
    ```
    """

    name = "arith.cmpf"

    PREDICATES: ClassVar = FLOAT_PREDICATES


@irdl_op_definition
class SelectOp(PureOp):
    """Select ``cond ? lhs : rhs``, elementwise or as a whole.

    ```mlir
    %3 = arith.select %0, %1, %2 : tensor<128xi1>, tensor<128xf32>
    ```
    """

    name = "arith.select"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    cond = operand_def(base(IntegerType) | base(TensorType))
    lhs = operand_def(_T)
    rhs = operand_def(_T)
    result = result_def(_T)

    def __init__(self, cond: SSAValue | Operation, lhs: SSAValue, rhs: SSAValue) -> None:
        super().__init__(operands=[cond, lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        if self.cond.type not in (i1, bits_like(self.lhs.type)):
            raise VerifyException(
                f"arith.select: the condition must have type {bits_like(self.lhs.type)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        # One type: the condition is a scalar; two: a block.
        values, attributes = parse_operands(
            parser,
            lambda types, count: [i1 if len(types) == 1 else types[0], types[-1], types[-1]],
        )
        op = cls(*values)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        condition = [] if self.cond.type == i1 else [self.cond.type]
        print_operands(printer, self, *condition, self.lhs.type)


@irdl_op_definition
class RemfOp(PureOp):
    """Remainder of floats, with the dividend's sign; xDSL has none.

    ```mlir
    %2 = arith.remf %0, %1 : tensor<128xf32>
    ```
    """

    name = "arith.remf"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    lhs = operand_def(_T)
    rhs = operand_def(_T)
    fastmath = prop_def(arith.FastMathFlagsAttr)
    result = result_def(_T)

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(
            operands=[lhs, rhs],
            properties={"fastmath": arith.FastMathFlagsAttr("none")},
            result_types=[lhs.type],
        )

    @classmethod
    def parse(cls, parser: Parser) -> RemfOp:
        values, attributes = parse_operands(parser, lambda types, count: types * 2)
        op = cls(*values)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        print_operands(printer, self, self.result.type)


class _ConvertOp(PureOp):
    input = operand_def()
    result = result_def()

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, input: SSAValue | Operation, target_type: Attribute) -> None:
        super().__init__(operands=[input], result_types=[target_type])

    def verify_(self) -> None:
        if _shape(self.input.type) != _shape(self.result.type):
            raise VerifyException(f"{self.name}: the shapes must be equal")


def _shape(type: Attribute) -> tuple[int, ...]:
    return type.get_shape() if isinstance(type, TensorType) else ()


@irdl_op_definition
class ExtSIOp(_ConvertOp):
    """Sign extension."""

    name = "arith.extsi"


@irdl_op_definition
class ExtUIOp(_ConvertOp):
    """Zero extension."""

    name = "arith.extui"


@irdl_op_definition
class TruncIOp(_ConvertOp):
    """Truncation of an integer to fewer bits."""

    name = "arith.trunci"


@irdl_op_definition
class SIToFPOp(_ConvertOp):
    """Signed integer to float."""

    name = "arith.sitofp"


@irdl_op_definition
class UIToFPOp(_ConvertOp):
    """Unsigned integer to float."""

    name = "arith.uitofp"


@irdl_op_definition
class FPToSIOp(_ConvertOp):
    """Float to signed integer, truncated."""

    name = "arith.fptosi"


@irdl_op_definition
class FPToUIOp(_ConvertOp):
    """Float to unsigned integer, truncated."""

    name = "arith.fptoui"


_OPS = {op.name: op for op in (*arith.Arith.operations, *ops_of(__name__))}

BLOCK_ARITH = Dialect(
    "arith",
    list(_OPS.values()),
    list(arith.Arith.attributes),
    [arith.ArithConstantMaterializationInterface()],
)
"""``arith``, with the ops of this module for blocks."""
