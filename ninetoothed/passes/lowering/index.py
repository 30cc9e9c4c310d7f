"""Index expressions as Triton's integer arithmetic.

A value carries the dims of the block that it varies along and has only those: rows and columns are
computed as one-dimensional blocks, and broadcast where they meet. What no loop changes is computed
once, at the top of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32
from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt, tt
from ninetoothed.ir.index_bounds import Assumptions
from ninetoothed.ir.index_expr import IndexExpr, sym, symbol_names
from ninetoothed.ir.index_normal import always_nonnegative
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.passes.lowering.elementwise import splat

Dims = tuple[int, ...]
Term = tuple[bool, IndexExpr]


@dataclass(frozen=True)
class Lanes:
    """A value that varies along ``dims`` of a block, ascending; along none: a scalar."""

    value: SSAValue
    dims: Dims


def terms(expr: IndexExpr) -> list[Term]:
    """The terms of a sum; True marks those that are subtracted."""
    if expr.op == "add":
        return [*terms(expr.args[0]), *terms(expr.args[1])]
    if expr.op == "sub":
        negated = [(not minus, term) for minus, term in terms(expr.args[1])]
        return [*terms(expr.args[0]), *negated]
    if expr.op == "neg":
        return [(not minus, term) for minus, term in terms(expr.args[0])]
    return [(False, expr)]


class Arithmetic:
    """Builds integer arithmetic of one type at one place."""

    def __init__(self, inserter: Inserter, type: IntegerType) -> None:
        self.inserter = inserter
        self.type = type

    def constant(self, value: int, shape: Sequence[int] = ()) -> SSAValue:
        """A number, or a block of it."""
        if not shape:
            return self.inserter.add(arith.ConstantOp(IntegerAttr(value, self.type)))
        type = tt.tensor_of(self.type, shape)
        return self.inserter.add(arith.ConstantOp(splat(value, type), type))

    def resized(self, value: SSAValue) -> SSAValue:
        """A signed integer in this type."""
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
    """Lowers the index expressions of one access.

    ``leaves`` are the values that symbols stand for: scalars, but blocks of ``shape`` for those in
    ``coordinates``. ``block`` maps the block's index variables to their dims of ``shape``. Symbols in ``local`` are known at ``here`` only; expressions without
    them are built at ``top``.
    """

    def __init__(
        self,
        top: Arithmetic,
        here: Arithmetic,
        leaves: Callable[[str], SSAValue],
        shape: tuple[int, ...],
        block: Mapping[str, int],
        local: frozenset[str],
        assumptions: Assumptions,
        memo: dict[tuple[IndexExpr, tuple[int, ...], tuple[str, ...]], Lanes],
        coordinates: frozenset[str] = frozenset(),
    ) -> None:
        self.top = top
        self.here = here
        self.leaves = leaves
        self.shape = shape
        self.block = block
        self.local = local
        self.assumptions = assumptions
        self.memo = memo
        self.coordinates = coordinates

    def is_local(self, expr: IndexExpr) -> bool:
        """Whether ``expr`` is known at the access's own place only."""
        return any(name in self.local for name in symbol_names(expr))

    def dims_of(self, expr: IndexExpr) -> Dims:
        """The dims that ``expr`` varies along."""
        names = symbol_names(expr)
        if not self.coordinates.isdisjoint(names):
            return tuple(range(len(self.shape)))
        return tuple(sorted(self.block[name] for name in names if name in self.block))

    def place(self, expr: IndexExpr) -> Arithmetic:
        """Where ``expr`` is built."""
        return self.here if self.is_local(expr) else self.top

    def lower(self, expr: IndexExpr) -> Lanes:
        """The value of ``expr``."""
        used = tuple(name for name in symbol_names(expr) if name in self.block)
        key = (expr, tuple(self.shape[self.block[name]] for name in used), used)
        memo = self.memo if not self.is_local(expr) else None
        if memo is not None and key in memo:
            return Lanes(memo[key].value, self.dims_of(expr))
        lanes = self._build(expr)
        if memo is not None:
            memo[key] = lanes
        return lanes

    def _build(self, expr: IndexExpr) -> Lanes:
        place = self.place(expr)
        if expr.value is not None:
            return Lanes(place.constant(expr.value), ())
        if expr.op == "sym":
            return self._symbol(expr.args[0], place)
        if expr.op in ("add", "sub", "neg"):
            return self.sum(terms(expr))
        left, right = (self.lower(operand) for operand in expr.args)
        if expr.op in _SIMPLE:
            return self.combine(place, _SIMPLE[expr.op], left, right)
        return self._divide(place, expr, left, right)

    def _symbol(self, name: str, place: Arithmetic) -> Lanes:
        dim = self.block.get(name)
        if dim is None:
            return Lanes(self.leaves(name), self.dims_of(sym(name)))
        row = place.inserter.add(tt.MakeRangeOp(0, self.shape[dim]))
        row.name_hint = name
        return Lanes(place.resized(row), (dim,))

    def sum(self, items: Sequence[Term]) -> Lanes:
        """A sum, fewest dims first and what no loop changes before what one does."""

        def order(item: Term) -> tuple[int, Dims, bool, bool, bool]:
            minus, term = item
            dims = self.dims_of(term)
            # Where all are subtracted, a number leads: -1 - x.
            return len(dims), dims, self.is_local(term), minus, minus and term.value is None

        # Group by dims, each group summed apart, so that rows and columns meet once.
        groups: dict[tuple[Dims, bool], Lanes] = {}
        for minus, term in sorted(items, key=order):
            key = (self.dims_of(term), self.is_local(term))
            place = self.here if key[1] else self.top
            before = groups.get(key)
            if before is None and minus and term.value is not None:
                groups[key] = Lanes(place.constant(-term.value), ())
                continue
            lanes = self.lower(term)
            if before is None:
                if minus:
                    zero = Lanes(place.constant(0), ())
                    lanes = self.combine(place, arith.SubiOp, zero, lanes)
                groups[key] = lanes
            else:
                op = arith.SubiOp if minus else arith.AddiOp
                groups[key] = self.combine(place, op, before, lanes)
        result: Lanes | None = None
        local = False
        for (_, is_local), lanes in groups.items():
            local = local or is_local
            place = self.here if local else self.top
            result = lanes if result is None else self.combine(place, arith.AddiOp, result, lanes)
        return Lanes(self.top.constant(0), ()) if result is None else result

    def _divide(self, place: Arithmetic, expr: IndexExpr, left: Lanes, right: Lanes) -> Lanes:
        """Python's division by a positive number.

        Triton's rounds to zero, which is the same where the dividend is proved to be at least 0.
        Elsewhere the remainder's sign corrects it; ``arith.floordivsi`` would say so, but not every
        target of Triton lowers it.
        """

        def build(op: Callable[[SSAValue, SSAValue], Operation], one: Lanes, two: Lanes) -> Lanes:
            return self.combine(place, op, one, two)

        def number(value: int) -> Lanes:
            return Lanes(place.constant(value), ())

        nonnegative = always_nonnegative(expr.args[0], self.assumptions)
        if expr.op == "ceildiv" and nonnegative:
            left = build(arith.AddiOp, left, build(arith.SubiOp, right, number(1)))
            return build(arith.DivSIOp, left, right)
        if nonnegative:
            return build(arith.DivSIOp if expr.op == "floordiv" else arith.RemSIOp, left, right)
        rest = build(arith.RemSIOp, left, right)
        signed = rest if expr.op != "ceildiv" else build(arith.SubiOp, number(0), rest)
        # All bits set where it is negative: -1.
        negative = build(arith.ShRSIOp, signed, number(self.top.type.width.data - 1))
        if expr.op == "mod":
            return build(arith.AddiOp, rest, build(arith.AndIOp, negative, right))
        quotient = build(arith.DivSIOp, left, right)
        correct = arith.AddiOp if expr.op == "floordiv" else arith.SubiOp
        return build(correct, quotient, negative)

    def combine(
        self,
        place: Arithmetic,
        op: Callable[[SSAValue, SSAValue], Operation],
        left: Lanes,
        right: Lanes,
    ) -> Lanes:
        """``op`` of both, along the dims of either."""
        dims = tuple(sorted({*left.dims, *right.dims}))
        one, two = (self.along(place, lanes, dims) for lanes in (left, right))
        return Lanes(place.inserter.add(op(one, two)), dims)

    def along(self, place: Arithmetic, lanes: Lanes, dims: Dims) -> SSAValue:
        """The value as a block over ``dims``."""
        if lanes.dims == dims:
            return lanes.value
        shape = [self.shape[dim] for dim in dims]
        if not lanes.dims:
            return place.inserter.add(tt.SplatOp(lanes.value, shape))
        value = lanes.value
        for axis, dim in enumerate(dims):
            if dim not in lanes.dims:
                value = place.inserter.add(tt.ExpandDimsOp(value, axis))
        if list(tt.shape_of(value.type)) == shape:
            return value
        return place.inserter.add(tt.BroadcastOp(value, shape))


class SizeLeaves:
    """The kernel's sizes and strides as scalars, each read once at the top."""

    def __init__(self, top: Arithmetic) -> None:
        self.top = top
        self.known: dict[IndexExpr, SSAValue] = {}

    def of(self, symbol: IndexExpr) -> SSAValue:
        """The scalar of a symbol."""
        found = self.known.get(symbol)
        if found is None:
            found = self.top.inserter.add(nt.SizeOp(nt.ExprAttr(symbol), self.top.type))
            found.name_hint = symbol.args[0]
            self.known[symbol] = found
        return found


INDEX_TYPES = {32: i32, 64: IntegerType(64)}
