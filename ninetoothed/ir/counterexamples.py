"""Elements that no program writes, or two programs do: found by trying all programs at small sizes.

The complement of ``placement``, which proves that there is none at any size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ninetoothed.errors import ArrangementError
from ninetoothed.ir.access import index_names
from ninetoothed.ir.index_bounds import Assumptions, bounds
from ninetoothed.ir.index_expr import Arithmetic, IndexExpr, const, evaluate, sym
from ninetoothed.ir.placement import Placement, Site

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_LANES = 1 << 17
"""How many lanes are tried at once, at most."""

_SIZES = (1, 2, 3, 5, 7, 4, 8, 33, 64, 65)


@dataclass(frozen=True)
class Example:
    """``element`` of the source, at these ``sizes``, and the ``programs`` that write it, if any."""

    sizes: Mapping[str, int]
    element: tuple[int, ...]
    programs: tuple[tuple[int, ...], ...] = ()

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} = {value}" for name, value in self.sizes.items())
        writers = " and ".join(map(str, self.programs))
        where = f"element {self.element}" + (f", by programs {writers}" if writers else "")
        return f"{where}, where {sizes}" if sizes else where


def samples(
    symbols: Sequence[IndexExpr], assumptions: Assumptions, powers: frozenset[str]
) -> Iterator[dict[str, int]]:
    """A few small values of all symbols within their bounds; those in ``powers`` are powers of two.

    First all the same, then all different, since sizes that must be equal occur in the first.
    """
    for turn, step in [(turn, step) for step in (0, 1) for turn in range(len(_SIZES))]:
        values: dict[str, int] = {}
        for position, symbol in enumerate(symbols):
            name = symbol.args[0]
            lower, upper = bounds(sym(name), assumptions)
            value = _SIZES[(turn + step * position) % len(_SIZES)]
            if name in powers:
                value = max(1, lower or 1)
                value = 1 << (value - 1).bit_length()
            if lower is not None:
                value = max(value, lower)
            values[name] = value if upper is None else min(value, upper)
        yield values


def unwritten(
    placement: Placement, sites: Sequence[Site], values: Mapping[str, int]
) -> Example | None:
    """An element that no site writes at these sizes.

    Raises:
        OverflowError: there are too many lanes to try.
    """
    import numpy as np

    source = [_number(size, values) for size in placement.source]
    found = np.zeros(math.prod(source), dtype=bool)
    for elements, _ in (_written(placement, site, values, source) for site in sites):
        found[elements] = True
    missing = np.flatnonzero(~found)
    if not missing.size:
        return None
    return Example(dict(values), _unravel(int(missing[0]), source))


def race(placement: Placement, sites: Sequence[Site], values: Mapping[str, int]) -> Example | None:
    """An element that two programs write at these sizes.

    Raises:
        OverflowError: there are too many lanes to try.
    """
    import numpy as np

    source = [_number(size, values) for size in placement.source]
    pairs = [_written(placement, site, values, source) for site in sites]
    elements = np.concatenate([element for element, _ in pairs])
    programs = np.concatenate([program for _, program in pairs])
    order = np.lexsort((programs, elements))
    elements, programs = elements[order], programs[order]
    twice = np.flatnonzero((elements[1:] == elements[:-1]) & (programs[1:] != programs[:-1]))
    if not twice.size:
        return None
    first = int(twice[0])
    grid = [_number(size, values) for size in placement.access.levels[0]]
    both = tuple(_unravel(int(programs[first + side]), grid) for side in (0, 1))
    return Example(dict(values), _unravel(int(elements[first]), source), both)


def possible(placement: Placement, values: Mapping[str, int]) -> bool:
    """Whether a call has such sizes: what the operations require holds."""
    try:
        return all(evaluate(fact, values) >= 0 for fact in placement.required)
    except (ArrangementError, ZeroDivisionError):
        return False


def _number(size: IndexExpr, values: Mapping[str, int]) -> int:
    return max(evaluate(size, values), 0)


def _unravel(index: int, sizes: Sequence[int]) -> tuple[int, ...]:
    found: list[int] = []
    for size in reversed(sizes):
        found.append(index % size)
        index //= size
    return tuple(reversed(found))


def _written(
    placement: Placement, site: Site, values: Mapping[str, int], source: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The elements that a site writes, and the number of the program that does, pair by pair."""
    import numpy as np

    access = placement.at(site)
    names = index_names(access.levels)
    sizes: dict[str, tuple[IndexExpr, IndexExpr]] = {}
    last = len(names) - 1
    for level in {0, last}:
        for name, size in zip(names[level], access.levels[level], strict=True):
            sizes[name] = (const(0), size - 1)
    for name, range_ in site.loops.items():
        if range_.lower is None or range_.upper is None:
            raise OverflowError
        sizes[name] = (range_.lower, range_.upper)
    names_in_order = [*names[0], *(name for name in sizes if name not in names[0])]
    shape: list[int] = []
    known: dict[str, Any] = dict(values)
    for dim, name in enumerate(names_in_order):
        low, high = (evaluate(end, values) for end in sizes[name])
        shape.append(max(high - low + 1, 0))
        ones = [1] * len(names_in_order)
        ones[dim] = shape[-1]
        known[name] = (low + np.arange(shape[-1], dtype=np.int64)).reshape(ones)
    if max(math.prod(shape), math.prod(source)) > MAX_LANES:
        raise OverflowError
    arithmetic = Arithmetic(np.minimum, np.maximum, np.logical_and)
    exists: Any = np.ones(shape, dtype=bool)
    for guard in access.guards:
        index = evaluate(guard.index, known, arithmetic)
        exists = exists & (index >= 0) & (index < evaluate(guard.size, known, arithmetic))
    element: Any = 0
    for index, size in zip(access.indices, source, strict=True):
        element = element * size + evaluate(index, known, arithmetic)
    grid = shape[: len(names[0])]
    program = np.arange(math.prod(grid)).reshape([*grid, *[1] * (len(shape) - len(grid))])
    return (
        np.broadcast_to(np.asarray(element, dtype=np.int64), shape)[exists],
        np.broadcast_to(program, shape)[exists],
    )
