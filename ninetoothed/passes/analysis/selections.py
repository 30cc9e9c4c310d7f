"""Selections: what a loop carries of the first largest, or least, that it has met, as an argmax does.

    found = x > largest
    largest, index = where(found, x, largest), where(found, i, index)

The largest of all is the largest of those of two parts of the iterations, the first part's where
neither is larger, if each part begins with the same values. A NaN may be larger than every number:
``(x > largest) | ((x != x) & (largest == largest))``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import SSAValue

from ninetoothed.ir import nt

_STRICT = ("gt", "lt")


@dataclass(frozen=True)
class Selected:
    """What is carried of the first value that is ``found``: ``ops`` compute that, in order, of
    ``value``, and of ``kept``, which the loop carries at ``place``.
    """

    place: int
    value: SSAValue
    kept: SSAValue
    found: SSAValue
    ops: tuple[nt.ElementwiseOp, ...]


def selected(loop: scf.ForOp) -> Selected | None:
    """How a loop selects all that it carries; None: it does something else."""
    args, end = loop.body.block.args[1:], loop.body.block.last_op
    assert isinstance(end, scf.YieldOp)
    choices = [choice for value in end.operands if (choice := _elementwise(value, "where"))]
    if len(choices) < len(args) or len({choice.operands[0] for choice in choices}) != 1:
        return None
    found = choices[0].operands[0]
    shapes = {nt.shape_of(value.type) for value in (found, *args)}
    kept = [choice.operands[2] for choice in choices]
    if kept != [*args] or len(shapes) != 1:
        return None
    for place, (arg, choice) in enumerate(zip(args, choices, strict=True)):
        ops = _comparison(found, choice.operands[1], arg)
        if ops is not None and _is_alone(args, choices, arg, ops):
            return Selected(place, choice.operands[1], arg, found, ops)
    return None


def _is_alone(
    args: Sequence[SSAValue],
    choices: Sequence[nt.ElementwiseOp],
    compared: SSAValue,
    ops: Sequence[nt.ElementwiseOp],
) -> bool:
    """True if nothing but the choices depends on what is carried: so nothing that is chosen does."""
    for arg, choice in zip(args, choices, strict=True):
        uses = {(use.operation, use.index) for use in arg.uses} - {(choice, 2)}
        if any(arg is not compared or op not in ops for op, _ in uses):
            return False
        if len(list(choice.result.uses)) != 1:
            return False
    uses = [use for op in ops for use in op.result.uses]
    return all(
        use.operation in ops or (use.operation in choices and use.index == 0) for use in uses
    )


def _comparison(
    found: SSAValue, value: SSAValue, kept: SSAValue
) -> tuple[nt.ElementwiseOp, ...] | None:
    """The ops that say that a value is larger, or less, than what was kept; None: others do."""
    if strict := _elementwise(found, *_STRICT, of=(value, kept)):
        return (strict,)
    either = _elementwise(found, "or")
    for first, second in _either_way(either):
        strict, both = _elementwise(first, *_STRICT, of=(value, kept)), _elementwise(second, "and")
        for one, two in _either_way(both):
            is_nan = _elementwise(one, "ne", of=(value, value))
            is_number = _elementwise(two, "eq", of=(kept, kept))
            if either and strict and both and is_nan and is_number:
                return (strict, is_nan, is_number, both, either)
    return None


def _elementwise(
    value: SSAValue, *functions: str, of: Sequence[SSAValue] | None = None
) -> nt.ElementwiseOp | None:
    """The op of one of some functions that gives a value, of these operands in any order."""
    op = value.owner
    if not isinstance(op, nt.ElementwiseOp) or op.function.data not in functions:
        return None
    return op if of is None or sorted(map(id, op.operands)) == sorted(map(id, of)) else None


def _either_way(op: nt.ElementwiseOp | None) -> list[tuple[SSAValue, SSAValue]]:
    """The two operands of an op, in both orders."""
    if op is None:
        return []
    one, two = op.operands
    return [(one, two), (two, one)]
