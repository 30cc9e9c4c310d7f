"""Custom syntax of several ops: operands, attributes, and a few types behind a colon."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

Types = Callable[[list[Attribute], int], Sequence[Attribute]]


def parse_operands(
    parser: Parser, types: Types, behind: Callable[[], None] | None = None
) -> tuple[Sequence[SSAValue], dict[str, Attribute]]:
    """Parse ``%0, %1 {…} : type, …``: the operands and the attributes.

    ``types`` gives the operands' types, from those that are written and the number of operands;
    ``behind`` parses further syntax behind the operands.
    """
    operands = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    if behind is not None:
        behind()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    written = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    expected = types([*written], len(operands))
    return parser.resolve_operands(operands, expected, parser.pos), attributes


def print_operands(printer: Printer, op: Operation, *types: Attribute, behind: str = "") -> None:
    """Print what :func:`parse_operands` reads."""
    printer.print_string(" ")
    printer.print_list(op.operands, printer.print_operand)
    printer.print_string(behind)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_list(types, printer.print_attribute)
