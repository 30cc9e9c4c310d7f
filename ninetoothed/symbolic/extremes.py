"""Extremes: the largest and the smallest value of an index, as expressions over sizes.

An index over bounded variables is monotone in each of them where coefficients and divisors are not
negative: its extremes lie in corners of the box of its variables. A remainder takes all values
below its divisor, whatever its dividend is.
"""

from __future__ import annotations

from ninetoothed.symbolic.expr import (
    IndexExpr,
    binary,
    const,
    maximum,
    minimum,
    product,
    symbol_names,
)
from ninetoothed.symbolic.intervals import Assumptions, bounds
from ninetoothed.symbolic.normal_form import normalize
from ninetoothed.symbolic.polynomials import expression_of, polynomial_of, split, taken_out


def largest(expr: IndexExpr, variables: Assumptions, sizes: Assumptions) -> IndexExpr | None:
    """No value of ``expr`` is above it: the value in a corner, in normal form, or None if there is
    none.

    ``variables``: the ranges of its variables, whose bounds are expressions over ``sizes``; None
    where a bound that matters is unknown, or ``expr`` is not monotone. A variable may take each
    value of its range with each of another; where a range is empty, the result means nothing.
    """
    return _extreme(expr, variables, sizes, up=True)


def smallest(expr: IndexExpr, variables: Assumptions, sizes: Assumptions) -> IndexExpr | None:
    """No value of ``expr`` is below it, otherwise as :func:`largest`."""
    return _extreme(expr, variables, sizes, up=False)


def _extreme(
    expr: IndexExpr, variables: Assumptions, sizes: Assumptions, up: bool
) -> IndexExpr | None:
    if not any(name in variables for name in symbol_names(expr)):
        return normalize(expr)
    found = _Extremes(variables, sizes).of(normalize(expr), up)
    return None if found is None else normalize(found)


class _Extremes:
    def __init__(self, variables: Assumptions, sizes: Assumptions) -> None:
        self._variables = variables
        self._ranges = {**sizes, **variables}
        # Of each variable, the end of its range.
        self._ends: dict[str, bool] = {}

    def of(self, expr: IndexExpr, up: bool) -> IndexExpr | None:
        total = const(0)
        for monomial, coefficient in polynomial_of(expr).items():
            free = [atom for atom in monomial if not self._varies(atom)]
            varying = [atom for atom in monomial if self._varies(atom)]
            # Of a product, no factor may be negative.
            others = free if len(varying) < 2 else monomial
            if varying and not all(map(self._is_nonnegative, others)):
                return None
            term = product((const(coefficient), *free))
            for atom in varying:
                end = self._atom(atom, up == (coefficient > 0))
                if end is None:
                    return None
                term = term * end
            total = total + term
        return total

    def _varies(self, atom: IndexExpr) -> bool:
        return any(name in self._variables for name in symbol_names(atom))

    def _is_nonnegative(self, atom: IndexExpr) -> bool:
        lower = bounds(atom, self._ranges)[0]
        return lower is not None and lower >= 0

    def _atom(self, atom: IndexExpr, up: bool) -> IndexExpr | None:
        if atom.op == "sym":
            name = atom.args[0]
            if self._ends.setdefault(name, up) != up:
                # It is at both ends at once in no program.
                return None
            found = self._variables[name]
            return found.upper if up else found.lower
        if atom.op in ("min", "max"):
            ends = [
                self.of(operand, up) if self._varies(operand) else operand for operand in atom.args
            ]
            left, right = ends
            if left is not None and right is not None:
                return (minimum if atom.op == "min" else maximum)(left, right)
            # No minimum is above either of the two, and no maximum below.
            known = right if left is None else left
            return known if up == (atom.op == "min") else None
        if atom.op not in ("floordiv", "ceildiv", "mod"):
            return None
        dividend, divisor = atom.args
        if self._varies(divisor) or not self._is_nonnegative(divisor):
            return None
        if atom.op == "mod":
            return divisor - 1 if up else const(0)
        end = self.of(dividend, up)
        return None if end is None else binary(atom.op, end, divisor)


def without_rounding(expr: IndexExpr) -> IndexExpr | None:
    """``expr`` as it is where the divisor of each ``ceildiv`` divides; None if it cannot be told.

    ``(n ceildiv 64) * 64`` is ``n`` then.
    """
    expr = normalize(expr)
    while (atom := _rounded(expr)) is not None:
        found = _divided(expr, atom)
        if found is None:
            return None
        expr = normalize(found)
    return expr


def remainder(expr: IndexExpr) -> IndexExpr:
    """What is at most 0 where ``expr`` is: ``n mod 64`` of ``(n ceildiv 64) * 64 - n``, else
    ``expr``.
    """
    atom = _rounded(expr)
    if atom is not None:
        dividend, divisor = atom.args
        if normalize(expr - atom * divisor + dividend).value == 0:
            return binary("mod", dividend, divisor)
    return expr


def _rounded(expr: IndexExpr) -> IndexExpr | None:
    """A quotient that is rounded up."""
    atoms = (atom for monomial in polynomial_of(expr) for atom in monomial)
    return next((atom for atom in atoms if atom.op == "ceildiv"), None)


def _divided(expr: IndexExpr, atom: IndexExpr) -> IndexExpr | None:
    """``expr``, of which each multiple of ``atom`` is one of its divisor, without the quotient."""
    dividend, divisor = atom.args
    factor, rest = taken_out(polynomial_of(expr), (atom,))
    quotient, left = split(factor, polynomial_of(divisor))
    return None if left else expression_of(rest) + expression_of(quotient) * dividend
