"""Places in a user's source as the IR's locations."""

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
    """The attribute of a place; columns count from 1 there. An inlined function's place has its
    caller's.
    """
    if loc is None:
        return UnknownLoc()
    here = FileLineColLoc(StringAttr(loc.file), IntAttr(loc.line), IntAttr(loc.col + 1))
    return here if loc.caller is None else CallSiteLoc(here, location(loc.caller))
