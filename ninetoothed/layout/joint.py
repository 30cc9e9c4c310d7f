"""Proofs of coverage and race freedom of stores through several parameters of one tensor.

What one parameter leaves open, others may complete: ``y[::2]`` and ``y[1::2]``, or ``y[:n]`` and
``y[n:]``. Two facts join the proofs of ``inverse``, which are about one parameter each:

- *coverage*: the elements are split, by the remainder of a slice's step or at its start, until one
  parameter covers each part.
- *races*: two parameters meet in no element, since a remainder tells them apart or all indices of
  one lie below those of the other; or what the one says of an element's program holds of the
  elements that the other writes, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ninetoothed.layout.access import Access, index_names
from ninetoothed.layout.inverse import Placement, Region, Site
from ninetoothed.layout.meta_ops import Slice, backwards
from ninetoothed.symbolic.expr import IndexExpr, const, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_less, normalize, normalizer

Store = tuple[Placement, Site]
"""A store to a tensor, through one of the parameters that it is."""

_MOST_PARTS = 16
"""The most parts that elements are split into."""


def covered(stores: Sequence[Store]) -> bool:
    """True if every element of the tensor is proved to be written."""
    groups = _by_placement(stores)
    if any(placement.covered(sites) for placement, sites in groups):
        return True
    if len(groups) < 2 or not _comparable(groups):
        return False
    return _covers(groups, groups[0][0].whole, _splits(groups), [_MOST_PARTS])


def apart(stores: Sequence[Store]) -> bool:
    """True if it is proved that no two programs write one element of the tensor."""
    groups = _by_placement(stores)
    if not all(placement.apart(sites) for placement, sites in groups):
        return False
    if len(groups) == 1:
        return True
    if not _comparable(groups):
        return False
    return all(
        _meet_in_one_program(one, two) or _never_meet((one, first), (two, second))
        for place, (one, sites) in enumerate(groups)
        for two, others in groups[:place]
        for first in sites
        for second in others
    )


def _by_placement(stores: Sequence[Store]) -> list[tuple[Placement, list[Site]]]:
    """The sites of each placement, in order."""
    found: list[tuple[Placement, list[Site]]] = []
    for placement, site in stores:
        for other, sites in found:
            if other == placement:
                sites.append(site)
                break
        else:
            found.append((placement, [site]))
    return found


def _comparable(groups: Sequence[tuple[Placement, list[Site]]]) -> bool:
    """True if the programs of all are numbered alike, and their elements, too."""
    first = groups[0][0]
    return all(
        placement.jagged is None
        and placement.source == first.source
        and len(placement.access.levels[0]) == len(first.access.levels[0])
        for placement, _ in groups
    )


# Coverage.

_Split = tuple[int, IndexExpr, bool]
"""A dim of the source, and a number: a first index, or the period of remainders, which is negative
where they are counted from the end."""


def _splits(groups: Sequence[tuple[Placement, list[Site]]]) -> list[_Split]:
    """Where slices of the source suggest to split its elements."""
    found: dict[_Split, None] = {}
    for placement, _ in groups:
        for op in placement.ops:
            if not isinstance(op, Slice) or op.level != 0 or len(op.sizes) != len(placement.source):
                continue
            for dim, (start, step, size) in enumerate(
                zip(op.starts, op.steps, op.sizes, strict=True)
            ):
                period = normalize(-step if backwards(step) else step)
                if period.value is not None and 1 < period.value <= _MOST_PARTS:
                    found[dim, normalize(step), True] = None
                ends = (start,) if period.value != 1 else (start, start + size)
                for end in map(normalize, ends):
                    if end.value != 0 and end != normalize(placement.source[dim]):
                        found[dim, end, False] = None
            # Behind it, dims may be others.
            break
    # Remainders leave fewer parts that nothing covers.
    return sorted(found, key=lambda split: not split[2])


def _covers(
    groups: Sequence[tuple[Placement, list[Site]]],
    region: Region,
    splits: Sequence[_Split],
    left: list[int],
) -> bool:
    """True if the elements of a region are proved to be written; ``left`` counts what is tried."""
    if not left[0]:
        return False
    left[0] -= 1
    if any(placement.covered(sites, region) for placement, sites in groups):
        return True
    if not splits:
        return False
    split, *others = splits
    parts = list(_parts(region, split, groups[0][0]))
    if len(parts) < 2:
        return _covers(groups, region, others, left)
    return all(_covers(groups, part, others, left) for part in parts)


def _parts(region: Region, split: _Split, placement: Placement) -> Iterator[Region]:
    """The parts of a region, of which each is without elements or has its facts."""
    dim, number, remainders = split
    index = region.element[dim]
    (name,) = (name for name in symbol_names(index) if name in region.ranges)
    upper = region.ranges[name].upper
    start = normalize(index - sym(name))
    if upper is None or name in symbol_names(start):
        # Multiples of a step are not split again.
        return

    def part(index: IndexExpr, upper: IndexExpr) -> Region:
        last = normalize(upper)
        return Region(
            (*region.element[:dim], index, *region.element[dim + 1 :]),
            {**region.ranges, name: Range(const(0), last)},
            (*region.facts, last),
        )

    if not remainders:
        yield part(index, number - start - 1)
        yield part(sym(name) + number, upper - number + start)
        return
    period = number.value
    assert period is not None
    for rest in range(abs(period)):
        multiple = sym(name) * period
        index = start + rest + multiple if period > 0 else start + upper - rest + multiple
        yield part(index, (upper - rest) // abs(period))


# Races.


def _meet_in_one_program(one: Placement, two: Placement) -> bool:
    """True if an element that both have is proved to be of one program.

    :meth:`Placement.apart` has shown that ``two``'s inverse gives back the program of what ``two``
    writes. It is the same function here, of what ``one`` writes.
    """
    names = [f"$e{dim}" for dim in range(len(two.source))]
    programs = two.located(tuple(map(sym, names)), two.assumptions)[0]
    access = one.access
    ranges = one.ranges(Site())
    values = dict(zip(names, access.indices, strict=True))
    normal = normalizer(ranges)
    sizes = zip(one.access.levels[0], two.access.levels[0], strict=True)
    return all(
        first.value == second.value == 1 or normal(substitute(index, values) - sym(name)).value == 0
        for name, (first, second), index in zip(
            index_names(access.levels)[0], sizes, programs, strict=True
        )
    )


def _never_meet(one: Store, two: Store) -> bool:
    """True if two stores are proved to have no element in common."""
    first, ranges = _placed(one)
    second, others = _of_another_program(two)
    ranges = {**ranges, **others}
    facts = [fact for placement, _ in (one, two) for fact in placement.required]
    for access in (first, second):
        for guard in access.guards:
            facts += [guard.index, guard.size - 1 - guard.index]
    normal = normalizer(ranges)
    for left, right in zip(first.indices, second.indices, strict=True):
        for period in _periods(one[0], two[0]):
            difference = normal((left - right) % period).value
            if difference is not None and difference != 0:
                return True
        if always_less(left, right, ranges, facts) or always_less(right, left, ranges, facts):
            return True
    return False


def _periods(*placements: Placement) -> list[IndexExpr]:
    """Steps of slices, whose remainders may tell two of them apart."""
    return list(
        dict.fromkeys(
            normalize(-step if backwards(step) else step)
            for placement in placements
            for op in placement.ops
            if isinstance(op, Slice)
            for step in op.steps
            if step.value not in (1, -1)
        )
    )


def _placed(store: Store) -> tuple[Access, dict[str, Range]]:
    """The access of a store, and the ranges of its symbols."""
    placement, site = store
    return placement.at(site), placement.ranges(site)


def _of_another_program(store: Store) -> tuple[Access, dict[str, Range]]:
    """As :func:`_placed`; indices and loop variables have other names."""
    access, ranges = _placed(store)
    own = {*store[1].loops, *(name for row in index_names(access.levels) for name in row)}
    names = {name: sym(f"{name}'") for name in own}

    def put(range_: Range) -> Range:
        ends = (range_.lower, range_.upper)
        lower, upper = (None if end is None else substitute(end, names) for end in ends)
        return Range(lower, upper)

    found = {str(names.get(name, name)): put(range_) for name, range_ in ranges.items()}
    return access.substitute(names), found
