"""Rows of what is computed lane by lane."""

from __future__ import annotations

import enum
from collections.abc import Callable

from ninetoothed.language import rules
from ninetoothed.language.table.kinds import ARGUMENTS, LANES, NO_BROADCAST, NO_TYPES, TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

MAP = Kind("elementwise", LANES, (NO_TYPES, NO_BROADCAST))
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
    """What ``maximum``, ``minimum`` and ``clamp`` make of a NaN and a number: the number, or a
    NaN.
    """

    NONE = "none"
    ALL = "all"


_PROPAGATE = "propagate_nan='none'"


def _operator(name: str, rule: Callable[..., tuple[str, str]], triton: str, doc: str) -> Primitive:
    arity = triton.count("{")
    return Primitive(name, MAP, ("x", "y")[:arity], doc, rule, triton, public=False)


def _unary(name: str, doc: str, rule: Callable[..., tuple[str, str]] = rules.real) -> Primitive:
    return Primitive(name, MAP, ("x",), doc, rule, f"tl.{name}({{0}})")


ROWS = (
    _operator("add", rules.arithmetic, "{0} + {1}", "The sum."),
    _operator("sub", rules.arithmetic, "{0} - {1}", "The difference."),
    _operator("mul", rules.arithmetic, "{0} * {1}", "The product."),
    _operator("truediv", rules.true_division, "{0} / {1}", "The quotient, a float."),
    _operator("floordiv", rules.integer_division, "{0} // {1}", "The quotient, rounded to zero."),
    _operator("mod", rules.modulo, "{0} % {1}", "The remainder, of the dividend's sign."),
    _operator("neg", rules.arithmetic, "-{0}", "The negative."),
    _operator("and", rules.bitwise, "{0} & {1}", "The bits that both have."),
    _operator("or", rules.bitwise, "{0} | {1}", "The bits that either has."),
    _operator("xor", rules.bitwise, "{0} ^ {1}", "The bits that one of the two has."),
    _operator("invert", rules.bitwise, "~{0}", "The bits that are not set."),
    _operator("shl", rules.bitwise, "{0} << {1}", "The bits moved up."),
    _operator(
        "shr", rules.bitwise, "{0} >> {1}", "The bits moved down; signed integers keep their sign."
    ),
    _operator("lt", rules.comparison, "{0} < {1}", "Whether the first is smaller."),
    _operator("le", rules.comparison, "{0} <= {1}", "Whether the first is no larger."),
    _operator("gt", rules.comparison, "{0} > {1}", "Whether the first is larger."),
    _operator("ge", rules.comparison, "{0} >= {1}", "Whether the first is no smaller."),
    _operator("eq", rules.comparison, "{0} == {1}", "Whether the two are equal."),
    _operator("ne", rules.comparison, "{0} != {1}", "Whether the two differ."),
    _unary("exp", "e to the power of ``x``; fp32 or fp64."),
    _unary("exp2", "2 to the power of ``x``; fp32 or fp64."),
    _unary("log", "The natural logarithm; fp32 or fp64."),
    _unary("log2", "The logarithm to base 2; fp32 or fp64."),
    _unary("sqrt", "The square root, fast; fp32 or fp64."),
    _unary("rsqrt", "One over the square root; fp32 or fp64."),
    _unary("sin", "The sine of radians; fp32 or fp64."),
    _unary("cos", "The cosine of radians; fp32 or fp64."),
    _unary("erf", "The error function; fp32 or fp64."),
    _unary("floor", "The largest whole number that is no larger; fp32 or fp64."),
    _unary("ceil", "The smallest whole number that is no smaller; fp32 or fp64."),
    _unary("abs", "The magnitude, in the type of ``x``.", rules.arithmetic),
    Primitive(
        "sqrt_rn",
        MAP,
        ("x",),
        "The square root, rounded to the nearest float.",
        rules.single,
        "tl.sqrt_rn({0})",
    ),
    Primitive(
        "div_rn",
        MAP,
        ("x", "y"),
        "The quotient, rounded to the nearest float.",
        rules.single,
        "tl.div_rn({0}, {1})",
    ),
    Primitive(
        "fdiv",
        FDIV,
        ("x", "y", "ieee_rounding=False"),
        "The quotient of floats, fast, or with ``ieee_rounding`` rounded to the nearest float.",
        rules.float_division,
        "{0} / {1}",
    ),
    Primitive(
        "fma",
        MAP,
        ("x", "y", "z"),
        "``x * y + z``, rounded once.",
        rules.fused,
        "tl.fma({0}, {1}, {2})",
    ),
    *(
        Primitive(
            name,
            PROPAGATING,
            ("x", "y", _PROPAGATE),
            f"The {word} of the two, lane by lane; of a number and a NaN, the number, or with "
            "``ntl.PropagateNan.ALL`` a NaN.",
            rules.arithmetic,
            f"tl.{name}({{0}}, {{1}})",
        )
        for name, word in (("maximum", "larger"), ("minimum", "smaller"))
    ),
    Primitive(
        "clamp",
        PROPAGATING,
        ("x", "min", "max", _PROPAGATE),
        "``x`` held between ``min`` and ``max``, neither of which is a NaN. Where ``x`` is one, "
        "a bound, or with ``ntl.PropagateNan.ALL`` a NaN.",
        rules.arithmetic,
        "tl.clamp({0}, {1}, {2})",
    ),
    *(
        Primitive(
            f"{name}_nan",
            MAP,
            ("x", "y", "z")[:arity],
            f"``{name}``, of which a NaN makes a NaN.",
            rules.arithmetic,
            f"tl.{name}({{0}}, {{1}}{', {2}' * (arity - 2)}, propagate_nan=tl.PropagateNan.ALL)",
            public=False,
        )
        for name, arity in (("maximum", 2), ("minimum", 2), ("clamp", 3))
    ),
    Primitive(
        "umulhi",
        MAP,
        ("x", "y"),
        "The upper half of the product of two integers of 32 or 64 bits, their bits taken without "
        "a sign.",
        rules.high_product,
        "tl.umulhi({0}, {1})",
    ),
    Primitive(
        "where",
        WHERE,
        ("condition", "x", "y"),
        "``x`` where the condition holds, else ``y``. Both are evaluated.",
        rules.arithmetic,
        "tl.where({0}, {1}, {2})",
    ),
    Primitive(
        "cast",
        CAST,
        ("input", "dtype", "fp_downcast_rounding=None", "bitcast=False"),
        "The values in another element type; also the method ``x.to(dtype)``. Floats are cut off, "
        "integers wrap, bits are ``!= 0``.\n\n"
        "``fp_downcast_rounding`` says how a float that becomes narrower is rounded: 'rtne', to "
        "the nearest, as without it, or 'rtz', towards zero. With ``bitcast`` the bits stay, under "
        "another type of the same width.",
    ),
)
