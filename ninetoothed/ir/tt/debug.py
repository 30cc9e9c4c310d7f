"""Prints, assertions and assumptions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerType, StringAttr, i1, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.tt.types import scalar_of


def print_prefix(prefix: str, has_args: bool) -> str:
    """A prefix as Triton completes it (``triton.language.semantic.device_print``), with a colon
    before arguments.
    """
    if has_args and not prefix.endswith(" "):
        prefix += " "
    if has_args and not prefix.endswith(": "):
        prefix = prefix[:-1] + ": "
    return f" {prefix}" if len(prefix) > 2 and not prefix.startswith(" ") else prefix


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Print every lane of the operands; ``isSigned``: the signedness of each.

    ```mlir
    tt.print " x: " %0, %1 {hex = false, isSigned = array<i32: 0, 1>} : tensor<64xf32>, i32
    ```
    """

    name = "tt.print"

    prefix = prop_def(StringAttr)
    hex = prop_def(BoolAttr)
    isSigned = prop_def(DenseArrayBase.constr(i32))
    args = var_operand_def()

    irdl_options = (ParsePropInAttrDict(),)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$prefix ($args^)? attr-dict (`:` type($args)^)?"

    def __init__(
        self, prefix: str, args: Sequence[SSAValue], hexadecimal: bool, signed: Sequence[bool]
    ) -> None:
        super().__init__(
            operands=[list(args)],
            properties={
                "prefix": StringAttr(prefix),
                "hex": BoolAttr.from_bool(hexadecimal),
                "isSigned": DenseArrayBase.from_list(i32, [int(sign) for sign in signed]),
            },
        )

    def verify_(self) -> None:
        if len(self.isSigned.get_values()) != len(self.args):
            raise VerifyException("tt.print: isSigned has one entry an operand")


@irdl_op_definition
class AssertOp(IRDLOperation):
    """Assert that every lane of the condition is true, with a message.

    ```mlir
    tt.assert %0, "kernel.py:7: x must be positive" : tensor<64xi1>
    ```
    """

    name = "tt.assert"

    condition = operand_def()
    message = prop_def(StringAttr)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$condition `,` $message attr-dict `:` type($condition)"

    def __init__(self, condition: SSAValue, message: str) -> None:
        super().__init__(operands=[condition], properties={"message": StringAttr(message)})

    def verify_(self) -> None:
        if scalar_of(self.condition.type) != i1:
            raise VerifyException("tt.assert: the condition must hold bits")


@irdl_op_definition
class AssumeOp(IRDLOperation):
    """Assume that the condition is true.

    ```mlir
    llvm.intr.assume %0 {op_bundle_sizes = array<i32>} : i1
    ```
    """

    name = "llvm.intr.assume"

    condition = operand_def(IntegerType(1))
    op_bundle_sizes = prop_def(DenseArrayBase.constr(i32))

    irdl_options = (ParsePropInAttrDict(),)

    # It has no result that anybody uses, and must stay.
    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$condition attr-dict `:` type($condition)"

    def __init__(self, condition: SSAValue) -> None:
        super().__init__(
            operands=[condition],
            properties={"op_bundle_sizes": DenseArrayBase.from_list(i32, [])},
        )
