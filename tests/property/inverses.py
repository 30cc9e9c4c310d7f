"""Random arrangements with symbols, stores into them, and their writes by brute force.

:func:`wild` and :func:`tidy` draw an arrangement, :func:`sites` the stores of an application;
:class:`Brute` asks ``Tensor.eval``; ``verification.counterexamples`` has no part in it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import assume
from hypothesis import strategies as st

from ninetoothed import NineToothedError, Symbol, Tensor
from ninetoothed.layout.inverse import Placement, Site
from ninetoothed.symbolic.expr import IndexExpr, const, evaluate, sym
from ninetoothed.symbolic.intervals import Range, declared_ranges
from ninetoothed.symbolic.normal_form import normalize
from ninetoothed.testing.random_arrangements import arrange, arrangements

MOST_LANES = 6000
Chosen = Mapping[str, int]


@dataclass
class Placed:
    """A tensor and its arrangement; ``text`` shows how."""

    source: Tensor
    arranged: Tensor
    text: list[str]
    shape: tuple[int, ...]
    """Sizes at which the arrangement is possible, and the values of symbols there."""
    values: dict[str, int] = field(default_factory=dict[str, int])

    def __repr__(self) -> str:
        return f"{self.source.shape} {self.text} at {self.shape} {self.values}"

    @functools.cached_property
    def placement(self) -> Placement:
        """The placement that is proved about."""
        chain = self.arranged.chain
        exprs = chain.expressions
        return Placement(chain.source.shape, chain.ops, declared_ranges(exprs))

    @property
    def size_names(self) -> list[str | None]:
        """The symbols of the source's sizes; None where it is a number."""
        sizes = self.arranged.chain.source.shape
        return [size.args[0] if size.op == "sym" else None for size in sizes]

    def with_sizes(self, sizes: Chosen) -> tuple[tuple[int, ...], dict[str, int]]:
        """The shape and the symbols, as far as ``sizes`` gives others."""
        named = zip(self.size_names, self.shape, strict=True)
        shape = tuple(n if name is None else sizes.get(name, n) for name, n in named)
        return shape, {name: sizes.get(name, n) for name, n in self.values.items()}


