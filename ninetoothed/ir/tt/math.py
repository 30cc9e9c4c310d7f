"""Arithmetic ops of Triton's own: clamps, and precise square root and division."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.tt.blocks import BinaryOp

PROPAGATE_NAN: dict[bool, int] = {False: 0, True: 0xFFFF}
"""Triton's encoding of NaN propagation: a NaN and a number give the number, or the NaN."""


@irdl_op_definition
class ClampfOp(PureOp):
    """Clamp ``x`` to ``min`` and ``max``. ``propagateNan`` 0: where ``x`` is a NaN, a bound.

    ```mlir
    %3 = tt.clampf %0, %1, %2 {propagateNan = 0 : i32} : tensor<64xf32>
    ```
    """

    name = "tt.clampf"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    x = operand_def(_T)
    min = operand_def(_T)
    max = operand_def(_T)
    propagateNan = prop_def(IntegerAttr)
    result = result_def(_T)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "$x `,` $min `,` $max attr-dict `:` type($result)"

    def __init__(self, x: SSAValue, min: SSAValue, max: SSAValue, propagate_nan: bool) -> None:
        super().__init__(
            operands=[x, min, max],
            properties={"propagateNan": IntegerAttr(PROPAGATE_NAN[propagate_nan], i32)},
            result_types=[x.type],
        )

    @property
    def propagates(self) -> bool:
        """True if a NaN stays one."""
        return self.propagateNan.value.data != 0

    def verify_(self) -> None:
        if self.propagateNan.value.data not in PROPAGATE_NAN.values():
            raise VerifyException("tt.clampf: propagateNan is 0 or 65535")


@irdl_op_definition
class PreciseSqrtOp(PureOp):
    """Square root, rounded to the nearest float.

    ```mlir
    %1 = tt.precise_sqrt %0 : tensor<64xf32>
    ```
    """

    name = "tt.precise_sqrt"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    x = operand_def(_T)
    result = result_def(_T)

    assembly_format = "$x attr-dict `:` type($result)"

    def __init__(self, x: SSAValue) -> None:
        super().__init__(operands=[x], result_types=[x.type])


@irdl_op_definition
class PreciseDivfOp(BinaryOp):
    """Division, rounded to the nearest float.

    ```mlir
    %2 = tt.precise_divf %0, %1 : tensor<64xf32>
    ```
    """

    name = "tt.precise_divf"
