"""Accesses and shapes of random arrangements against a NumPy model.

The model is an array of the source's linear offsets, one dim for each dim of each level, -1 where
an element is guarded out. Each meta-operation is what it says on that array: nothing is shared with
``ir.access``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ninetoothed import Symbol, Tensor
from ninetoothed.ir.access import Access, compose, declared_ranges, index_names
from ninetoothed.ir.index_expr import Arithmetic, IndexExpr, evaluate
from tests.support.profiles import examples

Offsets = npt.NDArray[np.int64]
ARITHMETIC = Arithmetic(np.minimum, np.maximum, np.logical_and)
MAX_ELEMENTS = 3000


@dataclass
class Model:
    """The array of offsets, and how many of its dims each level has, outermost first."""

    offsets: Offsets
    ranks: list[int]

    @staticmethod
    def of(shape: Sequence[int]) -> Model:
        """A source of ``shape``."""
        count = int(np.prod(shape, dtype=np.int64))
        return Model(np.arange(count).reshape(shape), [len(shape)])

    def axis(self, level: int) -> int:
        """The first dim of ``level``."""
        return sum(self.ranks[:level])

    def sizes(self, level: int) -> list[int]:
        """The sizes of ``level``."""
        first = self.axis(level)
        return list(self.offsets.shape[first : first + self.ranks[level]])

    def with_dims(self, offsets: Offsets, level: int, *ranks: int) -> Model:
        """Another array, whose ``level`` has become levels of ``ranks``."""
        return Model(offsets, [*self.ranks[:level], *ranks, *self.ranks[level + 1 :]])

    def tile(
        self,
        level: int,
        sizes: Sequence[int],
        strides: Sequence[int] | None,
        dilation: Sequence[int] | None,
        floor: bool,
    ) -> Model:
        """Blocks; a count below zero is none."""
        rank, first = self.ranks[level], self.axis(level)
        offsets = self.offsets
        for dim, n in enumerate(self.sizes(level)):
            size = n if sizes[dim] == -1 else sizes[dim]
            stride = size if strides is None or strides[dim] == -1 else strides[dim]
            step = 1 if dilation is None else dilation[dim]
            span = n - step * (size - 1) - 1
            # A whole dim of no elements has a stride of none, and one block.
            whole = size == n and step == 1
            count = 1 if whole else (span // stride if floor else -(-span // stride)) + 1
            outer = np.arange(max(count, 0))[:, None] * stride
            index = outer + np.arange(size)[None, :] * step
            axis = first + dim
            outside = np.full([*offsets.shape[:axis], 1, *offsets.shape[axis + 1 :]], -1)
            padded = np.append(offsets, outside, axis)
            blocks = padded.take(np.where(index < n, index, n).reshape(-1), axis)
            shape = [*blocks.shape[:axis], *index.shape, *blocks.shape[axis + 1 :]]
            # The block's dim waits at the end until all dims are tiled.
            offsets = np.moveaxis(blocks.reshape(shape), axis + 1, -1)
        last = offsets.ndim - rank
        targets = range(first + rank, first + 2 * rank)
        offsets = np.moveaxis(offsets, list(range(last, offsets.ndim)), list(targets))
        return self.with_dims(offsets, level, rank, rank)

    def expand(self, level: int, sizes: Sequence[int]) -> Model:
        """Dims of size 1 repeated."""
        offsets = self.offsets
        for dim, size in enumerate(sizes):
            if size != -1:
                offsets = np.repeat(offsets, size, self.axis(level) + dim)
        return self.with_dims(offsets, level, self.ranks[level])

    def squeeze(self, level: int, dims: Sequence[int]) -> Model:
        """Dims removed; ``dims`` are not negative."""
        axes = tuple(self.axis(level) + dim for dim in dims)
        return self.with_dims(self.offsets.squeeze(axes), level, self.ranks[level] - len(axes))

    def unsqueeze(self, level: int, dim: int) -> Model:
        """A dim inserted."""
        offsets = np.expand_dims(self.offsets, self.axis(level) + dim)
        return self.with_dims(offsets, level, self.ranks[level] + 1)

    def permute(self, level: int, dims: Sequence[int]) -> Model:
        """Dims reordered; ``dims`` are not negative."""
        first = self.axis(level)
        order = list(range(self.offsets.ndim))
        order[first : first + len(dims)] = [first + dim for dim in dims]
        return self.with_dims(self.offsets.transpose(order), level, len(dims))

    def flatten(self, level: int, start: int, end: int) -> Model:
        """Dims merged; ``start`` and ``end`` are not negative."""
        first, shape = self.axis(level), self.offsets.shape
        merged = int(np.prod(shape[first + start : first + end], dtype=np.int64))
        offsets = self.offsets.reshape([*shape[: first + start], merged, *shape[first + end :]])
        return self.with_dims(offsets, level, self.ranks[level] - (end - start) + 1)


Number = Callable[[int], "Symbol | int"]
Step = Callable[[Tensor, Number], Tensor]


@dataclass
class Case:
    """A source's shape, operations on a level of a tensor, and the model of what they give."""

    shape: tuple[int, ...]
    model: Model
    long: bool = False
    """Whether a window is longer than its dim: a count below zero, which is none."""
    steps: list[tuple[int, Step]] = field(default_factory=list[tuple[int, Step]])


