"""A symbol's text is the symbol, and Python's value of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ninetoothed import Symbol

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
        if operator in ("//", "%") and type(right) is int and right == 0:
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
