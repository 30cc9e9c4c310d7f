"""The language of applications, imported as ``ntl``.

``ntl.zeros``, ``ntl.dot``, … have a meaning inside an application; ``help(ntl.dot)`` says what it
is. ``ntl.float16`` and the like are element types.

Names are resolved when they are first used: a process that finds its kernels on disk uses none.
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
    from ninetoothed.language.composites import (
        add,
        cdiv,
        full_like,
        interleave,
        item,
        logical_and,
        logical_or,
        mul,
        pow,
        ravel,
        sigmoid,
        softmax,
        sub,
        swizzle2d,
        tanh,
        zeros_like,
    )
    from ninetoothed.language.random import (
        pair_uniform_to_normal,
        philox,
        philox_impl,
        rand,
        rand4x,
        randint,
        randint4x,
        randn,
        randn4x,
        uint_to_uniform_float,
    )
    from ninetoothed.language.table import Primitive
    from ninetoothed.language.table.elementwise import PropagateNan

_COMPOSITES = """
add cdiv full_like interleave item logical_and logical_or mul pow ravel sigmoid softmax sub
swizzle2d tanh zeros_like
"""
_RANDOM = """
pair_uniform_to_normal philox philox_impl rand rand4x randint randint4x randn randn4x
uint_to_uniform_float
"""
_HOMES = {
    **dict.fromkeys(_COMPOSITES.split(), "composites"),
    **dict.fromkeys(_RANDOM.split(), "random"),
    "PropagateNan": "table.elementwise",
}
_MODULES = ("libdevice", "math")

int1 = "i1"


def __getattr__(name: str) -> Primitive:
    value: Any
    if name in _MODULES:
        value = importlib.import_module(f"{__name__}.{name}")
        return value
    if name in _HOMES:
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    found = _table().get(name)
    if found is None or not found.public:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name, row in _table().items() if row.public)})


def _table() -> dict[str, Primitive]:
    return importlib.import_module(f"{__name__}.table").TABLE


__all__ = [
    "PropagateNan",
    "add",
    "bfloat16",
    "cdiv",
    "float8e4b8",
    "float8e4nv",
    "float8e5",
    "float8e5b16",
    "float16",
    "float32",
    "float64",
    "full_like",
    "int1",
    "int8",
    "int16",
    "int32",
    "int64",
    "interleave",
    "item",
    "libdevice",
    "logical_and",
    "logical_or",
    "math",
    "mul",
    "pair_uniform_to_normal",
    "philox",
    "philox_impl",
    "pow",
    "rand",
    "rand4x",
    "randint",
    "randint4x",
    "randn",
    "randn4x",
    "ravel",
    "sigmoid",
    "softmax",
    "sub",
    "swizzle2d",
    "tanh",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uint_to_uniform_float",
    "zeros_like",
]
