"""The normal form of index expressions, and what can be proved of them.

A normal form is a polynomial: integer coefficients over products of *atoms*, which are symbols and
the operations that no polynomial can express (``floordiv``, ``mod``, ``ceildiv``, ``min``, ``max``,
comparisons), their operands in normal form. Two rules matter most. A quotient gives up what its
divisor divides: ``(B*i + j) floordiv B = i + j floordiv B``, so the shape that ``tile`` prints,
``(n - (B - 1) - 1 + B - 1) // B + 1``, becomes ``n ceildiv B``. And a quotient and a remainder of
one division meet again: ``d*(x floordiv d) + x mod d = x``, which undoes an unravelling.

Symbolic divisors are taken to be positive (see ``index_expr``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

from ninetoothed.ir.index_expr import IndexExpr, as_expr, binary, const, symbols

Monomial = tuple[IndexExpr, ...]
Polynomial = dict[Monomial, int]


@dataclass(frozen=True)
class Range:
    """Inclusive bounds of a symbol, themselves expressions; None is no bound."""

    lower: IndexExpr | None = None
    upper: IndexExpr | None = None

    @staticmethod
    def of(lower: int | None, upper: int | None = None) -> Range:
        """A range between numbers."""
        return Range(
            None if lower is None else const(lower), None if upper is None else const(upper)
        )


Assumptions = Mapping[str, Range]
NOTHING: Assumptions = {}


def normalize(expr: IndexExpr, assumptions: Assumptions = NOTHING) -> IndexExpr:
    """The normal form of ``expr``; with assumptions, divisions that they decide are gone.

    Idempotent: ``normalize(normalize(e)) == normalize(e)``.
    """
    if expr.op in ("const", "sym"):
        return expr
    if assumptions:
        return _expression(_Normalizer(assumptions).polynomial(expr))
    if expr.normal is None:
        expr.normal = _expression(_Normalizer(NOTHING).polynomial(expr))
        expr.normal.normal = expr.normal
    return expr.normal


def equal(left: IndexExpr, right: IndexExpr) -> bool:
    """Whether the two are the same for all values of their symbols, as far as normal forms show."""
    return left == right or normalize(left - right).value == 0


def _add(target: Polynomial, source: Polynomial, factor: int = 1) -> Polynomial:
    for monomial, coefficient in source.items():
        total = target.get(monomial, 0) + factor * coefficient
        if total:
            target[monomial] = total
        else:
            target.pop(monomial, None)
    return target


def _multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for monomial, coefficient in left.items():
        for other, factor in right.items():
            merged = tuple(sorted(monomial + other, key=str))
            _add(result, {merged: coefficient * factor})
    return result


def _constant(polynomial: Polynomial) -> int | None:
    """The number that ``polynomial`` is, if it is one."""
    if not polynomial:
        return 0
    return polynomial.get(()) if len(polynomial) == 1 else None


def _without(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """``monomial / divisor``, or None where it does not divide."""
    rest = list(monomial)
    for atom in divisor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _expression(polynomial: Polynomial) -> IndexExpr:
    """The expression that prints the polynomial: higher degrees first, the constant last."""
    terms = sorted(
        polynomial.items(), key=lambda item: (-len(item[0]), "*".join(map(str, item[0])))
    )
    # A leading minus is avoided where some term is positive.
    terms.sort(key=lambda item: (item[0] == (), item[1] < 0))
    if terms and terms[0][1] < 0 and terms[-1][1] > 0:
        terms.insert(0, terms.pop())
    result: IndexExpr | None = None
    for monomial, coefficient in terms:
        magnitude = abs(coefficient)
        term = const(magnitude) if not monomial else monomial[0]
        for atom in monomial[1:]:
            term = term * atom
        if monomial and magnitude != 1:
            term = term * magnitude
        if result is None:
            result = -term if coefficient < 0 else term
        else:
            result = result - term if coefficient < 0 else result + term
    return const(0) if result is None else result


class _Normalizer:
    """Turns expressions into polynomials under fixed assumptions."""

    def __init__(self, assumptions: Assumptions) -> None:
        self.assumptions = assumptions
        self.memo: dict[IndexExpr, Polynomial] = {}

    def polynomial(self, expr: IndexExpr) -> Polynomial:
        known = self.memo.get(expr)
        if known is None:
            known = self._recombine(self._build(expr))
            self.memo[expr] = known
        return dict(known)

    def _build(self, expr: IndexExpr) -> Polynomial:
        op = expr.op
        if op == "const":
            return {(): expr.args[0]} if expr.args[0] else {}
        if op == "sym":
            return {(expr,): 1}
        if op == "neg":
            return _add({}, self.polynomial(expr.args[0]), -1)
        left, right = (self.polynomial(operand) for operand in expr.args)
        if op == "add":
            return _add(left, right)
        if op == "sub":
            return _add(left, right, -1)
        if op == "mul":
            return _multiply(left, right)
        if op == "floordiv":
            return self.floordiv(left, right)
        if op == "ceildiv":
            # a ceildiv b = (a - 1) floordiv b + 1
            return _add(self.floordiv(_add(left, {(): 1}, -1), right), {(): 1})
        if op == "mod":
            return self.mod(left, right)
        return self._other(op, left, right)

    def _other(self, op: str, left: Polynomial, right: Polynomial) -> Polynomial:
        """Minima, maxima, comparisons and conjunctions are atoms unless they are decided."""
        difference = _constant(_add(dict(left), right, -1))
        if op in ("min", "max"):
            if difference is None:
                one, two = sorted((_expression(left), _expression(right)), key=str)
                return {(IndexExpr(op, one, two),): 1}
            return left if (difference <= 0) == (op == "min") else right
        if op == "and":
            first, second = _constant(left), _constant(right)
            if first is not None and second is not None:
                return {(): 1} if first and second else {}
            return {(IndexExpr(op, _expression(left), _expression(right)),): 1}
        if difference is not None:
            return {(): 1} if binary(op, difference, 0).value else {}
        return {(IndexExpr(op, _expression(left), _expression(right)),): 1}

    def _within(self, dividend: Polynomial, divisor: Polynomial) -> bool:
        """Whether ``0 <= dividend < divisor`` follows from the assumptions."""
        if not self.assumptions:
            return False
        low, high = _expression(dividend), _expression(divisor)
        return always_nonnegative(low, self.assumptions) and always_less(
            low, high, self.assumptions
        )

    def _split(self, dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
        """``quotient, rest`` with ``dividend = quotient * divisor + rest``, as much as shows."""
        quotient: Polynomial = {}
        rest: Polynomial = {}
        if len(divisor) == 1:
            ((base, factor),) = divisor.items()
            for monomial, coefficient in dividend.items():
                reduced = _without(monomial, base)
                share = 0 if reduced is None else coefficient // factor
                if reduced is not None and not base and monomial:
                    # Only whole multiples leave: x*5 floordiv 4 stays together.
                    share = coefficient // factor if coefficient % factor == 0 else 0
                if reduced is not None and share:
                    _add(quotient, {reduced: share})
                if coefficient - share * factor:
                    rest[monomial] = coefficient - share * factor
            return quotient, rest
        lead, factor = next(iter(divisor.items()))
        share = dividend.get(lead, 0) // factor
        remainder = _add(dict(dividend), divisor, -share)
        return ({(): share}, {}) if share and not remainder else ({}, dict(dividend))

    def floordiv(self, dividend: Polynomial, divisor: Polynomial) -> Polynomial:
        number = _constant(divisor)
        if number == 0:
            return {(IndexExpr("floordiv", _expression(dividend), const(0)),): 1}
        if number is not None and number < 0:
            return self.floordiv(_add({}, dividend, -1), {(): -number})
        quotient, rest = self._split(dividend, divisor)
        if not rest:
            return quotient
        if number is not None:
            rest, divisor = _reduce(rest, number)
            number = _constant(divisor)
            if number == 1:
                return _add(quotient, rest)
        if self._within(rest, divisor):
            return quotient
        if _constant(rest) == -1:
            # -1 floordiv d = -1, since d is positive.
            return _add(quotient, {(): -1})
        nested = _nested_quotient(rest)
        if nested is not None:
            inner, inner_divisor = nested
            combined = _multiply(divisor, self.polynomial(inner_divisor))
            return _add(quotient, self.floordiv(inner, combined))
        offset = rest.get((), 0)
        if offset == (-1 if number is None else number - 1):
            # (x - 1) floordiv d = x ceildiv d - 1;  (x + d - 1) floordiv d = x ceildiv d
            numerator = _add(dict(rest), {(): offset}, -1)
            if numerator:
                atom = IndexExpr("ceildiv", _expression(numerator), _expression(divisor))
                _add(quotient, {(atom,): 1})
                return _add(quotient, {(): -1}) if number is None else quotient
        atom = IndexExpr("floordiv", _expression(rest), _expression(divisor))
        return _add(quotient, {(atom,): 1})

    def mod(self, dividend: Polynomial, divisor: Polynomial) -> Polynomial:
        number = _constant(divisor)
        if number == 0:
            return {(IndexExpr("mod", _expression(dividend), const(0)),): 1}
        if number is not None and number < 0:
            # Python's remainder has the divisor's sign.
            return _add({}, self.mod(_add({}, dividend, -1), {(): -number}), -1)
        rest = self._split(dividend, divisor)[1]
        if number is not None:
            rest = {
                monomial: coefficient % number
                for monomial, coefficient in rest.items()
                if coefficient % number
            }
            factor = gcd(number, *(c for m, c in rest.items() if m))
            if factor > 1 and rest:
                # (g*x + c) mod (g*d) = g*((x + c floordiv g) mod d) + c mod g
                offset = rest.get((), 0)
                reduced, smaller = _reduce(rest, number)
                inner = self.mod(reduced, smaller) if _constant(smaller) != 1 else {}
                return _add(_multiply(inner, {(): factor}), {(): offset % factor})
        if not rest or self._within(rest, divisor):
            return rest
        constant = _constant(rest)
        if constant is not None and number is not None:
            return rest
        return {(IndexExpr("mod", _expression(rest), _expression(divisor)),): 1}

    def _recombine(self, polynomial: Polynomial) -> Polynomial:
        """``d*(x floordiv d) + x mod d -> x``, wherever that makes the sum shorter."""
        if not any(atom.op == "mod" for monomial in polynomial for atom in monomial):
            return polynomial
        changed = True
        while changed:
            changed = False
            for monomial, coefficient in polynomial.items():
                atom = next((a for a in monomial if a.op == "mod" and a.args[1].value != 0), None)
                if atom is None:
                    continue
                dividend, divisor = (self.polynomial(operand) for operand in atom.args)
                # x mod d = x - d*(x floordiv d)
                other = _add(
                    dividend, _multiply(divisor, self.floordiv(dict(dividend), divisor)), -1
                )
                _add(other, {(atom,): 1}, -1)
                others = {_without(monomial, (atom,)) or (): coefficient}
                candidate = _add(dict(polynomial), _multiply(others, other))
                if len(candidate) < len(polynomial):
                    polynomial = candidate
                    changed = True
                    break
        return polynomial


def _reduce(dividend: Polynomial, divisor: int) -> tuple[Polynomial, Polynomial]:
    """``(g*x + c) floordiv (g*d)`` as ``(x + c floordiv g) floordiv d``."""
    factor = gcd(divisor, *(c for monomial, c in dividend.items() if monomial))
    if factor <= 1:
        return dividend, {(): divisor}
    reduced = {
        monomial: coefficient // factor
        for monomial, coefficient in dividend.items()
        if coefficient // factor
    }
    return reduced, {(): divisor // factor}


def _nested_quotient(polynomial: Polynomial) -> tuple[Polynomial, IndexExpr] | None:
    """``x floordiv e + c`` as ``(x + c*e, e)``, for ``(x floordiv e) floordiv d = x floordiv
    (e*d)``.
    """
    terms = [(m, c) for m, c in polynomial.items() if m]
    if len(terms) != 1 or terms[0][1] != 1 or len(terms[0][0]) != 1:
        return None
    atom = terms[0][0][0]
    if atom.op not in ("floordiv", "ceildiv") or atom.args[1].value == 0:
        return None
    numerator, divisor = atom.args
    offset = polynomial.get((), 0)
    if atom.op == "ceildiv":
        # x ceildiv e = (x - 1) floordiv e + 1
        numerator, offset = numerator - 1, offset + 1
    return _Normalizer(NOTHING).polynomial(numerator + divisor * offset), divisor


def bounds(expr: IndexExpr, assumptions: Assumptions) -> tuple[int | None, int | None]:
    """Numbers between which ``expr`` lies, inclusive; None is no bound."""
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
    if op in ("floordiv", "ceildiv", "mod") and right[0] == 0:
        # What is divided by is not 0.
        right = (1, right[1])
    if op == "add":
        return _sum(left, right)
    if op == "sub":
        return _sum(left, _negated(right))
    if op == "mul":
        return _product(left, right)
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
    answer = _conjunction(left, right) if op == "and" else _compared(op, left, right)
    return (0, 1) if answer is None else (int(answer), int(answer))


Interval = tuple[int | None, int | None]


def _conjunction(left: Interval, right: Interval) -> bool | None:
    """Whether both are true, that is, not 0; None: it depends."""
    if (0, 0) in (left, right):
        return False
    apart = [
        (low is not None and low > 0) or (high is not None and high < 0)
        for low, high in (left, right)
    ]
    return True if all(apart) else None


def _compared(op: str, left: Interval, right: Interval) -> bool | None:
    """What a comparison of two intervals gives; None: it depends."""
    if op in ("gt", "ge"):
        op, left, right = {"gt": "lt", "ge": "le"}[op], right, left
    low, high = _sum(left, _negated(right))
    if op in ("eq", "ne"):
        if low == high == 0:
            return op == "eq"
        apart = (low is not None and low > 0) or (high is not None and high < 0)
        return op == "ne" if apart else None
    limit = -1 if op == "lt" else 0
    if high is not None and high <= limit:
        return True
    return False if low is not None and low > limit else None


def _negated(interval: Interval) -> Interval:
    lower, upper = interval
    return None if upper is None else -upper, None if lower is None else -lower


def _sum(left: Interval, right: Interval) -> Interval:
    lower = None if left[0] is None or right[0] is None else left[0] + right[0]
    upper = None if left[1] is None or right[1] is None else left[1] + right[1]
    return lower, upper


def _product(left: Interval, right: Interval) -> Interval:
    if left[0] is None or right[0] is None or left[0] < 0 or right[0] < 0:
        if None in left or None in right:
            for one, two in ((left, right), (right, left)):
                # A negative factor turns the interval of a factor that is not.
                if one[1] is not None and one[1] <= 0 and two[0] is not None and two[0] >= 0:
                    return _negated(_product(_negated(one), two))
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


def always_nonnegative(expr: IndexExpr, assumptions: Assumptions) -> bool:
    """Whether ``expr >= 0`` follows from the assumptions. False means "not proved"."""
    return _nonnegative(normalize(expr), assumptions, 8)


def _nonnegative(expr: IndexExpr, assumptions: Assumptions, depth: int) -> bool:
    lower = bounds(expr, assumptions)[0]
    if lower is not None and lower >= 0:
        return True
    if depth == 0:
        return False
    # Eliminate a symbol whose factor has a known sign, by the bound at which expr is smallest.
    polynomial = _Normalizer(NOTHING).polynomial(expr)
    for symbol in symbols(expr):
        found = assumptions.get(symbol.args[0])
        if found is None:
            continue
        factor: Polynomial = {}
        rest: Polynomial = {}
        for monomial, coefficient in polynomial.items():
            reduced = _without(monomial, (symbol,))
            if reduced is None:
                rest[monomial] = coefficient
            else:
                factor[reduced] = coefficient
        coefficient = _expression(factor)
        if not factor or symbol in symbols(coefficient, _expression(rest)):
            continue
        low, high = bounds(coefficient, assumptions)
        if low is not None and low >= 0:
            bound = found.lower
        elif high is not None and high <= 0:
            bound = found.upper
        else:
            continue
        if bound is None or bound.op == "const":
            # Numbers have been counted by the bounds above.
            continue
        # The extreme of one symbol is exact, so no other order of elimination can show more.
        smaller = normalize(coefficient * bound + _expression(rest))
        return _nonnegative(smaller, assumptions, depth - 1)
    return False


def always_less(left: IndexExpr | int, right: IndexExpr | int, assumptions: Assumptions) -> bool:
    """Whether ``left < right`` follows from the assumptions. False means "not proved"."""
    return always_nonnegative(as_expr(right) - as_expr(left) - 1, assumptions)
