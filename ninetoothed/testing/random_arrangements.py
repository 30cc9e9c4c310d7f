"""Random arrangements, and a NumPy model of each: :func:`arrangements`.

The model is an array of the source's linear offsets, one dim for each dim of each level, -1 where
an element is guarded out. Each meta-operation is applied to that array: nothing is shared with
``layout.meta_ops``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import assume
from hypothesis import strategies as st

from ninetoothed.symbol import Symbol
from ninetoothed.tensor import Tensor

Offsets = npt.NDArray[np.int64]
MAX_ELEMENTS = 3000


@dataclass
class Model:
    """The array of offsets, and the rank of each level, outermost first."""

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
        """Blocks; a count below zero is none, and blocks that are 0 apart are one."""
        rank, first = self.ranks[level], self.axis(level)
        offsets = self.offsets
        for dim, n in enumerate(self.sizes(level)):
            size = n if sizes[dim] == -1 else sizes[dim]
            stride = size if strides is None or strides[dim] == -1 else strides[dim]
            step = 1 if dilation is None else dilation[dim]
            span = n - step * (size - 1) - 1
            # A whole dim of no elements has a stride of none, and one block.
            one = stride == 0 or (size == n and step == 1)
            count = 1 if one else (span // stride if floor else -(-span // stride)) + 1
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

    def at_least_one(self, level: int, dim: int) -> Model:
        """A dim of no elements has one that does not exist."""
        axis = self.axis(level) + dim
        if self.offsets.shape[axis]:
            return self
        shape = [*self.offsets.shape[:axis], 1, *self.offsets.shape[axis + 1 :]]
        return self.with_dims(np.full(shape, -1), level, self.ranks[level])

    def expand(self, level: int, sizes: Sequence[int]) -> Model:
        """Dims of size at most 1 repeated."""
        offsets = self.offsets
        for dim, size in enumerate(sizes):
            if size != -1 and size != offsets.shape[self.axis(level) + dim]:
                single = self.with_dims(offsets, level, self.ranks[level]).at_least_one(level, dim)
                offsets = np.repeat(single.offsets, size, self.axis(level) + dim)
        return self.with_dims(offsets, level, self.ranks[level])

    def squeeze(self, level: int, dims: Sequence[int]) -> Model:
        """Dims removed; ``dims`` are not negative."""
        axes = tuple(self.axis(level) + dim for dim in dims)
        single = self
        for dim in dims:
            single = single.at_least_one(level, dim)
        return self.with_dims(single.offsets.squeeze(axes), level, self.ranks[level] - len(axes))

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

    def ravel(self, level: int) -> Model:
        """This level and those below as one."""
        return Model(self.offsets, [*self.ranks[:level], sum(self.ranks[level:])])

    def pad(self, level: int, pairs: Sequence[tuple[int, int]]) -> Model:
        """Elements outside the guard around each dim; negative: fewer."""
        before = [(0, 0)] * self.axis(level)
        behind = [(0, 0)] * sum(self.ranks[level + 1 :])
        rows = [*before, *pairs, *behind]
        crops = tuple(
            slice(max(-left, 0), size - max(-right, 0))
            for (left, right), size in zip(rows, self._cropped(rows), strict=True)
        )
        wider = [(max(left, 0), max(right, 0)) for left, right in rows]
        # What is cropped may be padding of the other side.
        offsets = np.pad(self.offsets, wider, constant_values=-1)[crops]
        return self.with_dims(offsets, level, self.ranks[level])

    def _cropped(self, rows: Sequence[tuple[int, int]]) -> list[int]:
        return [
            size + max(left, 0) + max(right, 0)
            for size, (left, right) in zip(self.offsets.shape, rows, strict=True)
        ]

    def index(self, level: int, key: tuple[Any, ...]) -> Model:
        """NumPy's own basic indexing."""
        rank = self.ranks[level]
        given = sum(item is not None and item is not Ellipsis for item in key)
        rest = [slice(None)] * (rank - given)
        place = key.index(Ellipsis) if Ellipsis in key else len(key)
        full = [*key[:place], *rest, *key[place + 1 :]]
        offsets = self.offsets[(*[slice(None)] * self.axis(level), *full)]
        return self.with_dims(offsets, level, rank + offsets.ndim - self.offsets.ndim)


Number = Callable[[int], "Symbol | int"]
"""Spelling of a number: as it is, or as a symbol of that value. 0 stays, and so does -1."""
Step = Callable[[Tensor, Number], Tensor]


