"""Polynomials over atoms, the data structure of normal forms.

``{(B, i): 2, (): -1}`` is ``B * i * 2 - 1``; a monomial names its atoms in order.
"""

from __future__ import annotations

from math import gcd

from ninetoothed.symbolic.expr import IndexExpr, const

Monomial = tuple[IndexExpr, ...]
Polynomial = dict[Monomial, int]


def add_to(target: Polynomial, source: Polynomial, factor: int = 1) -> Polynomial:
    """Add ``factor * source`` to ``target`` in place; returns it."""
    for monomial, coefficient in source.items():
        total = target.get(monomial, 0) + factor * coefficient
        if total:
            target[monomial] = total
        else:
            target.pop(monomial, None)
    return target


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    """Product of two polynomials."""
    result: Polynomial = {}
    for monomial, coefficient in left.items():
        for other, factor in right.items():
            merged = monomial or other
            if monomial and other:
                merged = tuple(sorted(monomial + other, key=str))
            total = result.get(merged, 0) + coefficient * factor
            if total:
                result[merged] = total
            else:
                result.pop(merged, None)
    return result


def number_of(polynomial: Polynomial) -> int | None:
    """Value of a constant polynomial, else None."""
    if not polynomial:
        return 0
    return polynomial.get(()) if len(polynomial) == 1 else None


def divided(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """``monomial / divisor``, or None where it is not divisible."""
    if len(divisor) == 1 and divisor[0] not in monomial:
        return None
    rest = list(monomial)
    for atom in divisor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def expression_of(polynomial: Polynomial) -> IndexExpr:
    """Expression of a polynomial: higher degrees first, the constant last."""
    if len(polynomial) <= 1:
        for monomial, coefficient in polynomial.items():
            if not monomial:
                return const(coefficient)
            if len(monomial) == 1 and coefficient == 1:
                return monomial[0]
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


def polynomial_of(expr: IndexExpr) -> Polynomial:
    """Polynomial of an expression in normal form."""
    if expr.op == "const":
        return {(): expr.args[0]} if expr.args[0] else {}
    if expr.op not in ("add", "sub", "mul", "neg"):
        return {(expr,): 1}
    if expr.polynomial is None:
        expr.polynomial = _polynomial(expr)
    return dict(expr.polynomial)


def _polynomial(expr: IndexExpr) -> Polynomial:
    if expr.op == "neg":
        return add_to({}, polynomial_of(expr.args[0]), -1)
    left, right = (polynomial_of(operand) for operand in expr.args)
    if expr.op == "mul":
        return multiply(left, right)
    return add_to(left, right, 1 if expr.op == "add" else -1)


def split(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Polynomial division: ``quotient, rest`` with ``dividend = quotient * divisor + rest``."""
    quotient: Polynomial = {}
    rest: Polynomial = {}
    if len(divisor) == 1:
        ((base, factor),) = divisor.items()
        for monomial, coefficient in dividend.items():
            reduced = divided(monomial, base)
            part = 0 if reduced is None else coefficient // factor
            if reduced is not None and not base and monomial:
                # Only multiples are divided: x*5 floordiv 4 stays as it is.
                part = coefficient // factor if coefficient % factor == 0 else 0
            if reduced is not None and part:
                add_to(quotient, {reduced: part})
            if coefficient - part * factor:
                rest[monomial] = coefficient - part * factor
        return quotient, rest
    # Division by a sum is exact or not done, the highest degree first.
    lead = max(divisor, key=degree)
    left = dict(dividend)
    while left and len(quotient) <= len(dividend):
        top = max(left, key=degree)
        reduced = divided(top, lead)
        if reduced is None or left[top] % divisor[lead]:
            return {}, dict(dividend)
        times = {reduced: left[top] // divisor[lead]}
        add_to(quotient, times)
        add_to(left, multiply(divisor, times), -1)
    return ({}, dict(dividend)) if left else (quotient, {})


def degree(monomial: Monomial) -> tuple[int, str]:
    """Monomial order; the leading term is the largest."""
    return len(monomial), str(monomial)


def weight(polynomial: Polynomial) -> int:
    """Complexity of a sum: an operation counts for several terms."""
    operations = sum(atom.op != "sym" for monomial in polynomial for atom in monomial)
    return 16 * operations + len(polynomial)


def reduced_by_gcd(dividend: Polynomial, divisor: int) -> tuple[Polynomial, Polynomial]:
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


def taken_out(polynomial: Polynomial, term: Monomial) -> tuple[Polynomial, Polynomial]:
    """``factor, rest`` with ``polynomial = factor * term + rest``."""
    factor: Polynomial = {}
    rest: Polynomial = {}
    for monomial, number in polynomial.items():
        reduced = divided(monomial, term)
        if reduced is None:
            rest[monomial] = number
        else:
            factor[reduced] = number
    return factor, rest


def occurs(atom: IndexExpr, polynomial: Polynomial) -> bool:
    """True if an atom is one of a polynomial's, or inside of one."""
    for monomial in polynomial:
        for other in monomial:
            if other is atom or (other.op != "sym" and _is_inside(atom, other)):
                return True
    return False


def _is_inside(atom: IndexExpr, expr: IndexExpr) -> bool:
    if atom.op == "sym":
        return atom in expr.symbols
    return any(one is atom or _is_inside(atom, one) for one in expr.operands)


def size_of(divisor: IndexExpr) -> tuple[int, int]:
    """Degree and coefficient of a divisor, such that a multiple sorts first."""
    terms = polynomial_of(divisor)
    lead = max(map(len, terms), default=0)
    return -lead, -max((abs(c) for m, c in terms.items() if len(m) == lead), default=0)
