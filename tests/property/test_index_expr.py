"""The index algebra against brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ninetoothed.ir.index_bounds import Range, bounds
from ninetoothed.ir.index_expr import (
    IndexExpr,
    binary,
    const,
    evaluate,
    python_text,
    substitute,
    sym,
    symbol_names,
)
from ninetoothed.ir.index_normal import always_less, always_nonnegative, normalize

NAMES = ("a", "b", "n")
DIVISORS = ("p", "q")


def _divisor(children: st.SearchStrategy[IndexExpr]) -> st.SearchStrategy[IndexExpr]:
    return st.one_of(
        st.integers(1, 8).map(const),
        st.sampled_from(DIVISORS).map(sym),
        st.tuples(st.sampled_from(DIVISORS), st.integers(1, 4)).map(lambda t: sym(t[0]) * t[1]),
        st.just(sym("p") * sym("q")),
        st.just(sym("p") + sym("q")),
    )


def _grow(children: st.SearchStrategy[IndexExpr]) -> st.SearchStrategy[IndexExpr]:
    plain = st.tuples(
        st.sampled_from(["add", "sub", "mul", "min", "max", "lt", "le", "eq"]),
        children,
        children,
    )
    division = st.tuples(
        st.sampled_from(["floordiv", "mod", "ceildiv"]), children, _divisor(children)
    )
    conjunction = st.tuples(children, children, children).map(
        lambda t: ("and", binary("lt", t[0], t[1]), binary("ne", t[1], t[2]))
    )
    return st.one_of(plain, conjunction, division, division).map(lambda t: binary(*t))


expressions = st.recursive(
    st.one_of(
        st.integers(-9, 9).map(const),
        st.sampled_from(NAMES + DIVISORS).map(sym),
    ),
    _grow,
    max_leaves=8,
)
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
    rebuilt.normal = None
    assert normalize(rebuilt) == once


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


@given(expressions, expressions, _bounded())
def test_proofs_hold(
    left: IndexExpr, right: IndexExpr, case: tuple[dict[str, Range], dict[str, int]]
) -> None:
    assumptions, env = case
    if always_nonnegative(left, assumptions):
        assert evaluate(left, env) >= 0
    if always_less(left, right, assumptions):
        assert evaluate(left, env) < evaluate(right, env)
