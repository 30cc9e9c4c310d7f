"""Definedness: every lane that is stored was computed from lanes that were read.

A lane that a store writes must lie inside every access that flows into it. Lanes that a reduction,
a scan, a sort or a dot combines are the identity where nothing is read, which is what a program
means at the border of a window, in padding and behind the last block. But where two reads meet
there, lane by lane, neither may end before the other does: the product of a matrix with 65 columns
and one with 30 rows means nothing. Padding and windows that reach over a border are no end.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace

from xdsl.ir import BlockArgument, Operation

from ninetoothed.errors import Loc
from ninetoothed.ir import nt
from ninetoothed.ir.locations import loc_of
from ninetoothed.layout.access import index_names
from ninetoothed.layout.implication import Condition, End, Implication, extreme, solved
from ninetoothed.layout.inverse import Placement
from ninetoothed.layout.meta_op import Guard, Levels, MetaOp
from ninetoothed.layout.meta_ops import Pad, Tile
from ninetoothed.passes.analysis.checked_sizes import checked_sizes
from ninetoothed.passes.analysis.placements import placement_of
from ninetoothed.passes.analysis.stored_values import Read, StoredValues
from ninetoothed.symbolic.expr import (
    IndexExpr,
    const,
    divisions,
    divisors,
    has_extremes,
    substitute,
    sym,
    symbol_names,
)
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import equal, normalize, normalizer

UNKNOWN = "it depends on data where a lane has a value"
SELECTED = "data or a number of the call selects what is stored"
NO_PROOF = "no proof was found"


@dataclass(frozen=True)
class Finding:
    """What a store needs of a call for its lanes to be defined.

    ``condition``: None where that is not known. ``other``: the parameter that is met in a
    reduction, None for what is stored. ``read``: the read that has no value otherwise.
    ``selected``: it flows into the store on one side of a selection by data, or of a branch.
    """

    read: Operation
    parameter: int
    condition: Condition | None
    other: int | None = None
    selected: bool = False


@dataclass(frozen=True)
class Stored:
    """A store to the parameter of number ``param``, and what is known of the values of its lanes.

    ``findings`` is empty where all are proved to have one. ``reason``: why more is not known.
    """

    param: int
    op: Operation
    findings: tuple[Finding, ...] = ()
    reason: str | None = None

    @property
    def loc(self) -> Loc | None:
        """Its place in the user's source."""
        return loc_of(self.op.location)

    @property
    def is_proved(self) -> bool:
        """True if all lanes have a value in every call."""
        return self.reason is None and not self.findings

    @property
    def open_because(self) -> str | None:
        """Why it is neither proved nor checked; None where it is."""
        if self.is_checked:
            return None
        open_ = [one for one in self.findings if not _is_exact(one.condition)]
        return self.reason or (SELECTED if all(one.selected for one in open_) else NO_PROOF)

    @property
    def is_checked(self) -> bool:
        """True if all lanes have a value in every call that passes the conditions."""
        return self.reason is None and all(_is_exact(one.condition) for one in self.findings)

    @property
    def conditions(self) -> Iterator[tuple[Finding, Condition]]:
        """The conditions on calls."""
        for finding in self.findings:
            if finding.condition is not None:
                yield finding, finding.condition


def stored_lanes(kernel: nt.KernelOp) -> list[Stored]:
    """What is known of each store of a kernel in stage ``arranged``, in program order."""
    return _Definedness(kernel).run()


_MOST_QUOTIENTS = 8
"""Lanes that are moved again and again are no longer followed: proofs on nested quotients cost time
that grows exponentially.
"""
_MOST_ANSWERS = 1024
_answers: dict[Hashable, tuple[Condition | None, ...]] = {}
"""Answers by all that they depend on: a kernel is built for several signatures, and asks the same
of each of several reads.
"""


