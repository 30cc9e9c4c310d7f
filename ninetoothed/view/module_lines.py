"""Lines of a module's text with their places in the user's source.

A line belongs to the innermost op that is printed on all or a part of it, so that a closing brace
belongs to the op that it closes. Aliases belong to the module.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ninetoothed.ir.locations import loc_of
from ninetoothed.ir.printing import lines_of
from ninetoothed.view.listing import Listing, Places, places_of


def module_listing(module: ModuleOp) -> Listing:
    """The listing of a module's text."""
    lines = lines_of(module)
    owners = [module if op is None else op for _, op in lines]
    places: dict[Operation, Places] = {
        op: places_of(loc_of(op.location)) or _of_first(op) for op in dict.fromkeys(owners)
    }
    return Listing(tuple(text for text, _ in lines), tuple(places[op] for op in owners))


def _of_first(op: Operation) -> Places:
    """The places of a module: those of the first op in it."""
    if not isinstance(op, ModuleOp) or op.body.block.first_op is None:
        return ()
    return places_of(loc_of(op.body.block.first_op.location))
