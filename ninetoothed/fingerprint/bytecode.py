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

_PLAIN = frozenset(
    (
        *("CACHE", "NOP", "RESUME", "EXTENDED_ARG", "PRECALL", "PUSH_NULL", "POP_TOP", "COPY"),
        *("SWAP", "CALL", "CALL_KW", "CALL_FUNCTION_EX", "KW_NAMES", "CALL_INTRINSIC_1"),
        *("RETURN_VALUE", "RETURN_CONST", "RETURN_GENERATOR", "YIELD_VALUE", "RERAISE"),
        *("LOAD_CONST", "LOAD_SMALL_INT", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLOSURE"),
        *("LOAD_ATTR", "LOAD_METHOD", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE", "MAKE_CELL"),
        *("COPY_FREE_VARS", "LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT", "RAISE_VARARGS"),
        *("BINARY_OP", "BINARY_SUBSCR", "BINARY_SLICE", "COMPARE_OP", "IS_OP", "CONTAINS_OP"),
        *("UNARY_NEGATIVE", "UNARY_NOT", "UNARY_INVERT", "UNARY_POSITIVE", "TO_BOOL"),
        *("BUILD_TUPLE", "BUILD_LIST", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_SLICE"),
        *("LIST_APPEND", "LIST_EXTEND", "LIST_TO_TUPLE", "MAP_ADD", "DICT_UPDATE", "DICT_MERGE"),
        *("UNPACK_SEQUENCE", "UNPACK_EX", "GET_ITER", "FOR_ITER", "END_FOR", "POP_ITER"),
        *("SEND", "GET_YIELD_FROM_ITER", "NOT_TAKEN", "STORE_SUBSCR"),
    )
)
_PLAIN_KINDS = ("LOAD_FAST", "STORE_FAST", "DELETE_FAST", "JUMP_", "POP_JUMP_")
_METHODS = frozenset(
    (
        *("append", "bit_count", "bit_length", "count", "endswith", "extend", "get", "index"),
        *("insert", "is_integer", "lower", "pop", "removeprefix", "removesuffix", "replace"),
        *("split", "startswith", "strip", "upper", "values"),
    )
)
"""Methods of numbers, texts, lists and dicts whose results depend on what these hold alone."""


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
    """True if the result of a function depends on its arguments, on what it reads and calls, and on
    nothing else: not on the order of a set, on an address, or on what a class says of itself.

    What is not known to be so, is not: operations that a later Python has, for instance. Attributes
    of what the function reads from outside are left to the caller (see :func:`is_method`).
    """
    for inner in codes(code):
        for kind in {instruction.opname for instruction in dis.get_instructions(inner)}:
            if kind not in _PLAIN and not kind.startswith(_PLAIN_KINDS):
                return False
    return all(map(is_method, _own_attributes(code)))


def is_method(name: str) -> bool:
    """True for a method of numbers, texts, lists and dicts that says nothing but what they hold."""
    return name in _METHODS


def _own_attributes(code: types.CodeType) -> Iterator[str]:
    """Attributes that a function reads of what it has not read from outside itself."""
    for inner in codes(code):
        own = {*inner.co_cellvars, *inner.co_freevars} - {*code.co_freevars}
        outside = False
        for instruction in dis.get_instructions(inner):
            kind = instruction.opname
            if kind in _ATTRIBUTE:
                if not outside:
                    yield instruction.argval
            elif kind != "EXTENDED_ARG":
                outside = kind in _READS and instruction.argval not in own


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Code objects of a function and of those nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)
