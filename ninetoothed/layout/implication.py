"""Implication between guards: proved for all sizes, or reduced to a condition on sizes.

The question is whether a ``conclusion`` holds wherever the ``premises`` do. Where no proof is
found, a *witness* decides for the sizes of a call: one lane, as expressions over sizes, at which
the premises hold and the conclusion does not. A call that has such a lane is wrong; and where the
absence of that one lane proves the conclusion, the condition is exact.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ninetoothed.layout.access import holds
from ninetoothed.layout.emptiness import empty_where
from ninetoothed.layout.meta_op import Guard
from ninetoothed.symbolic.expr import (
    IndexExpr,
    binary,
    const,
    divisors,
    ir_text,
    minimum,
    substitute,
    sym,
    symbol_names,
)
from ninetoothed.symbolic.intervals import Assumptions, Range, bounds
from ninetoothed.symbolic.normal_form import always_nonnegative, equal, normalize
from ninetoothed.symbolic.polynomials import expression_of, polynomial_of

Lane = Mapping[str, IndexExpr]
"""A value for each index variable, over sizes."""

End = Literal["lower", "upper"]


@dataclass(frozen=True)
class Condition:
    """A call must have ``small <= large`` wherever ``where``, 0 or 1, is 1.

    ``exact``: calls that do are right; otherwise the condition is necessary only.
    """

    small: IndexExpr
    large: IndexExpr
    where: IndexExpr
    exact: bool

    @property
    def is_never(self) -> bool:
        """True if no call with elements fulfils it."""
        return self.large.value == 0 and self.small.value == 1

    @property
    def is_certain(self) -> bool:
        """True if no call fulfils it but those in which a size is 0."""
        terms = polynomial_of(self.where)
        return self.is_never and (
            list(terms.values()) == [1] and all(map(_asks_for_elements, next(iter(terms))))
        )

    @property
    def is_plain(self) -> bool:
        """True if a reader sees why it must hold: it has no quotients."""
        return not any(map(any, map(divisors, (self.small, self.large, self.where))))

    @property
    def sides(self) -> tuple[IndexExpr, IndexExpr]:
        """Both sides, 0 where nothing is asked: the first is always at most the second."""
        return normalize(self.small * self.where), normalize(self.large * self.where)

    def __str__(self) -> str:
        return f"{ir_text(self.small)} <= {ir_text(self.large)}"


@dataclass(frozen=True)
class Implication:
    """``premises`` and ``facts``, each of which is at least 0, imply ``conclusion``.

    ``variables``: the ranges of index variables; ``assumptions``: those of sizes. ``given`` are
    expressions over sizes that a call has checked to be at least 0. ``positive``: what a call
    divides by anyhow. ``chosen``: symbols that the compiler chooses. ``own``: those of which
    programs have different values.
    """

    conclusion: Guard
    premises: tuple[Guard, ...]
    facts: tuple[IndexExpr, ...]
    variables: Mapping[str, Range]
    assumptions: Assumptions
    given: tuple[IndexExpr, ...] = ()
    positive: frozenset[IndexExpr] = frozenset()
    chosen: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()

    @functools.cached_property
    def _ranges(self) -> dict[str, Range]:
        return {**self.assumptions, **self.variables}

    @functools.cached_property
    def _known(self) -> list[IndexExpr]:
        """What holds at a lane where the premises do, each at least 0."""
        found = [*self.facts]
        for premise in self.premises:
            found += [premise.index, premise.size - 1 - premise.index]
        return found

    def unproved(self) -> tuple[End, ...]:
        """The ends of the conclusion, ``0 <= index`` and ``index < size``, without a proof."""
        if self.conclusion in self.premises:
            return ()
        alike = self._alike
        if alike is not None and not self.facts:
            room = self.conclusion.size - alike.size
            return () if always_nonnegative(room, self.assumptions, self.given) else ("upper",)
        facts = [*self.facts, *self.given]
        if holds(self.conclusion, self._ranges, self.premises, facts):
            return ()
        ends: tuple[End, ...] = ("lower", "upper")
        return tuple(end for end in ends if not self._follows(self._room(end), ()))

    @functools.cached_property
    def _alike(self) -> Guard | None:
        """A premise about the conclusion's index."""
        index = self.conclusion.index
        return next((premise for premise in self.premises if premise.index == index), None)

    def _room(self, end: End) -> IndexExpr:
        """An expression that is at least 0 where an end of the conclusion holds."""
        index, size = self.conclusion.index, self.conclusion.size
        return index if end == "lower" else size - 1 - index

    def _follows(self, expr: IndexExpr, more: Iterable[IndexExpr]) -> bool:
        """True if ``expr`` is proved to be at least 0 at a lane where the premises hold."""
        return always_nonnegative(expr, self._ranges, [*more, *self._known, *self.given])

    def condition(self, end: End, lanes: Iterable[Lane]) -> Condition | None:
        """The condition that one of ``lanes`` is no witness against an end, the first exact one."""
        of_dims = self._of_dims(end)
        if of_dims is not None:
            return of_dims
        found: Condition | None = None
        for lane in lanes:
            new = self._condition(end, lane)
            if new is not None and new.exact:
                return new
            found = found or new
        return found

    def _of_dims(self, end: End) -> Condition | None:
        """The condition where each premise is about a dim of its own, without looking for a lane:
        its index takes every value below its size, whatever those of the others are.
        """
        alike = self._alike
        if end != "upper" or alike is None or self.facts:
            return None
        below: dict[IndexExpr, list[IndexExpr]] = {}
        for premise in self.premises:
            below.setdefault(premise.index, []).append(normalize(premise.size))
        size, wanted = normalize(alike.size), normalize(self.conclusion.size)
        pending = dict(self.variables)
        asked: dict[IndexExpr, None] = {}
        for index, sizes in below.items():
            extent = const(1) if index.value == 0 else self._extent(index, pending)
            if index == alike.index:
                if [extent] != sizes:
                    return None
                continue
            if extent is None:
                return None
            asked.update(dict.fromkeys([*sizes, extent]))
        for name in list(pending):
            extent = self._extent(sym(name), pending)
            if extent is None:
                return None
            asked[extent] = None
        asked = dict.fromkeys(map(self._counted, asked))
        asked = {one: None for one in asked if one != size and not self._is_at_least(one, 1)}
        if not all(map(self._can_be_asked, (size, wanted, *asked))):
            return None
        if not self._is_at_least(wanted, 0) or _chosen(size - wanted, self.chosen):
            return None
        where = const(1)
        for one in asked:
            where = normalize(where * self._indicator(one - 1))
        return Condition(*_sides(size - wanted - 1), where, True)

    def _extent(self, index: IndexExpr, pending: dict[str, Range]) -> IndexExpr | None:
        """The size below which ``index`` takes every value and, of blocks, perhaps some more. Its
        variables are taken out of ``pending``.
        """
        if index.op == "sym":
            range_ = pending.pop(index.args[0], None)
            if range_ is None or range_.lower != const(0) or range_.upper is None:
                return None
            return normalize(range_.upper + 1)
        terms = polynomial_of(index)
        for monomial, factor in terms.items():
            if factor != 1 or len(monomial) != 1 or monomial[0].op != "sym":
                continue
            inner = pending.get(monomial[0].args[0])
            if inner is None or inner.lower != const(0) or inner.upper is None:
                continue
            block = normalize(inner.upper + 1)
            rest = normalize(index - monomial[0])
            for outer in symbol_names(rest):
                blocks = pending.get(outer)
                if blocks is None or blocks.lower != const(0) or blocks.upper is None:
                    continue
                number = normalize(blocks.upper + 1)
                if (
                    rest == normalize(block * sym(outer))
                    and number.op == "ceildiv"
                    and number.args[1] == block
                    and self._is_at_least(block, 1)
                ):
                    del pending[monomial[0].args[0]], pending[outer]
                    return number.args[0]
        return None

    def _counted(self, size: IndexExpr) -> IndexExpr:
        """What is 0 exactly where ``size`` is: there are blocks where there are elements."""
        blocks = size.op == "ceildiv" and self._is_at_least(size.args[1], 1)
        return size.args[0] if blocks else size

    def _is_at_least(self, expr: IndexExpr, least: int) -> bool:
        low = bounds(expr, self.assumptions)[0]
        return low is not None and low >= least

    def _can_be_asked(self, size: IndexExpr) -> bool:
        """True if a call can evaluate ``size``."""
        names = symbol_names(size)
        return all(name in self.assumptions and name not in self.own for name in names) and all(
            divisor.value is not None and divisor.value > 0 for divisor in divisors(size)
        )

    def _condition(self, end: End, lane: Lane) -> Condition | None:
        """The condition that a lane is no witness, if it is exact or plain."""
        conditions = self._conditions(end, lane)
        if conditions is None:
            return None
        plain = not any(any(divisors(normalize(self._indicator(one)))) for one in conditions)
        exact = True
        open_: list[IndexExpr] = []
        for one in conditions:
            if self._is_nonempty(one):
                continue
            open_.append(one)
            exact = exact and self._is_sufficient(end, one)
            if not (plain or exact):
                return None
        if open_:
            main = min(
                open_,
                key=lambda one: (_chosen(one, self.chosen), any(divisors(one)), len(str(one))),
            )
            small, large = _sides(main)
        else:
            main, small, large = None, const(1), const(0)
        where = const(1)
        for one in conditions:
            if one is not main:
                where = normalize(where * self._indicator(one))
        found = Condition(small, large, where, exact)
        return found if exact or found.is_plain else None

    def _is_nonempty(self, expr: IndexExpr) -> bool:
        """True if ``expr`` is at least 0 wherever the premises hold: it says that there is a lane,
        and nothing about it.
        """
        size = normalize(expr + 1)
        if any(size == normalize(premise.size) for premise in self.premises):
            return True
        if any(expr == range_.upper for range_ in self.variables.values()):
            return True
        return self._follows(expr, ())

    def _is_sufficient(self, end: End, expr: IndexExpr) -> bool:
        """True if the end is proved where ``expr`` is below 0."""
        alike = self._alike
        if alike is not None and equal(alike.size - 1 - self.conclusion.size, expr):
            return True
        return self._follows(self._room(end), [-expr - 1])

    def _conditions(self, end: End, lane: Lane) -> list[IndexExpr] | None:
        """Expressions over sizes that are all at least 0 where the lane is a witness; None: it
        never is, or cannot be asked.
        """
        found: list[IndexExpr] = [-self._room(end) - 1]
        for name, range_ in self.variables.items():
            if range_.lower is None or range_.upper is None:
                return None
            found += [sym(name) - range_.lower, range_.upper - sym(name)]
        found += self._known
        values = dict(lane)
        plain: list[IndexExpr] = []
        divided: list[IndexExpr] = []
        # Normal forms of the same condition are one.
        for expr in dict.fromkeys(normalize(substitute(expr, values)) for expr in found):
            low, high = bounds(expr, self.assumptions)
            if high is not None and high < 0:
                return None
            if low is not None and low >= 0:
                continue
            names = symbol_names(expr)
            if any(name not in self.assumptions or name in self.own for name in names):
                return None
            if not all(map(self._is_positive, divisors(expr))):
                return None
            (divided if any(divisors(expr)) else plain).append(expr)
        plain = self._needed(plain, [])
        return [*plain, *self._needed(divided, plain)]

    def _needed(self, exprs: list[IndexExpr], known: list[IndexExpr]) -> list[IndexExpr]:
        """Those of expressions that do not follow from the others and from ``known``."""
        for expr in list(exprs):
            others = [*known, *(one for one in exprs if one is not expr)]
            if always_nonnegative(expr, self.assumptions, others):
                exprs = [one for one in exprs if one is not expr]
        return exprs

    def _is_positive(self, divisor: IndexExpr) -> bool:
        return divisor in self.positive or always_nonnegative(divisor - 1, self.assumptions)

    def _indicator(self, expr: IndexExpr) -> IndexExpr:
        """1 where ``expr`` is at least 0, else 0."""
        size = normalize(expr + 1)
        if always_nonnegative(size, self.assumptions):
            plain = empty_where(size, self.chosen)
            return minimum(size if plain is None else plain, 1)
        return binary("ge", expr, 0)


