"""Symbols in sympy, and sympy's expressions as symbols."""

from __future__ import annotations

import copy
import itertools
import pickle
import subprocess
import sys
from typing import Any

import pytest
import sympy

from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.errors import ArrangementError, SymbolError
from ninetoothed.symbolic.expr import SymbolInfo, binary, const, evaluate, sym
from ninetoothed.symbolic.sympy_exchange import from_sympy, to_sympy

# Its types are known in parts.
ANYTHING: Any = sympy
N: Any = Tensor(1, name="x").shape[0]
B: Any = Symbol("B", meta=True)


def asked(value: Any) -> Any:
    """The expression in sympy."""
    return ANYTHING.sympify(value)


def test_sizes_are_integers_that_are_not_negative() -> None:
    size = asked(N)
    assert str(size) == "x_size_0"
    assert size.is_Symbol
    assert size.is_integer
    assert size.is_nonnegative
    assert size.is_positive is None
    assert asked(B).is_positive
    assert asked(Symbol("S")).is_negative is None
    assert sympy.Max(size, 0) == size


SPELLINGS: list[tuple[Any, str]] = [
    (N + 1, "x_size_0 + 1"),
    (N // 4, "floor(x_size_0/4)"),
    (-(-N // B), "-floor(-x_size_0/B)"),
    (N % B, "Mod(x_size_0, B)"),
    (N.minimum(B), "Min(B, x_size_0)"),
    (N.maximum(3), "Max(3, x_size_0)"),
    (N < B, "x_size_0 < B"),
    ((N < B) & (N == 2), "Eq(x_size_0, 2) & (x_size_0 < B)"),
    ((N >= B) * 2, "2*Piecewise((1, x_size_0 >= B), (0, True))"),
]


@pytest.mark.parametrize(("value", "text"), SPELLINGS, ids=[text for _, text in SPELLINGS])
def test_spellings(value: Any, text: str) -> None:
    assert str(asked(value)) == text


def test_a_quotient_rounded_up() -> None:
    rounded = binary("ceildiv", sym("x"), const(4))
    assert str(to_sympy(rounded)) == "ceiling(x/4)"
    assert from_sympy(to_sympy(rounded)) == rounded


BACK: list[tuple[Any, str]] = [
    (sympy.Integer(4), "4"),
    (asked(N) * 2 + asked(B) - 1, "B + 2 * x_size_0 - 1"),
    (asked(N) - asked(N), "0"),
    (sympy.floor(asked(N) / 2), "x_size_0 // 2"),
    (asked(N) // asked(B), "x_size_0 // B"),
    (sympy.ceiling(asked(N) / asked(B)), "-(-x_size_0 // B)"),
    (-asked(N) % asked(B), "-x_size_0 % B"),
    (asked(N) ** 2, "x_size_0 * x_size_0"),
    (sympy.Min(asked(N), asked(B), 7), "min(min(7, B), x_size_0)"),
    (sympy.floor(asked(N) / 2 + sympy.Rational(1, 3)), "(3 * x_size_0 + 2) // 6"),
    # sympy leaves a half where it cancels the block.
    (sympy.floor((asked(N) * 2 * asked(B) + asked(B)) / (2 * asked(B))), "(2 * x_size_0 + 1) // 2"),
    ((asked(N) * asked(B) + asked(B)) / asked(B), "x_size_0 + 1"),
    (asked(N) > sympy.Rational(1, 2), "x_size_0 * 2 > 1"),
    (asked(N) >= 4, "x_size_0 >= 4"),
    (sympy.Ne(asked(N), asked(B)), "x_size_0 != B"),
    (sympy.Piecewise((asked(N), asked(B) > 64), (asked(B), True)), "B + (x_size_0 - B) * (B > 64)"),
    (sympy.true, "1"),
    (sympy.Symbol("m") + 1, "m + 1"),
]


@pytest.mark.parametrize(("value", "text"), BACK, ids=[text for _, text in BACK])
def test_back(value: Any, text: str) -> None:
    assert str(Symbol(value)) == text


REFUSED: list[Any] = [
    asked(N) / 2,
    sympy.pi,
    sympy.sqrt(asked(N)),
    1 / asked(N),
    sympy.Rational(1, 2),
    asked(N) ** 17,
    sympy.Piecewise((1, asked(N) > 2)),
]


@pytest.mark.parametrize("value", REFUSED, ids=str)
def test_what_is_no_integer_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="is no integer expression; write one of integers"):
        from_sympy(value)


def test_a_symbol_is_itself_again() -> None:
    """With its declaration, also from a copy and behind simplifications."""
    declared = Symbol("C", constexpr=True, lower_bound=2, upper_bound=8)
    for value in (declared, B, N, block_size()):
        found = asked(value)
        for one in (
            found,
            copy.deepcopy(found),
            pickle.loads(pickle.dumps(found)),
            found * 2 - found,
        ):
            assert Symbol(one) is value
    assert from_sympy(asked(declared)).args[1] == SymbolInfo("constexpr", 2, 8, given=(True, True))


def test_conditions_on_conditions() -> None:
    """They are numbers, which sympy would rewrite without end."""
    a, b = N, Symbol("b", constexpr=True)
    c: Any = Symbol("c", constexpr=True, lower_bound=-3, upper_bound=5)
    value = ((a > -1) < 2).maximum(a - b < c - a) * ((a * a == -(4 // b)) == (b == b - b))
    again = Symbol(asked(value))
    for values in itertools.product((0, 1, 5), (1, 2, 4), (-3, 0, 5)):
        given: dict[str, int] = dict(zip(("x_size_0", "b", "c"), values, strict=True))
        assert evaluate(again.expr, given) == evaluate(value.expr, given)


def test_a_condition_on_a_number_made_of_a_condition() -> None:
    """Within a Piecewise, sympy 1.14 folds such a condition, and fails where none is left."""
    x, p = sym("x"), sym("p")
    never = binary("lt", 0, const(0) % p)
    expr = binary("lt", 0, never + binary("lt", x, 3)) * x
    found = to_sympy(expr)
    condition = "(0 < Mod(0, p)) | ((x < 3) & (0 >= Mod(0, p)))"
    assert str(found) == f"x*Piecewise((1, {condition}), (0, True))"
    values = [from_sympy(found), expr]
    assert all(evaluate(one, {"x": 2, "p": 5}) == 2 for one in values)
    assert all(evaluate(one, {"x": 3, "p": 5}) == 0 for one in values)


def test_symbols_of_one_name_and_other_options_are_two() -> None:
    one, two = asked(B), asked(Symbol("B", constexpr=True))
    assert one != two
    assert one - two != 0
    total = one + 2 * two
    assert {symbol.info.kind for symbol in total.free_symbols} == {"meta", "constexpr"}


def test_arithmetic_from_both_sides() -> None:
    size, two = asked(N), sympy.Integer(2)
    assert str(B + size) == "B + x_size_0"
    assert str(B * two) == "B * 2"
    assert str(B // two) == "B // 2"
    assert str(B % size) == "B % x_size_0"
    block = B
    assert str(block < size) == "B < x_size_0"
    assert str(B.minimum(size)) == "min(B, x_size_0)"
    for value in (size + B, two * B, size // B, two - B, size % B):
        assert isinstance(value, sympy.Expr)
        assert to_sympy(from_sympy(value)) == value
    # A question that sympy is asked, sympy answers.
    assert (size == N) is True


def test_where_sizes_are_taken() -> None:
    x = Tensor(2, name="x")
    n, b, one, three = asked(x.shape[0]), asked(B), asked(1), asked(3)
    assert str(x.tile((b, three)).innermost().shape) == "(B, 3)"
    assert x.tile((b, 4), strides=(b / b * 2, 4), dilation=(one, 1)).ndim == 2
    assert Tensor(shape=(1, None)).expand((n, -1)).shape[0] is x.shape[0]
    assert str(x.pad(((0, -n % b), (0, 0))).shape[0]) == "x_size_0 + -x_size_0 % B"
    assert str(x[b:, one].shape) == "(x_size_0 - B,)"
    assert Tensor(shape=(n, three)).shape == (x.shape[0], 3)
    assert x.subs({n: 4, x.shape[1]: b}).shape == (4, B)
    assert x.eval({n: one, asked(x.shape[1]): 2}).tolist() == [[0, 1]]


def test_integers_are_numbers() -> None:
    """Wherever a number is asked for: numbers of dims, dims, bounds, what lies outside."""
    one, two = ANYTHING.Integer(1), ANYTHING.Integer(2)
    x = Tensor(two, other=two)
    assert x.ndim == 2
    assert [str(size) for size in x.permute((one, ANYTHING.Integer(0))).shape] == [
        str(size) for size in reversed(x.shape)
    ]
    assert x.unsqueeze(one).shape[1] == 1
    bounds = Symbol("D", constexpr=True, lower_bound=one, upper_bound=two)
    assert bounds is Symbol("D", constexpr=True, lower_bound=1, upper_bound=2)


def test_where_something_else_is_taken() -> None:
    x = Tensor(1, name="x")
    half = asked(x.shape[0]) / 2
    for attempt in (lambda: x.tile((half,)), lambda: x[half], lambda: B + half):
        with pytest.raises(SymbolError, match="x_size_0/2 is no integer expression"):
            attempt()
    with pytest.raises(ArrangementError, match="the tile shape has the entry 'x'"):
        x.tile(("x",))  # pyright: ignore[reportArgumentType]


def test_sympy_is_not_imported_for_it() -> None:
    code = (
        "import sys\n"
        "from ninetoothed import Symbol, Tensor\n"
        "x = Tensor(1).tile((Symbol('B', meta=True) * 2 + 1,))\n"
        "print('sympy' in sys.modules)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"
