"""Rows of what moves lanes."""

from __future__ import annotations

from ninetoothed.language.table.primitive import Primitive

ROWS = (
    Primitive("trans", "trans", ("input",), "The last two dims swapped; also ``x.T``."),
    Primitive(
        "expand_dims", "expand_dims", ("input", "axis"), "A dim of size 1 inserted at ``axis``."
    ),
    Primitive(
        "broadcast_to", "broadcast_to", ("input", "shape"), "Dims of size 1 repeated to ``shape``."
    ),
    Primitive(
        "flip",
        "flip",
        ("x", "dim=None"),
        "The lanes along ``dim``, or along the last dim, in reverse order. Blocks of any size.",
    ),
)