def _chosen(expr: IndexExpr, chosen: frozenset[str]) -> bool:
    return any(name in chosen for name in symbol_names(expr))


def _asks_for_elements(factor: IndexExpr) -> bool:
    """True of the minimum of 1 and a symbol."""
    return factor.op == "min" and {one.op for one in factor.args} == {"const", "sym"}


def _sides(expr: IndexExpr) -> tuple[IndexExpr, IndexExpr]:
    """Both sides of ``small <= large``, which does not hold exactly where ``expr >= 0``."""
    terms = polynomial_of(normalize(expr))
    small = {monomial: factor for monomial, factor in terms.items() if monomial and factor > 0}
    large = {monomial: -factor for monomial, factor in terms.items() if monomial not in small}
    large[()] = large.get((), 0) - 1
    if not large[()]:
        del large[()]
    return expression_of(small), expression_of(large)


def extreme(index: IndexExpr, variables: Mapping[str, Range], end: End, fixed: Lane) -> Lane:
    """The lane ``fixed``, completed by the ends of the other variables at which ``index`` is most
    likely outside an end: the largest for the upper one.
    """
    found = dict(fixed)
    # The ends of a range may depend on the variables before it.
    for name, range_ in variables.items():
        if name in found or range_.lower is None or range_.upper is None:
            continue
        chosen = range_.lower
        if name in symbol_names(index):
            step = normalize(substitute(index, {name: sym(name) + 1}) - index)
            grows = always_nonnegative(step, dict(variables))
            if grows == (end == "upper"):
                chosen = range_.upper
        found[name] = normalize(substitute(chosen, found))
    return found


def solved(given: Sequence[IndexExpr], wanted: Sequence[IndexExpr]) -> dict[str, IndexExpr]:
    """Values of loop variables ``$i…`` for which the ``given`` indices are the ``wanted`` ones, as
    far as each is linear in one.
    """
    found: dict[str, IndexExpr] = {}
    for expr, value in zip(given, wanted, strict=True):
        names = [name for name in symbol_names(expr) if name.startswith("$i")]
        if len(names) != 1 or names[0] in found:
            continue
        first = substitute(expr, {names[0]: 0})
        step = normalize(substitute(expr, {names[0]: 1}) - first).value
        if step:
            found[names[0]] = normalize((value - first) // step)
    return found
