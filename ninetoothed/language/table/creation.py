"""Rows of what makes blocks."""

from __future__ import annotations

from ninetoothed.language.table.primitive import Primitive

ROWS = (
    Primitive("zeros", "full", ("shape", "dtype"), "A block of zeros."),
    Primitive(
        "full", "full", ("shape", "value", "dtype"), "A block whose lanes all hold ``value``."
    ),
    Primitive(
        "arange",
        "arange",
        ("start", "end"),
        "``start, start + 1, …, end - 1`` as i32; both are known when compiling.",
    ),
)
