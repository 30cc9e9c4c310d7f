"""Element types and their names in torch, in Triton and in the IR.

An element type is a plain string, the one that Triton uses (``"fp16"``, ``"i32"``), so that kernels
may spell it either way. ``DTYPES`` is the table; everything else looks things up in it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

int8 = "i8"
int16 = "i16"
int32 = "i32"
int64 = "i64"
uint8 = "u8"
uint16 = "u16"
uint32 = "u32"
uint64 = "u64"
float16 = "fp16"
bfloat16 = "bf16"
float32 = "fp32"
float64 = "fp64"
bool_ = "i1"
float8e4nv = "fp8e4nv"
float8e5 = "fp8e5"
float8e4b8 = "fp8e4b8"
float8e5b16 = "fp8e5b16"


@dataclass(frozen=True)
class DType:
    """Element type: ``kind`` is ``"bool"``, ``"int"``, ``"uint"`` or ``"float"``; ``bits`` its
    width.

    ``ir`` is the type in the IR's text, where ``i32`` is signed and ``ui32`` is not.
    """

    name: str
    kind: str
    bits: int
    torch: str
    ir: str
    triton: str


DTYPES: dict[str, DType] = {
    row.name: row
    for row in (
        DType(bool_, "bool", 1, "bool", "i1", "int1"),
        DType(int8, "int", 8, "int8", "i8", "int8"),
        DType(int16, "int", 16, "int16", "i16", "int16"),
        DType(int32, "int", 32, "int32", "i32", "int32"),
        DType(int64, "int", 64, "int64", "i64", "int64"),
        DType(uint8, "uint", 8, "uint8", "ui8", "uint8"),
        DType(uint16, "uint", 16, "uint16", "ui16", "uint16"),
        DType(uint32, "uint", 32, "uint32", "ui32", "uint32"),
        DType(uint64, "uint", 64, "uint64", "ui64", "uint64"),
        DType(float16, "float", 16, "float16", "f16", "float16"),
        DType(bfloat16, "float", 16, "bfloat16", "bf16", "bfloat16"),
        DType(float32, "float", 32, "float32", "f32", "float32"),
        DType(float64, "float", 64, "float64", "f64", "float64"),
        DType(float8e4nv, "float", 8, "float8_e4m3fn", "f8E4M3FN", "float8e4nv"),
        DType(float8e5, "float", 8, "float8_e5m2", "f8E5M2", "float8e5"),
        DType(float8e4b8, "float", 8, "float8_e4m3fnuz", "f8E4M3FNUZ", "float8e4b8"),
        DType(float8e5b16, "float", 8, "float8_e5m2fnuz", "f8E5M2FNUZ", "float8e5b16"),
    )
}

INTEGERS = tuple(row.name for row in DTYPES.values() if row.kind in ("int", "uint"))
"""The element types of indices."""

_BY_SPELLING: dict[str, str] = {}
for _row in DTYPES.values():
    for _spelling in (_row.name, _row.torch, _row.triton):
        _BY_SPELLING[_spelling] = _row.name

# As torch reads them: torch.empty(1, dtype=float) has elements of float64.
_PYTHON: dict[type, str] = {bool: bool_, int: int64, float: float64}


def lookup(value: Any) -> str | None:
    """Element type by spelling: a string, a torch or a Triton dtype, Python's ``bool``, ``int`` or
    ``float``; None where there is none.
    """
    if isinstance(value, str):
        return _BY_SPELLING.get(value)
    if isinstance(value, type):
        return _PYTHON.get(value)
    text = str(value)
    if text.startswith("torch."):
        return _BY_SPELLING.get(text[len("torch.") :])
    module = type(value).__module__
    if module.startswith("triton.language"):
        return _BY_SPELLING.get(getattr(value, "name", ""))
    return None


def literal(value: bool | int | float) -> str:
    """Element type of a Python number.

    Raises:
        TypeError: an integer of more than 64 bits.
    """
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        for dtype, low, high in (
            ("i32", -(2**31), 2**31),
            ("u32", 2**31, 2**32),
            ("i64", -(2**63), 2**63),
            ("u64", 2**63, 2**64),
        ):
            if low <= value < high:
                return dtype
        bits = value.bit_length()
        shown = f"an integer of {bits} bits" if bits > 512 else value
        raise TypeError(f"{shown} does not fit 64 bits")
    magnitude = abs(value)
    fits = magnitude in (0.0, float("inf")) or value != value
    return "fp32" if fits or 2**-126 <= magnitude <= (2 - 2**-23) * 2.0**127 else "fp64"


def number(value: Any) -> Any:
    """The Python number of a number of NumPy's, of an integer of sympy's, or of a torch tensor of
    no dims on the CPU; any other object as it is.
    """
    # Who never imported a package has none of its numbers.
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return value.item()
    # Where sympy is being imported, it has made no number yet.
    integer: Any = getattr(sys.modules.get("sympy"), "Integer", None)
    if integer is not None and isinstance(value, integer):
        return int(value)
    return value.item() if _is_scalar_tensor(value) else value


def flag(value: Any) -> bool | None:
    """A flag of Python's or NumPy's, or None.

    Raises:
        TypeError: it is none; of the numbers, 0 and 1 are.
    """
    value = number(value) if value is not None else None
    if value is None or isinstance(value, bool):
        return value
    if type(value) is not int or value not in (0, 1):
        raise TypeError("no flag")
    return bool(value)


def own_type(value: Any) -> str | None:
    """Element type of a torch tensor of no dims on the CPU, a number that has one of its own; None
    for any other object, as for NumPy's numbers, which count as Python's, and for floats of eight
    bits, which are passed in memory only.
    """
    found = lookup(value.dtype) if _is_scalar_tensor(value) else None
    return None if found is None or found.startswith("fp8") else found


def _is_scalar_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return False
    return value.dim() == 0 and value.device.type == "cpu" and not value.is_complex()
