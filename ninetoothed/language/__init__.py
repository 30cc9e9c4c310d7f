"""The language of applications, imported as ``ntl``.

``ntl.zeros``, ``ntl.dot``, … have a meaning inside an application, which ``help(ntl.dot)`` shows.
``ntl.float16`` and the like are element types. Names are resolved lazily: a process that finds its
kernels on disk needs none.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ninetoothed.dtype import (
    DTYPES,
)
from ninetoothed.dtype import (
    bfloat16 as bfloat16,
)
from ninetoothed.dtype import (
    float8e4b8 as float8e4b8,
)
from ninetoothed.dtype import (
    float8e4nv as float8e4nv,
)
from ninetoothed.dtype import (
    float8e5 as float8e5,
)
from ninetoothed.dtype import (
    float8e5b16 as float8e5b16,
)
from ninetoothed.dtype import (
    float16 as float16,
)
from ninetoothed.dtype import (
    float32 as float32,
)
from ninetoothed.dtype import (
    float64 as float64,
)
from ninetoothed.dtype import (
    int8 as int8,
)
from ninetoothed.dtype import (
    int16 as int16,
)
from ninetoothed.dtype import (
    int32 as int32,
)
from ninetoothed.dtype import (
    int64 as int64,
)
from ninetoothed.dtype import (
    uint8 as uint8,
)
from ninetoothed.dtype import (
    uint16 as uint16,
)
from ninetoothed.dtype import (
    uint32 as uint32,
)
from ninetoothed.dtype import (
    uint64 as uint64,
)

if TYPE_CHECKING:
    from ninetoothed.language import libdevice as libdevice
    from ninetoothed.language import math as math
    from ninetoothed.language.table import Primitive
    from ninetoothed.language.table.elementwise import PropagateNan as PropagateNan

_MODULES = ("libdevice", "math")

int1 = "i1"
_TYPES = [name for name, value in globals().items() if isinstance(value, str) and value in DTYPES]


def __getattr__(name: str) -> Any:
    if name == "__all__":
        # Of a star import: no primitives, which have the names of Python's functions.
        return [*_names(), *(row.name for row in _public().values() if row.op == "inline")]
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "PropagateNan":
        return importlib.import_module(f"{__name__}.table.elementwise").PropagateNan
    row = _public().get(name)
    if row is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return row.body if row.op == "inline" else row


def __dir__() -> list[str]:
    return sorted({*_names(), *_public()})


def _names() -> list[str]:
    """The element types, and what is no function of the table."""
    return ["PropagateNan", *_TYPES, *_MODULES]


def _public() -> dict[str, Primitive]:
    return importlib.import_module(f"{__name__}.table").PUBLIC
