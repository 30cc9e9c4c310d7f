"""Identities: the operands that combine lanes, and how the identity is filled into them."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.language import rules
from ninetoothed.language.table import REDUCTIONS, SCANS


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


def _source(value: SSAValue, identity: float | int) -> nt.TileRead | None:
    """The read that ``value`` is, maybe through casts that keep ``identity``: those between floats
    keep infinities, and all keep a zero.
    """
    owner = value.owner
    while isinstance(owner, nt.CastOp):
        source, target = nt.scalar_of(owner.value.type), nt.scalar_of(owner.result.type)
        # An eight-bit float may have no infinity.
        floats = (
            isinstance(source, AnyFloat) and source.bitwidth >= 16 and isinstance(target, AnyFloat)
        )
        if identity != 0 and not (floats and identity in (float("inf"), float("-inf"))):
            return None
        owner = owner.value.owner
    return owner if isinstance(owner, nt.TileRead) else None


def fill(value: SSAValue, identity: float | int) -> bool:
    """Make ``identity`` the ``other`` of a tile's load if possible; true if its lanes read it."""
    read = _source(value, identity)
    if read is not None and read.other is None:
        read.other = nt.number(identity, nt.scalar_of(read.result.type))
    return reads_identity(value, identity)


def reads_identity(value: SSAValue, identity: float | int) -> bool:
    """True if the lanes of a tile's load that are not valid read ``identity``."""
    read = _source(value, identity)
    return read is not None and read.other == nt.number(identity, nt.scalar_of(read.result.type))


def select(inserter: Inserter, bits: SSAValue, value: SSAValue, identity: float | int) -> SSAValue:
    """Select ``value`` where ``bits`` are set, else ``identity``."""
    constant = inserter.add(nt.constant(nt.number(identity, nt.scalar_of(value.type))))
    full = inserter.add(nt.FullOp(constant, value.type))
    return inserter.add(nt.ElementwiseOp("where", [bits, value, full], value.type))
