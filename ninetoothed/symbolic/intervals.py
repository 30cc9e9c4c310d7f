"""Interval arithmetic: numeric bounds of index expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ninetoothed.symbolic.expr import DIVISIONS, IndexExpr, SymbolInfo, const, symbols


@dataclass(frozen=True)
class Range:
    """Inclusive bounds of a symbol, themselves expressions; None is no bound."""

    lower: IndexExpr | None = None
    upper: IndexExpr | None = None

    @staticmethod
    def of(lower: int | None, upper: int | None = None) -> Range:
        """A range with constant bounds."""
        return Range(
            None if lower is None else const(lower), None if upper is None else const(upper)
        )


Assumptions = Mapping[str, Range]
NOTHING: Assumptions = {}


def bounds(expr: IndexExpr, assumptions: Assumptions) -> tuple[int | None, int | None]:
    """Numeric bounds of ``expr``, inclusive; None is no bound."""
    op = expr.op
    if op == "const":
        return expr.args[0], expr.args[0]
    if op == "sym":
        found = assumptions.get(expr.args[0])
        if found is None:
            return None, None
        lower = None if found.lower is None else bounds(found.lower, assumptions)[0]
        upper = None if found.upper is None else bounds(found.upper, assumptions)[1]
        return lower, upper
    operands = [bounds(operand, assumptions) for operand in expr.args]
    if op == "neg":
        return _negated(operands[0])
    left, right = operands
    if op in DIVISIONS and right[0] == 0:
        # A divisor is not 0; an expression in which it must be is never evaluated.
        if right[1] == 0:
            return None, None
        right = (1, right[1])
    if op == "add":
        return interval_sum(left, right)
    if op == "sub":
        return interval_sum(left, _negated(right))
    if op == "mul":
        return interval_product(left, right)
    if op in ("floordiv", "ceildiv"):
        return _quotient(op, left, right)
    if op == "mod":
        if right[0] is None or right[0] < 1:
            return None, None
        upper = None if right[1] is None else right[1] - 1
        if left[0] is not None and left[0] >= 0 and left[1] is not None:
            upper = left[1] if upper is None else min(upper, left[1])
        return 0, upper
    if op == "min":
        uppers = [b for b in (left[1], right[1]) if b is not None]
        lower = None if left[0] is None or right[0] is None else min(left[0], right[0])
        return lower, min(uppers, default=None)
    if op == "max":
        lowers = [b for b in (left[0], right[0]) if b is not None]
        upper = None if left[1] is None or right[1] is None else max(left[1], right[1])
        return max(lowers, default=None), upper
    if op == "and":
        answer = _conjunction(left, right)
    else:
        answer = comparison(op, interval_sum(left, _negated(right)))
    return (0, 1) if answer is None else (int(answer), int(answer))


Interval = tuple[int | None, int | None]


def _conjunction(left: Interval, right: Interval) -> bool | None:
    """Truth of the conjunction of two intervals, a number being true if not 0; None: unknown."""
    if (0, 0) in (left, right):
        return False
    return True if excludes_zero(left) and excludes_zero(right) else None


def excludes_zero(interval: Interval) -> bool:
    """True if all numbers of an interval are positive, or all are negative."""
    low, high = interval
    return (low is not None and low > 0) or (high is not None and high < 0)


def comparison(op: str, difference: Interval) -> bool | None:
    """Truth of ``left op right``, from the interval of ``left - right``; None: unknown."""
    if op in ("gt", "ge"):
        op, difference = {"gt": "lt", "ge": "le"}[op], _negated(difference)
    low, high = difference
    if op in ("eq", "ne"):
        if low == high == 0:
            return op == "eq"
        return op == "ne" if excludes_zero(difference) else None
    limit = -1 if op == "lt" else 0
    if high is not None and high <= limit:
        return True
    return False if low is not None and low > limit else None


def _negated(interval: Interval) -> Interval:
    lower, upper = interval
    return None if upper is None else -upper, None if lower is None else -lower


def interval_sum(left: Interval, right: Interval) -> Interval:
    """Interval of a sum."""
    lower = None if left[0] is None or right[0] is None else left[0] + right[0]
    upper = None if left[1] is None or right[1] is None else left[1] + right[1]
    return lower, upper


def interval_product(left: Interval, right: Interval) -> Interval:
    """Interval of a product."""
    if left[0] is None or right[0] is None or left[0] < 0 or right[0] < 0:
        if None in left or None in right:
            for one, two in ((left, right), (right, left)):
                # A negative factor mirrors the interval of the other.
                if one[1] is not None and one[1] <= 0 and two[0] is not None and two[0] >= 0:
                    return _negated(interval_product(_negated(one), two))
            return None, None
        corners = [a * b for a in left for b in right if a is not None and b is not None]
        return min(corners), max(corners)
    upper = None if left[1] is None or right[1] is None else left[1] * right[1]
    if left[1] == 0 or right[1] == 0:
        upper = 0
    return left[0] * right[0], upper


def _quotient(op: str, left: Interval, right: Interval) -> Interval:
    if right[0] is None or right[0] < 1:
        return None, None

    def divide(dividend: int, divisor: int) -> int:
        return dividend // divisor if op == "floordiv" else -(-dividend // divisor)

    lower: int | None = None
    upper: int | None = None
    if left[0] is not None:
        # A dividend of at least 0 is smallest over the largest divisor; an unbounded one leaves 0,
        # or 1 where any positive quotient is rounded up.
        if left[0] < 0:
            lower = divide(left[0], right[0])
        elif right[1] is not None:
            lower = divide(left[0], right[1])
        else:
            lower = 1 if op == "ceildiv" and left[0] > 0 else 0
    if left[1] is not None:
        if left[1] >= 0:
            upper = divide(left[1], right[0])
        elif right[1] is not None:
            upper = divide(left[1], right[1])
        else:
            upper = -1 if op == "floordiv" else 0
    return lower, upper


def declared_range(info: SymbolInfo | None) -> Range:
    """Range that a symbol is declared with."""
    if info is None or info.kind == "stride":
        return Range()
    return Range.of(info.lower, info.upper)


def declared_ranges(exprs: Iterable[IndexExpr]) -> dict[str, Range]:
    """The declared ranges of all symbols in ``exprs``."""
    return {symbol.args[0]: declared_range(symbol.args[1]) for symbol in symbols(*exprs)}


def ranges_of(
    exprs: Iterable[IndexExpr], assumptions: Assumptions
) -> tuple[tuple[str, Range], ...]:
    """The ranges of all symbols in ``exprs``, and of those in these ranges' ends."""
    found: dict[str, Range] = {}
    pending = list(exprs)
    while pending:
        for symbol in pending.pop().symbols:
            name: str = symbol.args[0]
            range_ = assumptions.get(name)
            if range_ is not None and name not in found:
                found[name] = range_
                pending += [end for end in (range_.lower, range_.upper) if end is not None]
    return tuple(found.items())
