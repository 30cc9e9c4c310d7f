"""Overlaps of tensors against all of their addresses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from unittest import mock

from hypothesis import example, given
from hypothesis import strategies as st

from ninetoothed.calls import overlaps
from ninetoothed.calls.overlaps import Layout, meets_other_elements, overlaps_itself

Dims = Sequence[tuple[int, int]]


def dims(largest: int, strides: st.SearchStrategy[int], most: int = 5) -> st.SearchStrategy[Dims]:
    """Sizes and strides of few elements in all."""
    sizes = st.one_of(st.integers(1, largest), st.integers(0, 2))
    found = st.lists(st.tuples(sizes, strides), max_size=most)
    return found.filter(lambda one: math.prod(size for size, _ in one) <= 400)


# Large sizes beside others leave little room; steps of 0 are enumerated, too.
anywhere = dims(40, st.one_of(st.integers(-9, 30), st.sampled_from((60, 66, 90, 91, 100))))
budgets = st.sampled_from((0, 2, 100_000))


def places(shape: Sequence[int], strides: Sequence[int]) -> list[int]:
    """Of each index, the place, in row-major order."""
    indices = itertools.product(*map(range, shape))
    return [sum(map(int.__mul__, index, strides)) for index in indices]


@given(anywhere, budgets)
# Interleaved, windows, a diagonal, and what numbers of elements do not tell.
@example([(2, 2), (3, 3)], 0)
@example([(3, 2), (3, 3)], 0)
@example([(2, 3), (3, 2)], 0)
@example([(4, 1), (3, 1)], 0)
@example([(3, 11), (10, 10)], 100_000)
@example([(2, 1), (2, 1), (2, 5)], 100_000)
@example([(3, 6), (3, 10), (3, 15)], 2)
@example([(5, 6), (3, 10), (2, 15)], 2)
def test_a_tensor_and_itself(found: Dims, budget: int) -> None:
    shape, strides = [size for size, _ in found], [stride for _, stride in found]
    addresses = places(shape, strides)
    with mock.patch.multiple(overlaps, _MOST_STEPS=budget, _known={}):
        assert overlaps_itself(shape, strides) == (len({*addresses}) < len(addresses))


def memory(layout: Layout) -> list[int]:
    """The bytes of all elements, in row-major order."""
    starts = places(layout.shape, layout.strides)
    return [layout.start + start + byte for start in starts for byte in range(layout.width)]


def has_equal_indices(one: Layout, two: Layout) -> bool:
    """Elements of equal strides and widths, of which those that meet have equal indices."""
    if (one.start, one.width, len(one.shape)) != (two.start, two.width, len(two.shape)):
        return False
    rows = list(zip(one.shape, two.shape, one.strides, two.strides, strict=True))
    if any((size == 1) != (other == 1) for size, other, _, _ in rows):
        return False
    if any(size > 1 and stride != step for size, _, stride, step in rows):
        return False
    shape = [max(size, other) for size, other, _, _ in rows]
    addresses = places(shape, one.strides)
    return len({*addresses}) == len(addresses)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Layout, Layout]:
    """Two tensors that lie close together; often alike."""
    rows = [size_stride for size_stride in draw(dims(12, st.integers(-6, 40), 3))]
    rows = [(max(size, 1), stride) for size, stride in rows]
    others = draw(
        st.one_of(
            st.just(rows),
            st.just([(max(size - 1, 1), stride) for size, stride in rows]),
            st.just(rows[::-1]),
            dims(12, st.integers(-6, 40), 3).map(
                lambda found: [(max(size, 1), stride) for size, stride in found]
            ),
        )
    )
    one, two = draw(st.sampled_from((1, 2, 4))), draw(st.sampled_from((1, 2, 4)))
    start = draw(st.one_of(st.integers(-40, 40), st.integers(-10, 10).map(lambda at: at * one)))

    def layout(start: int, found: Dims, width: int) -> Layout:
        strides = tuple(stride * width for _, stride in found)
        return Layout(1000 + start, tuple(size for size, _ in found), strides, width)

    return layout(0, rows, one), layout(start, others, draw(st.sampled_from((one, two))))


@given(pairs(), budgets)
def test_two_tensors(pair: tuple[Layout, Layout], budget: int) -> None:
    one, two = pair
    wanted = not {*memory(one)}.isdisjoint(memory(two))
    if memory(one) == memory(two) or has_equal_indices(one, two):
        wanted = False
    with mock.patch.multiple(overlaps, _MOST_STEPS=budget, _known={}):
        assert meets_other_elements(one, two) == wanted
        assert meets_other_elements(two, one) == wanted
