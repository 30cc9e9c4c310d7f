"""Inverse of an access, and proofs of coverage and race freedom for all sizes.

Proofs go through one map: :meth:`MetaOp.locate` proposes where an element of the source comes
from, and its composition ``w`` maps source indices to the indices of all levels. Two facts about
it decide two questions, and both are checked by substitution:

- *coverage*: ``w`` of an element is a program and a lane that exist, and the access leads from
  there back to the element. So every element is written.
- *races*: ``w`` of what a program writes gives back the program. So no two write one element.

Nothing follows from a proof that fails; ``counterexamples`` then looks for an example.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ninetoothed.errors import Loc
from ninetoothed.layout.access import Access, compose, holds, index_names, required
from ninetoothed.layout.meta_op import Guard, Levels, MetaOp, Sizes
from ninetoothed.layout.meta_ops import Flatten, Renumber
from ninetoothed.layout.stepwise import Names, located
from ninetoothed.symbolic.expr import IndexExpr, const, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Assumptions, Range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize, normalizer


@dataclass(frozen=True)
class Site:
    """A store of the application.

    ``between`` are the indices of the levels between, over loop variables; None: known at run time
    only. ``loops`` are the variables' ranges; each variable takes every value. ``conditional``:
    whether it is executed is known at run time only.
    """

    between: tuple[IndexExpr | None, ...] = ()
    loops: Mapping[str, Range] = field(default_factory=dict[str, Range])
    conditional: bool = False
    loc: Loc | None = field(default=None, compare=False)

    @property
    def known(self) -> bool:
        """True if the indices are compile-time constants or loop variables."""
        return None not in self.between


@dataclass(frozen=True)
class Region:
    """Elements of a source: an index in each dim, over symbols of these ``ranges``. There is one,
    so each of the ``facts`` is at least 0.
    """

    element: Sizes
    ranges: Mapping[str, Range]
    facts: Sizes = ()


@dataclass(frozen=True)
class Placement:
    """An arranged parameter: its source's sizes, its operations, the ranges of its symbols."""

    source: Sizes
    ops: tuple[MetaOp, ...]
    assumptions: Assumptions
    jagged: tuple[str, IndexExpr] | None = None

    @cached_property
    def access(self) -> Access:
        """The composed access."""
        return compose(self.source, self.ops, self.assumptions, self.jagged)

    @cached_property
    def states(self) -> list[Levels]:
        """Levels before each operation, and after the last."""
        found: list[Levels] = [(self.source,)]
        for op in self.ops:
            found.append(op.result(found[-1]))
        return found

    @property
    def program_names(self) -> tuple[str, ...]:
        """Names of the program indices; that of a dim of size 1 is 0 and has none."""
        access = self.access
        rows = zip(index_names(access.levels)[0], access.levels[0], strict=True)
        return tuple(name for name, size in rows if size.value != 1)

    def ranges(self, site: Site) -> dict[str, Range]:
        """Assumptions with the ranges of index and loop variables."""
        access = self.access
        found = {**self.assumptions, **site.loops}
        if self.jagged is not None:
            found[str(self.jagged[1])] = Range(const(0), sym(self.jagged[0]))
        last = len(access.levels) - 1
        for level, row in enumerate(index_names(access.levels)):
            if level in (0, last):
                for name, size in zip(row, access.levels[level], strict=True):
                    found[name] = Range(const(0), size - 1)
        return found

    @cached_property
    def required(self) -> list[IndexExpr]:
        """Preconditions that a call checks before any program runs: each is at least 0."""
        return required(self.ops, self.states)

    def at(self, site: Site) -> Access:
        """The access with the site's indices of the middle levels substituted."""
        access = self.access
        names = [name for row in index_names(access.levels)[1:-1] for name in row]
        given = zip(names, site.between, strict=True)
        values = {name: index for name, index in given if index is not None}
        return access.substitute(values)

    def located(self, element: Sequence[IndexExpr], assumptions: Assumptions) -> Levels:
        """Candidate indices of all levels for an element of the source."""
        indices: Levels = (tuple(element),)
        for op, levels in zip(self.ops, self.states, strict=False):
            indices = op.locate(levels, indices, assumptions)
        normal = normalizer(assumptions)
        return tuple(tuple(map(normal, row)) for row in indices)

    # Proofs. True is proved, False is "not proved".

    def inside(self) -> list[bool]:
        """For each dim of the source: True if every accessed index is proved in bounds."""
        access, ranges = self.access, self.ranges(Site())
        wanted = [Guard(*pair) for pair in zip(access.indices, self._own(), strict=True)]
        return [
            guard in access.guards or holds(guard, ranges, access.guards, self.required)
            for guard in wanted
        ]

    def never(self) -> list[Guard]:
        """Guards that are proved never to hold."""
        ranges = self.ranges(Site())
        return [
            guard
            for guard in self.access.guards
            if always_nonnegative(-guard.index - 1, ranges)
            or always_nonnegative(guard.index - guard.size, ranges)
            or always_nonnegative(-guard.size, ranges)
        ]

    @property
    def whole(self) -> Region:
        """All elements of the source."""
        # Names that no symbol of a user has.
        names = [f"$e{dim}" for dim in range(len(self.source))]
        ranges = {
            name: Range(const(0), size - 1) for name, size in zip(names, self._own(), strict=True)
        }
        return Region(tuple(map(sym, names)), ranges)

    def covered(self, sites: Sequence[Site], region: Region | None = None) -> bool:
        """True if every element of the source, or of a region of it, is proved to be written."""
        certain = [site for site in sites if site.known and not site.conditional]
        chosen = self.whole if region is None else region
        groups = _grouped(certain)
        return any(self._covers(group, chosen) for group in groups) or any(
            self._covers_by_steps(group, chosen) for group in groups
        )

    def _covers_by_steps(self, site: Site, region: Region) -> bool:
        """As :meth:`_covers`, where elements are numbered on the way."""
        if self.jagged is not None or not any(
            isinstance(op, Flatten | Renumber) for op in self.ops
        ):
            return False
        names = Names({**self.assumptions, **region.ranges})
        facts = [*self.required, *(size - 1 for size in self._own()), *region.facts]
        found = located(self.source, self.ops, region.element, names, facts)
        if found is None:
            return False
        indices, levels = found
        for row, sizes in zip(indices, levels, strict=True):
            for index, size in zip(row, sizes, strict=True):
                if not (
                    always_nonnegative(index, names.ranges, facts)
                    and always_nonnegative(size - 1 - index, names.ranges, facts)
                ):
                    return False
        plain = tuple(tuple(map(names.meaning, row)) for row in indices)
        return _stored(site, plain, names.ranges, facts)

    def _covers(self, site: Site, region: Region) -> bool:
        element = region.element
        ranges = {**self.assumptions, **region.ranges}
        if self.jagged is not None:
            ranges[str(self.jagged[1])] = Range(const(0), sym(self.jagged[0]))
        # There is an element, so no size is 0.
        facts = [*self.required, *(size - 1 for size in self._own()), *region.facts]
        indices = self.located(element, ranges)
        access = self.access
        rows = index_names(access.levels)
        values: dict[str, IndexExpr | int] = {}
        for level, (row, sizes, found) in enumerate(zip(rows, access.levels, indices, strict=True)):
            between = 0 < level < len(rows) - 1
            for name, size, index in zip(row, sizes, found, strict=True):
                values[name] = index
                room = index if between else size - 1 - index
                if not (
                    always_nonnegative(index, ranges, facts)
                    and always_nonnegative(room, ranges, facts)
                ):
                    return False
        if not _stored(site, indices, ranges, facts):
            return False
        normal = normalizer(ranges)
        for index, wanted in zip(access.indices, element, strict=True):
            if normal(substitute(index, values) - wanted).value != 0:
                return False
        guards = (
            Guard(normal(substitute(guard.index, values)), substitute(guard.size, values))
            for guard in access.guards
        )
        return all(holds(guard, ranges, (), facts) for guard in guards)

    def racing(self, site: Site) -> tuple[str, ...]:
        """Program and lane indices that an element of the source is not proved to determine.
        Without a program's among them, no two programs write one element.
        """
        access = self.at(site)
        ranges = self.ranges(site)
        located = self.located(access.indices, ranges)
        normal = normalizer(ranges)
        rows = index_names(access.levels)
        found: list[str] = []
        last = len(rows) - 1
        for level, (row, sizes, indices) in enumerate(
            zip(rows, access.levels, located, strict=True)
        ):
            if 0 < level < last:
                continue
            for name, size, index in zip(row, sizes, indices, strict=True):
                if size.value != 1 and normal(index - sym(name)).value != 0:
                    found.append(name)
        between = [index for row in located[1:-1] for index in row]
        for index, given in zip(between, site.between, strict=True):
            if given is None or normal(index - given).value != 0:
                found.append("" if given is None else str(given))
        return tuple(found)

    def apart(self, sites: Sequence[Site]) -> bool:
        """True if it is proved that no two programs write one element."""
        programs = frozenset(self.program_names)
        return not any(programs.intersection(self.racing(site)) for site in sites)

    def distinct(self) -> bool:
        """True if the access of one program is proved injective: each element of the source is at
        one index of the levels below it.
        """
        levels = self.access.levels
        between: dict[str, Range] = {}
        for names, sizes in zip(index_names(levels)[1:-1], levels[1:-1], strict=True):
            # There are no elements elsewhere.
            between.update(zip(names, (Range(const(0), size - 1) for size in sizes), strict=True))
        site = Site(tuple(map(sym, between)), between)
        return set(self.racing(site)) <= set(self.program_names)

    def largest_offset(self, strides: Sizes) -> IndexExpr:
        """The largest offset of an element, in elements, where no stride is negative."""
        reach: IndexExpr = const(0)
        for size, stride in zip(self.source, strides, strict=True):
            reach = reach + (size - 1) * stride
        return normalize(reach)

    def _own(self) -> Sizes:
        """The source's sizes, of a jagged dim the program's own."""
        own = {} if self.jagged is None else {self.jagged[0]: self.jagged[1]}
        return tuple(substitute(size, own) for size in self.source)


