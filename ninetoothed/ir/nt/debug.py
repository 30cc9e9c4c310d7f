"""Prints, assertions, assumptions, hints and inline assembly.

Lanes that are not valid are neither printed nor asserted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr, i1, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import InlineAssembly, PureOp
from ninetoothed.ir.nt.attributes import ExprsAttr
from ninetoothed.ir.nt.types import scalar_of, shape_of

HINTS = ("divisibility", "contiguity", "constancy")
"""The kinds of hints, in Triton's words."""


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Print the lanes of the operands, behind ``prefix``.

    ```mlir
    nt.print "x" hex false(%0, %1) : !nt.tensor<[B] x f32>, i32
    ```
    """

    name = "nt.print"

    prefix = prop_def(StringAttr)
    hex = prop_def(BoolAttr)
    arguments = var_operand_def()

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$prefix `hex` $hex `(` $arguments `)` attr-dict (`:` type($arguments)^)?"

    def __init__(self, prefix: str, arguments: Sequence[SSAValue], hexadecimal: bool) -> None:
        super().__init__(
            operands=[list(arguments)],
            properties={"prefix": StringAttr(prefix), "hex": BoolAttr.from_bool(hexadecimal)},
        )


@irdl_op_definition
class AssertOp(IRDLOperation):
    """Assert that every lane of the condition is true where the mask is.

    ```mlir
    nt.assert %0, "x must be positive" mask %1 : !nt.tensor<[B] x i1>
    ```
    """

    name = "nt.assert"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    condition = operand_def(_T)
    message = prop_def(StringAttr)
    mask = opt_operand_def(_T)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$condition `,` $message (`mask` $mask^)? attr-dict `:` type($condition)"

    def __init__(self, condition: SSAValue, message: str, mask: SSAValue | None = None) -> None:
        super().__init__(operands=[condition, mask], properties={"message": StringAttr(message)})

    def masked(self, mask: SSAValue) -> AssertOp:
        """A copy of the op with another mask."""
        return AssertOp(self.condition, self.message.data, mask)

    def verify_(self) -> None:
        if scalar_of(self.condition.type) != i1:
            raise VerifyException("nt.assert: the condition must hold bits")


@irdl_op_definition
class AssumeOp(IRDLOperation):
    """Assume that the condition, one bit, is true.

    ```mlir
    nt.assume %0 : i1
    ```
    """

    name = "nt.assume"

    condition = operand_def(i1)

    # It has no result, and must stay.
    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$condition attr-dict `:` type($condition)"

    def __init__(self, condition: SSAValue) -> None:
        super().__init__(operands=[condition])


@irdl_op_definition
class HintOp(PureOp):
    """The operand, with a hint of one number a dim: ``divisibility``, a divisor of the first of
    each group of consecutive integers; ``contiguity``, how many integers in a row are consecutive;
    ``constancy``, how many are equal.

    ```mlir
    %1 = nt.hint "divisibility" [16] %0 : !nt.tensor<[B] x i32>
    ```
    """

    name = "nt.hint"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    kind = prop_def(StringAttr)
    values = prop_def(ExprsAttr)
    value = operand_def(_T)
    result = result_def(_T)

    assembly_format = "$kind $values $value attr-dict `:` type($value)"

    def __init__(self, kind: str, values: Sequence[int], value: SSAValue) -> None:
        super().__init__(
            operands=[value],
            properties={"kind": StringAttr(kind), "values": ExprsAttr.of(values)},
            result_types=[value.type],
        )

    @property
    def numbers(self) -> list[int]:
        """The numbers of the hint, one a dim."""
        return [value.args[0] for value in self.values.data]

    def verify_(self) -> None:
        if self.kind.data not in HINTS:
            raise VerifyException(f"nt.hint: there is no hint {self.kind.data}")
        if len(self.values.data) != max(len(shape_of(self.value.type)), 1):
            raise VerifyException("nt.hint: one number a dim")


@irdl_op_definition
class InlineAsmOp(InlineAssembly):
    """Inline assembly of the target, elementwise, on ``pack`` lanes at a time.

    ```mlir
    %1 = nt.inline_asm "mov.b32 $0, $1;" "=r,r" pure true pack 1 : i32(%0)
        : (!nt.tensor<[B] x f32>) -> !nt.tensor<[B] x i32>
    ```
    """

    name = "nt.inline_asm"

    asm = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    pack = prop_def(IntegerAttr)
    arguments = var_operand_def()
    results_ = var_result_def()

    assembly_format = (
        "$asm $constraints `pure` $pure `pack` $pack `(` $arguments `)` attr-dict "
        "`:` functional-type($arguments, $results_)"
    )

    def __init__(
        self,
        asm: str,
        constraints: str,
        arguments: Sequence[SSAValue],
        types: Sequence[Attribute],
        pure: bool,
        pack: int,
    ) -> None:
        super().__init__(
            operands=[list(arguments)],
            properties={
                "asm": StringAttr(asm),
                "constraints": StringAttr(constraints),
                "pure": BoolAttr.from_bool(pure),
                "pack": IntegerAttr(pack, i32),
            },
            result_types=[list(types)],
        )

    def verify_(self) -> None:
        if not self.results:
            raise VerifyException("nt.inline_asm: assembly must give a result")
        if len({shape_of(value.type) for value in (*self.arguments, *self.results)}) > 1:
            raise VerifyException("nt.inline_asm: the arguments and results must have one shape")