class Brute:
    """The offsets that every program and lane sees, at given sizes."""

    def __init__(self, placed: Placed, sizes: Chosen) -> None:
        """Sizes that are not in ``sizes`` are those of the arrangement.

        Raises:
            NineToothedError, ZeroDivisionError: no call has such sizes.
            OverflowError: there are too many lanes.
        """
        shape, values = placed.with_sizes(sizes)
        levels = placed.arranged.chain.levels
        self.ranks = [len(level) for level in levels]
        self.source = int(np.prod(shape, dtype=np.int64))
        names = placed.size_names
        self.env = values | {
            name: n for name, n in zip(names, shape, strict=True) if name is not None
        }
        lanes = [max(evaluate(size, self.env), 0) for level in levels for size in level]
        if np.prod(lanes, dtype=np.float64) > MOST_LANES or self.source > MOST_LANES:
            raise OverflowError
        if any(evaluate(fact, self.env) < 0 for fact in placed.placement.required):
            raise ZeroDivisionError
        given: dict[Any, Any] = {Symbol(name): value for name, value in values.items()}
        if any(name is not None for name in names):
            given[placed.source] = {"shape": shape}
        self.offsets = placed.arranged.eval(given)

    def writes(self, site: Site) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Programs and elements, pair by pair, of each iteration of the loops around a store."""
        for env in self._iterations(list(site.loops.items()), dict(self.env)):
            index: list[int] = []
            for given in site.between:
                assert given is not None
                index.append(evaluate(given, env))
            around, inner = self.ranks[0], self.offsets.shape[self.ranks[0] :]
            if not all(0 <= i < n for i, n in zip(index, inner, strict=False)):
                continue
            seen = self.offsets[(*[slice(None)] * around, *index)]
            grid = seen.shape[:around]
            programs = np.arange(int(np.prod(grid, dtype=np.int64)))
            programs = programs.reshape([*grid, *[1] * (seen.ndim - around)])
            valid = seen >= 0
            yield np.broadcast_to(programs, seen.shape)[valid], seen[valid]

    def _iterations(
        self, loops: list[tuple[str, Range]], env: dict[str, int]
    ) -> Iterator[dict[str, int]]:
        if not loops:
            yield env
            return
        (name, range_), *rest = loops
        assert range_.lower is not None
        assert range_.upper is not None
        for value in range(evaluate(range_.lower, env), evaluate(range_.upper, env) + 1):
            yield from self._iterations(rest, {**env, name: value})

    def written(self, sites: Sequence[Site]) -> set[int]:
        """The elements that are written."""
        return {int(e) for site in sites for _, some in self.writes(site) for e in some}

    def writers(self, sites: Sequence[Site]) -> dict[int, set[int]]:
        """The programs that write each element."""
        found: dict[int, set[int]] = {}
        for site in sites:
            for programs, elements in self.writes(site):
                for program, element in zip(programs, elements, strict=True):
                    found.setdefault(int(element), set()).add(int(program))
        return found

    def program(self, index: Sequence[int]) -> int:
        """The number of a program."""
        return int(np.ravel_multi_index(tuple(index), self.offsets.shape[: self.ranks[0]]))


class Written:
    """Numbers written as symbols, or left as they are."""

    def __init__(self, draw: Callable[..., Any], prefix: str = "s") -> None:
        self.draw = draw
        self.prefix = prefix
        self.values: dict[str, int] = {}

    def number(self, value: int) -> Any:
        """``value``, or a symbol or an expression of that value."""
        kind = self.draw(st.sampled_from(["number", "number", "symbol", "symbol", "double", "one"]))
        if value < 1 or kind == "number":
            return value
        if kind == "double" and value % 2 == 0:
            return 2 * self._symbol(value // 2)
        return self._symbol(value + 1) - 1 if kind == "one" else self._symbol(value)

    def _symbol(self, value: int) -> Symbol:
        known = [name for name, other in self.values.items() if other == value]
        name = self.draw(st.sampled_from([*known, f"{self.prefix}{len(self.values)}"]))
        self.values[name] = value
        return Symbol(name, constexpr=True)


@st.composite
def wild(draw: st.DrawFn) -> Placed:
    """Any meta-operations at any levels."""
    case = draw(arrangements(exact=True, most=4))
    written = Written(draw)
    t = Tensor(shape=case.shape) if draw(st.integers(0, 4)) == 0 else Tensor(len(case.shape))
    arranged = arrange(case, t, written.number)
    return Placed(t, arranged, case.text, case.shape, written.values)


_Step = Callable[["_Tidy"], None]


class _Tidy:
    """An arrangement as kernels have it: a chain of a few kinds, and the sizes that it needs."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.numbers = Written(draw)
        rank = draw(st.integers(1, 3))
        self.shape = tuple(draw(st.integers(1, 5)) for _ in range(rank))
        self.source = Tensor(rank)
        self.t = self.source
        self.text: list[str] = []

    def then(self, text: str, t: Tensor) -> None:
        """One operation more."""
        self.t = t
        self.text.append(text)

    def pick(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def block(self) -> Any:
        return self.numbers.number(self.pick(1, 2, 3, 4))


def _permute(w: _Tidy) -> None:
    dims = w.draw(st.permutations(range(w.t.ndim)))
    w.then(f"permute({dims})", w.t.permute(dims))


def _flatten(w: _Tidy) -> None:
    start = w.draw(st.integers(0, w.t.ndim - 1))
    end = w.draw(st.integers(start + 1, w.t.ndim))
    w.then(f"flatten({start}, {end})", w.t.flatten(start, end))


def _reverse(w: _Tidy) -> None:
    w.then("[::-1]", w.t[::-1])


def _every_other(w: _Tidy) -> None:
    step = w.pick(2, -2, Symbol("step", constexpr=True), -Symbol("step", constexpr=True))
    if not isinstance(step, int):
        w.numbers.values["step"] = 2
    w.then(f"[::{step}]", w.t[::step])


def _crop(w: _Tidy) -> None:
    key = w.pick(slice(1, None), slice(None, -1), slice(0, 1), slice(None))
    w.then(f"[{key}]", w.t[key])


def _pad(w: _Tidy) -> None:
    pairs = [(w.pick(0, 0, 1, -1), w.pick(0, 0, 2, -1)) for _ in range(w.t.ndim)]
    w.then(f"pad({pairs})", w.t.pad(pairs))


def _unsqueeze(w: _Tidy) -> None:
    size, dim = w.numbers.number(w.pick(2, 3)), w.draw(st.integers(0, w.t.ndim))
    t = w.t.unsqueeze(dim)
    if w.pick(True, False):
        shape = [size if axis == dim else -1 for axis in range(t.ndim)]
        w.then(f"unsqueeze({dim}).expand({shape})", t.expand(shape))
    else:
        w.then(f"unsqueeze({dim})", t)


_BEFORE: tuple[_Step, ...] = (_permute, _flatten, _reverse, _every_other, _crop, _pad, _unsqueeze)


def _tiled(w: _Tidy) -> None:
    sizes = [w.pick(-1, w.block(), w.block(), 1) for _ in range(w.t.ndim)]
    strides = dilation = None
    floor = w.pick(False, False, True)
    if w.pick(False, False, False, True):
        strides = [w.pick(-1, w.block(), 1, 0) for _ in sizes]
    if w.pick(False, False, False, False, True):
        dilation = [w.pick(1, w.block()) for _ in sizes]
    text = f"tile({sizes}, {strides}, {dilation}, {floor})"
    w.then(text, w.t.tile(sizes, strides, dilation, floor_mode=floor))


def _again(w: _Tidy) -> None:
    """Blocks of blocks: the level between is the application's."""
    sizes = [w.pick(-1, -1, 1, 2, w.block()) for _ in range(w.t.ndim)]
    w.then(f"tile({sizes})", w.t.tile(sizes))


def _below(w: _Tidy) -> None:
    below = w.t.dtype
    assert isinstance(below, Tensor)
    change = w.pick("squeeze", "permute", "ravel", "flatten")
    if change == "permute":
        below = below.permute(tuple(reversed(range(below.ndim))))
    elif change == "flatten":
        below = below.flatten()
    elif change == "ravel":
        below = below.ravel()
    else:
        ones = [dim for dim, size in enumerate(below.shape) if str(size) == "1"]
        below = below.squeeze(ones)
    t = w.t.permute(range(w.t.ndim))
    t.dtype = below
    w.then(f"dtype = dtype.{change}", t)


@st.composite
def tidy(draw: st.DrawFn) -> Placed:
    """Permuted, flattened, sliced, padded; tiled, once or twice; levels changed."""
    w = _Tidy(draw)
    try:
        for step in draw(st.lists(st.sampled_from(_BEFORE), max_size=3)):
            step(w)
        if draw(st.integers(0, 9)):
            _tiled(w)
            if draw(st.integers(0, 2)) == 0:
                _again(w)
            if draw(st.booleans()):
                _below(w)
        # Sizes that numbers rule out show here.
        assert w.t.chain.levels
    except NineToothedError:
        assume(False)
    return Placed(w.source, w.t, w.text, w.shape, w.numbers.values)


placed = st.one_of(tidy(), tidy(), wild())


@st.composite
def sites(draw: st.DrawFn, placement: Placement) -> list[Site]:
    """One to three stores into a parameter."""
    between = [size for level in placement.access.levels[1:-1] for size in level]
    return [_site(draw, between) for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3])))]


