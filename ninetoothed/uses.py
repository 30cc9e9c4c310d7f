"""What the code of a function reads from outside: globals and closure variables, with the
attributes that are read of them.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator

Path = tuple[str, ...]
"""Attributes, one of another; none: the object itself is used."""

_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_CLOSURE = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
_CHANGES = ("STORE_GLOBAL", "DELETE_GLOBAL")
_CHANGES_CLOSURE = ("STORE_DEREF", "DELETE_DEREF")


class Uses:
    """``names`` and ``variables``: the globals (or builtins) and the closure variables, with the
    paths of attributes. ``attributes``: all that may be one's name, of whatever. ``imports``: the
    modules that it imports itself. ``changes``: it assigns what is outside.
    """

    def __init__(self) -> None:
        self.names: dict[str, set[Path]] = {}
        self.variables: dict[str, set[Path]] = {}
        self.attributes: set[str] = set()
        self.imports: set[str] = set()
        self.changes = False


def uses(code: types.CodeType) -> Uses:
    """What a function, and what is defined inside it, reads from outside."""
    found = Uses()
    for inner in codes(code):
        path: list[str] | None = None
        # Texts may be given to getattr.
        texts = [constant for constant in inner.co_consts if isinstance(constant, str)]
        found.attributes.update(inner.co_names, texts)
        for instruction in dis.get_instructions(inner):
            kind, name = instruction.opname, instruction.argval
            if kind == "EXTENDED_ARG":
                continue
            if path is not None and kind in _ATTRIBUTE:
                path.append(name)
                continue
            if path is not None:
                _add(found, code, path)
            path = None
            if kind in _GLOBAL or (kind in _CLOSURE and name in code.co_freevars):
                path = [name]
            elif kind == "IMPORT_NAME":
                found.imports.add(name)
            elif kind in _CHANGES or (kind in _CHANGES_CLOSURE and name in code.co_freevars):
                found.changes = True
    return found


def _add(found: Uses, code: types.CodeType, path: list[str]) -> None:
    name, *attributes = path
    kind = found.variables if name in code.co_freevars else found.names
    kind.setdefault(name, set()).add(tuple(attributes))


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A function's code, and that of what is defined inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)
