"""Triton's dialect: the ops, attributes and types that Triton itself uses, under its names.

In MLIR's generic form a module of this dialect is TTIR. Blocks are ``tensor<128xf32>``; integers are signless.
Properties have the names and the encodings of Triton's ODS definitions, since the generic form prints them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i1,
    i32,
)
from xdsl.ir import (
    Attribute,
    Dialect,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
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
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """A pointer into global memory: ``!tt.ptr<f16>``."""

    name = "tt.ptr"

    pointee: Attribute


def shape_of(type: Attribute) -> tuple[int, ...]:
    """The shape of a block; of a scalar, none."""
    return type.get_shape() if isinstance(type, TensorType) else ()


def scalar_of(type: Attribute) -> Attribute:
    """The scalar type of a block or scalar."""
    return type.get_element_type() if isinstance(type, TensorType) else type


def block_of(shape: Sequence[int], scalar: Attribute) -> Attribute:
    """A block's type; of no dims, the scalar's."""
    return TensorType(scalar, shape) if shape else scalar


def pointee_of(type: Attribute) -> Attribute:
    """What pointers of ``type``, one or a block of them, point to, in the same shape."""
    pointer = scalar_of(type)
    assert isinstance(pointer, PointerType)
    return block_of(shape_of(type), pointer.pointee)


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A kernel's device function; ``arg_attrs`` tell Triton which arguments are multiples of 16.

    ```mlir
    tt.func @add(%x: !tt.ptr<f16>, %n: i32) {
      tt.return
    }
    ```
    """

    name = "tt.func"

    sym_name = prop_def(StringAttr)
    function_type = prop_def(FunctionType)
    sym_visibility = prop_def(StringAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(self, name: str, body: Region, arg_attrs: Sequence[DictionaryAttr]) -> None:
        types = [argument.type for argument in body.block.args]
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(types, []),
                "sym_visibility": StringAttr("public"),
                "arg_attrs": ArrayAttr(arg_attrs),
            },
            regions=[body],
        )

    def verify_(self) -> None:
        types = [argument.type for argument in self.body.block.args]
        if self.function_type.inputs.data != tuple(types):
            raise VerifyException("tt.func: the arguments must have the types of function_type")
        if not isinstance(self.body.block.last_op, ReturnOp):
            raise VerifyException("tt.func: the body must end in tt.return")

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        name = parser.parse_symbol_name()
        arg_attrs: list[DictionaryAttr] = []
        arguments: list[Parser.Argument] = []

        def argument() -> None:
            arguments.append(parser.parse_argument(expect_type=True))  # type: ignore[arg-type]
            arg_attrs.append(DictionaryAttr(parser.parse_optional_dictionary_attr_dict()))

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(arguments)
        op = FuncOp(name.data, body, arg_attrs)
        op.attributes = {} if attributes is None else dict(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        attrs = self.arg_attrs.data if self.arg_attrs is not None else ()
        arguments = self.body.block.args

        def argument(index: int) -> None:
            printer.print_block_argument(arguments[index])
            if index < len(attrs) and attrs[index].data:
                printer.print_string(" ")
                printer.print_attr_dict(attrs[index].data)

        printer.print_string("(")
        printer.print_list(range(len(arguments)), argument)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The end of a function.

    ```mlir
    tt.return
    ```
    """

    name = "tt.return"

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "attr-dict"


@irdl_op_definition
class GetProgramIdOp(IRDLOperation):
    """The number of this program along ``axis``.

    ```mlir
    %pid = tt.get_program_id 0 : i32
    ```
    """

    name = "tt.get_program_id"

    axis = prop_def(IntegerAttr)
    result = result_def(IntegerType(32))

    traits = traits_def(Pure())

    assembly_format = "$axis attr-dict"

    def __init__(self, axis: int = 0) -> None:
        super().__init__(properties={"axis": IntegerAttr(axis, i32)}, result_types=[i32])


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
            result_types=[TensorType(i32, [end - start])],
        )

    def verify_(self) -> None:
        length = self.end.value.data - self.start.value.data
        if length < 1 or length & (length - 1):
            raise VerifyException(f"tt.make_range: the length {length} must be a power of two")
        if self.result.type != TensorType(i32, [length]):
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
        super().__init__(operands=[src], result_types=[TensorType(src.type, shape)])

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
            result_types=[TensorType(scalar_of(src.type), shape)],
        )

    def verify_(self) -> None:
        shape = list(shape_of(self.src.type))
        shape.insert(self.axis.value.data, 1)
        if self.result.type != TensorType(scalar_of(self.src.type), shape):
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
        super().__init__(
            operands=[src], result_types=[TensorType(scalar_of(src.type), shape)]
        )

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
    order = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    assembly_format = "$src $order attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, order: Sequence[int]) -> None:
        src = SSAValue.get(src)
        shape = shape_of(src.type)
        super().__init__(
            operands=[src],
            properties={"order": DenseArrayBase.from_list(i32, list(order))},
            result_types=[TensorType(scalar_of(src.type), [shape[dim] for dim in order])],
        )


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
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        types = [type, block_of(shape_of(type), i1), pointee_of(type)][: len(operands)]
        values = parser.resolve_operands(operands, types, parser.pos)
        op = cls(*values)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)


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
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        types = [type, pointee_of(type), block_of(shape_of(type), i1)][: len(operands)]
        values = parser.resolve_operands(operands, types, parser.pos)
        op = cls(*values)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)


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
    """A conversion from or to an eight-bit float; ``rounding`` 0 truncates, 1 rounds to nearest even.

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


TT = Dialect(
    "tt",
    [
        FuncOp,
        ReturnOp,
        GetProgramIdOp,
        MakeRangeOp,
        SplatOp,
        ExpandDimsOp,
        BroadcastOp,
        TransOp,
        AddPtrOp,
        LoadOp,
        StoreOp,
        DotOp,
        ReduceOp,
        ReduceReturnOp,
        FpToFpOp,
    ],
    [PointerType],
)
