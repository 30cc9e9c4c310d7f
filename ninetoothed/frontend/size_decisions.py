"""Checks of a call's sizes, of what an arrangement decided by their declared bounds.

The bounds of sizes are for tuning, and a call may have others. An arrangement that asked
(``if x.shape[0] <= 8:``) was answered by them, and is right for sizes that give the same answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from ninetoothed.ir import nt
from ninetoothed.symbolic.decisions import Decision
from ninetoothed.symbolic.expr import (
    COMPARISONS,
    DIVISIONS,
    IndexExpr,
    binary,
    const,
    divisors,
    maximum,
    minimum,
)

_NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}


def decision_checks(decisions: Iterable[Decision]) -> Iterator[nt.CheckAttr]:
    """Checks that the answers of decisions hold for the sizes of a call."""
    for decision in decisions:
        loc = decision.loc
        place = "" if loc is None else f" ({os.path.basename(loc.file)}, line {loc.line})"
        text = (
            f"the arrangement{place} took {decision.condition} to be {decision.answer} by the "
            "bounds of its symbols, but {but}; arrange without the condition, or declare other "
            "bounds (lower_bound, upper_bound) and make a kernel for each answer"
        )
        for divisor in dict.fromkeys(divisors(decision.condition)):
            if divisor.value is not None:
                continue
            least = (maximum(_total(divisor), 1),)
            but = f"divides by {divisor}, which is {{left}}"
            yield nt.CheckAttr(nt.Check((_total(divisor),), least, text.replace("{but}", but)))
        condition = _total(decision.condition)
        if condition.op == "and":
            pair = _truth(condition), const(int(decision.answer))
            check = nt.Check(pair, (pair[1], pair[1]), text.replace("{but}", "it is not"))
        else:
            but = "the two are {left}"
            check = nt.Check(*_compared(condition, decision.answer), text.replace("{but}", but))
        yield nt.CheckAttr(check)


def _compared(
    condition: IndexExpr, answer: bool
) -> tuple[tuple[IndexExpr, ...], tuple[IndexExpr, ...]]:
    """Two sides of a comparison, and what they are equal to where it has this answer."""
    op, left, right = "ne", condition, const(0)
    if condition.op in COMPARISONS:
        op, (left, right) = condition.op, condition.args
    op = op if answer else _NEGATED[op]
    fitting = {
        "lt": minimum(left, right - 1),
        "le": minimum(left, right),
        "gt": maximum(left, right + 1),
        "ge": maximum(left, right),
        "eq": right,
        "ne": left + 1 - _truth(binary("ne", left, right)),
    }
    return (left, right), (fitting[op], right)


def _truth(condition: IndexExpr) -> IndexExpr:
    """1 where a condition holds, and 0 elsewhere."""
    if condition.op == "and":
        left, right = condition.args
        return _truth(left) * _truth(right)
    if condition.op not in COMPARISONS:
        condition = binary("ne", condition, const(0))
    left, right = condition.args
    above = {
        "lt": right - left,
        "le": right - left + 1,
        "gt": left - right,
        "ge": left - right + 1,
        "ne": maximum(left - right, right - left),
        "eq": 1 - maximum(left - right, right - left),
    }[condition.op]
    return minimum(maximum(above, 0), 1)


def _total(expr: IndexExpr) -> IndexExpr:
    """``expr`` with divisors of at least 1, so that it can be evaluated with any sizes."""
    if not expr.operands:
        return expr
    operands = [_total(operand) for operand in expr.operands]
    if expr.op == "neg":
        return -operands[0]
    if expr.op in DIVISIONS and operands[1].value is None:
        operands[1] = maximum(operands[1], 1)
    return binary(expr.op, *operands)
