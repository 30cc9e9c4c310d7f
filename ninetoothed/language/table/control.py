"""Rows of loops and of what is decided when compiling."""

from __future__ import annotations

from ninetoothed.language.table.primitive import Primitive

ROWS = (
    Primitive(
        "range",
        "range",
        (
            *("start", "stop=None", "step=1", "num_stages=None", "loop_unroll_factor=None"),
            *("disallow_acc_multi_buffer=False", "flatten=False", "warp_specialize=False"),
        ),
        "What a loop goes over, as Python's ``range``. The keywords tell Triton how to schedule "
        "the loop.",
    ),
    Primitive(
        "static_range",
        "static_range",
        ("start", "stop=None", "step=1"),
        "What a loop goes over that is unrolled when compiling; the index is a number there.",
    ),
    Primitive(
        "constexpr",
        "constexpr",
        ("value",),
        "``value``, which must be known when compiling. As the annotation of a parameter it says "
        "that its argument must be.",
    ),
    Primitive(
        "static_assert",
        "static_assert",
        ("condition", "message=''"),
        "An error with the message where the condition, known when compiling, does not hold.",
    ),
)
