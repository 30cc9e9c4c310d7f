"""Free names of a function's bytecode: globals and closure variables, with the attributes read of
them.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator

Path = tuple[str, ...]
"""Attributes, one of another; none: the object itself is used."""

_READS = (
    *("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"),
    *("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"),
)
_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
_EFFECTS = frozenset(
    dis.opmap[name]
    for name in ("IMPORT_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF")
)


def reads(code: types.CodeType) -> dict[str, set[Path]]:
    """Names that a function, with those nested in it, reads from outside, with their attribute
    paths.
    """
    found: dict[str, set[Path]] = {}
    for inner in codes(code):
        own = {*inner.co_cellvars, *inner.co_freevars} - {*code.co_freevars}
        path: list[str] = []
        for instruction in dis.get_instructions(inner):
            kind, name = instruction.opname, instruction.argval
            if kind == "EXTENDED_ARG":
                continue
            if path and kind in _ATTRIBUTE:
                path.append(name)
                continue
            if path:
                found.setdefault(path[0], set()).add(tuple(path[1:]))
            path = [name] if kind in _READS and name not in own else []
    return found


def is_plain(code: types.CodeType) -> bool:
    """True if a function imports nothing, changes nothing outside, and reads no special attribute,
    by its name or by a text.
    """
    for inner in codes(code):
        names = (*inner.co_names, *(item for item in inner.co_consts if isinstance(item, str)))
        special = any(name.startswith("__") and name.endswith("__") for name in names)
        # An operation takes two bytes, its number first.
        if special or not _EFFECTS.isdisjoint(inner.co_code[::2]):
            return False
    return True


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Code objects of a function and of those nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)
