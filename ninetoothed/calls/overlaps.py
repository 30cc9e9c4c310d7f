"""Overlaps of strided tensors, decided exactly: of one with itself, and of one with another.

Addresses of a strided tensor are sums ``stride * index``, so that both questions are of one kind:
is ``a * x + b * y + ...`` equal to a number, with bounds on each unknown? Tensors that views make
are mostly decided by their ranges. For others the unknowns are searched, the one of the largest
stride first: what is left must be in reach of the smaller strides, and a multiple of their greatest
common divisor. Where that takes too long, all sums are enumerated, as the bits of a number: that
takes memory of an eighth of a byte for each element that the tensors span.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from ninetoothed.calls.sequences import elements_of

# Steps of a search: some tenths of a second.
_MOST_STEPS = 100_000
# Answers that are kept: shapes that never come back must not fill the memory.
_MOST = 4096

# What torch.compile traces must not have been wrapped by functools.cache: it warns of it.
_known: dict[Hashable, bool] = {}

Term = tuple[int, int]
"""A stride, and the largest value of what it is multiplied by; the least is 0."""


class Layout(NamedTuple):
    """Places of a tensor's elements: the address of the first one; strides and ``width``, the size
    of an element, in bytes.
    """

    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    width: int

    @staticmethod
    def of(tensor: Any) -> Layout:
        """The layout of an argument."""
        elements = elements_of(tensor)
        width: int = elements.element_size()
        strides = tuple(stride * width for stride in elements.stride())
        return Layout(elements.data_ptr(), tuple(elements.shape), strides, width)


def overlaps_itself(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """True if two indices of a tensor are one place in memory."""
    # Nearly every tensor is row-major: a stride exceeds what the dims behind it span.
    reach = 0
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size > 1:
            if stride <= reach:
                return _remembered(_repeats, tuple(shape), tuple(strides))
            reach += stride * (size - 1)
    return False


def expanded_dims(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """The dims of several indices whose stride is 0."""
    pairs = enumerate(zip(shape, strides, strict=True))
    return tuple([dim for dim, (size, stride) in pairs if size > 1 and stride == 0])


def meets_other_elements(one: Layout, two: Layout) -> bool:
    """True if an element of ``one`` shares memory with an element of ``two`` that is another one.

    The same memory in the same row-major order holds the same elements, whatever the dims and the
    element types are. So do equal indices where one tensor only has more of them, as a tensor and
    its slice ``[:n]``.
    """
    return _remembered(_meets, two.start - one.start, one._replace(start=0), two._replace(start=0))


def _remembered(function: Callable[..., bool], *arguments: Hashable) -> bool:
    key = (function, *arguments)
    found = _known.get(key)
    if found is None:
        found = function(*arguments)
        if len(_known) >= _MOST:
            _known.clear()
        _known[key] = found
    return found


def _repeats(shape: Sequence[int], strides: Sequence[int]) -> bool:
    if 0 in shape:
        return False
    # With a negative stride, the places are the same, seen from the other end.
    pairs = zip(shape, strides, strict=True)
    dims = sorted((abs(stride), size - 1) for size, stride in pairs if size > 1)
    count = math.prod(last + 1 for _, last in dims)
    if count > 1 + sum(stride * last for stride, last in dims):
        # There are more elements than places.
        return True
    try:
        return any(_steps_meet(dims[:place], *dims[place]) for place in range(len(dims)))
    except _TooManyStepsError:
        return _sums(_joined(dims)).bit_count() < count


def _steps_meet(smaller: Sequence[Term], stride: int, last: int) -> bool:
    """True if some steps of ``stride`` lead where other steps of the ``smaller`` strides lead."""
    if stride == 0:
        return True
    # 1 + x steps, with differences of indices from -most to most in the others.
    reach = sum(one * most for one, most in smaller)
    if stride > reach:
        return False
    return _reaches(
        [*((one, 2 * most) for one, most in smaller), (stride, last - 1)], reach - stride
    )


def _meets(distance: int, one: Layout, two: Layout) -> bool:
    if distance == 0 and (_runs(one) == _runs(two) or _has_equal_indices(one, two)):
        return False
    # With each index of the second tensor counted from the other end, all terms are added:
    # one's address - two's + (what two spans) = distance + (what two spans).
    terms: list[Term] = []
    target = distance
    for layout, direction in ((one, 1), (two, -1)):
        for size, stride in zip(layout.shape, layout.strides, strict=True):
            terms.append((abs(stride), size - 1))
            if stride * direction < 0:
                target += abs(stride) * (size - 1)
    width = one.width
    if width == two.width and distance % width == 0:
        terms = [(stride // width, last) for stride, last in terms]
        target //= width
    else:
        terms += [(1, width - 1), (1, two.width - 1)]
        target += two.width - 1
    try:
        return _reaches(terms, target)
    except _TooManyStepsError:
        return bool(_sums(_joined(terms)) >> target & 1)


def _runs(layout: Layout) -> list[tuple[int, int]]:
    """Sizes and strides of the bytes in row-major order, with as few dims as there can be."""
    runs: list[tuple[int, int]] = []
    shape, strides = (*layout.shape, layout.width), (*layout.strides, 1)
    for size, stride in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if runs and runs[-1][1] == size * stride:
            runs[-1] = (runs[-1][0] * size, stride)
        else:
            runs.append((size, stride))
    return runs


def _has_equal_indices(one: Layout, two: Layout) -> bool:
    """True if, for tensors that begin at one place, elements that meet have equal indices.

    A dim of one element beside one of several does not count: kernels expand such dims, and read
    that element for every index.
    """
    if len(one.shape) != len(two.shape) or one.width != two.width:
        return False
    shape: list[int] = []
    for size, other, stride, other_stride in zip(
        one.shape, two.shape, one.strides, two.strides, strict=True
    ):
        if (size == 1) != (other == 1) or (size > 1 and stride != other_stride):
            return False
        shape.append(max(size, other))
    strides = [stride // one.width for stride in one.strides]
    return not overlaps_itself(shape, strides)


class _TooManyStepsError(Exception):
    """A search takes too long."""


def _joined(terms: Iterable[Term]) -> list[Term]:
    """Terms of distinct strides, the largest first."""
    found: dict[int, int] = {}
    for stride, last in terms:
        if stride and last:
            found[stride] = found.get(stride, 0) + last
    return sorted(found.items(), reverse=True)


def _reaches(terms: Iterable[Term], target: int) -> bool:
    """True if multiples of the terms' strides add up to ``target``.

    Raises:
        _TooManyStepsError: it takes too long to tell.
    """
    return _Search(_joined(terms)).reaches(0, target)


class _Search:
    """Search for multiples of strides with a given sum, the largest stride first.

    Of the terms from each one on, ``_reach`` is the largest sum, ``_divisor`` the greatest common
    divisor; ``_all``: all its multiples up to the largest sum are sums.
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = terms
        self._steps = 0
        reach, divisor, is_all = 0, 0, True
        self._reach, self._divisor, self._all = [reach], [divisor], [is_all]
        for stride, last in reversed(terms):
            is_all = is_all and (
                divisor == 0 or (stride % divisor == 0 and stride <= reach + divisor)
            )
            reach += stride * last
            divisor = math.gcd(divisor, stride)
            self._reach.insert(0, reach)
            self._divisor.insert(0, divisor)
            self._all.insert(0, is_all)

    def reaches(self, place: int, target: int) -> bool:
        """True if the terms from ``place`` on have the sum ``target``."""
        divisor = self._divisor[place]
        if not 0 <= target <= self._reach[place] or (divisor and target % divisor):
            return False
        if self._all[place]:
            return True
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise _TooManyStepsError
        stride, last = self._terms[place]
        behind, reach = self._divisor[place + 1], self._reach[place + 1]
        # Of the multiples whose rest is in reach, those count whose rest divides by `behind`.
        low, high = max(0, -((reach - target) // stride)), min(last, target // stride)
        step = behind // divisor
        first = target // divisor * pow(stride // divisor, -1, step) % step
        return any(
            self.reaches(place + 1, target - stride * times)
            for times in range(low + (first - low) % step, high + 1, step)
        )


def _sums(terms: Iterable[Term]) -> int:
    """All sums of multiples of the terms' strides, as the bits of a number."""
    found = 1
    for stride, last in terms:
        count = 1
        while count <= last:
            more = min(count, last + 1 - count)
            found |= found << stride * more
            count += more
    return found
