"""Rows of what combines lanes."""

from __future__ import annotations

from ninetoothed.language import rules
from ninetoothed.language.table.primitive import Primitive

ROWS = (
    Primitive(
        "sum",
        "reduce",
        ("input", "axis=None", "keep_dims=False"),
        "The sum along ``axis``, or of all lanes. Integers of fewer than 32 bits are summed in 32.",
        rules.summation,
        "tl.sum({0}, axis={axis})",
        identity=lambda dtype: 0,
    ),
    Primitive(
        "max",
        "reduce",
        ("input", "axis=None", "keep_dims=False"),
        "The largest along ``axis``, or of all lanes. Types of fewer than 32 bits give 32.",
        rules.extremum,
        "tl.max({0}, axis={axis})",
        identity=rules.lowest,
    ),
    Primitive(
        "min",
        "reduce",
        ("input", "axis=None", "keep_dims=False"),
        "The smallest along ``axis``, or of all lanes. Types of fewer than 32 bits give 32.",
        rules.extremum,
        "tl.min({0}, axis={axis})",
        identity=rules.highest,
    ),
    Primitive(
        "xor_sum",
        "reduce",
        ("input", "axis=None", "keep_dims=False"),
        "The bits that an odd number of lanes along ``axis``, or of all lanes, have; integers.",
        rules.bitwise,
        "tl.xor_sum({0}, axis={axis})",
        identity=lambda dtype: 0,
    ),
)
