"""Numbers as a launch packs them: the letter of each type, and the values that it takes."""

from __future__ import annotations

import math
import struct
from typing import Any

from ninetoothed.errors import DeviceError

_CODES = {
    "i1": "?",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "u8": "B",
    "u16": "H",
    "u32": "I",
    "u64": "Q",
    "fp16": "e",
    "bf16": "H",
    "fp32": "f",
    "fp64": "d",
}
"""Of each type that is passed by value, the letter that packs it."""


def code_of(type: str) -> str:
    """The letter that packs an argument of a type.

    Raises:
        DeviceError: no such number can be passed.
    """
    code = "Q" if type.startswith("*") else _CODES.get(type)
    if code is None:
        raise DeviceError(
            f"no number of type {type} can be passed to a kernel; declare another dtype for it, "
            "for example ninetoothed.float32"
        )
    return code


def bfloat16(value: float) -> int:
    """The bits of a number as bf16, rounded to the nearest, ties to even."""
    (bits,) = struct.unpack("<I", _packed_float(value))
    if value != value:
        return bits >> 16 | 0x40
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _packed_float(value: float) -> bytes:
    return struct.pack("<f", _rounded("fp32", value))


def _rounded(type: str, value: float) -> float:
    """``value`` as ``type`` can have it: infinite where it is too large."""
    try:
        value = float(value)
        # Without "<", floats that are too large pass.
        struct.pack(f"<{_CODES[type]}", value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return value


def converted(type: str, value: Any) -> Any:
    """``value`` as what the type's letter packs; unsigned numbers may be given as the signed ones
    of the same bits.
    """
    if type == "bf16":
        return bfloat16(value)
    if type.startswith("u"):
        return value % (1 << int(type[1:]))
    return _rounded(type, value) if type.startswith("fp") else value