class _Definedness:
    def __init__(self, kernel: nt.KernelOp) -> None:
        self._kernel = kernel
        self._assumptions = kernel.assumptions
        self._own = frozenset(
            decl.name for decl in kernel.declarations if decl.kind in ("length", "start")
        )
        self._chosen = frozenset(decl.name for decl in kernel.declarations if decl.kind == "meta")
        self._grid = next(
            (
                nt.shape_of(value.type)
                for value, source in zip(kernel.arranged.values, kernel.sources, strict=True)
                if source.kind.data == "tensor"
            ),
            (),
        )
        self._values = StoredValues(kernel, self._grid)
        self._placed: dict[int, Placement] = {}
        self._extents = functools.cache(self._extents_of)

    def run(self) -> list[Stored]:
        found: list[Stored] = []
        for op in self._kernel.apply.walk():
            if isinstance(op, nt.StoreOp) and isinstance(op.ref, BlockArgument):
                found.append(self._store(op, op.ref.index))
        return found

    def _store(self, op: nt.StoreOp, param: int) -> Stored:
        reads, whole = self._values.reads(op)
        findings: list[Finding] = []
        reason = None if whole else UNKNOWN
        if reads:
            target = self._target(op, param)
            for read in reads:
                findings += self._stored(target, read)
            for one, two in _meeting(reads):
                findings += self._met(target, one, two)
        return Stored(param, op, tuple(dict.fromkeys(findings)), reason)

    # Accesses.

    def _placement(self, param: int) -> Placement:
        found = self._placed.get(param)
        if found is None:
            arranged = self._kernel.arranged.values[param]
            found = self._placed[param] = placement_of(arranged, self._assumptions)
        return found

    def _target(self, op: nt.StoreOp, param: int) -> Read:
        """A store as if it were a read."""
        loops, certain = self._values.loops_around(op)
        lanes = tuple(
            const(0) if size.value == 1 else sym(f"$b{dim}")
            for dim, size in enumerate(nt.shape_of(op.value.type))
        )
        indices = tuple(map(self._values.scalar, op.indices))
        return Read(param, op, indices, lanes, (), frozenset(), loops, certain)

    def _guards(self, read: Read) -> list[Guard]:
        return self._put(read, self._placement(read.parameter).access.guards)

    def _put(self, read: Read, guards: tuple[Guard, ...]) -> list[Guard]:
        """Guards of a parameter's access at the indices of a read."""
        rows = index_names(self._placement(read.parameter).access.levels)
        values: dict[str, IndexExpr] = {}
        if len(rows) > 1:
            values.update(zip(rows[-1], read.lanes, strict=True))
        between = [name for row in rows[1:-1] for name in row]
        values.update(zip(between, read.indices, strict=True))
        return list(_put(guards, tuple(values.items())))

    def _single(self, reads: tuple[Read, ...]) -> tuple[tuple[str, IndexExpr], ...]:
        """The indices of programs that are 0: a dim is of one program where one of the tensors says
        so, whatever the sizes of the others look like.
        """
        grids = [self._placement(read.parameter).access.levels[0] for read in reads]
        found = {
            f"g{dim}": const(0)
            for grid in (self._grid, *grids)
            for dim, size in enumerate(grid)
            if size.value == 1
        }
        return tuple(found.items())

    def _variables(self, origin: Read, *reads: Read) -> dict[str, Range]:
        """The variables of reads, outer ones first. All parameters have as many programs: those of
        ``origin`` are counted.
        """
        grid = self._placement(origin.parameter).access.levels[0]
        found = {
            f"g{dim}": Range(const(0), size - 1) for dim, size in enumerate(grid) if size.value != 1
        }
        names: dict[str, None] = {}
        for read in reads:
            names.update(dict.fromkeys(read.loops))
            names.update(dict.fromkeys(symbol_names(*read.indices, *read.lanes, *read.facts)))
        pending = [name for name in names if name in self._values.ranges]
        while pending:
            name = pending.pop(0)
            range_ = self._values.ranges[name]
            ends = [end for end in (range_.lower, range_.upper) if end is not None]
            inner = [
                other
                for other in symbol_names(*ends)
                if other in self._values.ranges and other not in found
            ]
            if inner:
                pending = [*inner, name, *pending]
            elif name not in found:
                found[name] = range_
        return found

    # Questions.

    def _stored(self, target: Read, read: Read) -> Iterator[Finding]:
        """What is stored must be read."""
        if read.reduced:
            # A place in padding, or in a window over a border, has the identity.
            guards = self._put(read, self._extents(read.parameter))
            wanted = [guard for guard in guards if self._is_of_place(guard, read.reduced)]
        else:
            wanted = self._guards(read)
        certain = target.certain and read.certain
        yield from self._ask((target, read), wanted, read, None, certain)

    def _is_of_place(self, guard: Guard, reduced: frozenset[str]) -> bool:
        """True if a guard says that the place of a reduction has lanes, and is not about these.
        Where no place has any, since a tensor has no element, a reduction is the identity.
        """
        names = symbol_names(guard.index, guard.size)
        programs = {f"g{dim}" for dim in range(len(self._grid))}
        return reduced.isdisjoint(names) and any(
            name in programs or name.startswith("$") for name in names
        )

    def _met(self, target: Read, one: Read, two: Read) -> Iterator[Finding]:
        """What meets a lane that was read must not lie beyond the end of its tensor."""
        shared = one.reduced & two.reduced
        wanted = [
            guard
            for guard in self._put(two, self._extents(two.parameter))
            if not shared.isdisjoint(symbol_names(guard.index, guard.size))
        ]
        certain = target.certain and one.certain and two.certain
        yield from self._ask((target, one, two), wanted, two, one, certain)

    def _ask(
        self,
        reads: tuple[Read, ...],
        wanted: list[Guard],
        read: Read,
        met: Read | None,
        certain: bool,
    ) -> Iterator[Finding]:
        if not wanted:
            return
        known = [one for one in (reads[0], met) if one is not None]
        premises = tuple(dict.fromkeys(guard for one in known for guard in self._guards(one)))
        variables = self._variables(met or reads[0], *reads)
        facts = tuple(dict.fromkeys(fact for one in reads[1:] for fact in one.facts))
        single = self._single(reads)
        if single:
            wanted = [*_put(tuple(wanted), single)]
            premises = tuple(dict.fromkeys(_put(premises, single)))
            facts = tuple(normalize(substitute(fact, dict(single))) for fact in facts)
        other = None if met is None else met.parameter
        origins = (met or reads[0], read) if certain else ()
        selected = any(one.sides for one in reads)
        answers: list[tuple[Implication, tuple[Condition | None, ...]]] = []
        for guard in wanted:
            if len(divisions(guard.index)) > _MOST_QUOTIENTS:
                yield Finding(read.op, read.parameter, None, other, selected)
                continue
            question = Implication(
                guard,
                premises,
                facts,
                variables,
                self._assumptions,
                chosen=self._chosen,
                own=self._own,
            )
            answers.append((question, self._answer(question, origins)))
        # A call that passes an exact condition has the guard.
        checked = tuple(
            question.conclusion
            for question, conditions in answers
            if conditions and all(map(_is_exact, conditions))
        )
        for question, conditions in answers:
            if checked and not all(map(_is_exact, conditions)):
                more = replace(question, premises=(*question.premises, *checked))
                if not self._answer(more, ()):
                    continue
            for condition in conditions:
                yield Finding(read.op, read.parameter, condition, other, selected)

    def _answer(
        self, question: Implication, origins: tuple[Read, ...]
    ) -> tuple[Condition | None, ...]:
        """A condition for each end that is not proved, with lanes of ``origins``."""
        key = (
            question.conclusion,
            question.premises,
            question.facts,
            tuple(question.variables.items()),
            tuple(map(self._origin, origins)),
            self._context,
        )
        found = _answers.get(key)
        if found is None:
            found = tuple(self._conditions(question, origins))
            if len(_answers) >= _MOST_ANSWERS:
                _answers.clear()
            _answers[key] = found
        return found

    def _related(self, question: Implication) -> Iterator[tuple[IndexExpr, ...]]:
        """What a call checks of the sizes in a question, and of no others: many facts lead a proof
        astray, and cost time.
        """
        guards = (question.conclusion, *question.premises)
        ends = (end for one in question.variables.values() for end in (one.lower, one.upper))
        names = {
            *symbol_names(*(expr for one in guards for expr in (one.index, one.size))),
            *symbol_names(*question.facts, *(end for end in ends if end is not None)),
        }
        near = tuple(
            one for one in self._given if one.op != "const" and names.issuperset(symbol_names(one))
        )
        plain = tuple(one for one in near if not has_extremes(one))
        if plain:
            yield plain
        if len(near) > len(plain):
            yield near

    def _origin(self, read: Read) -> Hashable:
        placed = self._placement(read.parameter)
        return placed.source, placed.ops, placed.jagged, read.indices, read.lanes

    def _conditions(
        self, question: Implication, origins: tuple[Read, ...]
    ) -> Iterator[Condition | None]:
        ends = question.unproved()
        for given in self._related(question) if ends else ():
            question = replace(question, given=given, positive=self._positive)
            ends = question.unproved()
            if not ends:
                return
        question = replace(question, positive=self._positive)
        for end in ends:
            lanes = (
                lane
                for origin in origins
                for lane in self._lanes(origin, question.conclusion, question.variables, end)
            )
            yield question.condition(end, lanes) if origins else None

    def _lanes(
        self, origin: Read, guard: Guard, variables: Mapping[str, Range], end: End
    ) -> Iterator[dict[str, IndexExpr]]:
        """Lanes that may be outside an end of a guard: of the element of ``origin`` that is the
        first outside, or the last, or the first one; and the last or first one along all variables.
        """
        placement = self._placement(origin.parameter)
        names = [f"$e{dim}" for dim in range(len(placement.source))]
        ranges = {**self._assumptions}
        for name, size in zip(names, placement.source, strict=True):
            ranges[name] = Range(const(0), size - 1)
        located = placement.located([sym(name) for name in names], ranges)
        lane = self._lane(origin, located)
        index = normalizer(ranges)(substitute(guard.index, lane))
        elements: list[list[IndexExpr]] = []
        if end == "upper":
            for dim, name in enumerate(names):
                if index == sym(name):
                    element: list[IndexExpr] = [const(0)] * len(names)
                    element[dim] = guard.size
                    elements.append(element)
            elements.append([size - 1 for size in placement.source])
        elements.append([const(0)] * len(names))
        for element in elements:
            values = dict(zip(names, element, strict=True))
            fixed = {name: normalize(substitute(value, values)) for name, value in lane.items()}
            yield dict(extreme(guard.index, variables, end, fixed))
        yield dict(extreme(guard.index, variables, end, {}))

    def _lane(self, read: Read, located: Levels) -> dict[str, IndexExpr]:
        """Values of variables at which a read has the indices ``located``."""
        found: dict[str, IndexExpr] = {}
        rows = index_names(located)
        for name, index in zip(rows[0], located[0], strict=True):
            found[name] = index
        if len(located) > 1:
            for lane, index in zip(read.lanes, located[-1], strict=True):
                if lane.op == "sym":
                    found[lane.args[0]] = index
        between = [index for row in located[1:-1] for index in row]
        found.update(solved(read.indices, between))
        return found

    @functools.cached_property
    def _context(self) -> Hashable:
        """All else that answers depend on."""
        return (
            tuple(self._assumptions.items()),
            tuple(self._kernel.longest.items()),
            tuple(check.data for check in self._kernel.checks),
            # Of which programs sequences are equally long is no matter of the checks alone.
            self._given,
            tuple(one.jagged for one in self._kernel.sources),
            self._chosen,
            self._own,
        )

    @functools.cached_property
    def _given(self) -> tuple[IndexExpr, ...]:
        """What a call checks, but for what is asked here."""
        return checked_sizes(self._kernel, defined=False)

    @functools.cached_property
    def _positive(self) -> frozenset[IndexExpr]:
        """What checks of a call divide by: it is refused where one is 0."""
        sides = [
            expr
            for attribute in self._kernel.checks
            for expr in (*attribute.data.left, *attribute.data.right)
        ]
        return frozenset(normalize(divisor) for expr in sides for divisor in divisors(expr))

    def _extents_of(self, param: int) -> tuple[Guard, ...]:
        """The guards of an access but those of padding and of windows that reach over a border."""
        placement = self._placement(param)
        if not any(map(_is_border, placement.ops)):
            return placement.access.guards
        names = index_names(placement.states[-1])
        indices: Levels = tuple(tuple(map(sym, row)) for row in names)
        guards: list[Guard] = []
        for row, sizes in zip(names[1:-1], placement.states[-1][1:-1], strict=True):
            guards += [Guard(sym(name), size) for name, size in zip(row, sizes, strict=True)]
        for op, old in zip(reversed(placement.ops), reversed(placement.states[:-1]), strict=True):
            new, indices = indices, op.source(old, indices)
            found = op.guards(old, indices, new)
            if isinstance(op, Pad):
                found = []
            elif isinstance(op, Tile):
                pairs = zip(found, op.strides, op.sizes, strict=True)
                found = [guard for guard, stride, size in pairs if equal(stride, size)]
            guards += found
        one = {
            name: const(0)
            for row, sizes in zip(names, placement.states[-1], strict=True)
            for name, size in zip(row, sizes, strict=True)
            if normalize(size).value == 1
        }
        return tuple(Guard(normalize(substitute(guard.index, one)), guard.size) for guard in guards)


@functools.lru_cache(maxsize=1024)
def _put(guards: tuple[Guard, ...], values: tuple[tuple[str, IndexExpr], ...]) -> tuple[Guard, ...]:
    """Guards with indices put in, in normal form."""
    given = dict(values)
    return tuple(
        Guard(normalize(substitute(guard.index, given)), normalize(guard.size)) for guard in guards
    )


def _is_exact(condition: Condition | None) -> bool:
    return condition is not None and condition.exact


def _is_border(op: MetaOp) -> bool:
    """True if elements of a new tensor that do not exist are meant."""
    return isinstance(op, Pad) or (
        isinstance(op, Tile) and not all(map(equal, op.strides, op.sizes))
    )


def _meeting(reads: list[Read]) -> Iterator[tuple[Read, Read]]:
    """Ordered pairs of reads that are combined lane by lane along a dim."""
    for one in reads:
        for two in reads:
            shared = one.reduced & two.reduced
            # The last block of a tensor ends for both parts of it.
            if one.parameter != two.parameter and shared:
                yield one, two
