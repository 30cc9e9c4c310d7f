"""What is claimed of alignment, contiguity and constancy against brute force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninetoothed.passes.analysis.alignment import Alignment, alignment
from ninetoothed.symbolic.expr import IndexExpr, binary, const, sym
from ninetoothed.symbolic.normal_form import normalize
from tests.property.expressions import value_of

SHAPE = (32, 8)
LANES = ("i", "j")
DIVISORS = {"n": 16, "m": 4, "w": 8}
# ``v`` differs along the second dim, one cannot tell how.
VARYING = {"v": 1}
SYMBOLS = (*LANES, *DIVISORS, *VARYING, "a")


def _divisor() -> st.SearchStrategy[IndexExpr]:
    named = st.sampled_from([sym("n"), sym("m"), sym("w"), sym("p"), sym("n") * sym("p")])
    return st.one_of(named, st.sampled_from([1, 3, 4, 8, 16, 48]).map(const))


def _grow(children: st.SearchStrategy[IndexExpr]) -> st.SearchStrategy[IndexExpr]:
    plain = st.tuples(
        st.sampled_from(["add", "sub", "add", "mul", "min", "max"]), children, children
    )
    division = st.tuples(st.sampled_from(["floordiv", "mod", "ceildiv"]), children, _divisor())
    return st.one_of(plain, division, division).map(lambda t: binary(*t))


_leaves = st.one_of(
    st.sampled_from([-32, -16, -8, -1, 0, 1, 2, 8, 16, 64]).map(const),
    st.sampled_from([sym(name) for name in ("i", "i", "i", *SYMBOLS)]),
    st.sampled_from([16, 64]).map(lambda size: sym("a") * size + sym("i")),
)
expressions = st.recursive(_leaves, _grow, max_leaves=6)


@st.composite
def environments(draw: st.DrawFn) -> dict[str, Any]:
    """Values of the symbols, those that vary being arrays."""
    env: dict[str, Any] = {
        "a": np.int64(draw(st.integers(-40, 40))),
        "p": np.int64(draw(st.integers(1, 9))),
        "i": np.arange(SHAPE[0])[:, None],
        "j": np.arange(SHAPE[1])[None, :],
        "v": np.asarray(draw(st.permutations(range(SHAPE[1]))))[None, :],
    }
    for name, divisor in DIVISORS.items():
        env[name] = np.int64(divisor * draw(st.integers(1, 6)))
    return env


def broken(numbers: Mapping[str, int], values: np.ndarray[Any, Any], dim: int) -> str | None:
    """The claim along ``dim`` that does not hold, if any."""
    lanes = np.moveaxis(values, dim, -1)

    def groups(size: int) -> np.ndarray[Any, Any]:
        return lanes.reshape(-1, size)

    contiguous = groups(numbers.get("contiguity", 1))
    if (contiguous != contiguous[:, :1] + np.arange(contiguous.shape[1])).any():
        return "contiguity"
    constant = groups(numbers.get("constancy", 1))
    if (constant != constant[:, :1]).any():
        return "constancy"
    return "divisibility" if (contiguous[:, 0] % numbers.get("divisibility", 1)).any() else None


@given(expressions, environments())
def test_facts_of_expressions(expr: IndexExpr, env: dict[str, Any]) -> None:
    for written in (expr, normalize(expr)):
        values = np.broadcast_to(value_of(written, env), SHAPE)
        for dim, lane in enumerate(LANES):
            varying = [name for name, along in VARYING.items() if along == dim]
            facts = alignment(written, lane, SHAPE[dim], DIVISORS, varying)
            assert broken(vars(facts), values, dim) is None, (written, lane, facts)


LANE, J, A, N, M, W, V = (sym(name) for name in ("i", "j", "a", "n", "m", "w", "v"))
START = A * 32 + LANE - 16


@pytest.mark.parametrize(
    ("expr", "facts"),
    [
        (START, Alignment(16, 16, 1)),
        (START - 8, Alignment(8, 16, 1)),
        (START % N, Alignment(16, 16, 1)),
        (START // N, Alignment(1, 1, 16)),
        ((START - 8) % W, Alignment(8, 8, 1)),
        ((START - 8) // W, Alignment(1, 1, 8)),
        (START % M, Alignment(4, 4, 1)),
        (START % 3, Alignment(1, 1, 1)),
        ((START + 1) % N, Alignment(1, 1, 1)),
        (START // N * N + J, Alignment(1, 1, 16)),
        (START % N + N * V, Alignment(16, 16, 1)),
        (2 * START, Alignment(2, 1, 1)),
        (-START, Alignment(1, 1, 1)),
        (2 * START - START, Alignment(16, 16, 1)),
        (N - START % N - (N - 2 * (START % N)), Alignment(16, 16, 1)),
    ],
    ids=str,
)
def test_what_is_found(expr: IndexExpr, facts: Alignment) -> None:
    assert alignment(expr, "i", SHAPE[0], DIVISORS) == facts


def test_scalars_have_divisors_only() -> None:
    assert alignment((A * 32 - 16) % N, None, 1, DIVISORS) == Alignment(16)
    assert alignment(LANE % N, None, 1, DIVISORS) == Alignment()


def test_what_differs_unpredictably_is_neither_contiguous_nor_constant() -> None:
    assert alignment(V * 16, "j", SHAPE[1], DIVISORS, ["v"]) == Alignment(16)
    assert alignment(V * 16, "j", SHAPE[1], DIVISORS) == Alignment(16, 1, 8)
