"""Arithmetic in 32 bits for tensors that 32 bits do not reach: what is proved to fit.

A program's number is below 2^31, since no device takes more, and so is each number of programs that
it is divided by: it is a factor of how many programs run, and one of them does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import tt
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.alignment import alignment
from ninetoothed.passes.lowering.index import Arithmetic, IndexLowering, Lanes, Term, terms
from ninetoothed.symbolic.divisibility import MULTIPLE, known_divisor
from ninetoothed.symbolic.expr import (
    IndexExpr,
    binary,
    const,
    divisions,
    factors,
    fits,
    product,
    sym,
    symbol_names,
)
from ninetoothed.symbolic.intervals import Range, bounds
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize


def program_index(
    lowering: IndexLowering, index: IndexExpr, sizes: Sequence[IndexExpr], program: SSAValue
) -> Lanes:
    """An outermost index of program ``pid``, computed in 32 bits where it is made of divisions by
    numbers of programs.

    ``sizes``: of the outermost level. ``program``: that number in 32 bits.
    """
    ends = range(len(sizes) + 1)
    counts = {normalize(product(tuple(sizes[start:end]))) for end in ends for start in range(end)}
    names: dict[IndexExpr, str] = {}
    divided = _divided(index, counts, names)
    if divided is None or divided.op == "sym":
        return lowering.lower(index)
    inserter = lowering.here.inserter
    narrow = Arithmetic(inserter, i32)
    values = {name: lowering.lower(count) for count, name in names.items()}
    scalars = {name: Lanes(narrow.resized(lanes.value), ()) for name, lanes in values.items()}
    scalars["pid"] = Lanes(program, ())
    below = IndexLowering(narrow, scalars, (), frozenset(), {"pid": Range.of(0)})
    return Lanes(lowering.here.resized(below.lower(divided).value), ())


def _divided(
    expr: IndexExpr, counts: set[IndexExpr], names: dict[IndexExpr, str]
) -> IndexExpr | None:
    """Quotients and remainders of ``pid``, with names for the counts; None if there is more."""
    if expr.op == "sym" and expr.args[0] == "pid":
        return expr
    if expr.op not in ("floordiv", "mod"):
        return None
    divisor = expr.args[1]
    dividend = _divided(expr.args[0], counts, names)
    if dividend is None or "pid" in symbol_names(divisor) or divisor not in counts:
        return None
    if not fits(divisor, i32.width.data):
        return None
    if divisor.value is None:
        divisor = sym(names.setdefault(divisor, f"count{len(names)}"))
    return binary(expr.op, dividend, divisor)


def narrow_sides(
    lowering: IndexLowering,
    guard: Guard,
    offset: IndexExpr,
    rows: Mapping[str, Lanes],
    lanes: int,
) -> tuple[Lanes, Lanes] | None:
    """Two numbers of 32 bits, the first below the second where the guard's index, which is at least
    0, is below its size: the part of the index that varies along lanes, and what the rest leaves of
    the size. None where these are not known to fit, or are no fewer instructions.

    ``offset``: of the access. ``rows``: the indices of the block's dims, in 32 bits. ``lanes``: how
    many are moved at once, at most.
    """
    names = set(symbol_names(guard.index))
    # An index that is divided is computed in 64 bits anyhow.
    if lowering.divisors is None or names & _divided_symbols(offset):
        return None
    if known_divisor(guard.size, lowering.divisors) >= min(lanes, MULTIPLE) and (
        lowering.is_local(guard.index) or names & _contiguous(lowering, offset)
    ):
        # Lanes that are moved at once are compared once, and what is left of a size that a loop
        # changes costs as much.
        return None
    if lowering.dims_of(guard.size):
        return None
    ranges = lowering.assumptions
    along, rest = const(0), guard.size
    for minus, term in terms(normalize(guard.index)):
        if not lowering.dims_of(term):
            rest = rest + term if minus else rest - term
        elif _is_multiple_of(term, rows):
            along = along - term if minus else along + term
        else:
            return None
    along, rest = normalize(along), normalize(rest)
    low, high = bounds(along, ranges)
    if along.value is not None or low is None or high is None:
        return None
    ends = const(low), const(high + 1)
    if not all(fits(end, i32.width.data) for end in ends) or not fits(along, i32.width.data):
        return None
    if not always_nonnegative(rest - low, ranges):
        return None
    # How far the size is beyond all lanes does not matter.
    left = lowering.combine(arith.MinSIOp, _difference(lowering, rest), lowering.number(high + 1))
    narrow = Arithmetic(lowering.here.inserter, i32)
    left = Lanes(narrow.resized(left.value), ())
    divisor = min(known_divisor(one, lowering.divisors) for one in (rest, *ends))
    if divisor > 1:
        # Triton does not look through minima.
        op = left.value.owner
        assert isinstance(op, Operation)
        op.attributes["tt.divisibility"] = tt.hint_of([divisor])
    below = IndexLowering(narrow, rows, lowering.shape, frozenset(), ranges)
    return below.lower(along), left


def _difference(lowering: IndexLowering, rest: IndexExpr) -> Lanes:
    """What a loop changes, subtracted from what it does not."""
    fixed: list[Term] = []
    local: list[Term] = []
    for minus, term in terms(rest):
        if lowering.is_local(term):
            local.append((not minus, term))
        else:
            fixed.append((minus, term))
    if not local:
        return lowering.sum(fixed)
    return lowering.combine(arith.SubiOp, lowering.sum(fixed), lowering.sum(local))


def _is_multiple_of(term: IndexExpr, rows: Mapping[str, Lanes]) -> bool:
    """True for the index of a dim times a number."""
    return all(
        factor.value is not None or (factor.op == "sym" and factor.args[0] in rows)
        for factor in factors(term)
    )


def _divided_symbols(expr: IndexExpr) -> set[str]:
    """The symbols in dividends of quotients and remainders."""
    return {name for one in divisions(expr) for name in symbol_names(one.operands[0])}


def _contiguous(lowering: IndexLowering, offset: IndexExpr) -> set[str]:
    """The lanes along which memory is contiguous, at least pairwise."""
    divisors = lowering.divisors or {}
    return {
        name
        for dim, name in lowering.lanes.items()
        if alignment(offset, name, lowering.shape[dim], divisors).contiguity > 1
    }
