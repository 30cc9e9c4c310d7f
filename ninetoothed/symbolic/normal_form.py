"""Normal form of index expressions, and a prover of inequalities over them.

A normal form is a polynomial: integer coefficients over products of *atoms*, which are symbols and
the operations that no polynomial can express (``floordiv``, ``mod``, ``ceildiv``, ``min``, ``max``,
comparisons), their operands in normal form. Two rules matter most. A quotient gives up what its
divisor divides: ``(B*i + j) floordiv B = i + j floordiv B``, so the shape that ``tile`` prints,
``(n - (B - 1) - 1 + B - 1) // B + 1``, becomes ``n ceildiv B``. And a quotient and a remainder of
one division meet again: ``d*(x floordiv d) + x mod d = x``, which undoes an unravelling; of some of
the dims, ``d*((x floordiv d) mod e) + x mod d = x mod (d*e)`` does.

Symbolic divisors are taken to be positive (see ``expr``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator, Sequence
from math import gcd
from typing import Any

from ninetoothed.symbolic.expr import IndexExpr, as_expr, binary, const
from ninetoothed.symbolic.intervals import (
    NOTHING,
    Assumptions,
    Interval,
    Range,
    bounds,
    interval_product,
    interval_sum,
    ranges_of,
)
from ninetoothed.symbolic.polynomials import (
    Monomial,
    Polynomial,
    add_to,
    divided,
    expression_of,
    multiply,
    number_of,
    occurs,
    polynomial_of,
    reduced_by_gcd,
    size_of,
    split,
    taken_out,
    weight,
)
from ninetoothed.symbolic.refutation import refuted


def normalize(expr: IndexExpr, assumptions: Assumptions = NOTHING) -> IndexExpr:
    """The normal form of ``expr``; with assumptions, divisions that they decide are gone.

    Idempotent: ``normalize(normalize(e)) == normalize(e)``.
    """
    if expr.op in ("const", "sym"):
        return expr
    if assumptions:
        return expression_of(_Normalizer(assumptions).polynomial(expr))
    if expr.is_normal:
        return expr
    if expr.normal is None:
        normal = expression_of(_Normalizer(NOTHING).polynomial(expr))
        normal.is_normal = True
        if normal is expr:
            return expr
        expr.normal = normal
    return expr.normal


def normalizer(assumptions: Assumptions) -> Callable[[IndexExpr], IndexExpr]:
    """:func:`normalize` for many expressions, with a shared memo."""
    shared = _Normalizer(assumptions)
    return lambda expr: expression_of(shared.polynomial(expr))


def equal(left: IndexExpr, right: IndexExpr) -> bool:
    """True if the two are proved equal for all values of their symbols, by their normal forms."""
    if left == right:
        return True
    if left.op in ("const", "sym") and right.op in ("const", "sym"):
        return False
    return normalize(left - right).value == 0


class _Normalizer:
    """Conversion of expressions to polynomials under fixed assumptions."""

    def __init__(self, assumptions: Assumptions) -> None:
        self.assumptions = assumptions
        self.memo: dict[IndexExpr, Polynomial] = {}
        self.inside: dict[Any, bool] = {}

    def polynomial(self, expr: IndexExpr) -> Polynomial:
        if not self.assumptions and expr.is_normal:
            return polynomial_of(expr)
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
            return add_to({}, self.polynomial(expr.args[0]), -1)
        left, right = (self.polynomial(operand) for operand in expr.args)
        if op == "add":
            return add_to(left, right)
        if op == "sub":
            return add_to(left, right, -1)
        if op == "mul":
            return multiply(left, right)
        if op == "floordiv":
            return self.floordiv(left, right)
        if op == "ceildiv":
            # a ceildiv b = (a - 1) floordiv b + 1
            return add_to(self.floordiv(add_to(left, {(): 1}, -1), right), {(): 1})
        if op == "mod":
            return self.mod(left, right)
        return self._other(op, left, right)

    def _other(self, op: str, left: Polynomial, right: Polynomial) -> Polynomial:
        """Minimum, maximum, comparison or conjunction: an atom, unless its value is known."""
        difference = number_of(add_to(dict(left), right, -1))
        if op in ("min", "max"):
            if difference is None:
                one, two = sorted((expression_of(left), expression_of(right)), key=str)
                return {(IndexExpr(op, one, two),): 1}
            return left if (difference <= 0) == (op == "min") else right
        if op == "and":
            first, second = number_of(left), number_of(right)
            if first is not None and second is not None:
                return {(): 1} if first and second else {}
            return {(IndexExpr(op, expression_of(left), expression_of(right)),): 1}
        if difference is not None:
            return {(): 1} if binary(op, difference, 0).value else {}
        return {(IndexExpr(op, expression_of(left), expression_of(right)),): 1}

    def _within(self, dividend: Polynomial, divisor: Polynomial) -> bool:
        """True if ``0 <= dividend < divisor`` is proved."""
        if not self.assumptions:
            return False
        key = (frozenset(dividend.items()), frozenset(divisor.items()))
        found = self.inside.get(key)
        if found is None:
            room = add_to(add_to(dict(divisor), dividend, -1), {(): -1})
            # Most divisions stay, and there are many.
            prover = _Prover(self.assumptions, ())
            prover.steps = _FEW_STEPS
            found = prover.nonnegative(dividend, _DEPTH) and prover.nonnegative(room, _DEPTH)
            self.inside[key] = found
        return found

    def floordiv(self, dividend: Polynomial, divisor: Polynomial) -> Polynomial:
        number = number_of(divisor)
        if number == 0:
            return {(IndexExpr("floordiv", expression_of(dividend), const(0)),): 1}
        if number is not None and number < 0:
            return self.floordiv(add_to({}, dividend, -1), {(): -number})
        quotient, rest = split(dividend, divisor)
        if not rest:
            return quotient
        if number is not None:
            rest, divisor = reduced_by_gcd(rest, number)
            number = number_of(divisor)
            if number == 1:
                return add_to(quotient, rest)
        if self._within(rest, divisor):
            return quotient
        if number_of(rest) == -1:
            # -1 floordiv d = -1, since d is positive.
            return add_to(quotient, {(): -1})
        nested = _nested_quotient(rest)
        if nested is not None:
            inner, inner_divisor = nested
            combined = multiply(divisor, self.polynomial(inner_divisor))
            return add_to(quotient, self.floordiv(inner, combined))
        offset = rest.get((), 0)
        if offset == (-1 if number is None else number - 1):
            # (x - 1) floordiv d = x ceildiv d - 1;  (x + d - 1) floordiv d = x ceildiv d
            numerator = add_to(dict(rest), {(): offset}, -1)
            if numerator:
                atom = IndexExpr("ceildiv", expression_of(numerator), expression_of(divisor))
                add_to(quotient, {(atom,): 1})
                return add_to(quotient, {(): -1}) if number is None else quotient
        atom = IndexExpr("floordiv", expression_of(rest), expression_of(divisor))
        return add_to(quotient, {(atom,): 1})

    def mod(self, dividend: Polynomial, divisor: Polynomial) -> Polynomial:
        number = number_of(divisor)
        if number == 0:
            return {(IndexExpr("mod", expression_of(dividend), const(0)),): 1}
        if number is not None and number < 0:
            # Python's remainder has the divisor's sign.
            return add_to({}, self.mod(add_to({}, dividend, -1), {(): -number}), -1)
        rest = split(dividend, divisor)[1]
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
                reduced, smaller = reduced_by_gcd(rest, number)
                inner = self.mod(reduced, smaller) if number_of(smaller) != 1 else {}
                return add_to(multiply(inner, {(): factor}), {(): offset % factor})
        if not rest or self._within(rest, divisor):
            return rest
        constant = number_of(rest)
        if constant is not None and number is not None:
            return rest
        return {(IndexExpr("mod", expression_of(rest), expression_of(divisor)),): 1}

    def _recombine(self, polynomial: Polynomial) -> Polynomial:
        """``d*(x floordiv d) + x mod d -> x``, wherever that makes the sum simpler."""
        if not any(atom.op == "mod" for monomial in polynomial for atom in monomial):
            return polynomial
        changed = True
        while changed:
            changed = False
            for monomial, coefficient in polynomial.items():
                atom = next((a for a in monomial if a.op == "mod" and a.args[1].value != 0), None)
                if atom is None:
                    continue
                divisor = self.polynomial(atom.args[1])
                others = {divided(monomial, (atom,)) or (): coefficient}
                candidates: list[Polynomial] = []
                for dividend in self._dividends(atom, polynomial):
                    # x mod d = x - d*(x floordiv d)
                    other = add_to(
                        dividend, multiply(divisor, self.floordiv(dict(dividend), divisor)), -1
                    )
                    add_to(other, {(atom,): 1}, -1)
                    candidates.append(add_to(dict(polynomial), multiply(others, other)))
                candidates += self._joined(atom, others, polynomial)
                lighter = next((c for c in candidates if weight(c) < weight(polynomial)), None)
                if lighter is not None:
                    polynomial = lighter
                    changed = True
                    break
        return polynomial

    def _joined(
        self, remainder: IndexExpr, factor: Polynomial, polynomial: Polynomial
    ) -> Iterator[Polynomial]:
        """``d*((x floordiv d) mod e) + x mod d = x mod (d*e)``, where ``remainder`` is the former
        and ``factor`` multiplies it in ``polynomial``.
        """
        quotient, outer = remainder.args
        if quotient.op != "floordiv" or quotient.args[1].value == 0:
            return
        inner = self.polynomial(quotient.args[1])
        times, rest = split(factor, inner)
        if rest:
            return
        dividend = self.polynomial(quotient.args[0])
        whole = self.mod(dict(dividend), multiply(inner, self.polynomial(outer)))
        joined = add_to(whole, self.mod(dividend, inner), -1)
        candidate = add_to(dict(polynomial), multiply(factor, {(remainder,): 1}), -1)
        yield add_to(candidate, multiply(times, joined))

    def _dividends(self, remainder: IndexExpr, polynomial: Polynomial) -> Iterator[Polynomial]:
        """Dividends that leave ``remainder``: its own, and those of the polynomial's quotients by
        the same number that are congruent to it.

        Only a remainder has its dividend reduced: ``(5*x) mod 3 = (2*x) mod 3``.
        """
        own, number = self.polynomial(remainder.args[0]), remainder.args[1].value
        yield dict(own)
        if number is None:
            return
        for quotient in dict.fromkeys(atom for monomial in polynomial for atom in monomial):
            if quotient.op not in ("floordiv", "ceildiv") or quotient.args[1].value != number:
                continue
            dividend = self.polynomial(quotient.args[0])
            if quotient.op == "ceildiv":
                # x ceildiv d = (x - 1) floordiv d + 1
                add_to(dividend, {(): -1})
            difference = add_to(dict(dividend), own, -1)
            if not any(coefficient % number for coefficient in difference.values()):
                yield dividend


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


def always_nonnegative(
    expr: IndexExpr, assumptions: Assumptions, facts: Sequence[IndexExpr] = ()
) -> bool:
    """True if ``expr >= 0`` is proved from the assumptions and ``facts``, each of which is at least
    0.
    """
    normal = normalize(expr)
    polynomial = polynomial_of(normal)
    # Most expressions are decided by their bounds.
    lower, upper = _Prover(assumptions, ()).interval(polynomial)
    if lower is not None and lower >= 0:
        return True
    if (upper is not None and upper < 0) or number_of(polynomial) is not None:
        return False
    known = tuple(map(normalize, facts))
    return _proved(normal, known, ranges_of((normal, *known), assumptions))


@functools.lru_cache(maxsize=4096)
def _proved(
    expr: IndexExpr, facts: tuple[IndexExpr, ...], ranges: tuple[tuple[str, Range], ...]
) -> bool:
    """The proof of :func:`always_nonnegative`, of expressions in normal form: many questions are
    asked again, of other lanes, reads and signatures.
    """
    prover = _Prover(dict(ranges), facts)
    prover.refutes = lambda: refuted(expr, facts, prover.assumptions)
    try:
        return prover.nonnegative(polynomial_of(expr), _DEPTH)
    except _RefutedError:
        return False


def always_less(
    left: IndexExpr | int,
    right: IndexExpr | int,
    assumptions: Assumptions,
    facts: Sequence[IndexExpr] = (),
) -> bool:
    """True if ``left < right`` is proved from the assumptions and ``facts``."""
    return always_nonnegative(as_expr(right) - as_expr(left) - 1, assumptions, facts)


_DEPTH = 16
_STEPS = 160
_FEW_STEPS = 24


class _RefutedError(Exception):
    """What is to be proved is wrong."""


class _Prover:
    """Prover that polynomials are at least 0.

    A step replaces an atom by the bound at which the polynomial is smallest. A quotient of factor 1
    or -1 leaves for an equivalent inequality without it: ``x floordiv d <= r`` is
    ``x < (r + 1) * d``. Any other is multiplied by its divisor, which is positive, and becomes its
    dividend less a remainder. Steps are not taken back, but for the bounds of a remainder. Before
    each, a fact may be subtracted where it cancels something that may be negative.
    """

    def __init__(self, assumptions: Assumptions, facts: Sequence[IndexExpr]) -> None:
        self.assumptions = assumptions
        self.facts = [polynomial_of(normalize(fact)) for fact in facts]
        # A bound of a quotient is one of its dividend.
        self.facts += [plain for fact in self.facts if (plain := _plain(fact)) is not None]
        self.steps = _STEPS
        self.refutes: Callable[[], bool] | None = None
        self._intervals: dict[IndexExpr, Interval] = {}
        self._terms: dict[tuple[Monomial, int], Interval] = {}
        self._orders: dict[IndexExpr, tuple[int, int, int, str]] = {}
        self._answers: dict[Hashable, tuple[bool, int]] = {}

    def nonnegative(self, polynomial: Polynomial, depth: int, facts: int = 2) -> bool:
        """True if ``polynomial >= 0`` is proved, with ``facts`` facts at most."""
        lower, upper = self.interval(polynomial)
        if lower is not None and lower >= 0:
            return True
        if upper is not None and upper < 0:
            return False
        if depth == 0 or self.steps == 0 or number_of(polynomial) is not None:
            return False
        key = (tuple(polynomial.items()), depth, facts)
        known = self._answers.get(key)
        if known is not None and known[1] <= self.steps:
            # The same steps again, of which there are enough.
            self.steps -= known[1]
            return known[0]
        before = self.steps
        self.steps -= 1
        if self.refutes is not None and self.steps < _STEPS - _FEW_STEPS:
            refutes, self.refutes = self.refutes, None
            if refutes():
                raise _RefutedError
        found = self._proves(polynomial, depth, facts)
        if self.steps:
            self._answers[key] = found, before - self.steps
        return found

    def _proves(self, polynomial: Polynomial, depth: int, facts: int) -> bool:
        if facts:
            if self._follows(polynomial):
                return True
            for smaller in self._less_facts(polynomial):
                if self.nonnegative(smaller, depth - 1, facts - 1):
                    return True
        for atom in self._outer_atoms(polynomial):
            choices = self._without_atom(polynomial, atom, depth)
            if choices is not None:
                return all(
                    any(self.nonnegative(one, depth - 1, facts) for one in alternatives)
                    for alternatives in choices
                )
        return False

    def interval(self, polynomial: Polynomial) -> Interval:
        """Bounds of a polynomial, term by term."""
        total: Interval = (0, 0)
        for term in polynomial.items():
            total = interval_sum(total, self._term(term))
        return total

    def _term(self, term: tuple[Monomial, int]) -> Interval:
        found = self._terms.get(term)
        if found is None:
            monomial, coefficient = term
            found = (coefficient, coefficient)
            for atom in monomial:
                found = interval_product(found, self._atom(atom))
            self._terms[term] = found
        return found

    def _atom(self, atom: IndexExpr) -> Interval:
        found = self._intervals.get(atom)
        if found is None:
            found = self._intervals[atom] = bounds(atom, self.assumptions)
        return found

    def _outer_atoms(self, polynomial: Polynomial) -> list[IndexExpr]:
        """The atoms in the order of elimination: operations, symbols with symbolic bounds, the
        others.
        """
        atoms = dict.fromkeys(atom for monomial in polynomial for atom in monomial)
        return sorted(atoms, key=self._order)

    def _order(self, atom: IndexExpr) -> tuple[int, int, int, str]:
        found = self._orders.get(atom)
        if found is None:
            found = self._orders[atom] = (*self._rank(atom), str(atom))
        return found

    def _rank(self, atom: IndexExpr) -> tuple[int, int, int]:
        if atom.op in ("floordiv", "ceildiv"):
            # What a divisor multiplies, a quotient of smaller ones still divides.
            return 1, *size_of(atom.args[1])
        if atom.op != "sym":
            return _ORDER.get(atom.op, 3), 0, 0
        found = self.assumptions.get(atom.args[0])
        ends = () if found is None else (found.lower, found.upper)
        symbolic = any(end is not None and end.op != "const" for end in ends)
        return 4 if symbolic else 5, 0, 0

    def _follows(self, polynomial: Polynomial) -> bool:
        """True if a symbol's sign follows from a fact ``d * x + r >= 0``, ``r < d``, ``d > 0``."""
        if len(polynomial) != 1 or tuple(polynomial.values()) != (1,):
            return False
        (monomial,) = polynomial
        for fact in self.facts:
            divisor, rest = taken_out(fact, monomial)
            slack = add_to(add_to(dict(divisor), rest, -1), {(): 1}, -1)
            if not divisor or not self.nonnegative(slack, _DEPTH // 2, 0):
                continue
            # Where r is not negative, d is positive by r < d.
            positive = (rest, add_to(divisor, {(): 1}, -1))
            if any(self.nonnegative(one, _DEPTH // 2, 0) for one in positive):
                return True
        return False

    def _less_facts(self, polynomial: Polynomial) -> Iterator[Polynomial]:
        """The polynomial minus multiples of facts that cancel a term that may be negative."""
        for fact in self.facts:
            if fact.get(()) and all(polynomial.get(m) == c for m, c in fact.items() if m):
                # The fact is this one, but for the constant.
                yield add_to(dict(polynomial), fact, -1)
            for term, factor in fact.items():
                if not term:
                    continue
                for monomial, coefficient in polynomial.items():
                    if (coefficient > 0) != (factor > 0) or coefficient % factor:
                        continue
                    rest = divided(monomial, term)
                    if rest is None or (
                        coefficient > 0 and all(map(self._atom_nonnegative, monomial))
                    ):
                        continue
                    if all(map(self._atom_nonnegative, rest)):
                        times = {rest: coefficient // factor}
                        yield add_to(dict(polynomial), multiply(fact, times), -1)

    def _atom_nonnegative(self, atom: IndexExpr) -> bool:
        lower = self._atom(atom)[0]
        return lower is not None and lower >= 0

    def _sign(self, coefficient: Polynomial, depth: int) -> int | None:
        """Sign of a coefficient. 1: at least 0, -1: at most 0, None: unknown."""
        low, high = self.interval(coefficient)
        if low is not None and low >= 0:
            return 1
        if high is not None and high <= 0:
            return -1
        if len(coefficient) == 1 or depth < 2:
            return None
        if self.nonnegative(coefficient, depth // 2, 0):
            return 1
        return -1 if self.nonnegative(add_to({}, coefficient, -1), depth // 2, 0) else None

    def _without_atom(
        self, polynomial: Polynomial, atom: IndexExpr, depth: int
    ) -> list[list[Polynomial]] | None:
        """Sufficient conditions without ``atom``: of each list, one entry is at least 0."""
        factor, rest = taken_out(polynomial, (atom,))
        if occurs(atom, factor) or occurs(atom, rest):
            return None
        if atom.op in ("floordiv", "ceildiv"):
            found = _without_quotient(atom, factor, rest)
            return None if found is None else [[found]]
        sign = self._sign(factor, depth)
        if sign is None:
            return None

        def put(*ends: IndexExpr) -> list[Polynomial]:
            found = [polynomial_of(normalize(end)) for end in ends]
            return [add_to(multiply(factor, end), rest) for end in found]

        if atom.op in ("min", "max"):
            # Less of the smaller is no less than less of either.
            either = (atom.op == "min") == (sign < 0)
            return [put(*atom.args)] if either else [put(side) for side in atom.args]
        if atom.op == "mod":
            dividend, divisor = atom.args
            if sign > 0:
                return [[rest]]
            if always_nonnegative(dividend, self.assumptions):
                return [put(divisor - 1, dividend)]
            return [put(divisor - 1)]
        if atom.op != "sym":
            return None
        found = self.assumptions.get(atom.args[0])
        bound = None if found is None else found.lower if sign > 0 else found.upper
        return None if bound is None else [put(bound)]


_ORDER = {"min": 0, "max": 0, "mod": 2}


def _without_quotient(atom: IndexExpr, factor: Polynomial, rest: Polynomial) -> Polynomial | None:
    """``factor * quotient + rest >= 0`` without the quotient; None: of one by zero, as by the size
    of an empty tensor, nothing is known.
    """
    dividend, divisor = (polynomial_of(normalize(operand)) for operand in atom.args)
    if not divisor:
        return None
    if atom.op == "ceildiv":
        # x ceildiv d = (x - 1) floordiv d + 1
        dividend, rest = add_to(dividend, {(): -1}), add_to(dict(rest), factor)
    number = number_of(factor)
    if number == 1:
        return add_to(multiply(rest, divisor), dividend)
    if number == -1:
        rounded = multiply(add_to(dict(rest), {(): 1}), divisor)
        return add_to(add_to(rounded, {(): -1}), dividend, -1)
    # divisor * quotient = dividend - remainder
    remainder = IndexExpr("mod", expression_of(dividend), expression_of(divisor))
    exact = add_to(dividend, {(remainder,): -1})
    quotient, left = split(factor, divisor)
    if not left:
        return add_to(multiply(quotient, exact), rest)
    return add_to(multiply(factor, exact), multiply(rest, divisor))


def _plain(fact: Polynomial) -> Polynomial | None:
    """Rewrite a fact about a quotient as one about its dividend."""
    for monomial in fact:
        if len(monomial) == 1 and monomial[0].op in ("floordiv", "ceildiv"):
            factor, rest = taken_out(fact, monomial)
            if number_of(factor) in (1, -1):
                return _without_quotient(monomial[0], factor, rest)
    return None
