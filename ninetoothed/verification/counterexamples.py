"""Counterexamples of coverage and race freedom, by enumeration of all programs at small sizes.

The complement of ``layout.inverse``, which proves that there is none at any size.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ninetoothed.layout.access import index_names
from ninetoothed.layout.inverse import Placement, Site
from ninetoothed.layout.joint import Store
from ninetoothed.symbolic.expr import IndexExpr, const, evaluate, symbols
from ninetoothed.symbolic.intervals import Assumptions, Range, bounds
from ninetoothed.verification.sizes import STEPS, Check, SizeSampler, magnitudes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_LANES = 1 << 17
"""The most lanes of one trial."""

_SIZES = (1, 2, 3, 5, 7, 4, 8, 33, 64, 65)


@dataclass(frozen=True)
class Example:
    """Counterexample: ``element`` of the source, at these ``sizes``, and the ``programs`` that
    write it.
    """

    sizes: Mapping[str, int]
    element: tuple[int, ...]
    programs: tuple[tuple[int, ...], ...] = ()

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} = {value}" for name, value in self.sizes.items())
        writers = " and ".join(map(str, self.programs))
        where = f"element {self.element}" + (f", by programs {writers}" if writers else "")
        return f"{where}, where {sizes}" if sizes else where


def samples(
    stores: Sequence[Store],
    checks: Sequence[Check],
    assumptions: Assumptions,
    powers: frozenset[str],
) -> Iterator[dict[str, int]]:
    """Small values, within their bounds, of the symbols that decide what is written and of those of
    ``checks``, with which each of these holds; symbols in ``powers`` are powers of two.

    First all the same, since sizes that must be equal occur there, then all different, rising and
    falling.
    """
    own = used(stores)
    found = list(dict.fromkeys([*own, *symbols(*(side for check in checks for side in check))]))
    sizes = _sizes(stores, own, assumptions)
    sampler = SizeSampler(
        [(symbol.args[0],) for symbol in found],
        [sizes] * len(found),
        checks,
        assumptions,
        powers,
        fixed=frozenset(symbol.args[0] for symbol in own),
    )
    for step, start in itertools.product(STEPS, range(len(sizes))):
        values = sampler.sample(step, start)
        if values is not None:
            yield values


def _sizes(
    stores: Sequence[Store], own: Sequence[IndexExpr], assumptions: Assumptions
) -> tuple[int, ...]:
    """Sizes to try: small ones, and those just beyond the blocks and strides that are numbers."""
    exprs = [expr for placement, _ in stores for expr in _arranged(placement)]
    numbers = {number for number in magnitudes(*exprs) if number < MAX_LANES}
    numbers.update(bounds(symbol, assumptions)[0] or 0 for symbol in own)
    large = sorted(number for number in numbers if number > _SIZES[-1])[-3:]
    beyond = [size for number in large for size in (number + 1, 2 * number + 1)]
    return (*_SIZES, *beyond, *((sum(numbers) + 1,) if large else ()))


def _arranged(placement: Placement) -> list[IndexExpr]:
    """Expressions of an arrangement: its source's sizes, and all that its operations hold."""
    return [*placement.source, *(expr for op in placement.ops for expr in op.expressions)]


def unwritten(stores: Sequence[Store], values: Mapping[str, int]) -> Example | None:
    """Find an element that no store writes at these sizes.

    Raises:
        OverflowError: there are too many lanes to try, or a loop without an end.
        ZeroDivisionError: a call does not have such sizes.
    """
    import numpy as np

    source = [_number(size, values) for size in stores[0][0].source]
    if math.prod(source) > MAX_LANES:
        raise OverflowError
    found = np.zeros(math.prod(source), dtype=bool)
    for placement, site in stores:
        found[_written(placement, site, values, source)[0]] = True
    missing = np.flatnonzero(~found)
    if not missing.size:
        return None
    return Example(_named(stores, values), _unravel(int(missing[0]), source))


