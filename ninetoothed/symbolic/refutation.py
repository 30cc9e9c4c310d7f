"""Samples of symbols' values, which refute inequalities without a proof."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from ninetoothed.symbolic.expr import IndexExpr, divisors, evaluate, symbol_names
from ninetoothed.symbolic.intervals import Range

_SAMPLES = 24
_STEPS = (0, 1, 1, 1, 2, 2, 3, 5, 40)
"""Distances from a lower bound: small numbers are the most likely to fulfil equalities."""


def refuted(expr: IndexExpr, facts: Sequence[IndexExpr], ranges: Mapping[str, Range]) -> bool:
    """True if ``expr`` is below 0 at a sample within ``ranges`` at which each of ``facts`` is at
    least 0, and each divisor positive.
    """
    ends = [end for one in ranges.values() for end in (one.lower, one.upper) if end is not None]
    used = (expr, *facts, *ends)
    positive = dict.fromkeys(divisor for one in used for divisor in divisors(one))
    names = _ordered(symbol_names(*used), ranges)
    groups = _equal(facts)
    draw = random.Random(0)
    for _ in range(_SAMPLES):
        sample = _sample(names, groups, ranges, draw)
        if sample is None:
            continue
        try:
            if (
                evaluate(expr, sample) < 0
                and all(evaluate(divisor, sample) > 0 for divisor in positive)
                and all(evaluate(fact, sample) >= 0 for fact in facts)
            ):
                return True
        except ZeroDivisionError:
            continue
    return False


def _ordered(names: Iterable[str], ranges: Mapping[str, Range]) -> list[str]:
    """The names, those in the ends of a range before its own."""
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        range_ = ranges.get(name, Range())
        for end in (range_.lower, range_.upper):
            for other in () if end is None else symbol_names(end):
                if other != name and other not in found:
                    visit(other)
        found[name] = None

    for name in names:
        visit(name)
    return list(found)


def _equal(facts: Sequence[IndexExpr]) -> dict[str, str]:
    """The symbols that facts say are equal to one that comes before them."""
    known = set(facts)
    found: dict[str, str] = {}
    for fact in facts:
        if fact.op == "sub" and fact.args[0].op == fact.args[1].op == "sym":
            one, two = fact.args
            if two - one in known:
                names: list[str] = [one.args[0], two.args[0]]
                first, second = sorted(found.get(name, name) for name in names)
                if first != second:
                    found = {name: first if to == second else to for name, to in found.items()}
                    found[second] = first
    return found


def _sample(
    names: Iterable[str],
    groups: Mapping[str, str],
    ranges: Mapping[str, Range],
    draw: random.Random,
) -> dict[str, int] | None:
    """A value for each name, or None where there is none."""
    found: dict[str, int] = {}
    for name in names:
        range_ = ranges.get(name, Range())
        try:
            low = 0 if range_.lower is None else evaluate(range_.lower, found)
            high = None if range_.upper is None else evaluate(range_.upper, found)
        except ZeroDivisionError:
            return None
        group = groups.get(name)
        if high is not None and low > high:
            return None
        value = found.get(name if group is None else group)
        if value is None:
            value = low + draw.choice(_STEPS)
            if high is not None:
                # Inequalities fail at the ends of ranges.
                value = draw.choice((low, high, min(value, high)))
        elif value < low or (high is not None and value > high):
            return None
        found[name] = value
        if group is not None:
            found.setdefault(group, value)
    return found
