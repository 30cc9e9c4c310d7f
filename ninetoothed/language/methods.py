"""Methods of blocks: functions of the language, as in Triton."""

from __future__ import annotations

from types import FunctionType

from ninetoothed import language
from ninetoothed.language.table import Primitive

NAMES = frozenset(
    (
        *("abs", "argmax", "argmin", "associative_scan", "broadcast_to", "cast", "cdiv", "ceil"),
        *("cos", "cumprod", "cumsum", "erf", "exp", "exp2", "expand_dims", "flip", "floor"),
        *("gather", "histogram", "item", "log", "log2", "logical_and", "logical_or"),
        *("max", "min"),
        *("permute", "ravel", "reduce", "reduce_or", "reshape", "rsqrt", "sigmoid", "sin"),
        *("softmax", "sort", "split", "sqrt", "sqrt_rn", "store", "sum", "trans", "view"),
        *("xor_sum", "atomic_add", "atomic_and", "atomic_cas", "atomic_max", "atomic_min"),
        *("atomic_or", "atomic_xchg", "atomic_xor"),
    )
)
"""Methods of Triton's blocks."""


def method(name: str) -> Primitive | FunctionType | None:
    """The function that is called as ``x.name(…)``, with ``x`` as its first argument."""
    return getattr(language, "cast" if name == "to" else name) if name in NAMES | {"to"} else None