def _negatives(dim: int, rank: int, draw: st.DrawFn) -> int:
    """``dim``, or the negative number that means it."""
    return draw(st.sampled_from([dim, dim - rank]))


def _tile(draw: st.DrawFn, case: Case, level: int) -> None:
    rank = case.model.ranks[level]

    def row(high: int, special: bool) -> list[int]:
        numbers = st.integers(1, high)
        return [draw(st.one_of(st.just(-1), numbers) if special else numbers) for _ in range(rank)]

    sizes = row(5, special=True)
    strides = draw(st.sampled_from([None, None, row(4, special=True)]))
    dilation = draw(st.sampled_from([None, None, row(3, special=False)]))
    floor = draw(st.booleans())
    zeros = [size == -1 and n == 0 for size, n in zip(sizes, case.model.sizes(level), strict=True)]
    # The stride of a block of no elements would be zero.
    assume(dilation is None or not any(zeros))
    for dim, n in enumerate(case.model.sizes(level)):
        size = n if sizes[dim] == -1 else sizes[dim]
        spacing = 1 if dilation is None else dilation[dim]
        case.long = case.long or spacing * (size - 1) + 1 > max(n, 1)
    case.model = case.model.tile(level, sizes, strides, dilation, floor)

    def step(t: Tensor, number: Number) -> Tensor:
        return t.tile(
            [number(size) for size in sizes],
            None if strides is None else [number(stride) for stride in strides],
            None if dilation is None else tuple(number(d) for d in dilation),
            floor_mode=floor,
        )

    case.steps.append((level, step))


def _expand(draw: st.DrawFn, case: Case, level: int) -> None:
    sizes = [
        draw(st.sampled_from([-1, 1, 2, 3])) if size == 1 else -1
        for size in case.model.sizes(level)
    ]
    case.model = case.model.expand(level, sizes)
    case.steps.append((level, lambda t, number: t.expand([number(size) for size in sizes])))


def _squeeze(draw: st.DrawFn, case: Case, level: int) -> None:
    sizes = case.model.sizes(level)
    ones = [dim for dim, size in enumerate(sizes) if size == 1]
    dims = [dim for dim in ones if draw(st.booleans())]
    assume(dims)
    given = [_negatives(dim, len(sizes), draw) for dim in dims]
    argument: Any = given[0] if len(given) == 1 and draw(st.booleans()) else given
    case.model = case.model.squeeze(level, dims)
    case.steps.append((level, lambda t, number: t.squeeze(argument)))


def _unsqueeze(draw: st.DrawFn, case: Case, level: int) -> None:
    rank = case.model.ranks[level]
    dim = draw(st.integers(0, rank))
    argument = _negatives(dim, rank + 1, draw)
    case.model = case.model.unsqueeze(level, dim)
    case.steps.append((level, lambda t, number: t.unsqueeze(argument)))


def _permute(draw: st.DrawFn, case: Case, level: int) -> None:
    rank = case.model.ranks[level]
    dims = draw(st.permutations(range(rank)))
    given = [_negatives(dim, rank, draw) for dim in dims]
    case.model = case.model.permute(level, dims)
    case.steps.append((level, lambda t, number: t.permute(given)))


def _flatten(draw: st.DrawFn, case: Case, level: int) -> None:
    rank = case.model.ranks[level]
    assume(rank > 0)
    start = draw(st.integers(0, rank - 1))
    end = draw(st.integers(start + 1, rank))
    first = draw(st.sampled_from([start, start - rank] + [None] * (start == 0)))
    last = None if end == rank else _negatives(end, rank, draw)
    # Two counts below zero would make a product above.
    assume(not case.long or end == start + 1)
    case.model = case.model.flatten(level, start, end)
    case.steps.append((level, lambda t, number: t.flatten(first, last)))


