"""A symbol's text is the symbol, and Python's value of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ninetoothed import Symbol
from ninetoothed.symbolic.decisions import Decision
from ninetoothed.symbolic.expr import COMPARISONS, IndexExpr, binary, evaluate
from tests.property.expressions import DIVISORS, expressions
from tests.property.expressions import NAMES as VARIABLES

NAMES = ("a", "b", "n")
_OPERATORS = ("+", "-", "*", "//", "%", "<", "<=", ">", ">=", "==", "!=", "&", "min", "max")


def apply(operator: str, left: Any, right: Any) -> Any:
    """The result of the operator's method; constants fold to integers."""
    if operator == "min":
        return Symbol(left).minimum(right)
    if operator == "max":
        return Symbol(left).maximum(right)
    return eval(f"left {operator} right", {}, {"left": left, "right": right})


def _grow(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def build(parts: tuple[str, Any, Any]) -> Any:
        operator, left, right = parts
        # Truths of numbers and constant symbols are divisors, too.
        divisor = right.expr.value if isinstance(right, Symbol) else right
        if operator in ("//", "%") and divisor == 0:
            right = 2
        return apply(operator, left, right)

    negated = children.map(lambda value: -value)
    return st.one_of(negated, st.tuples(st.sampled_from(_OPERATORS), children, children).map(build))


symbols = st.recursive(
    st.one_of(st.integers(-9, 9), st.sampled_from(NAMES).map(Symbol)), _grow, max_leaves=8
)


@given(symbols)
def test_text_is_parsed_to_the_symbol(symbol: Any) -> None:
    if isinstance(symbol, Symbol):
        assert Symbol(str(symbol)) is symbol
    else:
        # Python's own integers compare to bools.
        assert Symbol(str(int(symbol))).expr.value == symbol


values = st.fixed_dictionaries(
    {name: st.integers(-7, 20) for name in VARIABLES}
    | {name: st.integers(1, 6) for name in DIVISORS}
)


@given(
    expressions,
    expressions,
    st.sampled_from([*COMPARISONS]),
    values,
    st.sets(st.sampled_from([*VARIABLES, *DIVISORS])),
)
def test_an_answer_that_holds_is_right(
    left: IndexExpr, right: IndexExpr, op: str, env: dict[str, int], known: set[str]
) -> None:
    """For the given values of some symbols, and whatever the others are."""
    condition = binary(op, left, right)
    truth = bool(evaluate(condition, env))
    given_values = {name: env[name] for name in known}
    assert not Decision(condition, not truth, None).holds(given_values)
    if known == {*env}:
        assert Decision(condition, truth, None).holds(env)