@dataclass
class Case:
    """A source's shape, operations on levels of a tensor, and the model of the result."""

    shape: tuple[int, ...]
    model: Model
    exact: bool
    """True if no slice is clamped, so that its bounds may be symbols."""
    steps: list[tuple[int, Step]] = field(default_factory=list[tuple[int, Step]])
    text: list[str] = field(default_factory=list[str])

    def then(self, level: int, model: Model, text: str, step: Step) -> None:
        """One operation more."""
        self.model = model
        self.steps.append((level, step))
        self.text.append(f"level {level}: {text}")

    def call(self, level: int, name: str, given: list[Any], meant: list[Any]) -> None:
        """The operation ``name`` of arguments ``given``, which are ``meant`` to the model."""
        model = getattr(self.model, name)(level, *meant)
        text = f"{name}({', '.join(map(str, given))})"
        self.then(level, model, text, lambda t, number: getattr(t, name)(*given))

    def __repr__(self) -> str:
        return f"{self.shape} {self.text}"


def _negatives(dim: int, rank: int, draw: st.DrawFn) -> int:
    """``dim``, or the negative number that means it."""
    return draw(st.sampled_from([dim, dim - rank]))


def _signed(value: int, number: Number) -> Any:
    """``number`` of a value that may be negative, which shows."""
    if value >= 0:
        return number(value)
    opposite = number(-value)
    return value if isinstance(opposite, Symbol) and opposite.expr.op != "sym" else -opposite


def _tile(draw: st.DrawFn, case: Case, level: int) -> None:
    rank = case.model.ranks[level]

    def row(*numbers: int) -> list[int]:
        one = st.sampled_from(numbers)
        return [draw(one) for _ in range(rank)]

    sizes = row(-1, 1, 2, 3, 4, 5)
    sometimes = st.sampled_from([False, False, True])
    strides = row(-1, 0, 1, 2, 3, 4) if draw(sometimes) else None
    dilation = row(1, 1, 2, 3) if draw(sometimes) else None
    floor = draw(st.booleans())
    zeros = [size == -1 and n == 0 for size, n in zip(sizes, case.model.sizes(level), strict=True)]
    # The stride of a block of no elements would be zero.
    assume(dilation is None or not any(zeros))

    def step(t: Tensor, number: Number) -> Tensor:
        return t.tile(
            [number(size) for size in sizes],
            None if strides is None else [number(stride) for stride in strides],
            None if dilation is None else tuple(number(d) for d in dilation),
            floor_mode=floor,
        )

    model = case.model.tile(level, sizes, strides, dilation, floor)
    case.then(level, model, f"tile({sizes}, {strides}, {dilation}, {floor})", step)


def _expand(draw: st.DrawFn, case: Case, level: int) -> None:
    sizes = [
        draw(st.sampled_from([-1, 1, 2, 3])) if size <= 1 else -1
        for size in case.model.sizes(level)
    ]
    case.then(
        level,
        case.model.expand(level, sizes),
        f"expand({sizes})",
        lambda t, number: t.expand([number(size) for size in sizes]),
    )


def _squeeze(draw: st.DrawFn, case: Case, level: int) -> None:
    sizes = case.model.sizes(level)
    ones = [dim for dim, size in enumerate(sizes) if size <= 1]
    dims = [dim for dim in ones if draw(st.booleans())] or ones[:1]
    given = [_negatives(dim, len(sizes), draw) for dim in dims]
    argument: Any = given[0] if len(given) == 1 and draw(st.booleans()) else given
    case.call(level, "squeeze", [argument], [dims])


def _unsqueeze(draw: st.DrawFn, case: Case, level: int) -> None:
    rank = case.model.ranks[level]
    dim = draw(st.integers(0, rank))
    given = _negatives(dim, rank + 1, draw)
    case.call(level, "unsqueeze", [given], [dim])


def _permute(draw: st.DrawFn, case: Case, level: int) -> None:
    rank = case.model.ranks[level]
    dims = draw(st.permutations(range(rank)))
    given = [_negatives(dim, rank, draw) for dim in dims]
    case.call(level, "permute", [given], [dims])


def _flatten(draw: st.DrawFn, case: Case, level: int) -> None:
    rank = case.model.ranks[level]
    start = draw(st.integers(0, rank - 1))
    end = draw(st.integers(start + 1, rank))
    first = draw(st.sampled_from([start, start - rank] + [None] * (start == 0)))
    last = None if end == rank else _negatives(end, rank, draw)
    case.call(level, "flatten", [first, last], [start, end])


