"""Source locations as the IR's attributes."""

from __future__ import annotations

import functools

from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    StringAttr,
    UnknownLoc,
)

from ninetoothed.errors import Loc


@functools.lru_cache(maxsize=4096)
def location(loc: Loc | None) -> LocationAttr:
    """The location attribute, with columns from 1; of an inlined function, with its call site."""
    if loc is None:
        return UnknownLoc()
    here = FileLineColLoc(StringAttr(loc.file), IntAttr(loc.line), IntAttr(loc.col + 1))
    return here if loc.caller is None else CallSiteLoc(here, location(loc.caller))
