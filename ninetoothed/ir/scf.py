"""``scf`` with a ``scf.while`` whose text round-trips, and the loop of persistent programs.

xDSL prints the op's location in the middle of its text, where its parser does not expect one.
:data:`SCF` is its dialect with the op replaced.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Dialect, SSAValue
from xdsl.printer import Printer

OVER_PROGRAMS = "nt.over_programs"
"""The attribute of the loop in which a persistent program does the work of several: its induction
variable is the number of each of these, from the program's own on. A launch starts any number of
programs from 1 on.
"""
FLATTEN = "tt.flatten"
"""The attribute of a loop that Triton makes one with the loop in it."""


def loop_over_programs(block: Block) -> scf.ForOp | None:
    """The loop of ``block`` over the work of persistent programs; None: each does its own."""
    loops = (op for op in block.ops if isinstance(op, scf.ForOp))
    return next((loop for loop in loops if OVER_PROGRAMS in loop.attributes), None)


class WhileOp(scf.WhileOp):
    """``scf.while``, printed without its location: the printer adds it behind the op.

    ```mlir
    %one = arith.constant 1 : i32
    %last = scf.while (%i = %one) : (i32) -> i32 {
      %more = arith.constant false
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%j: i32):
      scf.yield %j : i32
    }
    ```
    """

    def print(self, printer: Printer) -> None:
        """Print as xDSL does, but for the location."""
        pairs = zip(self.before_region.block.args, self.arguments, strict=True)
        printer.print_string(" (")
        printer.print_list(pairs, lambda pair: _print_pair(printer, pair))
        printer.print_string(") : ")
        printer.print_function_type(self.operand_types, self.result_types)
        printer.print_string(" ")
        printer.print_region(self.before_region, print_entry_block_args=False)
        printer.print_string(" do ")
        printer.print_region(self.after_region)
        if self.attributes:
            printer.print_op_attributes(self.attributes, print_keyword=True)


def _print_pair(printer: Printer, pair: tuple[SSAValue, SSAValue]) -> None:
    inside, initial = pair
    printer.print_ssa_value(inside)
    printer.print_string(" = ")
    printer.print_ssa_value(initial)


SCF = Dialect(
    "scf",
    [WhileOp if op is scf.WhileOp else op for op in scf.Scf.operations],
    list(scf.Scf.attributes),
)
