"""The language of applications, imported as ``ntl``.

``ntl.zeros``, ``ntl.dot``, … have a meaning inside an application, which ``help(ntl.dot)`` shows.
``ntl.float16`` and the like are element types. Names are resolved lazily: a process that finds its
kernels on disk needs none.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ninetoothed.dtype import (
    bfloat16,
    float8e4b8,
    float8e4nv,
    float8e5,
    float8e5b16,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

if TYPE_CHECKING:
    from ninetoothed.language import libdevice, math
    from ninetoothed.language.table import Primitive
    from ninetoothed.language.table.elementwise import PropagateNan

_MODULES = ("libdevice", "math")

int1 = "i1"


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "PropagateNan":
        return importlib.import_module(f"{__name__}.table.elementwise").PropagateNan
    row = _public().get(name)
    if row is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return row.body if row.op == "inline" else row


def __dir__() -> list[str]:
    return sorted({*__all__, *_public()})


def _public() -> dict[str, Primitive]:
    return importlib.import_module(f"{__name__}.table").PUBLIC


__all__ = [
    "PropagateNan",
    "bfloat16",
    "float8e4b8",
    "float8e4nv",
    "float8e5",
    "float8e5b16",
    "float16",
    "float32",
    "float64",
    "int1",
    "int8",
    "int16",
    "int32",
    "int64",
    "libdevice",
    "math",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
