"""Symbols as values: printing, constant folding, comparison and interning."""

from __future__ import annotations

import copy
import operator
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.errors import SymbolError
from ninetoothed.symbol import as_value
from ninetoothed.symbolic.expr import IndexExpr, SymbolInfo, sym

A, B, C = Symbol("A"), Symbol("B"), Symbol("C")

PRINTED: list[tuple[Any, str]] = [
    (A, "A"),
    (A + B, "A + B"),
    (A - B, "A - B"),
    (A * B, "A * B"),
    (A // B, "A // B"),
    (A % B, "A % B"),
    (-A, "-A"),
    (A < B, "A < B"),
    (A <= B, "A <= B"),
    (A > B, "A > B"),
    (A >= B, "A >= B"),
    (A == B, "A == B"),
    (A != B, "A != B"),
    ((A < B) & (B < C), "A < B and B < C"),
    (2 + A, "2 + A"),
    (2 - A, "2 - A"),
    (2 * A, "2 * A"),
    (2 // A, "2 // A"),
    (2 % A, "2 % A"),
    (1 & (A < B), "1 and A < B"),
    # Structure is kept: parentheses stand where they are needed, and nowhere else.
    (A - (B - C), "A - (B - C)"),
    ((A - B) - C, "A - B - C"),
    (A * (B + 1), "A * (B + 1)"),
    (A * B + 1, "A * B + 1"),
    (A // (B * C), "A // (B * C)"),
    ((A // B) * C, "A // B * C"),
    (-(A + B), "-(A + B)"),
    ((-A) * B, "-A * B"),
    (A * -1, "A * -1"),
    (A - -1, "A - -1"),
    (A + 1 - 1, "A + 1 - 1"),
    (A - A, "A - A"),
    ((A < B) == (B < C), "(A < B) == (B < C)"),
    (operator.gt(2, A), "A < 2"),
    (operator.lt(2, A), "A > 2"),
    (operator.ge(2, A), "A <= 2"),
    (operator.le(2, A), "A >= 2"),
    (operator.eq(2, A), "A == 2"),
    (operator.ne(2, A), "A != 2"),
    (A & B & C, "A and B and C"),
    (A & (B & C), "A and (B and C)"),
    (A & 1, "A and 1"),
    (A.minimum(B), "min(A, B)"),
    (A.maximum(3), "max(A, 3)"),
    (Symbol(Symbol(A + 1).minimum(B * 2)).maximum(0), "max(min(A + 1, B * 2), 0)"),
    (2 * A.minimum(B), "2 * min(A, B)"),
    (A % (B % C), "A % (B % C)"),
    (A % B % C, "A % B % C"),
    (operator.neg(-A), "--A"),
    (-A // 2, "-A // 2"),
    (-(A // 2), "-(A // 2)"),
    (A // -2, "A // -2"),
    ((A + B) // C, "(A + B) // C"),
    (A + B // C, "A + B // C"),
    (A - B + C, "A - B + C"),
    (A + (B + C), "A + (B + C)"),
    (A + (B < C), "A + (B < C)"),
    (np.int64(2) * A, "2 * A"),
    (A - np.int32(2), "A - 2"),
    (np.int64(2) < A, "A > 2"),
]


@pytest.mark.parametrize(("symbol", "text"), PRINTED, ids=[text for _, text in PRINTED])
def test_printing_keeps_the_structure(symbol: Any, text: str) -> None:
    assert isinstance(symbol, Symbol)
    assert str(symbol) == repr(symbol) == text
    assert Symbol(text) is symbol


@pytest.mark.parametrize(
    "folded",
    [A + 0, 0 + A, A - 0, A * 1, 1 * A, A // 1],
    ids=["A+0", "0+A", "A-0", "A*1", "1*A", "A//1"],
)
def test_neutral_elements_fold(folded: Any) -> None:
    assert folded is A


@pytest.mark.parametrize(
    ("kept", "text"), [(0 - A, "0 - A"), (A * 0, "A * 0"), (1 // A, "1 // A"), (A % 1, "A % 1")]
)
def test_nothing_else_folds(kept: Any, text: str) -> None:
    assert str(kept) == text


def test_numbers_fold_to_integers() -> None:
    three = Symbol(3)
    results = (three + 4, three - 4, three * 4, three // -2, three % -2, -three, 4 - three)
    assert results == (7, -1, 12, -2, -1, -3, 1)
    assert all(type(result) is int for result in results)
    assert (three < 4) == 1
    found = (three.minimum(4), three.maximum(4), three & 0, three & 2, three != 3, 2 % three)
    assert found == (3, 4, 0, 1, 0, 2)
    assert all(type(result) is int for result in found)


def test_text_is_parsed() -> None:
    assert Symbol("2 * A + -B // 3 % C") is 2 * A + (-B) // 3 % C
    assert Symbol(A) is A
    assert Symbol(sym("A")) is A
    assert Symbol("A < B <= C") is (A < B) & (B <= C)
    assert Symbol("A & B") is Symbol("A and B") is A & B
    assert Symbol("min(A, 1 + 1)") is A.minimum(2)
    assert Symbol(" A ") is A
    assert Symbol("7").expr.value == 7


@pytest.mark.parametrize(
    "text",
    [
        "A ** 2",
        "f(A)",
        "A.b",
        "A[0]",
        "1.5",
        "",
        "A +",
        "1 // 0",
        "True",
        "+A",
        "~A",
        "A / B",
        "A | B",
        "A or B",
        "not A",
        "A in B",
        "A is B",
        "A if B else C",
        "A, B",
        "min(A)",
        "max(A, B, C)",
        "min(A, b=B)",
        "min(*A, B)",
        "A = B",
    ],
)
def test_other_text_is_no_symbol(text: str) -> None:
    with pytest.raises(SymbolError, match="is no symbol; write a name"):
        Symbol(text)


OPERATIONS: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.and_,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("other", [1.5, "B", None, (1,)])
def test_other_types_are_refused(operation: Callable[[Any, Any], Any], other: Any) -> None:
    for operands in ((A, other), (other, A)):
        if operation is operator.mod and isinstance(operands[0], str):
            continue  # "B" % A is text formatting.
        with pytest.raises((TypeError, SymbolError)):
            operation(*operands)


def test_equality_with_other_types_is_pythons() -> None:
    assert (A == "A") is False
    assert (A != None) is True  # noqa: E711


def test_expressions_are_interned_and_keys() -> None:
    assert A + B is A + B
    assert A + B is not B + A
    assert hash(A + B) == hash(Symbol("A + B"))
    table = {A: 1, A + B: 2, B + A: 3}
    assert (table[Symbol("A")], table[A + B], table[B + A]) == (1, 2, 3)
    assert len({Symbol("A"), A, Symbol("B")}) == 2


def test_options_are_part_of_the_identity_and_not_of_the_text() -> None:
    meta = Symbol("A", meta=True)
    assert meta is not A
    assert str(meta) == "A"
    assert Symbol("A", meta=True) is meta


OPTIONS: list[tuple[dict[str, Any], SymbolInfo]] = [
    ({"meta": True}, SymbolInfo("meta", 32, 1024, power_of_two=True)),
    ({"meta": True, "constexpr": True}, SymbolInfo("meta", 32, 1024, power_of_two=True)),
    ({"meta": True, "lower_bound": 1}, SymbolInfo("meta", 1, 1024, power_of_two=True)),
    ({"meta": True, "upper_bound": 16}, SymbolInfo("meta", 16, 16, power_of_two=True)),
    ({"meta": True, "lower_bound": 4096}, SymbolInfo("meta", 4096, 4096, power_of_two=True)),
    ({"meta": True, "power_of_two": False}, SymbolInfo("meta", 32, 1024)),
    ({"constexpr": True}, SymbolInfo("constexpr", 1, 1 << 20)),
    ({"constexpr": True, "upper_bound": 0}, SymbolInfo("constexpr", 0, 0, given=(False, True))),
    ({"lower_bound": 3}, SymbolInfo("plain", 3, None, given=(True, False))),
    ({"lower_bound": 3, "upper_bound": 5}, SymbolInfo("plain", 3, 5, given=(True, True))),
]


@pytest.mark.parametrize(("options", "info"), OPTIONS)
def test_options(options: dict[str, Any], info: SymbolInfo) -> None:
    assert Symbol("S", **options).expr.args == ("S", info)


def test_block_size_declares_a_fresh_meta_symbol() -> None:
    one, two = block_size(), block_size(64, 128)
    assert one.expr.args[1] == SymbolInfo("meta", 32, 1024, power_of_two=True, anonymous=True)
    assert two.expr.args[1] == SymbolInfo("meta", 64, 128, power_of_two=True, anonymous=True)
    assert str(one) != str(two)


def test_only_constructors_advance_the_counters() -> None:
    script = """
import copy
from ninetoothed import Symbol, Tensor, block_size
b, t = block_size(), Tensor(1)
copy.deepcopy(b), copy.deepcopy(t), b + 1, -b, Symbol("S", meta=True)
u = t.tile((b,)).expand((4,)).unsqueeze(0).flatten()
u.dtype, u.source, u.innermost(), Symbol("named")
Tensor(1, name="x")
print(block_size(), Tensor(1).name)
"""
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300
    )
    # A named tensor is a constructor's too.
    assert found.stdout == "ninetoothed_block_size_1 ninetoothed_tensor_2\n"


def test_pythons_min_and_max_take_one_where_symbols_take_both() -> None:
    assert [str(A.minimum(B)), str(B.minimum(A))] == ["min(A, B)", "min(B, A)"]
    assert bool(M.minimum(N) <= 8) is True
    assert bool(A.maximum(1) >= 1) is True
    assert bool(M.maximum(N) < 9) is False


M = Symbol("M", lower_bound=1, upper_bound=8)
N = Symbol("N", lower_bound=9)
TRUTHS: list[tuple[Any, bool]] = [
    (M, True),
    (-M, True),
    (M * 0, False),
    (M <= 8, True),
    (M < 9, True),
    (M < 1, False),
    (M > 0, True),
    (M >= 9, False),
    (M <= N, True),
    (N < M, False),
    (M == M, True),
    (M != M, False),
    (M == 9, False),
    (M != 9, True),
    (M - 1 < M, True),
    (M + N > N, True),
    ((M > 0) & (N > 0), True),
    ((M > 0) & (N < 0), False),
    ((A > 0) & (N < 0), False),
    (Tensor(1).shape[0] >= 0, True),
    (M + M == 2 * M, True),
    (M * N > 8, True),
    (M % 4 < 4, True),
    (N // 9 >= 1, True),
    (M // 9 == 0, True),
    ((M > 0) & 1, True),
    ((A > 0) & 0, False),
    (Symbol("K", meta=True) >= 32, True),
    (Symbol("K", constexpr=True) >= 1, True),
    (block_size(16, 16) == 16, True),
]


@pytest.mark.parametrize(("symbol", "answer"), TRUTHS, ids=[str(row[0]) for row in TRUTHS])
def test_truth_is_what_bounds_prove(symbol: Any, answer: bool) -> None:
    assert bool(symbol) is answer


@pytest.mark.parametrize(
    "symbol",
    [
        A,
        A < B,
        M < 8,
        M == A,
        M - 1,
        A == 3,
        (M > 0) & (A > 0),
        A.minimum(B),
        A >= 0,
        Tensor(1).shape[0] > 0,
        Symbol("K", meta=True) == 64,
    ],
)
def test_an_unproved_truth_is_an_error(symbol: Any) -> None:
    with pytest.raises(SymbolError, match="depends on values that are not known when compiling"):
        bool(symbol)


def test_min_and_max_of_python_are_decided_by_bounds() -> None:
    assert min(M, N) is M
    assert max(M, N) is N
    with pytest.raises(SymbolError):
        min(A, B)


@pytest.mark.parametrize("symbol", [A, A + B * 2, Symbol("P", meta=True), block_size()])
def test_copies_are_the_symbol_itself(symbol: Symbol) -> None:
    assert copy.copy(symbol) is symbol
    assert copy.deepcopy(symbol) is symbol
    assert copy.deepcopy([symbol, {symbol: 1}])[0] is symbol
    assert pickle.loads(pickle.dumps(symbol)) is symbol


def test_symbols_are_frozen_in_their_slots() -> None:
    with pytest.raises(AttributeError):
        A.other = 1  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


def test_threads_make_one_symbol() -> None:
    def build(_: int) -> list[Any]:
        return [Symbol(f"T{i}") * Symbol(f"T{i + 1}") + i for i in range(200)]

    with ThreadPoolExecutor(8) as pool:
        first, *others = pool.map(build, range(8))
    for other in others:
        assert all(one is two for one, two in zip(first, other, strict=True))


def test_threads_draw_distinct_block_sizes() -> None:
    with ThreadPoolExecutor(8) as pool:
        drawn = [pool.submit(block_size) for _ in range(200)]
    names = [str(future.result()) for future in drawn]
    assert len(set(names)) == 200


def test_as_value() -> None:
    assert as_value(IndexExpr("const", 3)) == 3
    assert as_value(sym("A")) is A