_Rest = tuple[tuple[IndexExpr | None, ...], tuple[tuple[str, Range], ...]]


def _stored(site: Site, located: Levels, ranges: Assumptions, facts: Sequence[IndexExpr]) -> bool:
    """True if some iteration of the loops around a store is proved to have these indices."""
    indices = [index for row in located[1:-1] for index in row]
    iterating: set[str] = set()
    for index, given in zip(indices, site.between, strict=True):
        assert given is not None
        names = iterating.intersection(symbol_names(given))
        iterating.update(name for name in symbol_names(given) if name in site.loops)
        # One loop variable has one value in an iteration.
        ends = None if names else _iteration_conditions(index, given, site.loops)
        if ends is None or not all(always_nonnegative(end, ranges, facts) for end in ends):
            return False
    return True


def _iteration_conditions(
    index: IndexExpr, given: IndexExpr, loops: Mapping[str, Range]
) -> tuple[IndexExpr, IndexExpr] | None:
    """Conditions, each at least 0, for ``given`` to equal ``index`` in an iteration of its loop."""
    names = [name for name in symbol_names(given) if name in loops]
    if not names:
        return index - given, given - index
    first = substitute(given, {names[0]: 0})
    # None where the index is not linear in the variable.
    step = normalize(substitute(given, {names[0]: sym(names[0]) + 1}) - given).value
    low, high = loops[names[0]].lower, loops[names[0]].upper
    if len(names) > 1 or step not in (1, -1) or low is None or high is None:
        return None
    iteration = (index - first) * step
    return iteration - low, high - iteration


def _grouped(sites: Sequence[Site]) -> list[Site]:
    """The sites, those that differ in one constant also merged into one with a loop over it."""
    found = list(sites)
    for position in range(len(sites[0].between) if sites else 0):
        rows: dict[_Rest, list[int]] = {}
        for site in sites:
            index = site.between[position]
            if index is not None and index.value is not None:
                rest = (*site.between[:position], *site.between[position + 1 :])
                loops = tuple(sorted(site.loops.items(), key=lambda item: item[0]))
                rows.setdefault((rest, loops), []).append(index.value)
        for (rest, loops), numbers in rows.items():
            values = sorted(set(numbers))
            if len(values) > 1 and values == list(range(values[0], values[-1] + 1)):
                name = f"$n{position}"
                between = (*rest[:position], sym(name), *rest[position:])
                found.append(Site(between, {**dict(loops), name: Range.of(values[0], values[-1])}))
    return found
