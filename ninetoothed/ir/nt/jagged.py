"""Jagged parameters: sequences of different lengths, packed in one tensor.

The size of the jagged dim is a symbol, that of the longest sequence. Two more symbols are a
program's own: the length and the start of its sequence. Both follow from the batch index, which is
the program's, and from the offsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Data, SSAValue
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, operand_def, result_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.nt.attributes import TensorType
from ninetoothed.ir.tt.types import PointerType
from ninetoothed.layout.access import Access, index_names
from ninetoothed.layout.chain import Jagged
from ninetoothed.symbolic.expr import IndexExpr, const, substitute, sym
from ninetoothed.symbolic.normal_form import normalize


@irdl_attr_definition
class JaggedAttr(Data[Jagged]):
    """``#nt.jagged<1 length x_length start x_start offsets x_offsets i64>``."""

    name = "nt.jagged"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Jagged:
        with parser.in_angle_brackets():
            dim = parser.parse_integer(allow_boolean=False, allow_negative=False)
            names: list[str] = []
            for keyword in ("length", "start", "offsets"):
                parser.parse_keyword(keyword)
                names.append(parser.parse_identifier())
            type = parser.parse_type()
        if not isinstance(type, IntegerType):
            parser.raise_error("offsets are integers")
        return Jagged(dim, *names, bits=cast("IntegerType", type).width.data)

    def print_parameter(self, printer: Printer) -> None:
        data = self.data
        printer.print_string(
            f"<{data.dim} length {data.length} start {data.start} offsets {data.offsets} "
            f"i{data.bits}>"
        )


@irdl_op_definition
class SequencesOp(PureOp):
    """The pointer to the offsets of a jagged parameter: entry ``i`` is the start of sequence ``i``
    along the jagged dim.

    ```mlir
    %p = nt.sequences %x : !nt.tensor<[1, B] x f16> -> !tt.ptr<i64>
    ```
    """

    name = "nt.sequences"

    ref = operand_def(TensorType)
    result = result_def(PointerType)

    assembly_format = "$ref attr-dict `:` type($ref) `->` type($result)"

    def __init__(self, ref: SSAValue, bits: int) -> None:
        super().__init__(operands=[ref], result_types=[PointerType(IntegerType(bits))])

    def verify_(self) -> None:
        result = self.result.type
        assert isinstance(result, PointerType)
        if not isinstance(result.pointee, IntegerType):
            raise VerifyException("nt.sequences: offsets are integers")


def batch_index(access: Access) -> IndexExpr:
    """The batch index of an access.

    A dim of one element always has the index 0: others are outside the guard.
    """
    ones = {
        name: 0
        for names, sizes in zip(index_names(access.levels), access.levels, strict=True)
        for name, size in zip(names, sizes, strict=True)
        if size.value == 1
    }
    return normalize(substitute(access.indices[0], ones))


def offset(
    indices: Sequence[IndexExpr], strides: Sequence[IndexExpr], jagged: Jagged | None
) -> IndexExpr:
    """The offset in elements of ``indices`` of a source."""
    total = const(0)
    for dim, (index, stride) in enumerate(zip(indices, strides, strict=True)):
        if jagged is not None and dim == jagged.dim:
            index = index + sym(jagged.start)
        total = total + index * stride
    return total


def check_jagged(jagged: Jagged, sizes: Sequence[IndexExpr], strides: Sequence[IndexExpr]) -> None:
    """Verify a jagged source.

    Raises:
        VerifyException: it has no such dim, or a stride of the batch.
    """
    if not 0 < jagged.dim < len(sizes):
        raise VerifyException(f"nt.source: the jagged dim is behind the batch, not {jagged.dim}")
    if strides[0].value != 0:
        raise VerifyException("nt.source: the batch of a jagged tensor has no stride; write 0")
    if jagged.bits not in (32, 64):
        raise VerifyException("nt.source: offsets are i32 or i64")
