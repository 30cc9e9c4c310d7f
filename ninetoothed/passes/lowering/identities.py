"""Identities: the operands that combine lanes, and how the identity is filled into them."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.nt.types import Number
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.language import rules
from ninetoothed.language.table import REDUCTIONS, SCANS
from ninetoothed.passes.analysis.float_facts import exceeds_minus_infinity
from ninetoothed.passes.lowering import masks


def combined_operands(op: Operation) -> Iterator[tuple[int, int, float | int]]:
    """The operands whose lanes ``op`` combines: index, dim, and the identity."""
    if isinstance(op, nt.ReduceOp | nt.ScanOp):
        table = REDUCTIONS if isinstance(op, nt.ReduceOp) else SCANS
        identity = table[op.function.data].identity
        assert identity is not None
        yield 0, op.dim, identity(nt.dtype_of(op.value.type))
    elif isinstance(op, nt.SortOp):
        # The extreme sorts behind all other lanes.
        last = rules.lowest if op.falls else rules.highest
        yield 0, op.dim, last(nt.dtype_of(op.value.type))
    elif isinstance(op, nt.DotOp):
        rank = len(nt.shape_of(op.a.type))
        yield 0, rank - 1, 0
        yield 1, rank - 2, 0
    elif isinstance(op, nt.DotScaledOp):
        yield from _scaled(op)


def padded_operands(op: Operation) -> Iterator[tuple[int, int, float | int]]:
    """Those of :func:`combined_operands` whose padded lanes ``op`` combines with others."""
    # A forward scan combines no lane with those behind it.
    if not (isinstance(op, nt.ScanOp) and not op.reversed):
        yield from combined_operands(op)


def _scaled(op: nt.DotScaledOp) -> Iterator[tuple[int, int, float | int]]:
    index = 3
    for position, side in enumerate(op.sides):
        yield position, side.k, 0
        if side.scale is not None:
            # The factor 1: any but 255, a NaN.
            yield index, len(nt.shape_of(side.scale.type)) - 1, 127
            index += 1


def source(value: SSAValue, identity: float | int) -> tuple[nt.TileRead, Number] | None:
    """The read that ``value`` is computed from lane by lane, and the ``other`` by which lanes that it
    does not read make ``identity``; None where there is no such read, or no such number.
    """
    while not isinstance(value.owner, nt.TileRead):
        found = _operand(value.owner, identity)
        if found is None:
            return None
        value, identity = found
    return value.owner, nt.number(identity, nt.scalar_of(value.type))


def _operand(op: Operation | Block, number: float | int) -> tuple[SSAValue, float | int] | None:
    """The operand of ``op``, and what it holds where the result is ``number``."""
    infinities = (float("inf"), float("-inf"))
    if isinstance(op, nt.CastOp):
        # Casts between floats keep infinities, and all keep a zero.
        kept = number == 0 or (number in infinities and _has_infinity(op.value, op.result))
        return (op.value, number) if kept else None
    if not isinstance(op, nt.ElementwiseOp):
        return None
    first, *others = op.arguments
    match op.function.data:
        case "mul" if number == 0 and others[0] is first:
            return first, 0
        case "exp" | "exp2" if number == 0 and _has_infinity(first):
            return first, float("-inf")
        case "sub" if (
            number == float("-inf") and _has_infinity(first) and exceeds_minus_infinity(others[0])
        ):
            return first, number
        case _:
            return None


def _has_infinity(*values: SSAValue) -> bool:
    """True if all are floats that have infinities: those of eight bits may have none."""
    scalars = (nt.scalar_of(value.type) for value in values)
    return all(isinstance(one, AnyFloat) and one.bitwidth >= 16 for one in scalars)


def fill(value: SSAValue, identity: float | int) -> bool:
    """Let lanes that are not valid hold ``identity``, by the ``other`` of the load that they are
    computed from, if possible; true if they do.
    """
    found = source(value, identity)
    if found is None:
        return False
    read, other = found
    if read.other is None:
        read.other = other
    return read.other == other


def select(inserter: Inserter, bits: SSAValue, value: SSAValue, identity: float | int) -> SSAValue:
    """Select ``value`` where ``bits`` are set, else ``identity``."""
    constant = inserter.add(nt.constant(nt.number(identity, nt.scalar_of(value.type))))
    others = masks.everywhere(inserter, constant, value.type)
    return inserter.add(nt.ElementwiseOp("where", [bits, value, others], value.type))
