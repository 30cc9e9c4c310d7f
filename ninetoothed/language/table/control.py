"""Rows of loops and of what is decided when compiling."""

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
        "What a loop goes over, as Python's ``range``. The keywords tell Triton how to schedule "
        "the loop.",
    ),
    Primitive(
        "static_range",
        STATIC_RANGE,
        ("start", "stop=None", "step=1"),
        "What a loop goes over that is unrolled when compiling; the index is a number there.",
    ),
    Primitive(
        "constexpr",
        CONSTEXPR,
        ("value",),
        "``value``, which must be known when compiling. As the annotation of a parameter it says "
        "that its argument must be.",
    ),
    Primitive(
        "static_assert",
        STATIC_ASSERT,
        ("condition", "message=''"),
        "An error with the message where the condition, known when compiling, does not hold.",
    ),
)
