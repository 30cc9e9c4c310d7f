"""Composition of an arranged tensor's meta-operations into one access.

The composition of a chain of meta-operations is one :class:`Access`: from the indices of all levels
to the indices of the source, and the guard. ``eval``, the verifier, the lowering and the
interpreters use this one implementation.

A tensor has *levels*, outermost first. Level 0 counts programs; the last is the block that an
application computes with (a tensor of one level has a block of no dims); the levels between are
indexed by the application.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ninetoothed.layout.meta_op import NOTHING, Guard, Levels, MetaOp, Sizes
from ninetoothed.symbolic.expr import (
    IndexExpr,
    const,
    divisors,
    factors,
    minimum,
    replace_all,
    substitute,
    sym,
    symbol_names,
)
from ninetoothed.symbolic.intervals import Assumptions, Range
from ninetoothed.symbolic.normal_form import always_less, always_nonnegative, normalize, normalizer


def dynamic_sizes(tensors: Iterable[Levels], chosen: Collection[str]) -> tuple[IndexExpr, ...]:
    """Block sizes that only a call knows: those that depend on more than the ``chosen`` symbols.

    In normal form, each once, in the order of the tensors.
    """
    found: dict[IndexExpr, None] = {}
    for levels in tensors:
        for size in map(normalize, levels[-1] if len(levels) > 1 else ()):
            if any(name not in chosen for name in symbol_names(size)):
                found[size] = None
    return tuple(found)


@dataclass(frozen=True)
class Access:
    """Map from index variables of ``levels`` to source ``indices``, valid where the ``guards``
    hold.

    :func:`index_names` names the variables. An element exists where every guard holds.
    """

    levels: Levels
    indices: Sizes
    guards: tuple[Guard, ...]

    def substitute(self, values: Mapping[str, IndexExpr | int]) -> Access:
        """The access with symbols replaced, in normal form."""

        def put(expr: IndexExpr) -> IndexExpr:
            return normalize(substitute(expr, values))

        return Access(
            tuple(tuple(put(size) for size in sizes) for sizes in self.levels),
            tuple(put(index) for index in self.indices),
            tuple(Guard(put(guard.index), put(guard.size)) for guard in self.guards),
        )

    def clamped(self, guards: Collection[Guard]) -> Access:
        """The access whose indices are no larger than the last one that ``guards`` let through."""
        last: dict[IndexExpr, IndexExpr] = {}
        for guard in guards:
            last[guard.index] = minimum(last.get(guard.index, guard.index), guard.size - 1)
        return replace(self, indices=tuple(last.get(index, index) for index in self.indices))


def index_names(levels: Levels) -> tuple[tuple[str, ...], ...]:
    """Names of the index variables: ``g0 g1 …`` of programs, ``b0 …`` of the block, ``k1_0 …`` of
    level 1.
    """
    last = len(levels) - 1
    return tuple(
        tuple(
            f"g{dim}" if level == 0 else f"b{dim}" if level == last else f"k{level}_{dim}"
            for dim in range(len(sizes))
        )
        for level, sizes in enumerate(levels)
    )


def compose(
    source: Sizes,
    ops: Sequence[MetaOp],
    assumptions: Assumptions,
    jagged: tuple[str, IndexExpr] | None = None,
) -> Access:
    """Compose meta-operations on a source of sizes ``source`` into one access.

    Indices of programs and of the block are inside their sizes; those of the levels between are the
    application's, so they are guarded. Guards that then always hold are left out. ``jagged`` names
    the longest sequence's size and gives the program's own, which guards are about.
    """
    # The same arrangement is composed for every signature, and proofs take milliseconds.
    return _compose(source, tuple(ops), tuple(assumptions.items()), jagged)


@functools.lru_cache(maxsize=512)
def _compose(
    source: Sizes,
    ops: tuple[MetaOp, ...],
    assumptions: tuple[tuple[str, Range], ...],
    jagged: tuple[str, IndexExpr] | None,
) -> Access:
    states: list[Levels] = [(source,)]
    for op in ops:
        states.append(op.result(states[-1]))
    levels = tuple(tuple(normalize(size) for size in sizes) for sizes in states[-1])
    names = index_names(levels)
    rows: list[Sizes] = []
    guards: list[Guard] = []
    ranges = dict(assumptions)
    for level, (row, sizes) in enumerate(zip(names, levels, strict=True)):
        between = 0 < level < len(levels) - 1
        given: list[IndexExpr] = []
        for name, size in zip(row, sizes, strict=True):
            # A program's and a lane's index lies inside its size; of size 1, it is 0.
            alone = not between and size.value == 1
            given.append(const(0) if alone else sym(name))
            if between or (jagged is not None and jagged[0] in symbol_names(size)):
                guards.append(Guard(given[-1], size))
            if not between:
                ranges[name] = Range(const(0), size - 1)
        rows.append(tuple(given))
    indices: Levels = tuple(rows)
    for op, old in zip(reversed(ops), reversed(states[:-1]), strict=True):
        new, indices = indices, op.source(old, indices)
        guards.extend(op.guards(old, indices, new))
    if jagged is not None:
        # A slice has no guard: the longest sequence has the elements that it takes.
        guards.extend(
            Guard(index, size)
            for index, size in zip(indices[0], source, strict=True)
            if jagged[0] in symbol_names(size)
        )
    own = {} if jagged is None else {jagged[0]: jagged[1]}
    normal = normalizer(ranges)
    found = dict.fromkeys(
        Guard(normal(guard.index), normalize(substitute(guard.size, own))) for guard in guards
    )
    if NOTHING in found:
        return Access(levels, tuple(map(normal, indices[0])), (NOTHING,))
    facts = required(ops, states)
    needed = [guard for guard in found if not holds(guard, ranges)]
    # A quotient by the size of an empty tensor means nothing, so the guards of such a tensor follow
    # from guards without one only. Those with one go first.
    safe = {
        guard: all(
            always_less(0, divisor, ranges, facts)
            for divisor in (*divisors(guard.index), *divisors(guard.size))
        )
        for guard in needed
    }
    # One after the other, so that of two that imply each other one stays.
    for guard in sorted(needed, key=lambda guard: safe[guard]):
        others = [other for other in needed if other is not guard]
        if holds(guard, ranges, [other for other in others if safe[other]], facts):
            needed = others
    return Access(levels, tuple(map(normal, indices[0])), tuple(needed))


def required(ops: Sequence[MetaOp], states: Sequence[Levels]) -> list[IndexExpr]:
    """Preconditions that a call checks before any program runs, each at least 0. ``states`` are the
    levels before each operation.
    """
    facts: list[IndexExpr] = []
    for op, levels in zip(ops, states, strict=False):
        for needed in op.requirements(levels):
            facts.append(needed.right - needed.left)
            if needed.relation == "=":
                facts.append(needed.left - needed.right)
    return facts


def holds(
    guard: Guard,
    assumptions: Assumptions,
    others: Iterable[Guard] = (),
    known: Iterable[IndexExpr] = (),
) -> bool:
    """True if ``guard`` is proved from the ``others`` and from ``known``, each of which is at least
    0.
    """
    facts = list(known)
    positive: dict[IndexExpr, IndexExpr] = {}
    others = list(others)
    for other in others:
        # Where there is an index below a product, its factors are positive.
        for factor in factors(other.size):
            if factor.op == "max" and const(0) in factor.args:
                positive[factor] = factor.args[1 if factor.args[0].value == 0 else 0]
    for other in others:
        index = replace_all(other.index, positive)
        facts += [index, replace_all(other.size, positive) - 1 - index]
    index = replace_all(guard.index, positive)
    return always_nonnegative(index, assumptions, facts) and always_less(
        index, replace_all(guard.size, positive), assumptions, facts
    )
