"""Rows of elementwise operations."""

from __future__ import annotations

import enum
from collections.abc import Callable

from ninetoothed.language import rules
from ninetoothed.language.table.kinds import ARGUMENTS, LANES, NO_BROADCAST, NO_TYPES, TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

ELEMENTWISE = Kind("elementwise", LANES, (NO_TYPES, NO_BROADCAST))
WHERE = Kind("where", LANES, (NO_TYPES, NO_BROADCAST))
PROPAGATING = Kind(
    "propagating",
    LANES,
    (NO_TYPES, NO_BROADCAST, f"{ARGUMENTS}``propagate_nan`` is no ``ntl.PropagateNan``."),
)
FDIV = Kind("fdiv", LANES, (NO_TYPES, NO_BROADCAST))
CAST = Kind(
    "cast",
    "Any; the result has the same.",
    (
        f"{TYPES}``dtype`` is none, or has another width than the bits.",
        f"{ARGUMENTS}there is no such rounding.",
    ),
    "Any; floats of eight bits become floats only, and only floats become them.",
)


class PropagateNan(enum.Enum):
    """NaN propagation of ``maximum``, ``minimum`` and ``clamp``: ``ALL``, or ``NONE`` for the
    number of a NaN and a number.
    """

    NONE = "none"
    ALL = "all"


_PROPAGATE = "propagate_nan='none'"


def _operator(name: str, rule: Callable[..., tuple[str, str]], triton: str, doc: str) -> Primitive:
    arity = triton.count("{")
    return Primitive(name, ELEMENTWISE, ("x", "y")[:arity], doc, rule, triton, public=False)


def _unary(
    name: str, doc: str, rule: Callable[..., tuple[str, str]] = rules.math_function
) -> Primitive:
    return Primitive(name, ELEMENTWISE, ("x",), doc, rule, f"tl.{name}({{0}})")


