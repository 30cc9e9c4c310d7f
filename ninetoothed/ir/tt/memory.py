"""Addresses, loads and stores."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.tt.syntax import parse_operands, print_operands
from ninetoothed.ir.tt.types import block_of, pointee_of, shape_of


@irdl_op_definition
class AddPtrOp(IRDLOperation):
    """Pointers moved by ``offset`` elements.

    ```mlir
    %2 = tt.addptr %0, %1 : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
    ```
    """

    name = "tt.addptr"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    ptr = operand_def(_T)
    offset = operand_def()
    result = result_def(_T)

    traits = traits_def(Pure())

    assembly_format = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)"

    def __init__(self, ptr: SSAValue | Operation, offset: SSAValue | Operation) -> None:
        ptr = SSAValue.get(ptr)
        super().__init__(operands=[ptr, offset], result_types=[ptr.type])

    def verify_(self) -> None:
        if shape_of(self.ptr.type) != shape_of(self.offset.type):
            raise VerifyException("tt.addptr: one offset a pointer")


_DEFAULT = IntegerAttr(1, i32)


@irdl_op_definition
class LoadOp(IRDLOperation):
    """What the pointers point to; where the mask is false, ``other``, or nothing certain.

    ```mlir
    %3 = tt.load %0, %1, %2 : tensor<128x!tt.ptr<f16>>
    ```
    """

    name = "tt.load"

    ptr = operand_def()
    mask = opt_operand_def()
    other = opt_operand_def()
    boundaryCheck = prop_def(DenseArrayBase)
    cache = prop_def(IntegerAttr)
    evict = prop_def(IntegerAttr)
    isVolatile = prop_def(BoolAttr)
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(MemoryReadEffect())

    def __init__(
        self, ptr: SSAValue, mask: SSAValue | None = None, other: SSAValue | None = None
    ) -> None:
        super().__init__(
            operands=[ptr, mask, other],
            properties={
                "boundaryCheck": DenseArrayBase.from_list(i32, []),
                "cache": _DEFAULT,
                "evict": _DEFAULT,
                "isVolatile": BoolAttr.from_bool(False),
            },
            result_types=[pointee_of(ptr.type)],
        )

    def verify_(self) -> None:
        if self.result.type != pointee_of(self.ptr.type):
            raise VerifyException("tt.load: the result must be what the pointers point to")
        _check_mask(self, self.mask, self.ptr.type)
        if self.other is not None and (self.mask is None or self.other.type != self.result.type):
            raise VerifyException("tt.load: other needs a mask, and the result's type")

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        def types(written: list[Attribute], count: int) -> list[Attribute]:
            type = written[0]
            return [type, block_of(shape_of(type), i1), pointee_of(type)][:count]

        values, attributes = parse_operands(parser, types)
        op = cls(*values)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        print_operands(printer, self, self.ptr.type)


def _check_mask(op: Operation, mask: SSAValue | None, pointers: Attribute) -> None:
    if mask is not None and mask.type != block_of(shape_of(pointers), i1):
        raise VerifyException(f"{op.name}: one bit of mask a pointer")


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Write where the mask is true.

    ```mlir
    tt.store %0, %1, %2 : tensor<128x!tt.ptr<f16>>
    ```
    """

    name = "tt.store"

    ptr = operand_def()
    value = operand_def()
    mask = opt_operand_def()
    boundaryCheck = prop_def(DenseArrayBase)
    cache = prop_def(IntegerAttr)
    evict = prop_def(IntegerAttr)

    traits = traits_def(MemoryWriteEffect())

    def __init__(self, ptr: SSAValue, value: SSAValue, mask: SSAValue | None = None) -> None:
        super().__init__(
            operands=[ptr, value, mask],
            properties={
                "boundaryCheck": DenseArrayBase.from_list(i32, []),
                "cache": _DEFAULT,
                "evict": _DEFAULT,
            },
        )

    def verify_(self) -> None:
        if self.value.type != pointee_of(self.ptr.type):
            raise VerifyException("tt.store: the value must be what the pointers point to")
        _check_mask(self, self.mask, self.ptr.type)

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        def types(written: list[Attribute], count: int) -> list[Attribute]:
            type = written[0]
            return [type, pointee_of(type), block_of(shape_of(type), i1)][:count]

        values, attributes = parse_operands(parser, types)
        op = cls(*values)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        print_operands(printer, self, self.ptr.type)
