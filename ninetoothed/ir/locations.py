"""Source locations as the IR's attributes.

Beside file, line and column, an op of the user's has the end of what it stands for and the name of
the function that it is in, which the IR's locations have no room for: they are the metadata of a
fused location of one part.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    DictionaryAttr,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute

from ninetoothed.errors import Loc


@functools.lru_cache(maxsize=4096)
def location(loc: Loc | None) -> LocationAttr:
    """The location attribute, with columns from 1; of an inlined function, with its call site."""
    if loc is None:
        return UnknownLoc()
    here: LocationAttr = FileLineColLoc(
        StringAttr(loc.file), IntAttr(loc.line), IntAttr(loc.col + 1)
    )
    known: dict[str, Attribute] = {}
    if loc.end_col is not None:
        known["end"] = IntAttr(loc.end_col + 1)
    if loc.function is not None:
        known["function"] = StringAttr(loc.function)
    if known:
        here = FusedLoc((here,), DictionaryAttr(known))
    return here if loc.caller is None else CallSiteLoc(here, location(loc.caller))


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
            return loc_of(location.location)
        case FusedLoc(metadata=DictionaryAttr(data=known)):
            loc = loc_of(plain(location))
            end, function = known.get("end"), known.get("function")
            if loc is None:
                return None
            return replace(
                loc,
                end_col=end.data - 1 if isinstance(end, IntAttr) else None,
                function=function.data if isinstance(function, StringAttr) else None,
            )
        case _:
            return None


def plain(location: Attribute) -> Attribute:
    """A location as Triton knows them: files, lines, columns and call sites."""
    match location:
        case CallSiteLoc():
            return CallSiteLoc(plain(location.callee), plain(location.caller))
        case FusedLoc(locations=ArrayAttr(data=(first,))):
            return plain(first)
        case _:
            return location