def race(stores: Sequence[Store], values: Mapping[str, int]) -> Example | None:
    """Find an element that two programs write at these sizes.

    Raises:
        OverflowError, ZeroDivisionError: as for :func:`unwritten`.
    """
    import numpy as np

    first = stores[0][0]
    source = [_number(size, values) for size in first.source]
    pairs = [_written(placement, site, values, source) for placement, site in stores]
    elements = np.concatenate([element for element, _ in pairs])
    programs = np.concatenate([program for _, program in pairs])
    order = np.lexsort((programs, elements))
    elements, programs = elements[order], programs[order]
    twice = np.flatnonzero((elements[1:] == elements[:-1]) & (programs[1:] != programs[:-1]))
    if not twice.size:
        return None
    place = int(twice[0])
    grid = [_number(size, values) for size in first.access.levels[0]]
    both = tuple(_unravel(int(programs[place + side]), grid) for side in (0, 1))
    return Example(_named(stores, values), _unravel(int(elements[place]), source), both)


def used(stores: Sequence[Store]) -> list[IndexExpr]:
    """Symbols that decide what is written."""
    exprs: list[IndexExpr] = []
    loops: dict[str, None] = {}
    for placement, site in stores:
        exprs += _arranged(placement)
        exprs += [index for index in site.between if index is not None]
        for name, range_ in site.loops.items():
            loops[name] = None
            exprs += [end for end in (range_.lower, range_.upper) if end is not None]
    return [symbol for symbol in symbols(*exprs) if symbol.args[0] not in loops]


def _named(stores: Sequence[Store], values: Mapping[str, int]) -> dict[str, int]:
    return {symbol.args[0]: values[symbol.args[0]] for symbol in used(stores)}


def _number(size: IndexExpr, values: Mapping[str, int]) -> int:
    return max(evaluate(size, values), 0)


def _unravel(index: int, sizes: Sequence[int]) -> tuple[int, ...]:
    import numpy as np

    return tuple(map(int, np.unravel_index(index, tuple(sizes))))


def _written(
    placement: Placement, site: Site, values: Mapping[str, int], source: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Elements that a site writes, each with the number of its program."""
    import numpy as np

    from ninetoothed.layout.grids import ARRAYS, axis, existing

    access = placement.at(site)
    names = index_names(access.levels)
    last = len(names) - 1
    ranges = {
        name: Range(const(0), size - 1)
        for level in dict.fromkeys((0, last))
        for name, size in zip(names[level], access.levels[level], strict=True)
    }
    ranges.update(site.loops)
    known: dict[str, Any] = dict(values)
    if placement.jagged is not None:
        # All sequences are as long as the longest.
        known[str(placement.jagged[1])] = known[placement.jagged[0]]
    shape: list[int] = []
    exists: Any = np.ones((), dtype=bool)
    for dim, (name, range_) in enumerate(ranges.items()):
        if range_.lower is None or range_.upper is None:
            raise OverflowError
        # A loop's ends may depend on the loops around it.
        low, high = (
            np.asarray(evaluate(end, known, ARRAYS)) for end in (range_.lower, range_.upper)
        )
        first = int(low.min()) if low.size else 0
        count = max(int(high.max()) - first + 1, 0) if high.size else 0
        shape.append(count)
        # Before any array of that size is allocated.
        if max(math.prod(shape), math.prod(source)) > MAX_LANES:
            raise OverflowError
        known[name] = axis(first, count, dim, len(ranges))
        exists = exists & (known[name] >= low) & (known[name] <= high)
    # Quotients by the size of an empty tensor are guarded.
    with np.errstate(divide="ignore"):
        exists = exists & existing(access, known)
        element: Any = 0
        for index, size in zip(access.indices, source, strict=True):
            element = element * size + evaluate(index, known, ARRAYS)
    exists = np.broadcast_to(exists, shape)
    grid = shape[: len(names[0])]
    program = np.arange(math.prod(grid)).reshape([*grid, *[1] * (len(shape) - len(grid))])
    return (
        np.broadcast_to(np.asarray(element, dtype=np.int64), shape)[exists],
        np.broadcast_to(program, shape)[exists],
    )
