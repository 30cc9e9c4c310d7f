"""``ntl.math``: the functions of ``triton.language.math``."""

from __future__ import annotations

from ninetoothed.language.table import TABLE, Primitive

_NAMES = (
    *("abs", "ceil", "cos", "div_rn", "erf", "exp", "exp2", "fdiv", "floor", "fma", "log", "log2"),
    *("rsqrt", "sin", "sqrt", "sqrt_rn", "umulhi"),
)


def __getattr__(name: str) -> Primitive:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return TABLE[name]


def __dir__() -> list[str]:
    return list(_NAMES)