_OPERATIONS = (_tile, _tile, _expand, _squeeze, _unsqueeze, _permute, _flatten)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A source of one to three dims and up to six operations, at any levels."""
    shape = tuple(draw(st.lists(st.integers(0, 7), min_size=1, max_size=3)))
    case = Case(shape, Model.of(shape))
    for _ in range(draw(st.integers(1, 6))):
        level = draw(st.integers(0, len(case.model.ranks) - 1))
        usable = [op for op in _OPERATIONS if _possible(op, case.model.sizes(level))]
        draw(st.sampled_from(usable))(draw, case, level)
        assume(case.model.offsets.size <= MAX_ELEMENTS and case.model.offsets.ndim <= 10)
    return case


def _possible(operation: object, sizes: list[int]) -> bool:
    if operation in (_squeeze, _expand):
        return 1 in sizes
    return bool(sizes) if operation in (_flatten, _tile) else True


def arrange(case: Case, t: Tensor, number: Number) -> Tensor:
    """``t`` arranged by the case's operations; ``number`` says how a number is written."""
    for level, step in case.steps:
        if level == 0:
            t = step(t, number)
            continue
        parent = t
        for _ in range(level - 1):
            below = parent.dtype
            assert isinstance(below, Tensor)
            parent = below
        view = parent.dtype
        assert isinstance(view, Tensor)
        parent.dtype = step(view, number)
    return t


def check(access: Access, model: Model, shape: Sequence[int], values: dict[str, int]) -> None:
    """The access says of every element, and of the indices around, what the model says.

    Indices of programs and of the block are inside; those between are the application's, and may
    be anything.
    """
    sizes = [[evaluate(size, values) for size in level] for level in access.levels]
    # A window longer than its dim makes a count below zero, which is none.
    assert [max(size, 0) for level in sizes for size in level] == list(model.offsets.shape)
    env: dict[str, Any] = dict(values)
    ranges: list[range] = []
    last = len(sizes) - 1
    for level, (row, names) in enumerate(zip(sizes, index_names(access.levels), strict=True)):
        around = 2 if 0 < level < last else 0
        ranges += [range(-around, max(size, 0) + around) for size in row]
        env |= dict.fromkeys(names, 0)
    names = [name for row in index_names(access.levels) for name in row]
    if np.prod([len(r) for r in ranges]) > 20 * MAX_ELEMENTS:
        ranges = [range(size) for size in model.offsets.shape]
    env |= dict(zip(names, np.ix_(*ranges), strict=True))
    full = tuple(len(r) for r in ranges)
    real = np.ones(full, bool)
    for guard in access.guards:
        index, size = (evaluate(e, env, ARITHMETIC) for e in (guard.index, guard.size))
        real = real & (np.asarray(index) >= 0) & (index < np.asarray(size))
    linear: Any = np.zeros(full, np.int64)
    inside = np.ones(full, bool)
    for index, size in zip(access.indices, shape, strict=True):
        value = evaluate(index, env, ARITHMETIC)
        inside &= (np.asarray(value) >= 0) & (value < np.asarray(size))
        linear = linear * size + value
    assert not (real & ~inside).any(), "the guards let an index outside the source pass"
    expected = np.full(full, -1)
    window = tuple(
        slice(-r.start, -r.start + size)
        for r, size in zip(ranges, model.offsets.shape, strict=True)
    )
    expected[window] = model.offsets
    np.testing.assert_array_equal(np.where(real, linear, -1), expected)


def composed(t: Tensor) -> Access:
    """The access of an arranged tensor, under what its symbols declare."""
    chain = t.chain
    exprs: list[IndexExpr] = [*chain.source.shape]
    for op in chain.ops:
        op.map(lambda expr: exprs.append(expr) or expr)
    return compose(chain.source.shape, chain.ops, declared_ranges(exprs))


@given(cases())
def test_numbers(case: Case) -> None:
    t = arrange(case, Tensor(shape=case.shape), lambda value: value)
    levels = [[size.value for size in level] for level in t.chain.levels]
    assert [max(size or 0, 0) for level in levels for size in level] == list(
        case.model.offsets.shape
    )
    check(composed(t), case.model, case.shape, {})


@examples(600)
@given(cases(), st.randoms(use_true_random=False))
# The size of an empty tensor divides; what comes of it is guarded out.
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_symbols(case: Case, random: Any) -> None:
    values: dict[str, int] = {}

    def number(value: int) -> Symbol | int:
        if value == -1 or random.random() < 0.4:
            return value
        known = [name for name, other in values.items() if other == value]
        name = random.choice([*known, f"s{len(values)}"])
        values[name] = value
        return Symbol(name, constexpr=True)

    t = Tensor(len(case.shape))
    sizes = [size.args[0] for size in t.chain.source.shape]
    arranged = arrange(case, t, number)
    values |= dict(zip(sizes, case.shape, strict=True))
    access = composed(arranged)
    check(access, case.model, case.shape, values)
    check(access.substitute(values), case.model, case.shape, {})
    printed = [evaluate(size, values) for level in arranged.chain.levels for size in level]
    assert [max(size, 0) for size in printed] == list(case.model.offsets.shape)
