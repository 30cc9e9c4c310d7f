"""Which programs see an element: for the elements of a corner of a source, of sizes that are known.

One program is launched for each element of the outermost level of the first tensor. Program ``p``
sees element ``p``, row-major, of the outermost level of every tensor, with all that lies below it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ninetoothed.layout.access import Access, compose, index_names
from ninetoothed.layout.chain import Chain
from ninetoothed.layout.meta_op import Guard
from ninetoothed.symbolic.expr import const, evaluate, symbol_names
from ninetoothed.symbolic.intervals import Range, bounds

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

_MOST = 1 << 22
"""Most indices that are gone through at once."""


@dataclass(frozen=True)
class Programs:
    """The numbers of the programs that see each element, in order; elements are row-major.

    ``is_complete``: false where there are too many indices to go through, and programs may be
    missing.
    """

    numbers: tuple[Numbers, ...]
    is_complete: bool


def is_scalar(chain: Chain) -> bool:
    """True for a number, which all programs see: a tensor of no dims, not arranged."""
    return not chain.source.shape and not chain.ops


def level_sizes(chain: Chain) -> list[list[int]]:
    """The sizes of all levels, which are numbers; a count below zero is none."""
    return [[max(evaluate(size, {}), 0) for size in level] for level in chain.levels]


def program_count(chains: Iterable[Chain]) -> int:
    """The number of programs of arranged tensors whose sizes are numbers."""
    grids = (level_sizes(chain)[0] for chain in chains if not is_scalar(chain))
    return math.prod(next(grids, ()))


def programs_of_elements(chains: Iterable[Chain], corner: Sequence[int], programs: int) -> Programs:
    """The programs, of so many, that see the elements of one source whose indices lie below
    ``corner``. All sizes of ``chains``, each of which arranges it, are numbers.
    """
    import numpy as np

    count = math.prod(corner)
    if not count:
        return Programs((), True)
    found: list[Numbers] = []
    is_complete = True
    for chain in chains:
        codes, is_whole = _codes(chain, corner, programs)
        found.append(codes)
        is_complete = is_complete and is_whole
    codes = np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)
    # np.unique hashes integers, which takes 50 times as long.
    codes = codes[np.diff(codes, prepend=-1) != 0]
    elements, numbers = np.divmod(codes, max(programs, 1))
    starts = np.searchsorted(elements, np.arange(1, count))
    return Programs(tuple(np.split(numbers, starts)), is_complete)


def _codes(chain: Chain, corner: Sequence[int], programs: int) -> tuple[Numbers, bool]:
    """``element * programs + program`` for what programs see of the corner, in any order and also
    more than once, and whether all were gone through.
    """
    import numpy as np

    from ninetoothed.layout.grids import existing

    if is_scalar(chain):
        return np.arange(min(programs, _MOST), dtype=np.int64), programs <= _MOST
    access = compose(chain.source.shape, chain.ops, {})
    axes, is_complete = _axes(access, corner)
    if not all(map(len, axes.values())):
        # Also along a dim that no index depends on: a block without lanes.
        return np.zeros(0, np.int64), is_complete
    values = _values(axes)
    inside: Any = existing(access, values)
    element: Any = 0
    for index, size in zip(access.indices, corner, strict=True):
        found = _evaluated(index, values)
        inside = inside & (found >= 0) & (found < size)
        element = element * size + found
    program: Any = 0
    for name, size in zip(index_names(access.levels)[0], level_sizes(chain)[0], strict=True):
        program = program * size + values[name]
    seen = inside & (program < programs)
    codes, seen = np.broadcast_arrays(element * programs + program, seen)
    return codes[seen], is_complete


def _axes(access: Access, corner: Sequence[int]) -> tuple[dict[str, Numbers], bool]:
    """The values of each index variable by which the corner can be reached, few enough for all of
    their combinations; and whether none was left out for that.
    """
    import numpy as np

    conditions = [
        *(Guard(index, const(size)) for index, size in zip(access.indices, corner, strict=True)),
        *access.guards,
    ]
    used = {name for guard in conditions for name in symbol_names(guard.index, guard.size)}
    spans: dict[str, tuple[int, int]] = {}
    for level, row in enumerate(zip(index_names(access.levels), access.levels, strict=True)):
        for name, size in zip(*row, strict=True):
            count = max(evaluate(size, {}), 0)
            # All lanes along a dim that no index depends on are one element.
            spans[name] = 0, min(count, 1) if level and name not in used else count
    for name in spans:
        if name in used:
            spans[name] = _narrowed(name, spans, conditions)
    is_complete = all(end - first <= _MOST for first, end in spans.values())
    axes = {
        name: np.arange(first, min(end, first + _MOST), dtype=np.int64)
        for name, (first, end) in spans.items()
    }
    for condition in conditions:
        _restrict(axes, condition)
    while (total := math.prod(map(len, axes.values()))) > _MOST:
        longest = max(axes, key=lambda name: len(axes[name]))
        length = len(axes[longest])
        axes[longest] = axes[longest][: max(_MOST * length // total, 1)]
        is_complete = False
    return axes, is_complete


def _narrowed(
    name: str, spans: Mapping[str, tuple[int, int]], conditions: Sequence[Guard]
) -> tuple[int, int]:
    """The first value of a variable, and the end, outside of which intervals show that some
    condition never holds.
    """
    ranges = {other: Range.of(first, end - 1) for other, (first, end) in spans.items()}

    def may_hold(first: int, last: int) -> bool:
        known = {**ranges, name: Range.of(first, last)}
        # An index is at least 0, and below its size.
        uppers = (
            bounds(side, known)[1]
            for guard in conditions
            for side in (guard.index, guard.size - 1 - guard.index)
        )
        return all(upper is None or upper >= 0 for upper in uppers)

    first, end = spans[name]
    if first >= end:
        return first, end
    last = end - 1
    while first < last:
        middle = (first + last) // 2
        if may_hold(first, middle):
            last = middle
        else:
            first = middle + 1
    low, last = first, end - 1
    while low < last:
        middle = (low + last + 1) // 2
        if may_hold(middle, last):
            low = middle
        else:
            last = middle - 1
    return first, last + 1


def _restrict(axes: dict[str, Numbers], condition: Guard) -> None:
    """Drop the values of variables for which a condition never holds, where that is soon found."""
    import numpy as np

    names = [name for name in symbol_names(condition.index, condition.size) if name in axes]
    if not names or math.prod(len(axes[name]) for name in names) > _MOST:
        return
    values = _values({name: axes[name] for name in names})
    index, size = (_evaluated(side, values) for side in (condition.index, condition.size))
    holds = np.broadcast_to((index >= 0) & (index < size), tuple(len(axes[name]) for name in names))
    for place, name in enumerate(names):
        others = tuple(dim for dim in range(len(names)) if dim != place)
        axes[name] = axes[name][holds.any(others)]


def _values(axes: dict[str, Numbers]) -> dict[str, Numbers]:
    """The values of the variables, each along a dim of its own."""
    ndim = len(axes)
    return {
        name: numbers.reshape([-1 if dim == place else 1 for dim in range(ndim)])
        for place, (name, numbers) in enumerate(axes.items())
    }


def _evaluated(expr: Any, values: dict[str, Numbers]) -> Any:
    from ninetoothed.layout.grids import ARRAYS

    return evaluate(expr, values, ARRAYS)
