"""Accumulators: values that a loop carries, and only ever combines with something else.

What iterations combine one after the other may be combined in parts, if the function is associative
and nothing reads it before the loop ends.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.nt.types import Number
from ninetoothed.language.table import REDUCTIONS

IDEMPOTENT = frozenset(("maximum", "maximum_nan", "minimum", "minimum_nan", "and", "or"))
"""Functions of which a value that is combined twice counts once."""
_FUNCTIONS = IDEMPOTENT | {"add"}
_LEAST_BITS = 32


def accumulated(loop: scf.ForOp, place: int) -> str | None:
    """The function by which a loop combines what it carries at ``place`` with values that depend on
    nothing that it carries, of those that :func:`identity` knows or that are idempotent; None: it
    does something else with it.

    A value that has one use, and whose use has one, up to the loop's end, is part of nothing else.
    """
    function: str | None = None
    value: SSAValue = loop.body.block.args[1 + place]
    while True:
        uses = list(value.uses)
        if len(uses) != 1:
            return None
        op, index = uses[0].operation, uses[0].index
        name: str | None = None
        match op:
            case scf.YieldOp():
                ends = op.parent is loop.body.block and index == place
                return function if ends else None
            case nt.DotOp() if index == 2:
                name, value = "add", op.result
            case nt.ElementwiseOp() if op.function.data in _FUNCTIONS:
                name, value = op.function.data, op.result
            case nt.ElementwiseOp() if op.function.data == "sub" and index == 0:
                name, value = "add", op.result
            case scf.ForOp() if index >= (first := len(op.operands) - len(op.iter_args)):
                name, value = accumulated(op, index - first), op.results[index - first]
            case _:
                pass
        if name is None or function not in (None, name):
            return None
        function = name


def rounds(scalar: Attribute) -> bool:
    """True for floats in which parts do not add up: they are rounded, and overflow, by themselves."""
    return isinstance(scalar, AnyFloat) and scalar.bitwidth < _LEAST_BITS


def identity(reduction: str, scalar: Attribute) -> Number:
    """What leaves each number as it is, combined by the function of a reduction."""
    if reduction == "sum" and isinstance(scalar, AnyFloat):
        # Which leaves a zero its sign.
        return nt.number(-0.0, scalar)
    found = REDUCTIONS[reduction].identity
    assert found is not None
    return nt.number(found(nt.dtype_of(scalar)), scalar)
