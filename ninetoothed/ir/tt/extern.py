"""Device library functions and inline assembly."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    prop_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import InlineAssembly, PureOp
from ninetoothed.ir.tt.types import shape_of


def _check_shapes(op: Operation) -> None:
    shapes = {shape_of(value.type) for value in (*op.operands, *op.results)}
    if len(shapes) > 1:
        raise VerifyException(f"{op.name}: the operands and the results must have one shape")


@irdl_op_definition
class ExternElementwiseOp(PureOp):
    """Elementwise call of the device library function ``symbol``, which Triton links.

    ```mlir
    %1 = tt.extern_elementwise %0 {libname = "", libpath = "", symbol = "__nv_tanhf", pure = true}
        : (tensor<64xf32>) -> tensor<64xf32>
    ```
    """

    name = "tt.extern_elementwise"

    srcs = var_operand_def()
    libname = prop_def(StringAttr)
    libpath = prop_def(StringAttr)
    symbol = prop_def(StringAttr)
    pure = prop_def(BoolAttr)
    result = result_def()

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "$srcs attr-dict `:` functional-type($srcs, $result)"

    def __init__(self, srcs: Sequence[SSAValue], symbol: str, type: Attribute) -> None:
        super().__init__(
            operands=[list(srcs)],
            properties={
                "libname": StringAttr(""),
                "libpath": StringAttr(""),
                "symbol": StringAttr(symbol),
                "pure": BoolAttr.from_bool(True),
            },
            result_types=[type],
        )

    def verify_(self) -> None:
        _check_shapes(self)


@irdl_op_definition
class ElementwiseInlineAsmOp(InlineAssembly):
    """Inline assembly of the target, elementwise, on ``packed_element`` lanes at a time.

    ```mlir
    %1 = tt.elementwise_inline_asm "mov.b32 $0, $1;" %0
        {constraints = "=r,r", pure = true, packed_element = 1 : i32}
        : (tensor<64xf32>) -> tensor<64xi32>
    ```
    """

    name = "tt.elementwise_inline_asm"

    asm_string = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    packed_element = prop_def(IntegerAttr)
    args = var_operand_def()
    results_ = var_result_def()

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "$asm_string $args attr-dict `:` functional-type($args, $results_)"

    def __init__(
        self,
        asm: str,
        constraints: str,
        args: Sequence[SSAValue],
        types: Sequence[Attribute],
        pure: bool,
        pack: int,
    ) -> None:
        super().__init__(
            operands=[list(args)],
            properties={
                "asm_string": StringAttr(asm),
                "constraints": StringAttr(constraints),
                "pure": BoolAttr.from_bool(pure),
                "packed_element": IntegerAttr(pack, i32),
            },
            result_types=[list(types)],
        )

    def verify_(self) -> None:
        if not self.results:
            raise VerifyException("tt.elementwise_inline_asm: assembly must give a result")
        _check_shapes(self)


_TRAP = "{ .reg .pred p; setp.eq.u32 p, $1, 0; @p trap; mov.u32 $0, $1; } // "
"""PTX: stops the program where a lane is 0; behind it stands why, for those who read it."""


def trap_unless(lanes: SSAValue, message: str) -> ElementwiseInlineAsmOp:
    """Stop the program where a lane of i32 is 0, on NVIDIA's GPUs."""
    # A dollar begins an operand; a line ends the comment.
    line = " ".join(ascii(message)[1:-1].replace("$", "$$").split())
    return ElementwiseInlineAsmOp(_TRAP + line, "=r,r", [lanes], [lanes.type], False, 1)


def trap_message(op: ElementwiseInlineAsmOp) -> str | None:
    """Why an op of :func:`trap_unless` stops; None of any other."""
    before, trap, message = op.asm_string.data.partition(_TRAP)
    return message.replace("$$", "$") if trap and not before else None
