"""Rows of block creation."""

from __future__ import annotations

from ninetoothed.language.table.kinds import SHAPES, TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

FULL = Kind(
    "full",
    "``shape``, of sizes that are known when compiling.",
    (f"{SHAPES}a size is not known when compiling.", f"{TYPES}``dtype`` is none."),
    "Any.",
)
ARANGE = Kind(
    "arange",
    "One dim of ``end - start`` lanes.",
    (f"{TYPES}an end is not known when compiling.", f"{SHAPES}there is no lane."),
    "i32.",
    "ntl.{name}(0, 16)",
)

ROWS = (
    Primitive("zeros", FULL, ("shape", "dtype"), "A block of zeros."),
    Primitive("full", FULL, ("shape", "value", "dtype"), "A block whose lanes all hold ``value``."),
    Primitive(
        "arange",
        ARANGE,
        ("start", "end"),
        "A range: ``start, start + 1, …, end - 1`` as i32; both are known when compiling.",
    ),
)