ROWS = (
    _operator("add", rules.counting, "{0} + {1}", "Addition."),
    _operator("sub", rules.counting, "{0} - {1}", "Subtraction."),
    _operator("mul", rules.counting, "{0} * {1}", "Multiplication."),
    _operator("truediv", rules.true_division, "{0} / {1}", "True division; the result is a float."),
    _operator(
        "floordiv", rules.integer_division, "{0} // {1}", "Integer division, rounded toward zero."
    ),
    _operator("mod", rules.modulo, "{0} % {1}", "Remainder, with the sign of the dividend."),
    _operator("neg", rules.counting, "-{0}", "Negation."),
    _operator("and", rules.bitwise, "{0} & {1}", "Bitwise and."),
    _operator("or", rules.bitwise, "{0} | {1}", "Bitwise or."),
    _operator("xor", rules.bitwise, "{0} ^ {1}", "Bitwise exclusive or."),
    _operator("invert", rules.bitwise, "~{0}", "Bitwise not."),
    _operator("shl", rules.shift, "{0} << {1}", "Left shift."),
    _operator(
        "shr",
        rules.shift,
        "{0} >> {1}",
        "Right shift, arithmetic for signed integers, else logical.",
    ),
    _operator("lt", rules.comparison, "{0} < {1}", "Less than."),
    _operator("le", rules.comparison, "{0} <= {1}", "Less than or equal."),
    _operator("gt", rules.comparison, "{0} > {1}", "Greater than."),
    _operator("ge", rules.comparison, "{0} >= {1}", "Greater than or equal."),
    _operator("eq", rules.comparison, "{0} == {1}", "Equal."),
    _operator("ne", rules.comparison, "{0} != {1}", "Not equal."),
    _unary("exp", "Natural exponential, e to the power of ``x``; fp32 or fp64."),
    _unary("exp2", "Base-2 exponential, 2 to the power of ``x``; fp32 or fp64."),
    _unary("log", "Natural logarithm; fp32 or fp64."),
    _unary("log2", "Base-2 logarithm; fp32 or fp64."),
    _unary("sqrt", "Square root, fast; fp32 or fp64."),
    _unary("rsqrt", "Reciprocal square root; fp32 or fp64."),
    _unary("sin", "Sine of radians; fp32 or fp64."),
    _unary("cos", "Cosine of radians; fp32 or fp64."),
    _unary("erf", "Error function; fp32 or fp64."),
    _unary("floor", "Floor: the largest integer that is not larger, as a float; fp32 or fp64."),
    _unary("ceil", "Ceiling: the smallest integer that is not smaller, as a float; fp32 or fp64."),
    _unary("abs", "Absolute value, in the type of ``x``.", rules.arithmetic),
    Primitive(
        "sqrt_rn",
        ELEMENTWISE,
        ("x",),
        "Square root, rounded to nearest (IEEE).",
        rules.single,
        "tl.sqrt_rn({0})",
    ),
    Primitive(
        "div_rn",
        ELEMENTWISE,
        ("x", "y"),
        "Division, rounded to nearest (IEEE).",
        rules.single,
        "tl.div_rn({0}, {1})",
    ),
    Primitive(
        "fdiv",
        FDIV,
        ("x", "y", "ieee_rounding=False"),
        "Division of floats, fast, or with ``ieee_rounding`` rounded to nearest.",
        rules.float_division,
        "{0} / {1}",
    ),
    Primitive(
        "fma",
        ELEMENTWISE,
        ("x", "y", "z"),
        "Fused multiply-add: ``x * y + z``, rounded once.",
        rules.fused,
        "tl.fma({0}, {1}, {2})",
    ),
    *(
        Primitive(
            name,
            PROPAGATING,
            ("x", "y", _PROPAGATE),
            f"Elementwise {name}; of a number and a NaN, the number, or with "
            "``ntl.PropagateNan.ALL`` a NaN.",
            rules.arithmetic,
            f"tl.{name}({{0}}, {{1}})",
        )
        for name in ("maximum", "minimum")
    ),
    Primitive(
        "clamp",
        PROPAGATING,
        ("x", "min", "max", _PROPAGATE),
        "Clamp ``x`` to the range from ``min`` to ``max``, neither of which is a NaN. Where ``x`` "
        "is one, a bound, or with ``ntl.PropagateNan.ALL`` a NaN.",
        rules.arithmetic,
        "tl.clamp({0}, {1}, {2})",
    ),
    *(
        Primitive(
            f"{name}_nan",
            ELEMENTWISE,
            ("x", "y", "z")[:arity],
            f"``{name}``, with NaNs propagated.",
            rules.arithmetic,
            f"tl.{name}({{0}}, {{1}}{', {2}' * (arity - 2)}, propagate_nan=tl.PropagateNan.ALL)",
            public=False,
        )
        for name, arity in (("maximum", 2), ("minimum", 2), ("clamp", 3))
    ),
    Primitive(
        "umulhi",
        ELEMENTWISE,
        ("x", "y"),
        "Unsigned multiply-high: the upper half of the product of two integers of 32 or 64 bits, "
        "their bits taken without a sign.",
        rules.multiply_high,
        "tl.umulhi({0}, {1})",
    ),
    Primitive(
        "where",
        WHERE,
        ("condition", "x", "y"),
        "Select: ``x`` where the condition holds, else ``y``. Both are evaluated.",
        rules.arithmetic,
        "tl.where({0}, {1}, {2})",
    ),
    Primitive(
        "cast",
        CAST,
        ("input", "dtype", "fp_downcast_rounding=None", "bitcast=False"),
        "Conversion to another element type; also the method ``x.to(dtype)``. Floats are "
        "truncated, integers wrap, bits are ``!= 0``.\n\n"
        "``fp_downcast_rounding`` is the rounding of floats that become narrower: 'rtne', to "
        "nearest even, the default, or 'rtz', toward zero. ``bitcast`` reinterprets the bits as "
        "another type of the same width.",
    ),
)
