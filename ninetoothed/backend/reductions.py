"""Reductions and scans in Triton-Python: Triton's own where it has one that does not widen its
operand, else with a function that combines.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, BFloat16Type, IntegerType
from xdsl.ir import Attribute

from ninetoothed.ir import tt

_REDUCTIONS = {
    "arith.addf": "tl.sum",
    "arith.addi": "tl.sum",
    "arith.maxnumf": "tl.max",
    "arith.maxsi": "tl.max",
    "arith.minnumf": "tl.min",
    "arith.minsi": "tl.min",
    "arith.xori": "tl.xor_sum",
}
_SCANS = {
    "arith.addf": "tl.cumsum",
    "arith.addi": "tl.cumsum",
    "arith.mulf": "tl.cumprod",
    "arith.muli": "tl.cumprod",
}


def common_combination(op: tt.ReduceOp | tt.ScanOp) -> str | None:
    """The function of Triton that combines as ``op`` does, in the same element type."""
    block = op.combine.block
    first = block.first_op
    if len(op.srcs) != 1 or first is None or first.next_op is not block.last_op:
        return None
    if set(first.operands) != set(block.args) or len(first.results) != 1:
        return None
    if list(block.ops)[-1].operands[0] != first.results[0]:
        return None
    found = (_REDUCTIONS if isinstance(op, tt.ReduceOp) else _SCANS).get(first.name)
    keeps = found is not None and _keeps_type(found, tt.scalar_of(op.srcs[0].type))
    return found if keeps else None


def _keeps_type(function: str, scalar: Attribute) -> bool:
    """Whether Triton 3.6 and 3.9 combine in ``scalar``."""
    if function == "tl.xor_sum":
        return True
    if isinstance(scalar, IntegerType):
        return scalar.bitwidth >= 32
    if function == "tl.sum":
        return True
    if function in ("tl.cumsum", "tl.cumprod"):
        return not isinstance(scalar, BFloat16Type)
    return isinstance(scalar, AnyFloat) and scalar.bitwidth >= 32


def fold_text(op: tt.ReduceOp | tt.ScanOp, operands: Sequence[str], helper: str | None) -> str:
    """The call; ``helper`` is the function that combines, where Triton has none."""
    axis = op.axis.value.data
    reverse = ", reverse=True" if isinstance(op, tt.ScanOp) and op.reverse else ""
    values = operands[0] if len(operands) == 1 else f"({', '.join(operands)})"
    if helper is None:
        return f"{common_combination(op)}({values}, axis={axis}{reverse})"
    function = "tl.reduce" if isinstance(op, tt.ReduceOp) else "tl.associative_scan"
    return f"{function}({values}, {axis}, {helper}{reverse})"
