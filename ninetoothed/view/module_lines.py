"""Lines of a module's text with their places in the user's source.

The printer tells which op it prints on which line: a line belongs to the innermost op that is
printed on all or a part of it, so that a closing brace belongs to the op that it closes.
"""

from __future__ import annotations

import io

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.printer import Printer

from ninetoothed.ir.locations import loc_of
from ninetoothed.view.listing import Listing, Places, places_of


def module_listing(module: ModuleOp) -> Listing:
    """The listing of a module's text."""
    text = io.StringIO()
    printer = _LinePrinter(text)
    printer.print_op(module)
    lines = text.getvalue().split("\n")
    places: dict[Operation, Places] = {}
    for op in dict.fromkeys(printer.owners.values()):
        places[op] = places_of(loc_of(op.location)) or _of_first(op)
    return Listing(tuple(lines), tuple(places[printer.owners[i]] for i in range(len(lines))))


def _of_first(op: Operation) -> Places:
    """The places of a module: those of the first op in it."""
    if not isinstance(op, ModuleOp) or op.body.block.first_op is None:
        return ()
    return places_of(loc_of(op.body.block.first_op.location))


class _LinePrinter(Printer):
    """Printer that keeps the innermost op of each line, ``owners``, counting lines from 0."""

    def __init__(self, stream: io.StringIO) -> None:
        super().__init__(stream)
        self.owners: dict[int, Operation] = {}

    def print_op(self, op: Operation) -> None:
        first = self._current_line
        super().print_op(op)
        # Ops inside of it are there already.
        for line in range(first, self._current_line + 1):
            self.owners.setdefault(line, op)
