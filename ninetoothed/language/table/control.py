"""Rows of loops and compile-time control."""

from __future__ import annotations

from ninetoothed.language.table.kinds import ARGUMENTS, TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

RANGE = Kind(
    "range",
    "Scalars.",
    (f"{ARGUMENTS}the step is 0.", "UnsupportedSyntaxError: it stands outside of a loop."),
    "Integers.",
    "for k in ntl.{name}(4): out = x * k",
)
STATIC_RANGE = Kind(
    "static_range",
    "Numbers that are known when compiling.",
    (
        f"{TYPES}a bound is not known when compiling.",
        "UnsupportedSyntaxError: it stands outside of a loop.",
    ),
    "Integers.",
    "for k in ntl.{name}(4): out = x * k",
)
CONSTEXPR = Kind(
    "constexpr",
    "None.",
    (f"{TYPES}the value is not known when compiling.",),
    "Any.",
    "ntl.{name}(16)",
)
STATIC_ASSERT = Kind(
    "static_assert",
    "None.",
    (
        "AssertionFailedError: the condition does not hold.",
        f"{TYPES}the condition or the message is not known when compiling.",
    ),
    "Bits.",
    "ntl.{name}(x.shape[0] == 16, 'blocks of 16')",
)

ROWS = (
    Primitive(
        "range",
        RANGE,
        (
            *("start", "stop=None", "step=1", "num_stages=None", "loop_unroll_factor=None"),
            *("disallow_acc_multi_buffer=False", "flatten=False", "warp_specialize=False"),
        ),
        "The range of a loop, as Python's ``range``. The keywords are Triton's hints for "
        "scheduling the loop.",
    ),
    Primitive(
        "static_range",
        STATIC_RANGE,
        ("start", "stop=None", "step=1"),
        "The range of a loop that is unrolled when compiling; the index is a number.",
    ),
    Primitive(
        "constexpr",
        CONSTEXPR,
        ("value",),
        "A compile-time constant: ``value``, which must be known when compiling. As the annotation "
        "of a parameter, it demands so of the argument.",
    ),
    Primitive(
        "static_assert",
        STATIC_ASSERT,
        ("condition", "message=''"),
        "Compile-time assertion: an error with the message where the condition does not hold.",
    ),
)
