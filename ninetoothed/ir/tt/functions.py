"""Device functions and program ids."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i32,
    i64,
)
from xdsl.ir import Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.tt.descriptors import TensorDescType
from ninetoothed.ir.tt.types import shape_of


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A kernel's device function; ``arg_attrs``: divisors of arguments, for Triton.

    Behind a descriptor come its tensor's sizes and strides, a number a dim, as Triton has them.

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
        if self.function_type.outputs.data:
            raise VerifyException("tt.func: a kernel has no results")
        for index, type in enumerate(types):
            if isinstance(type, TensorDescType):
                dims = len(shape_of(type.box))
                if types[index + 1 : index + 1 + 2 * dims] != [i32] * dims + [i64] * dims:
                    raise VerifyException(
                        f"tt.func: behind a descriptor of {dims} dims are as many i32 and i64, "
                        "its tensor's sizes and strides"
                    )
        if not isinstance(self.body.block.last_op, ReturnOp):
            raise VerifyException("tt.func: the body must end in tt.return")

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        name = parser.parse_symbol_name()
        arg_attrs: list[DictionaryAttr] = []
        arguments: list[Parser.Argument] = []

        def argument() -> None:
            arguments.append(parser.parse_argument(expect_type=True))
            arg_attrs.append(DictionaryAttr(parser.parse_optional_dictionary_attr_dict()))
            if (location := parser.parse_optional_location()) is not None:
                arguments[-1].location = location

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        start = parser.pos
        body = parser.parse_region(arguments)
        if len(body.blocks) > 1:
            parser.raise_error(f"tt.func has one block, not {len(body.blocks)}", start, start + 1)
        op = FuncOp(name.data, body, arg_attrs)
        op.attributes = {} if attributes is None else dict(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        attrs = self.arg_attrs.data if self.arg_attrs is not None else ()
        arguments = self.body.block.args

        def argument(index: int) -> None:
            value = arguments[index]
            printer.print_block_argument(value, print_type=False)
            printer.print_string(": ")
            printer.print_attribute(value.type)
            if index < len(attrs) and attrs[index].data:
                printer.print_string(" ")
                printer.print_attr_dict(attrs[index].data)
            # MLIR has the location last, behind the attributes.
            if printer.print_debuginfo:
                printer.print_string(" ")
                printer.print_attribute(value.location)

        printer.print_string("(")
        printer.print_list(range(len(arguments)), argument)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Terminator of a function.

    ```mlir
    tt.return
    ```
    """

    name = "tt.return"

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "attr-dict"


class _AlongAxis(PureOp):
    """Base class of what a program knows of an axis of the grid."""

    axis = prop_def(IntegerAttr)
    result = result_def(IntegerType(32))

    assembly_format = "$axis attr-dict"

    def __init__(self, axis: int = 0) -> None:
        super().__init__(properties={"axis": IntegerAttr(axis, i32)}, result_types=[i32])

    def verify_(self) -> None:
        if not 0 <= self.axis.value.data <= 2:
            raise VerifyException(f"{self.name}: the axes of the grid are 0, 1 and 2")


@irdl_op_definition
class GetProgramIdOp(_AlongAxis):
    """The program id along ``axis``.

    ```mlir
    %pid = tt.get_program_id 0 : i32
    ```
    """

    name = "tt.get_program_id"


@irdl_op_definition
class GetNumProgramsOp(_AlongAxis):
    """The number of programs along ``axis``.

    ```mlir
    %count = tt.get_num_programs 0 : i32
    ```
    """

    name = "tt.get_num_programs"
