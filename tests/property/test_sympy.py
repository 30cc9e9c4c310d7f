"""sympy as an independent judge of the normal form and of the prover.

It is asked twice: whether it decides a question for all numbers, and what an expression is at some.
What we say may be what sympy leaves open; it never contradicts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from ninetoothed.symbolic.expr import IndexExpr, SymbolInfo, evaluate, substitute, sym
from ninetoothed.symbolic.intervals import Range, bounds
from ninetoothed.symbolic.normal_form import always_less, always_nonnegative, normalize
from ninetoothed.symbolic.sympy_exchange import from_sympy, to_sympy
from tests.property.expressions import DIVISORS, NAMES, Assumed, assumed, expressions
from tests.support.profiles import examples

# The divisors are declared positive, and the others as the case says.
POSITIVE = SymbolInfo("size", 1)
OPPOSITE = {
    "nonnegative": "negative",
    "negative": "nonnegative",
    "nonpositive": "positive",
    "positive": "nonpositive",
}
environments = st.fixed_dictionaries(
    {name: st.integers(-7, 20) for name in NAMES} | {name: st.integers(1, 6) for name in DIVISORS}
)


def declared(expr: IndexExpr, least: Mapping[str, int | None]) -> IndexExpr:
    """``expr`` with symbols that sympy knows to be at least as large."""
    infos = {name: SymbolInfo("size", least.get(name)) for name in NAMES}
    infos |= dict.fromkeys(DIVISORS, POSITIVE)
    return substitute(expr, {name: sym(name, info) for name, info in infos.items()})


def number(value: Any) -> int:
    """A number of sympy's; a condition is 0 or 1."""
    if value in (sympy.true, sympy.false):
        return int(bool(value))
    assert value.is_Integer, value
    return int(value)


def put(value: Any, env: Mapping[str, int]) -> int:
    """The value of sympy's expression, as sympy computes it."""
    # All at once: what sympy makes of half of them is sometimes endless.
    values = {symbol: sympy.Integer(env[symbol.name]) for symbol in value.free_symbols}
    return number(value.xreplace(values))


@examples(500)
@given(expressions, st.lists(environments, min_size=1, max_size=3))
def test_normal_forms(expr: IndexExpr, envs: list[dict[str, int]]) -> None:
    expr = declared(expr, {})
    one, two = to_sympy(expr), to_sympy(normalize(expr))
    if isinstance(one, sympy.Expr) and isinstance(two, sympy.Expr):
        # Where sympy decides it, they are equal for all numbers.
        assert (one - two).is_zero is not False
    for env in envs:
        assert put(one, env) == put(two, env) == evaluate(expr, env)
    # And back.
    again = from_sympy(one)
    for env in envs:
        assert evaluate(again, env) == evaluate(expr, env)


def _least(range_: Range) -> int | None:
    """The least number that a symbol may be, where it is a number of at least 0."""
    lower = None if range_.lower is None else range_.lower.value
    return lower if lower is not None and lower >= 0 else None


@examples(500)
@given(expressions, st.integers(-9, 9), assumed(), st.integers(0, 1 << 20))
def test_claims(expr: IndexExpr, limit: int, known: Assumed, seed: int) -> None:
    env, valid = known.domain
    assume(valid.any())
    places = np.argwhere(valid)
    names = list(env)
    values = [np.broadcast_to(env[name], valid.shape) for name in names]
    chosen = [tuple(places[(seed + step * 7919) % len(places)]) for step in range(4)]
    envs = [
        {name: int(array[at]) for name, array in zip(names, values, strict=True)} for at in chosen
    ]
    least = {name: _least(known.ranges[name]) for name in NAMES}
    judged = to_sympy(declared(expr, least))
    found = [put(judged, one) for one in envs]

    lower, upper = bounds(expr, known.ranges)
    assert lower is None or lower <= min(found)
    assert upper is None or max(found) <= upper
    normal = to_sympy(normalize(expr, known.ranges))
    assert [put(normal, one) for one in envs] == found
    claims = {
        "nonnegative": always_nonnegative(expr - limit, known.ranges, known.facts),
        "nonpositive": always_nonnegative(limit - expr, known.ranges, known.facts),
        "negative": always_less(expr, limit, known.ranges, known.facts),
        "positive": always_less(limit, expr, known.ranges, known.facts),
    }
    # What sympy decides by itself, of all numbers that it takes the symbols to be.
    difference = to_sympy(declared(expr - limit, least))
    for claim, proved in claims.items():
        if not proved:
            continue
        for value in found:
            assert getattr(sympy.Integer(value - limit), f"is_{claim}")
        if not known.facts:
            assert getattr(difference, f"is_{OPPOSITE[claim]}") is not True
