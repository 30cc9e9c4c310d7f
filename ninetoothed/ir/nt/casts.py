"""Casts between scalar types, and constants of types that ``arith`` has not."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, Signedness, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ninetoothed.dtype import DTYPES
from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.folding import Conversion, Reshaping
from ninetoothed.ir.nt.attributes import dtype_of
from ninetoothed.ir.nt.types import Number, scalar_of, shape_of, with_scalar

ROUNDINGS = ("rtne", "rtz")
"""Rounding modes: to nearest even, towards zero."""


def is_unsigned(scalar: Attribute) -> bool:
    """True for unsigned integer types, which ``arith.constant`` does not take."""
    return (
        isinstance(scalar, IntegerType)
        and cast("IntegerType", scalar).signedness.data == Signedness.UNSIGNED
    )


@irdl_op_definition
class ConstantOp(PureOp):
    """Constant of an unsigned type; for others there is ``arith.constant``.

    ```mlir
    %0 = nt.constant 3 : ui32
    ```
    """

    name = "nt.constant"

    value = prop_def(IntegerAttr)
    result = result_def(IntegerType)

    def __init__(self, value: IntegerAttr[IntegerType]) -> None:
        super().__init__(properties={"value": value}, result_types=[value.type])

    def verify_(self) -> None:
        if self.value.type != self.result.type:
            raise VerifyException("nt.constant: the result must have the number's type")
        if not is_unsigned(self.result.type):
            raise VerifyException("nt.constant: the type must be unsigned; use arith.constant")

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes = parser.parse_optional_attr_dict()
        value = parser.parse_attribute()
        if not isinstance(value, IntegerAttr):
            parser.raise_error("nt.constant takes an integer with its type")
        op = cls(cast("IntegerAttr[IntegerType]", value))
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)


def constant(number: Number) -> Operation:
    """The op whose result is ``number``."""
    if is_unsigned(number.type):
        return ConstantOp(cast("IntegerAttr[IntegerType]", number))
    return arith.ConstantOp(number)


@irdl_op_definition
class CastOp(PureOp, Conversion):
    """Cast to another scalar type, by Triton's rules of conversion.

    ``rounding``, of a float to fewer bits: ``"rtz"``, towards zero; else to nearest even.

    ```mlir
    %1 = nt.cast %0 : !nt.tensor<[B] x f32> -> !nt.tensor<[B] x f16>
    ```
    """

    name = "nt.cast"

    value = operand_def()
    rounding = opt_prop_def(StringAttr)
    result = result_def()

    assembly_format = (
        "$value (`rounding` $rounding^)? attr-dict `:` type($value) `->` type($result)"
    )

    def __init__(
        self, value: SSAValue | Operation, scalar: Attribute, rounding: str | None = None
    ) -> None:
        value = SSAValue.get(value)
        super().__init__(
            operands=[value],
            properties={} if rounding is None else {"rounding": StringAttr(rounding)},
            result_types=[with_scalar(value.type, scalar)],
        )

    @property
    def truncates(self) -> bool:
        """True if it rounds towards zero."""
        return self.rounding is not None and self.rounding.data == "rtz"

    def verify_(self) -> None:
        if shape_of(self.value.type) != shape_of(self.result.type):
            raise VerifyException("nt.cast: the shapes must be equal")
        if self.rounding is None:
            return
        if self.rounding.data not in ROUNDINGS:
            raise VerifyException(f"nt.cast: there is no rounding {self.rounding.data}")
        source, target = scalar_of(self.value.type), scalar_of(self.result.type)
        if not (
            isinstance(source, AnyFloat)
            and isinstance(target, AnyFloat)
            and target.bitwidth < source.bitwidth
        ):
            raise VerifyException("nt.cast: only a float in fewer bits is rounded")


@irdl_op_definition
class BitcastOp(PureOp, Reshaping):
    """Bitcast to another scalar type of the same width.

    ```mlir
    %1 = nt.bitcast %0 : !nt.tensor<[B] x f32> -> !nt.tensor<[B] x i32>
    ```
    """

    name = "nt.bitcast"

    value = operand_def()
    result = result_def()

    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue | Operation, scalar: Attribute) -> None:
        value = SSAValue.get(value)
        super().__init__(operands=[value], result_types=[with_scalar(value.type, scalar)])

    def verify_(self) -> None:
        if shape_of(self.value.type) != shape_of(self.result.type):
            raise VerifyException("nt.bitcast: the shapes must be equal")
        widths = [DTYPES[dtype_of(value.type)].bits for value in (self.value, self.result)]
        if widths[0] != widths[1]:
            raise VerifyException(f"nt.bitcast: {widths[0]} bits are not {widths[1]} bits")