def _site(draw: st.DrawFn, between: Sequence[IndexExpr]) -> Site:
    loops: dict[str, Range] = {}
    indices: list[IndexExpr | None] = []
    for dim, size in enumerate(between):
        kind = draw(st.sampled_from(_KINDS))
        name = f"l{dim}"
        variable = sym(name)
        last = normalize(size - 1)
        if kind == "constant":
            indices.append(const(draw(st.sampled_from([0, 0, 1, 2]))))
            continue
        if kind == "same" and loops:
            indices.append(sym(next(iter(loops))))
            continue
        if kind == "below" and loops:
            last = sym(next(iter(loops)))
        if kind == "part":
            last = normalize(size - 2)
        if kind == "two":
            last = const(1)
        loops[name] = Range(const(0), last)
        indices.append(
            {
                "reversed": normalize(size - 1 - variable),
                "shifted": normalize(variable - 1),
                "wide": normalize(variable * 2),
                "square": normalize(variable * variable),
            }.get(kind, variable)
        )
    return Site(tuple(indices), loops, draw(st.sampled_from([False, False, False, True])))


_KINDS = (
    *["whole"] * 6,
    *["reversed"] * 2,
    *["constant", "constant", "same", "below", "part", "two", "shifted", "wide", "square"],
)


@st.composite
def small_sizes(draw: st.DrawFn, placed: Placed) -> list[dict[str, int]]:
    """A few values of all symbols: those of the arrangement first."""
    names = [name for name in placed.size_names if name is not None]
    rows: list[dict[str, int]] = [{}]
    for _ in range(3):
        row = {name: draw(st.integers(0, 7)) for name in names}
        rows.append(row | {name: draw(st.integers(1, 5)) for name in placed.values})
    return rows


def brute(placed: Placed, rows: Sequence[Chosen]) -> Iterator[Brute]:
    """Brute force at each of the sizes that a call may have."""
    for row in rows:
        try:
            yield Brute(placed, row)
        except (NineToothedError, ZeroDivisionError, OverflowError):
            continue
