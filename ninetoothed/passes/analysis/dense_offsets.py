"""Offsets of tensors whose strides are products of sizes.

A flattened tensor's index is unravelled into its dims, and the dims are ravelled again by the
strides. Where these are products of the same sizes, the quotients and remainders meet again.
"""

from __future__ import annotations

from collections.abc import Sequence

from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import IndexExpr, divisions
from ninetoothed.symbolic.normal_form import normalize
from ninetoothed.symbolic.polynomials import (
    Monomial,
    Polynomial,
    add_to,
    divided,
    expression_of,
    number_of,
    polynomial_of,
)


class DenseOffsets:
    """Offsets and sizes of one kernel, with what is known of strides as products."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        # The strides that products of several sizes are, the largest products first.
        self._strides: dict[Monomial, tuple[int, IndexExpr]] = {}
        self._offsets: dict[tuple[str, Sequence[IndexExpr]], IndexExpr] = {}
        for source in kernel.sources:
            computed = source.strides if source.computed is None else source.computed
            for stride, product in zip(source.strides.data, computed.data, strict=True):
                monomial, number = _single(polynomial_of(normalize(product)))
                if stride.op == "sym" and (len(monomial) > 1 or (monomial and number != 1)):
                    self._strides.setdefault(monomial, (number, stride))
        self._strides = dict(sorted(self._strides.items(), key=lambda row: -len(row[0])))

    def offset(self, source: nt.SourceOp, indices: Sequence[IndexExpr]) -> IndexExpr:
        """The offset in elements of ``indices``, as few divisions as are known to give it."""
        jagged = None if source.jagged is None else source.jagged.data
        if source.computed is None:
            return normalize(nt.offset(indices, source.strides.data, jagged))
        key = (source.param.data, tuple(indices))
        if key not in self._offsets:
            plain, computed = (
                normalize(nt.offset(indices, strides.data, jagged))
                for strides in (source.strides, source.computed)
            )
            self._offsets[key] = min(self.by_strides(computed), plain, key=_cost)
        return self._offsets[key]

    def spares(self, source: nt.SourceOp, indices: Sequence[IndexExpr]) -> bool:
        """True if the offset has fewer divisions than the indices."""
        return len(divisions(self.offset(source, indices))) < len(divisions(*indices))

    def by_strides(self, expr: IndexExpr) -> IndexExpr:
        """``expr``, in normal form, with strides in the place of the products that they are: a
        stride is at hand, and more may be known of what divides it.
        """
        if not self._strides or expr.op in ("const", "sym"):
            return expr
        result: Polynomial = {}
        for monomial, coefficient in polynomial_of(expr).items():
            found: list[IndexExpr] = []
            for factors, (number, stride) in self._strides.items():
                rest = divided(monomial, factors)
                while rest is not None and coefficient % number == 0:
                    monomial, coefficient = rest, coefficient // number
                    found.append(stride)
                    rest = divided(monomial, factors)
            found += map(self._atom, monomial)
            add_to(result, {tuple(sorted(found, key=str)): coefficient})
        return expression_of(result)

    def _atom(self, atom: IndexExpr) -> IndexExpr:
        if atom.op == "sym":
            return atom
        return IndexExpr(atom.op, *map(self.by_strides, atom.operands))


def _single(polynomial: Polynomial) -> tuple[Monomial, int]:
    """Symbols and coefficient of a product of symbols; of anything else, none."""
    if len(polynomial) == 1 and number_of(polynomial) is None:
        ((monomial, coefficient),) = polynomial.items()
        if all(atom.op == "sym" for atom in monomial):
            return monomial, coefficient
    return (), 1


def _cost(expr: IndexExpr) -> tuple[int, int]:
    return len(divisions(expr)), len(expr.symbols)
