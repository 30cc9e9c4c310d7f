"""Facts of floats: what is finite, and what is larger than -inf."""

from __future__ import annotations

import math

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, OpResult, SSAValue

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.scalars import constant_value, repeated


def filled_constant(value: SSAValue) -> int | float | None:
    """The number that a value has in all lanes; None: it is not known."""
    return constant_value(repeated(value))


def is_finite(value: SSAValue) -> bool:
    """True for a finite constant, and for ``exp(a - maximum(a, b))``, by which an online softmax
    scales: 0 to 1, or NaN.
    """
    number = filled_constant(value)
    if number is not None:
        return math.isfinite(number)
    power = value.owner
    if not isinstance(power, nt.ElementwiseOp) or power.function.data not in ("exp", "exp2"):
        return False
    difference = power.arguments[0].owner
    if not isinstance(difference, nt.ElementwiseOp) or difference.function.data != "sub":
        return False
    one, largest = difference.arguments
    owner = largest.owner
    return (
        isinstance(owner, nt.ElementwiseOp)
        and owner.function.data in ("maximum", "maximum_nan")
        and one in owner.arguments
    )


def exceeds_minus_infinity(value: SSAValue, assumed: frozenset[SSAValue] = frozenset()) -> bool:
    """True if a value is a number larger than -inf in all lanes, and no NaN: a constant, a maximum
    of one, or what a loop carries that begins with one and takes maxima of it. ``assumed``: values
    that are.
    """
    number = filled_constant(value)
    if number is not None:
        return number > -math.inf
    if value in assumed:
        return True
    owner = value.owner
    if isinstance(owner, nt.FullOp | nt.ExpandDimsOp | nt.BroadcastOp):
        return exceeds_minus_infinity(owner.value, assumed)
    if isinstance(owner, nt.ElementwiseOp):
        # A NaN beside a number is left out.
        return owner.function.data == "maximum" and any(
            exceeds_minus_infinity(one, assumed) for one in owner.arguments
        )
    loop = owner.parent_op() if isinstance(value, BlockArgument) else owner
    if not isinstance(loop, scf.ForOp):
        return False
    assert isinstance(value, BlockArgument | OpResult)
    place = value.index - 1 if isinstance(value, BlockArgument) else value.index
    if place < 0:
        return False
    carried, end = loop.body.block.args[1 + place], loop.body.block.last_op
    assert end is not None
    return exceeds_minus_infinity(loop.iter_args[place], assumed) and exceeds_minus_infinity(
        end.operands[place], assumed | {carried}
    )
