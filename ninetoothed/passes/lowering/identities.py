"""Lanes that must not count: which operands combine lanes, and how their identity gets into them."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.language.table import REDUCTIONS


def constant_value(value: SSAValue) -> int | float | None:
    """The number that a scalar constant holds; None for anything else."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, FloatAttr | IntegerAttr):
        data: int | float = owner.value.value.data
        return data
    return None


def combined_operands(op: Operation) -> Iterator[tuple[int, int, float | int]]:
    """The operands whose lanes ``op`` combines: index, dim, and the identity."""
    if isinstance(op, nt.ReduceOp):
        identity = REDUCTIONS[op.function.data].identity
        assert identity is not None
        yield 0, op.dim, identity(nt.dtype_of(op.value.type))
    elif isinstance(op, nt.DotOp):
        yield 0, 1, 0
        yield 1, 0, 0


def fill(value: SSAValue, identity: float | int) -> bool:
    """Let the unspecified lanes of a load read ``identity``; whether they do.

    A conversion between floats, or of a zero, keeps the identity, so the load may lie behind one.
    """
    owner = value.owner
    if isinstance(owner, nt.CastOp):
        source, target = nt.scalar_of(owner.value.type), nt.scalar_of(value.type)
        # An eight-bit float may have no infinity.
        floats = (
            isinstance(source, AnyFloat) and source.bitwidth >= 16 and isinstance(target, AnyFloat)
        )
        exact = identity == 0 or (floats and identity in (float("inf"), float("-inf")))
        return exact and fill(owner.value, identity)
    if not isinstance(owner, nt.LoadOp):
        return False
    wanted = nt.number(identity, nt.scalar_of(value.type))
    if owner.other is None:
        owner.other = wanted
    return owner.other == wanted


def select(inserter: Inserter, bits: SSAValue, value: SSAValue, identity: float | int) -> SSAValue:
    """``value`` where ``bits`` are set, else ``identity``."""
    constant = inserter.add(arith.ConstantOp(nt.number(identity, nt.scalar_of(value.type))))
    full = inserter.add(nt.FullOp(constant, value.type))
    return inserter.add(nt.MapOp("where", [bits, value, full], value.type))
