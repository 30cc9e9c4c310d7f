"""Casts of floats that ``arith`` has not."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.tt.types import block_of, shape_of

ROUNDINGS = {"rtz": 0, "rtne": 1}
"""Triton's encoding of rounding modes: towards zero; to nearest even."""


@irdl_op_definition
class FpToFpOp(PureOp):
    """Float to float, from or to one of eight bits or with a ``rounding`` of ``ROUNDINGS``.

    ```mlir
    %1 = tt.fp_to_fp %0 : tensor<128xf8E5M2> -> tensor<128xf16>
    ```
    """

    name = "tt.fp_to_fp"

    src = operand_def()
    rounding = opt_prop_def(IntegerAttr)
    result = result_def()

    assembly_format = "$src (`rounding` $rounding^)? attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue, scalar: Attribute, rounding: str | None = None) -> None:
        super().__init__(
            operands=[src],
            properties={}
            if rounding is None
            else {"rounding": IntegerAttr(ROUNDINGS[rounding], i32)},
            result_types=[block_of(shape_of(src.type), scalar)],
        )

    @property
    def truncates(self) -> bool:
        """True if it rounds towards zero."""
        return self.rounding is not None and self.rounding.value.data == ROUNDINGS["rtz"]

    def verify_(self) -> None:
        if shape_of(self.src.type) != shape_of(self.result.type):
            raise VerifyException("tt.fp_to_fp: the shapes must be equal")
