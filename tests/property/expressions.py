"""Random index expressions and assumptions: :data:`expressions`, :func:`assumed`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from ninetoothed.symbolic.expr import IndexExpr, binary, const, sym
from ninetoothed.symbolic.intervals import Range

NAMES = ("a", "b", "n")
DIVISORS = ("p", "q")
# The values that brute force tries.
VALUES = {"a": (-4, 6), "b": (-4, 6), "n": (-3, 8), "p": (1, 4), "q": (1, 4)}
_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "floordiv": np.floor_divide,
    "mod": np.mod,
    "ceildiv": lambda left, right: -(-left // right),
    "min": np.minimum,
    "max": np.maximum,
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and": np.logical_and,
}


def value_of(expr: IndexExpr, env: Mapping[str, Any]) -> npt.NDArray[np.int64]:
    """The values of ``expr``, those of its symbols being arrays; a condition is 0 or 1."""
    if expr.op == "const":
        return np.asarray(expr.args[0])
    if expr.op == "sym":
        return env[expr.args[0]]
    operands = [value_of(operand, env) for operand in expr.operands]
    if expr.op == "neg":
        return -operands[0]
    return np.asarray(_FUNCTIONS[expr.op](*operands), dtype=np.int64)


def _divisor() -> st.SearchStrategy[IndexExpr]:
    return st.one_of(
        st.integers(1, 8).map(const),
        st.sampled_from(DIVISORS).map(sym),
        st.tuples(st.sampled_from(DIVISORS), st.integers(1, 4)).map(lambda t: sym(t[0]) * t[1]),
        st.just(sym("p") * sym("q")),
        st.just(sym("p") + sym("q")),
        st.just(sym("p") + 1),
    )


def _grow(children: st.SearchStrategy[IndexExpr]) -> st.SearchStrategy[IndexExpr]:
    plain = st.tuples(
        st.sampled_from(["add", "sub", "mul", "min", "max", "lt", "le", "eq"]),
        children,
        children,
    )
    division = st.tuples(st.sampled_from(["floordiv", "mod", "ceildiv"]), children, _divisor())
    multiple = st.tuples(
        st.sampled_from(["floordiv", "mod"]), children, children, _divisor(), children
    ).map(lambda t: (t[0], t[1] * t[3] + t[4], t[3]))
    conjunction = st.tuples(children, children, children).map(
        lambda t: ("and", binary("lt", t[0], t[1]), binary("ne", t[1], t[2]))
    )
    return st.one_of(plain, conjunction, division, division, multiple).map(lambda t: binary(*t))


expressions = st.recursive(
    st.one_of(st.integers(-9, 9).map(const), st.sampled_from(NAMES + DIVISORS).map(sym)),
    _grow,
    max_leaves=8,
)


@dataclass(frozen=True)
class Assumed:
    """Ranges of the symbols, with facts that are at least 0, and the values that obey them."""

    ranges: dict[str, Range]
    facts: list[IndexExpr]

    @property
    def domain(self) -> tuple[dict[str, Any], npt.NDArray[np.bool_]]:
        """Arrays of all values that are tried, and the mask where the assumptions hold."""
        ends = [range(low, high + 1) for low, high in VALUES.values()]
        arrays = np.meshgrid(*map(np.array, ends), indexing="ij", sparse=True)
        env: dict[str, Any] = dict(zip(VALUES, arrays, strict=True))
        valid = np.ones([len(end) for end in ends], dtype=bool)
        for name, range_ in self.ranges.items():
            if range_.lower is not None:
                valid &= env[name] >= value_of(range_.lower, env)
            if range_.upper is not None:
                valid &= env[name] <= value_of(range_.upper, env)
        for fact in self.facts:
            valid &= value_of(fact, env) >= 0
        return env, valid


def _ranges(*ends: IndexExpr) -> st.SearchStrategy[Range]:
    numbers = st.integers(-3, 3).map(const)
    lower = st.one_of(st.none(), st.just(const(0)), st.just(const(0)), numbers)
    upper = st.one_of(st.none(), st.sampled_from([end - 1 for end in ends]), st.sampled_from(ends))
    return st.builds(Range, lower, upper)


@st.composite
def assumed(draw: st.DrawFn, facts: bool = True) -> Assumed:
    """Ranges, some between numbers and some between expressions; up to two facts."""
    a, b, n, p, q = map(sym, ("a", "b", "n", "p", "q"))
    number = const(draw(st.integers(-1, 6)))
    ranges = {
        "p": Range.of(1, draw(st.sampled_from([None, 2, 4]))),
        "q": Range.of(1, draw(st.sampled_from([None, 3]))),
        "n": draw(_ranges(number, p * q, p)),
        "a": draw(_ranges(number, p, n, p * q, binary("ceildiv", n, p))),
        "b": draw(_ranges(number, q, a, p - a, p)),
    }
    known = st.one_of(
        st.sampled_from([p * a + b, n - a - 1, p * q - a - 1, n - p, a // p - q, p - b - 1]),
        expressions,
        st.just(-a - 2),
    )
    return Assumed(ranges, draw(st.lists(known, max_size=2)) if facts else [])
