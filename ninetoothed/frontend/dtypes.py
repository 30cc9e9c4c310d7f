"""Element types in applications: how they compare, and their attributes, as Triton's have them, all
known when compiling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ninetoothed.dtype import DTYPES, DType, lookup
from ninetoothed.errors import TypeMismatchError, did_you_mean
from ninetoothed.frontend.values import ElementType, Level, Method, PointerDtype, Value, describe

_MANTISSAS = {
    "fp8e4nv": 3,
    "fp8e4b8": 3,
    "fp8e5": 2,
    "fp8e5b16": 2,
    "fp16": 10,
    "bf16": 7,
    "fp32": 23,
    "fp64": 52,
}


def _name(row: DType) -> str:
    """Triton's name: of integers \"int32\", of floats \"fp32\"."""
    return row.name if row.kind == "float" else row.triton


def _is_signed(row: DType) -> bool:
    return row.kind == "int"


def _is_integer(row: DType) -> bool:
    # Bits, too, are integers of Triton's.
    return row.kind != "float"


_TESTS: dict[str, Callable[[DType], bool]] = {
    "is_floating": lambda row: row.kind == "float",
    "is_standard_floating": lambda row: row.kind == "float" and row.bits > 8,
    "is_fp8": lambda row: row.kind == "float" and row.bits == 8,
    "is_int": _is_integer,
    "is_int_signed": _is_signed,
    "is_int_unsigned": lambda row: row.kind in ("uint", "bool"),
    "is_bool": lambda row: row.kind == "bool",
    "is_ptr": lambda row: False,
    "is_block": lambda row: False,
}
_TESTED_NAMES = {f"is_{_name(row)}": row.name for row in DTYPES.values()}
"""Tests such as ``is_fp32``, each of one element type."""


def is_same(left: Value, right: Value) -> bool | None:
    """True if two values name one element type, by any of its spellings; None: they name none.

    Raises:
        TypeMismatchError: one is an element type, with which the other cannot be compared.
    """
    names = [lookup(value) if isinstance(value, str) else None for value in (left, right)]
    if None not in names:
        return names[0] == names[1]
    for one, name, other in ((left, names[0], right), (right, names[1], left)):
        # A string that names no type is a word like any other, unless a type stands beside it.
        if isinstance(one, ElementType) or (name and isinstance(other, Level | type)):
            if other is not None and not isinstance(other, PointerDtype):
                raise TypeMismatchError(_incomparable(other))
            return False
    return None


def _incomparable(other: Value) -> str:
    """The error of a comparison of an element type with what is none."""
    if isinstance(other, str):
        spellings = [name for row in DTYPES.values() for name in (row.name, row.torch)]
        hint = did_you_mean(other, spellings) or "write one, as ntl.float32"
        return f"{other!r} is no element type; {hint}"
    if isinstance(other, Level):
        return (
            f"{describe(other)} is no element type; its blocks have one: write .dtype once more, "
            "as in p.dtype.dtype"
        )
    found = lookup(other) if isinstance(other, type) else None
    like = f"ntl.{DTYPES[found].torch}" if found not in (None, "i1") else "ntl.float32"
    return f"{describe(other)} is no element type; compare with one, as {like}"


def attribute(value: str | PointerDtype, name: str, missing: Any) -> Value:
    """The attribute ``name`` of an element type, or of a pointer's type; else ``missing``."""
    if isinstance(value, PointerDtype):
        if name == "element_ty":
            return ElementType(value.pointee)
        known = name in _TESTS or name in _TESTED_NAMES
        return _method(name, name == "is_ptr") if known else missing
    row = DTYPES.get(value)
    if row is None:
        return missing
    if name in _TESTS:
        return _method(name, _TESTS[name](row))
    if name in _TESTED_NAMES:
        return _method(name, _TESTED_NAMES[name] == row.name)
    values = _numbers(row)
    if name in values:
        return values[name]
    limits = _limits(row)
    return _method(name, limits[name]) if name in limits else missing


def _numbers(row: DType) -> dict[str, Value]:
    found: dict[str, Value] = {
        "name": _name(row),
        "scalar": ElementType(row.name),
        "primitive_bitwidth": row.bits,
        "itemsize": row.bits // 8,
    }
    if _is_integer(row):
        return {**found, "int_bitwidth": row.bits}
    return {**found, "fp_mantissa_width": _MANTISSAS[row.name]}


def _limits(row: DType) -> dict[str, int]:
    """Methods that return the smallest and the largest integer."""
    if not _is_integer(row):
        return {}
    signed = _is_signed(row)
    return {
        "get_int_min_value": -(2 ** (row.bits - 1)) if signed else 0,
        "get_int_max_value": 2 ** (row.bits - signed) - 1,
    }


def _method(name: str, result: Value) -> Method:
    return Method(name, (), lambda ctx, bound: result)
