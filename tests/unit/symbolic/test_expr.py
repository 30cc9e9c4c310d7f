"""Index expressions: their two spellings, substitution, and what is kept once."""

from __future__ import annotations

import itertools
import json
import pickle

import pytest

from ninetoothed.symbolic.expr import (
    IndexExpr,
    SymbolInfo,
    binary,
    const,
    evaluate,
    ir_text,
    javascript_text,
    maximum,
    minimum,
    product,
    python_text,
    replace_all,
    substitute,
    sym,
    symbol_names,
    symbols,
)
from tests.support.explored import needs_node, run_core


def ceildiv(left: IndexExpr, right: IndexExpr | int) -> IndexExpr:
    """``left / right`` rounded up."""
    return binary("ceildiv", left, right)


a, b, c = sym("a"), sym("b"), sym("c")

SPELLED: list[tuple[IndexExpr, str, str]] = [
    (a // b, "a // b", "a floordiv b"),
    (a % b, "a % b", "a mod b"),
    (ceildiv(a, b), "-(-a // b)", "a ceildiv b"),
    (ceildiv(a + 1, b * 2), "-(-(a + 1) // (b * 2))", "(a + 1) ceildiv (b * 2)"),
    (2 * ceildiv(a, b), "2 * -(-a // b)", "2 * (a ceildiv b)"),
    (minimum(a, b) + 1, "min(a, b) + 1", "min(a, b) + 1"),
    (maximum(a + 1, b), "max(a + 1, b)", "max(a + 1, b)"),
    (binary("lt", a, b), "a < b", "a lt b"),
    (
        binary("and", binary("lt", a, b), binary("ne", c, 0)),
        "a < b and c != 0",
        "a lt b and c ne 0",
    ),
    # A chain of comparisons would mean something else.
    (binary("lt", binary("lt", a, b), c), "(a < b) < c", "(a lt b) lt c"),
    (binary("eq", a, binary("lt", b, c)), "a == (b < c)", "a eq (b lt c)"),
    (a - (b - c), "a - (b - c)", "a - (b - c)"),
    (-(a * b), "-(a * b)", "-(a * b)"),
    (a * -3, "a * -3", "a * -3"),
]


@pytest.mark.parametrize(("expr", "python", "ir"), SPELLED, ids=[row[1] for row in SPELLED])
def test_spellings(expr: IndexExpr, python: str, ir: str) -> None:
    assert str(expr) == python
    assert ir_text(expr) == ir
    assert python_text(expr) in (python, f"({python})")


def test_python_computes_what_is_meant() -> None:
    """Python's ``and`` of numbers is one of them."""
    expr = binary("and", a, binary("and", b, c)) + 1
    for values in ({"a": 2, "b": 3, "c": 5}, {"a": 2, "b": 0, "c": 5}):
        assert eval(python_text(expr), values) == evaluate(expr, values)


JAVASCRIPT: list[tuple[IndexExpr, str]] = [
    (a // b, "floordiv(v.a, v.b)"),
    ((a + 1) % (b * 2), "mod(v.a + 1, v.b * 2)"),
    (2 * ceildiv(a, b), "(2 * ceildiv(v.a, v.b))"),
    (minimum(a, b) + 1, "(Math.min(v.a, v.b) + 1)"),
    (maximum(a + 1, b), "Math.max(v.a + 1, v.b)"),
    (binary("lt", a, b), "Number(v.a < v.b)"),
    (binary("eq", a, binary("ne", b, c)), "Number(v.a === Number(v.b !== v.c))"),
    # An operand of `and` is a truth.
    (binary("and", a, binary("ge", b, c)), "Number(Number(v.a !== 0) && Number(v.b >= v.c))"),
    (a - (b - c), "(v.a - (v.b - v.c))"),
    # Two signs in a row would be another operator.
    (IndexExpr("neg", -a), "(-(-v.a))"),
    (-IndexExpr("neg", const(-3)), "(-(-(-3)))"),
    (a * -3, "(v.a * -3)"),
    (a - -3, "(v.a - -3)"),
    (sym("new") * sym("é"), "(v.new * v.é)"),
]


@pytest.mark.parametrize(("expr", "text"), JAVASCRIPT, ids=[row[1] for row in JAVASCRIPT])
def test_javascript(expr: IndexExpr, text: str) -> None:
    assert javascript_text(expr, "v") == text


@needs_node
def test_javascript_computes_what_is_meant() -> None:
    exprs = [expr for expr, *_ in (*SPELLED, *JAVASCRIPT[:-1])]
    edge = 2**53 - 1
    cases = [
        (expr, {"a": one, "b": two, "c": three})
        for expr in exprs
        for one, two, three in itertools.product((-7, -6, 0, 1, 5, 6), (1, 2, 3), (-1, 0, 4))
    ]
    cases += [
        (op, {"a": sign * (edge - less), "b": divisor})
        for op in (a // b, a % b, ceildiv(a, b))
        for sign, less, divisor in itertools.product(
            (1, -1), (0, 1, 2), (1, 2, 3, 7, 2**26 + 1, edge - 1, edge)
        )
    ]
    rows = ", ".join(
        f"(v => {javascript_text(expr, 'v')})({json.dumps(values)})" for expr, values in cases
    )
    assert run_core("", f"[{rows}]") == [evaluate(expr, values) for expr, values in cases]


@needs_node
def test_a_javascript_division_by_zero_is_zero() -> None:
    rows = "[floordiv(3, 0), mod(3, 0), ceildiv(3, 0)]"
    assert run_core("", rows) == [0, 0, 0]


def test_expressions_are_kept_once() -> None:
    assert a + b is sym("a") + sym("b")
    assert pickle.loads(pickle.dumps(a * b - 2)) is a * b - 2
    assert sym("a", SymbolInfo("size")) != a


def test_a_division_by_zero_is_an_error_where_it_is_written() -> None:
    for op in ("floordiv", "mod", "ceildiv"):
        with pytest.raises(ZeroDivisionError):
            binary(op, a, 0)


def test_a_division_by_what_becomes_zero_is_zero() -> None:
    assert substitute(a // b + a % b + ceildiv(a, b), {"b": 0}) == const(0)


def test_a_division_by_what_was_found_to_be_zero_stays() -> None:
    quotient = IndexExpr("floordiv", a, const(0))
    assert replace_all(quotient + b, {b: c}) is quotient + c


def test_substitution_is_of_all_at_once() -> None:
    assert substitute(a - b, {"a": b, "b": a}) is b - a
    assert substitute(a * b, {"a": 2, "b": 3}).value == 6


def test_symbols_in_order_of_their_first_use() -> None:
    assert symbol_names(b + a * b, c) == ["b", "a", "c"]
    assert list(symbols(const(1))) == []


def test_product_and_evaluation() -> None:
    assert product(()) == const(1)
    assert evaluate(product((a, b, a)), {"a": 2, "b": 5}) == 20
    with pytest.raises(KeyError):
        evaluate(a, {})
