"""When an expanded or squeezed dim has no elements."""

from __future__ import annotations

import itertools

import pytest

from ninetoothed import Tensor
from ninetoothed.layout.emptiness import empty_where, needs_zero, unknown_sizes
from ninetoothed.symbol import Symbol
from ninetoothed.symbolic.expr import IndexExpr, SymbolInfo, evaluate, sym, symbol_names
from ninetoothed.symbolic.normal_form import normalize

SIZE = SymbolInfo("size", 0)


def expr(text: str) -> IndexExpr:
    """The expression of a text."""
    return Symbol(text).expr


def test_sizes_that_a_call_knows() -> None:
    x, y = Tensor(3, name="x"), Tensor(1, name="y")
    chain = x.squeeze(0).expand((y.shape[0], -1)).tile((1, 4)).squeeze(0).chain
    found = unknown_sizes(chain.ops)
    assert list(map(str, map(normalize, found))) == ["x_size_0", "x_size_1", "y_size_0"]
    levels = Tensor(2, name="x").tile((1, 4))
    view = levels.dtype
    assert isinstance(view, Tensor)
    levels = levels.squeeze(0)
    levels.dtype = view.squeeze(0)
    assert list(map(normalize, unknown_sizes(levels.chain.ops))) == [sym("x_size_0", SIZE)]
    fixed = Tensor(shape=(1, None), name="x").squeeze(0).tile((4,)).chain
    assert unknown_sizes(fixed.ops) == []


CONDITIONS = {
    "n": "n",
    "n // 4": "n // 4",
    "(n + B - 1) // B": "n",
    "(n * m + B - 1) // B": "min(m, n)",
    "(n + m + B - 1) // B": None,
    "n // B": None,
    "(n - B) // 2 + 1": None,
    "B": None,
}


@pytest.mark.parametrize("size", CONDITIONS)
def test_conditions_leave_out_what_the_compiler_chooses(size: str) -> None:
    found = empty_where(expr(size), ["B"])
    assert CONDITIONS[size] == (None if found is None else str(found))
    if found is not None:
        assert "B" not in symbol_names(found)
        for n, m, block in itertools.product(range(6), range(3), (1, 2, 4)):
            values = {"n": n, "m": m, "B": block}
            assert (evaluate(found, values) < 1) == (evaluate(expr(size), values) < 1)


@pytest.mark.parametrize(
    ("size", "expected"),
    [("n", True), ("min(n, m)", True), ("n - 4", False), ("n // 4", False), ("n + m", True)],
)
def test_windows_may_be_none_of_some_elements(size: str, expected: bool) -> None:
    assert needs_zero(expr(size), ["n", "m"]) is expected
