"""NineToothed: kernels from two small functions, an arrangement and an application.

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
    kernel(x, y, z)

Public names are resolved when they are first used, so that importing the package is quick.
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
from ninetoothed.version import __version__

if TYPE_CHECKING:
    from ninetoothed.definition.tensor_functions import eval, subs
    from ninetoothed.errors import (
        AgreementWarning,
        ArgumentOrderWarning,
        BoundsWarning,
        DtypeWarning,
        GradientWarning,
        NineToothedError,
        NineToothedWarning,
        OptionWarning,
        OverlapWarning,
        RaceWarning,
        UnusedValueWarning,
        VmapWarning,
    )
    from ninetoothed.kernel.api import build, jit, make
    from ninetoothed.kernel.distribution import sharding
    from ninetoothed.kernel.factories import factory
    from ninetoothed.kernel.kernel import Kernel
    from ninetoothed.kernel.named import operator
    from ninetoothed.symbol import Symbol, block_size
    from ninetoothed.tensor import Tensor
    from ninetoothed.verification.verdicts import check

_PUBLIC = {
    "AgreementWarning": "errors",
    "ArgumentOrderWarning": "errors",
    "BoundsWarning": "errors",
    "DtypeWarning": "errors",
    "GradientWarning": "errors",
    "OptionWarning": "errors",
    "OverlapWarning": "errors",
    "UnusedValueWarning": "errors",
    "VmapWarning": "errors",
    "Kernel": "kernel.kernel",
    "NineToothedError": "errors",
    "NineToothedWarning": "errors",
    "Symbol": "symbol",
    "RaceWarning": "errors",
    "Tensor": "tensor",
    "block_size": "symbol",
    "build": "kernel.api",
    "check": "verification.verdicts",
    "eval": "definition.tensor_functions",
    "factory": "kernel.factories",
    "jit": "kernel.api",
    "make": "kernel.api",
    "operator": "kernel.named",
    "sharding": "kernel.distribution",
    "subs": "definition.tensor_functions",
}
_MODULES = (
    "debugging",
    "dtype",
    "errors",
    "generation",
    "language",
    "passes",
    "testing",
    "tuning",
    "visualization",
)


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        value = getattr(importlib.import_module(f"ninetoothed.{_PUBLIC[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"ninetoothed.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC, *_MODULES])


__all__ = [
    "AgreementWarning",
    "ArgumentOrderWarning",
    "BoundsWarning",
    "DtypeWarning",
    "GradientWarning",
    "Kernel",
    "NineToothedError",
    "NineToothedWarning",
    "OptionWarning",
    "OverlapWarning",
    "RaceWarning",
    "Symbol",
    "Tensor",
    "UnusedValueWarning",
    "VmapWarning",
    "__version__",
    "bfloat16",
    "block_size",
    "build",
    "check",
    "eval",
    "factory",
    "float8e4b8",
    "float8e4nv",
    "float8e5",
    "float8e5b16",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "jit",
    "make",
    "operator",
    "sharding",
    "subs",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
