"""Source locations as the IR's attributes.

What an op of the user's stands for begins and ends somewhere: a fused location of both places. The
function that it is in is a name around it.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, BuiltinAttribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.printer import Printer

from ninetoothed.errors import Loc


@irdl_attr_definition
class TextLoc(ParametrizedAttribute, BuiltinAttribute):
    """The place in IR text of an op that has no location there, for the messages of errors.

    Else it is as good as unknown: no text is generated from it, and it is printed
    ``loc(unknown)``.
    """

    name = "nt.text_loc"

    place: FileLineColLoc

    def print_builtin(self, printer: Printer) -> None:
        """Print it as xDSL prints unknown locations."""
        with printer.in_location():
            printer.print_string("unknown")


def text_location(loc: Loc) -> LocationAttr:
    """The location attribute of an op that was read at ``loc``."""
    # xDSL's alias knows its own location attributes only.
    return cast("LocationAttr", TextLoc(_place(loc, loc.col)))


@functools.lru_cache(maxsize=4096)
def location(loc: Loc | None) -> LocationAttr:
    """The location attribute, with columns from 1; of an inlined function, with its call site."""
    if loc is None:
        return UnknownLoc()
    here: LocationAttr = _place(loc, loc.col)
    if loc.end_col is not None:
        here = FusedLoc((here, _place(loc, loc.end_col)), NoneAttr())
    if loc.function is not None:
        here = NameLoc(StringAttr(loc.function), here)
    return here if loc.caller is None else CallSiteLoc(here, location(loc.caller))


def _place(loc: Loc, column: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(loc.file), IntAttr(loc.line), IntAttr(column + 1))


def place_of(location: Attribute) -> Loc | None:
    """The location that an error names: the source location, else the place in IR text."""
    return loc_of(location.place if isinstance(location, TextLoc) else location)


def loc_of(location: Attribute) -> Loc | None:
    """The source location of a location attribute, with the chain of its callers."""
    match location:
        case FileLineColLoc():
            column = max(location.column.data - 1, 0)
            return Loc(location.filename.data, location.line.data, column)
        case CallSiteLoc():
            callee, caller = loc_of(location.callee), loc_of(location.caller)
            return caller if callee is None else replace(callee, caller=caller)
        case NameLoc():
            loc = loc_of(location.location)
            return None if loc is None else replace(loc, function=location.desc.data)
        case FusedLoc(locations=ArrayAttr(data=(first, FileLineColLoc(column=end)))):
            loc = loc_of(first)
            return None if loc is None else replace(loc, end_col=end.data - 1)
        case _:
            return None


def plain(location: Attribute) -> Attribute:
    """A location as Triton knows them: files, lines, columns and call sites."""
    match location:
        case CallSiteLoc():
            return CallSiteLoc(plain(location.callee), plain(location.caller))
        case NameLoc():
            return plain(location.location)
        case FusedLoc(locations=ArrayAttr(data=(first, *_))):
            return plain(first)
        case TextLoc():
            return UnknownLoc()
        case _:
            return location