def _ravel(draw: st.DrawFn, case: Case, level: int) -> None:
    case.call(level, "ravel", [], [])


def _pad(draw: st.DrawFn, case: Case, level: int) -> None:
    pairs: list[tuple[int, int]] = []
    for size in case.model.sizes(level):
        left = draw(st.sampled_from([0, 1, 2, -1, -2]))
        right = draw(st.sampled_from([0, 1, 2, -1, -3]))
        pairs.append((left, max(right, -size - left)))
    case.then(
        level,
        case.model.pad(level, pairs),
        f"pad({pairs})",
        lambda t, number: t.pad([(_signed(a, number), _signed(b, number)) for a, b in pairs]),
    )


def _exact_slice(draw: st.DrawFn, size: int) -> slice:
    """A slice that NumPy does not clamp."""
    step = draw(st.sampled_from([None, 1, 2, 3, -1, -2]))
    forward = step is None or step > 0
    low, high = sorted((draw(st.integers(0, size)), draw(st.integers(0, size))))
    # Backwards, the first is one below the bound, and -1 cannot be written.
    start, stop = (low, high) if forward else (high - 1, low - 1)

    def bound(place: int, default: int) -> int | None:
        if place == default and (place < 0 or draw(st.booleans())):
            return None
        return place - size if 0 <= place < size and draw(st.booleans()) else place

    assume(start >= 0 or size == 0)
    if forward:
        return slice(bound(start, 0), bound(stop, size), step)
    return slice(bound(start, size - 1), bound(stop, -1), step)


def _any_slice(draw: st.DrawFn, size: int) -> slice:
    bound = st.sampled_from([None, *range(-size - 2, size + 3)])
    return slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, 3, -1, -2, -9])))


def _index(draw: st.DrawFn, case: Case, level: int) -> None:
    items: list[Any] = []
    sizes = case.model.sizes(level)
    for size in sizes:
        if draw(st.sampled_from([True, False, False])):
            items.append(None)
        kind = draw(st.sampled_from(["slice", "slice", "all", "integer"]))
        if kind == "integer" and size:
            items.append(draw(st.integers(-size, size - 1)))
        elif kind == "slice":
            items.append((_exact_slice if case.exact else _any_slice)(draw, size))
        else:
            items.append(slice(None))
    kept = draw(st.integers(0, len(items)))
    if draw(st.booleans()):
        # An Ellipsis in the place of some entries, all of which are of dims.
        end = kept
        while end < len(items) and items[end] is not None and draw(st.booleans()):
            end += 1
        items = [*items[:kept], Ellipsis, *items[end:]]
    else:
        items = items[:kept]
    alone = len(items) == 1 and draw(st.booleans())

    def written(item: Any, number: Number) -> Any:
        if isinstance(item, slice):
            parts: list[Any] = [item.start, item.stop, item.step]
            return slice(*(written(part, number) for part in parts))
        return _signed(item, number) if isinstance(item, int) else item

    def step(t: Tensor, number: Number) -> Tensor:
        key = tuple(written(item, number) for item in items)
        return t[key[0]] if alone else t[key]

    case.then(level, case.model.index(level, tuple(items)), f"{items}", step)


_OPERATIONS = (
    _tile,
    _tile,
    _expand,
    _squeeze,
    _unsqueeze,
    _permute,
    _flatten,
    _ravel,
    _pad,
    _index,
    _index,
)


@st.composite
def arrangements(draw: st.DrawFn, exact: bool = False, most: int = 6) -> Case:
    """A source of one to four dims and up to ``most`` operations, at any levels."""
    shape = tuple(draw(st.lists(st.integers(0, 7), min_size=1, max_size=4)))
    case = Case(shape, Model.of(shape), exact)
    for _ in range(draw(st.integers(1, most))):
        level = draw(st.integers(0, len(case.model.ranks) - 1))
        usable = [op for op in _OPERATIONS if _possible(op, case.model.sizes(level))]
        draw(st.sampled_from(usable))(draw, case, level)
        assume(case.model.offsets.size <= MAX_ELEMENTS and case.model.offsets.ndim <= 10)
    return case


def _possible(operation: object, sizes: list[int]) -> bool:
    if operation in (_squeeze, _expand):
        return min(sizes, default=2) <= 1
    return bool(sizes) if operation in (_flatten, _tile, _pad) else True


def arrange(case: Case, t: Tensor, number: Number) -> Tensor:
    """``t`` arranged by the case's operations."""
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
