"""Lowering of index expressions to integer arithmetic.

A value carries the dims of the block that it varies along and has only those: rows and columns are
computed as one-dimensional blocks, and broadcast where they meet.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32
from xdsl.ir import Operation, SSAValue

from ninetoothed.errors import ArrangementError, CompilerError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.passes.analysis.alignment import Alignment, alignment
from ninetoothed.passes.lowering.elementwise import splat
from ninetoothed.passes.lowering.rounding import hint_rounding
from ninetoothed.symbolic.expr import IndexExpr, const, fits, symbol_names
from ninetoothed.symbolic.intervals import Assumptions
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize

Dims = tuple[int, ...]
Term = tuple[bool, IndexExpr]
NO_LANES: Mapping[int, str] = {}


@dataclass(frozen=True)
class Lanes:
    """A value that varies along ``dims`` of a block, ascending; along none: a scalar."""

    value: SSAValue
    dims: Dims


def terms(expr: IndexExpr) -> list[Term]:
    """The terms of a sum; True marks subtracted ones."""
    if expr.op == "add":
        return [*terms(expr.args[0]), *terms(expr.args[1])]
    if expr.op == "sub":
        negated = [(not minus, term) for minus, term in terms(expr.args[1])]
        return [*terms(expr.args[0]), *negated]
    if expr.op == "neg":
        return [(not minus, term) for minus, term in terms(expr.args[0])]
    return [(False, expr)]


@functools.cache
def _number(value: int, type: IntegerType) -> IntegerAttr:
    """An integer attribute, not verified: that takes longer than building the op around it."""
    return IntegerAttr(value, type)


class Arithmetic:
    """Builder of integer arithmetic of one type at one place."""

    def __init__(self, inserter: Inserter, type: IntegerType) -> None:
        self.inserter = inserter
        self.type = type

    def constant(self, value: int, shape: Sequence[int] = ()) -> SSAValue:
        """A constant, or a block of it."""
        if not shape:
            return self.inserter.add(arith.ConstantOp(_number(value, self.type)))
        type = tt.tensor_of(self.type, shape)
        return self.inserter.add(arith.ConstantOp(splat(value, type), type))

    def resized(self, value: SSAValue) -> SSAValue:
        """A signed integer, cast to this type."""
        scalar = tt.scalar_of(value.type)
        assert isinstance(scalar, IntegerType)
        if scalar == self.type:
            return value
        narrow = cast("IntegerType", scalar).width.data < self.type.width.data
        op = tt.ExtSIOp if narrow else tt.TruncIOp
        return self.inserter.add(op(value, tt.block_of(tt.shape_of(value.type), self.type)))


_SIMPLE: dict[str, Callable[[SSAValue, SSAValue], Operation]] = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
}


class IndexLowering:
    """Lowering of the index expressions of one access to a block of ``shape``, at its place; common
    subexpressions are computed once.

    ``values``: the values of symbols; ``lanes``: which of them are the indices of dims.
    ``divisors``: powers of two that divide symbols, for facts of alignment that Triton does not
    find by itself; None: leave them out. A sum adds terms with symbols of ``local``, which may vary
    in a loop, behind the others, so that these can be hoisted. By expressions over symbols of
    ``host`` it is divided with reciprocals, which the host computes.
    """

    def __init__(
        self,
        here: Arithmetic,
        values: Mapping[str, Lanes],
        shape: tuple[int, ...],
        local: frozenset[str],
        assumptions: Assumptions,
        lanes: Mapping[int, str] = NO_LANES,
        divisors: Mapping[str, int] | None = None,
        host: frozenset[str] = frozenset(),
    ) -> None:
        self.here = here
        self.values = values
        self.shape = shape
        self.local = local
        self.assumptions = assumptions
        self.lanes = lanes
        self.divisors = divisors
        self.host = host
        self._lowered: dict[IndexExpr, Lanes] = {}
        self._along: dict[tuple[Lanes, Dims], SSAValue] = {}

    def is_local(self, expr: IndexExpr) -> bool:
        """True if ``expr`` may vary in a loop."""
        return not self.local.isdisjoint(symbol_names(expr))

    def dims_of(self, expr: IndexExpr) -> Dims:
        """The dims that ``expr`` varies along."""
        return tuple(sorted({dim for name in symbol_names(expr) for dim in self.symbol(name).dims}))

    def symbol(self, name: str) -> Lanes:
        """The value of a symbol.

        Raises:
            CompilerError: nothing gives it one.
        """
        found = self.values.get(name)
        if found is None:
            raise fail(
                self.here.inserter.origin,
                f"{name} is neither an index nor a symbol that the kernel declares",
                CompilerError,
            )
        return found

    def lower(self, expr: IndexExpr) -> Lanes:
        """The value of ``expr``."""
        if expr not in self._lowered:
            self._lowered[expr] = self._lower(expr)
        return self._lowered[expr]

    def _lower(self, expr: IndexExpr) -> Lanes:
        if expr.value is not None:
            return self.number(expr.value)
        if expr.op == "sym":
            return self.symbol(expr.args[0])
        if expr.op in ("add", "sub", "neg"):
            return self.sum(terms(expr))
        if self._has_reciprocal(expr):
            return self._multiply(expr)
        left, right = (self.lower(operand) for operand in expr.args)
        if expr.op in _SIMPLE:
            return self.combine(_SIMPLE[expr.op], left, right)
        return self._divide(expr, left, right)

    def number(self, value: int) -> Lanes:
        """A constant.

        Raises:
            ArrangementError: integers of this width do not hold it.
        """
        self.check(value)
        return Lanes(self.here.constant(value), ())

    def check(self, value: int) -> None:
        """Check that integers of this width hold ``value``.

        Raises:
            ArrangementError: they do not.
        """
        bits = self.here.type.width.data
        if not fits(const(value), bits):
            raise fail(
                self.here.inserter.origin,
                f"an index is computed with {value}, which {bits} bits do not hold, in which "
                "tensors of these sizes are computed with; arrange by smaller strides, dilations "
                "and pads",
                ArrangementError,
            )

    def sum(self, items: Sequence[Term]) -> Lanes:
        """A sum, fewest dims first and loop-invariant terms before others."""

        def order(item: Term) -> tuple[int, Dims, bool, bool, bool]:
            minus, term = item
            dims = self.dims_of(term)
            # If all are subtracted, a number leads: -1 - x.
            return len(dims), dims, self.is_local(term), minus, minus and term.value is None

        # Group by dims, each group summed apart, so that rows and columns meet once.
        groups: dict[tuple[Dims, bool], Lanes] = {}
        for minus, term in sorted(items, key=order):
            key = (self.dims_of(term), self.is_local(term))
            before = groups.get(key)
            if before is None and minus and term.value is not None:
                groups[key] = self.number(-term.value)
                continue
            lanes = self.lower(term)
            if before is None:
                groups[key] = self.combine(arith.SubiOp, self.number(0), lanes) if minus else lanes
            else:
                op = arith.SubiOp if minus else arith.AddiOp
                groups[key] = self.combine(op, before, lanes)
        if not groups:
            return self.number(0)
        return functools.reduce(functools.partial(self.combine, arith.AddiOp), groups.values())

    def _has_reciprocal(self, expr: IndexExpr) -> bool:
        """True for the quotient or remainder of a number that is at least 0 by one of the host."""
        return (
            expr.op in ("floordiv", "mod")
            and expr.args[1].value is None
            and self.host.issuperset(symbol_names(expr.args[1]))
            and always_nonnegative(expr.args[0], self.assumptions)
        )

    def _multiply(self, expr: IndexExpr) -> Lanes:
        """A quotient or remainder, computed with the divisor's reciprocal. Triton does not see how
        it is aligned.
        """
        dividend, divisor = (self.lower(operand) for operand in expr.args)
        if expr.op == "floordiv":
            op = nt.QuotientOp(dividend.value, nt.ExprAttr(expr.args[1]))
            found = Lanes(self.here.inserter.add(op), dividend.dims)
        else:
            # In normal form, a quotient that another dim of a flattened tensor is, too.
            quotient = self.lower(normalize(expr.args[0] // expr.args[1], self.assumptions))
            product = self.combine(arith.MuliOp, quotient, divisor)
            found = self.combine(arith.SubiOp, dividend, product)
        self._align(expr, found)
        return found

    def _divide(self, expr: IndexExpr, left: Lanes, right: Lanes) -> Lanes:
        """Floor division or modulo by a positive number.

        Triton's division rounds to zero, which is the same where the dividend is proved to be at
        least 0. Elsewhere the remainder's sign corrects it; not every target of Triton lowers
        ``arith.floordivsi``. There Triton is kept from mistaking what it rounds.
        """
        build = self.combine
        nonnegative = always_nonnegative(expr.args[0], self.assumptions)
        if expr.op == "ceildiv" and nonnegative:
            left = build(arith.AddiOp, left, build(arith.SubiOp, right, self.number(1)))
            return build(arith.DivSIOp, left, right)
        if nonnegative:
            return build(arith.DivSIOp if expr.op == "floordiv" else arith.RemSIOp, left, right)
        rest = build(arith.RemSIOp, left, right)
        hint_rounding(rest.value)
        signed = rest if expr.op != "ceildiv" else build(arith.SubiOp, self.number(0), rest)
        # All bits set where it is negative: -1.
        negative = build(arith.ShRSIOp, signed, self.number(self.here.type.width.data - 1))
        if expr.op == "mod":
            found = build(arith.AddiOp, rest, build(arith.AndIOp, negative, right))
        else:
            quotient = build(arith.DivSIOp, left, right)
            hint_rounding(quotient.value)
            correct = arith.AddiOp if expr.op == "floordiv" else arith.SubiOp
            found = build(correct, quotient, negative)
        self._align(expr, found)
        return found

    def _align(self, expr: IndexExpr, lanes: Lanes) -> None:
        """Tell Triton what it does not see: the alignment of a corrected quotient or remainder."""
        if self.divisors is None:
            return
        facts: list[Alignment] = []
        for dim in lanes.dims or (None,):
            own = None if dim is None else self.lanes.get(dim)
            count = 1 if dim is None else self.shape[dim]
            others = [
                name for name in symbol_names(expr) if name != own and dim in self.symbol(name).dims
            ]
            facts.append(alignment(expr, own, count, self.divisors, others))
        op = lanes.value.owner
        assert isinstance(op, Operation)
        for name in ("divisibility", "contiguity", "constancy"):
            numbers = [getattr(fact, name) for fact in facts]
            if max(numbers) > 1:
                op.attributes[f"tt.{name}"] = tt.hint_of(numbers)

    def combine(
        self, op: Callable[[SSAValue, SSAValue], Operation], left: Lanes, right: Lanes
    ) -> Lanes:
        """Apply a binary ``op``, along the dims of both operands."""
        dims = tuple(sorted({*left.dims, *right.dims}))
        one, two = (self.along(lanes, dims) for lanes in (left, right))
        return Lanes(self.here.inserter.add(op(one, two)), dims)

    def along(self, lanes: Lanes, dims: Dims) -> SSAValue:
        """Broadcast the value to a block over ``dims``."""
        if lanes.dims == dims:
            return lanes.value
        if (lanes, dims) not in self._along:
            self._along[lanes, dims] = self._broadcast(lanes, dims)
        return self._along[lanes, dims]

    def _broadcast(self, lanes: Lanes, dims: Dims) -> SSAValue:
        add = self.here.inserter.add
        shape = [self.shape[dim] for dim in dims]
        if not lanes.dims:
            return add(tt.SplatOp(lanes.value, shape))
        value = lanes.value
        for axis, dim in enumerate(dims):
            if dim not in lanes.dims:
                value = add(tt.ExpandDimsOp(value, axis))
        return add(tt.BroadcastOp(value, shape))


INDEX_TYPES = {32: i32, 64: IntegerType(64)}
