"""Combinations that Triton has a reduction for, one that does not widen its operand."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute

from ninetoothed.ir import tt

COMMON = {
    "arith.addf": "tl.sum",
    "arith.addi": "tl.sum",
    "arith.maxnumf": "tl.max",
    "arith.maxsi": "tl.max",
    "arith.minnumf": "tl.min",
    "arith.minsi": "tl.min",
    "arith.xori": "tl.xor_sum",
}
"""Triton's reduction for each combination of one op."""


def common_combination(op: tt.ReduceOp) -> str | None:
    """The key of :data:`COMMON` that ``op`` combines with, if Triton's reduction is the same."""
    block = op.combine.block
    first = block.first_op
    if len(op.srcs) != 1 or first is None or first.next_op is not block.last_op:
        return None
    if first.name not in COMMON or set(first.operands) != set(block.args):
        return None
    if list(block.ops)[-1].operands[0] != first.results[0]:
        return None
    return first.name if _keeps_type(first.name, tt.scalar_of(op.srcs[0].type)) else None


def _keeps_type(name: str, scalar: Attribute) -> bool:
    """Whether Triton reduces in ``scalar``: narrow integers, and what it compares, it widens."""
    if name in ("arith.addf", "arith.xori"):
        return True
    return isinstance(scalar, AnyFloat | IntegerType) and scalar.bitwidth >= 32
