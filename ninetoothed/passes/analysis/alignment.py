"""Alignment analysis: what is divisible, contiguous or constant along the lanes of a block.

Triton takes as many lanes at once as it knows to be neighbours from an aligned place on. It finds
that out from the ops that compute an index, and loses it at some; index expressions say it for
numbers of either sign.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ninetoothed.symbolic.divisibility import MULTIPLE, known_divisor
from ninetoothed.symbolic.expr import IndexExpr


@dataclass(frozen=True)
class Alignment:
    """Facts of an index along one dim of a block, powers of two, at most 16.

    In each group of ``contiguity`` lanes the index grows by 1 a lane, in each group of
    ``constancy`` lanes it is one number. ``divisibility`` divides the index at the first lane of
    each group of ``contiguity`` lanes.
    """

    divisibility: int = 1
    contiguity: int = 1
    constancy: int = 1


def alignment(
    expr: IndexExpr,
    lane: str | None,
    lanes: int,
    divisors: Mapping[str, int],
    varying: Collection[str] = (),
) -> Alignment:
    """Facts of ``expr`` along a dim of ``lanes`` lanes, a power of two, whose index is ``lane``.

    ``divisors``: powers of two that divide symbols. ``varying``: other symbols that differ along the
    dim, one cannot tell how.
    """
    group = min(lanes, MULTIPLE)
    while group > 1:
        step = _step(expr, lane, group, divisors, varying)
        if step in (0, 1):
            first = _at_groups(expr, lane, group, divisors)
            return Alignment(first, group, 1) if step else Alignment(first, 1, group)
        group //= 2
    return Alignment(_at_groups(expr, lane, 1, divisors))


def _at_groups(expr: IndexExpr, lane: str | None, group: int, divisors: Mapping[str, int]) -> int:
    """Divisor of ``expr`` at the first lane of each group."""
    return known_divisor(expr, divisors if lane is None else {**divisors, lane: group})


def _step(
    expr: IndexExpr,
    lane: str | None,
    group: int,
    divisors: Mapping[str, int],
    varying: Collection[str],
) -> int | None:
    """By how much ``expr`` grows from each lane to the next of one group; None: unknown."""
    if expr.op == "sym":
        name = expr.args[0]
        return None if name in varying else int(name == lane)
    steps = [_step(operand, lane, group, divisors, varying) for operand in expr.operands]
    if not any(step != 0 for step in steps):
        return 0
    if None in steps:
        return None
    if expr.op == "neg":
        return -(steps[0] or 0)
    left, right = (step or 0 for step in steps)
    if expr.op == "add":
        return left + right
    if expr.op == "sub":
        return left - right
    if expr.op == "mul":
        for factor, step in ((expr.args[0].value, right), (expr.args[1].value, left)):
            if factor is not None:
                return factor * step
    if expr.op in ("floordiv", "mod") and (left, right) == (1, 0):
        # Groups that start at multiples of what divides the divisor too hold no multiple of it but
        # at their first lane.
        aligned = all(_at_groups(one, lane, group, divisors) >= group for one in expr.args)
        if aligned:
            return int(expr.op == "mod")
    return None
