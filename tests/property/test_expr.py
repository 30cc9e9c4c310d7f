"""The index algebra against brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ninetoothed.symbolic.expr import (
    IndexExpr,
    const,
    evaluate,
    python_text,
    substitute,
    sym,
    symbol_names,
)
from ninetoothed.symbolic.intervals import Range, bounds
from ninetoothed.symbolic.normal_form import normalize
from tests.property.expressions import DIVISORS, NAMES, expressions

environments = st.fixed_dictionaries(
    {name: st.integers(-7, 20) for name in NAMES} | {name: st.integers(1, 6) for name in DIVISORS}
)


@given(expressions, environments)
def test_normal_form_has_the_same_value(expr: IndexExpr, env: dict[str, int]) -> None:
    assert evaluate(normalize(expr), env) == evaluate(expr, env)


@given(expressions)
def test_normalizing_is_idempotent(expr: IndexExpr) -> None:
    once = normalize(expr)
    rebuilt = substitute(once, {name: sym(name) for name in symbol_names(once)})
    rebuilt.normal, rebuilt.is_normal = None, False
    assert normalize(rebuilt) == once


_terms = st.lists(
    st.tuples(st.integers(-40, 40), st.sampled_from((*NAMES, *DIVISORS))), min_size=1, max_size=3
)


@given(_terms, st.integers(-40, 40), st.integers(2, 12), st.sampled_from(NAMES))
def test_quotient_and_remainder_meet(
    terms: list[tuple[int, str]], offset: int, divisor: int, factor: str
) -> None:
    dividend = sum((coefficient * sym(name) for coefficient, name in terms), const(offset))
    whole = divisor * (dividend // divisor) + dividend % divisor
    assert normalize(whole) == normalize(dividend)
    apart = sym(factor) * divisor * (dividend // divisor) + sym(factor) * (dividend % divisor)
    assert normalize(apart) == normalize(sym(factor) * dividend)


_divisors = st.one_of(st.integers(2, 12).map(const), st.sampled_from(DIVISORS).map(sym))


@given(_terms, st.integers(-40, 40), _divisors, _divisors, environments)
def test_remainders_of_one_dividend_join(
    terms: list[tuple[int, str]],
    offset: int,
    inner: IndexExpr,
    outer: IndexExpr,
    env: dict[str, int],
) -> None:
    dividend = sum((coefficient * sym(name) for coefficient, name in terms), const(offset))
    apart = inner * (dividend // inner % outer) + dividend % inner
    assert evaluate(normalize(apart), env) == evaluate(dividend % (inner * outer), env)


@given(expressions, environments)
def test_text_is_python_with_the_same_value(expr: IndexExpr, env: dict[str, int]) -> None:
    assert eval(python_text(expr), {}, dict(env)) == evaluate(expr, env)
    assert eval(str(expr), {}, dict(env)) == evaluate(expr, env)


@given(expressions, environments, st.dictionaries(st.sampled_from(NAMES), expressions))
def test_substitution_commutes_with_evaluation(
    expr: IndexExpr, env: dict[str, int], values: dict[str, IndexExpr]
) -> None:
    inner = env | {name: evaluate(value, env) for name, value in values.items()}
    assert evaluate(substitute(expr, values), env) == evaluate(expr, inner)


@st.composite
def _bounded(draw: st.DrawFn) -> tuple[dict[str, Range], dict[str, int]]:
    """Assumptions, some with symbolic bounds, and values that obey them."""
    env: dict[str, int] = {}
    assumptions: dict[str, Range] = {}
    for name in DIVISORS:
        upper = draw(st.integers(1, 6))
        env[name] = draw(st.integers(1, upper))
        assumptions[name] = Range.of(1, draw(st.sampled_from([None, upper])))
    for name in NAMES[:2]:
        low = draw(st.integers(-4, 4))
        env[name] = draw(st.integers(low, low + 6))
        assumptions[name] = draw(st.sampled_from([Range(), Range.of(low), Range.of(low, low + 6)]))
    bound = draw(st.sampled_from([sym("p"), sym("p") * sym("q"), sym("a") + 7 * sym("p")]))
    top = evaluate(bound, env)
    env["n"] = draw(st.integers(min(-7, top), top))
    assumptions["n"] = Range(None if env["n"] < 0 else const(0), bound)
    return assumptions, env


@given(expressions, _bounded())
def test_bounds_hold(expr: IndexExpr, case: tuple[dict[str, Range], dict[str, int]]) -> None:
    assumptions, env = case
    value = evaluate(expr, env)
    lower, upper = bounds(expr, assumptions)
    assert lower is None or lower <= value
    assert upper is None or value <= upper
    assert evaluate(normalize(expr, assumptions), env) == value
