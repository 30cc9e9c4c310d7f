"""Truth of conditions on symbols, as bounds prove it, and a record of what was decided by them.

An arrangement runs once, and may ask whether a condition holds (``if PADDING > 0:``). The answer is
right for values within the bounds of its symbols. A call may give others, constants or sizes: it is
then asked whether all answers still hold.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from ninetoothed.symbolic.expr import COMPARISONS, DIVISIONS, IndexExpr, SymbolInfo, substitute, sym
from ninetoothed.symbolic.intervals import Range, bounds, comparison, declared_ranges
from ninetoothed.symbolic.normal_form import normalize


@dataclass(frozen=True)
class Decision:
    """A condition that was decided by its symbols' bounds, at the source location ``loc``."""

    condition: IndexExpr
    answer: bool
    loc: Any

    def holds(self, values: Mapping[str, int]) -> bool:
        """True if the answer is proved for these values of symbols, by name; other symbols are
        within their bounds.
        """
        if bad_divisor(self.condition, values) is not None:
            return False
        return truth(substitute(self.condition, values)) is self.answer


def bad_divisor(expr: IndexExpr, values: Mapping[str, int]) -> IndexExpr | None:
    """A divisor in ``expr`` that is below 1 for these values of symbols; None: there is none."""
    if expr.op in DIVISIONS:
        divisor = substitute(expr.args[1], values).value
        if divisor is not None and divisor < 1:
            return expr.args[1]
    found = (bad_divisor(operand, values) for operand in expr.operands)
    return next((divisor for divisor in found if divisor is not None), None)


def truth(condition: IndexExpr) -> bool | None:
    """Truth of a condition within the bounds of its symbols; None: they do not decide it."""
    lower, upper = bounds(normalize(condition), declared_ranges([condition]))
    if (lower is not None and lower > 0) or (upper is not None and upper < 0):
        return True
    if lower == upper == 0:
        return False
    if condition.op not in COMPARISONS:
        return None
    left, right = condition.args
    ranges: dict[str, Range] = declared_ranges([left, right])
    return comparison(condition.op, bounds(normalize(left - right), ranges))


_running: ContextVar[list[Decision] | None] = ContextVar("running", default=None)
# Of conditions that no arrangement asked for, on symbols that any arrangement may use.
_before: dict[IndexExpr, Decision] = {}


def record(condition: IndexExpr, answer: bool, locate: Callable[[], Any]) -> None:
    """Record that a condition was decided at the location that ``locate`` finds, if a call may give
    one of its symbols another value.
    """
    if not any(map(_is_given, condition.symbols)):
        return
    decision = Decision(condition, answer, locate())
    running = _running.get()
    if running is None:
        _before[condition] = decision
    else:
        running.append(decision)


def _is_given(symbol: IndexExpr) -> bool:
    info = symbol.args[1]
    return info is not None and (info.kind in ("constexpr", "plain") or _is_bounded(info))


def _is_bounded(info: SymbolInfo) -> bool:
    """True for a size that the user has given bounds, which no call need keep."""
    return info.kind in ("size", "constexpr size") and (bool(info.lower) or info.upper is not None)


def needs_bounds(decision: Decision) -> bool:
    """True if a decision would not be proved for all sizes."""
    found: dict[str, IndexExpr] = {}
    for name, info in (symbol.args for symbol in decision.condition.symbols):
        if info is not None and _is_bounded(info):
            found[name] = sym(name, replace(info, lower=0, upper=None))
    widened = substitute(decision.condition, found)
    return _divides_by(widened, {*found}) or truth(widened) is not decision.answer


def _divides_by(expr: IndexExpr, names: Collection[str]) -> bool:
    """True if a divisor in ``expr`` depends on one of the symbols."""
    if expr.op in DIVISIONS and any(symbol.args[0] in names for symbol in expr.args[1].symbols):
        return True
    return any(_divides_by(operand, names) for operand in expr.operands)


@contextlib.contextmanager
def recorded() -> Generator[list[Decision]]:
    """The decisions of a block of code."""
    found: list[Decision] = []
    token = _running.set(found)
    try:
        yield found
    finally:
        _running.reset(token)


def concerning(symbols: Iterable[IndexExpr], running: Iterable[Decision]) -> tuple[Decision, ...]:
    """Those of ``running``, and of all that were made outside arrangements, that depend on one of
    ``symbols``.
    """
    known = {*symbols}
    decisions = (*running, *list(_before.values()))
    return tuple(dict.fromkeys(one for one in decisions if known & {*one.condition.symbols}))
