"""What moves lanes."""

from __future__ import annotations

from typing import Any

from ninetoothed.backend.expression import POSTFIX, Expr, exact, shape_text
from ninetoothed.backend.spelling.operands import Operands, Spelling, scalar_of
from ninetoothed.ir import tt


def _same(operands: Operands, op: tt.SplatOp | tt.BroadcastOp) -> Expr:
    return operands.expr(op.src)


def _expand_dims(operands: Operands, op: tt.ExpandDimsOp) -> Expr:
    operand, axis = operands.expr(op.src), op.axis.value.data
    if not operand.shape:
        return operand
    shape = [*operand.shape]
    shape.insert(axis, 1)
    index = [":"] * len(shape)
    index[axis] = "None"
    text = f"{operand.at(POSTFIX)}[{', '.join(index)}]"
    return Expr(text, POSTFIX, tuple(shape), operand.scalar)


def transposition(op: tt.TransOp) -> tuple[int, ...]:
    """The dim of the operand that each dim of the result is."""
    order: Any = op.order
    return tuple(order.get_values())


def _trans(operands: Operands, op: tt.TransOp) -> Expr:
    operand = operands.expr(op.src)
    if not operand.shape:
        return operand
    order = transposition(op)
    shape = tuple(operand.shape[dim] for dim in order)
    if order == (1, 0):
        return Expr(f"tl.trans({operand.text})", POSTFIX, shape, operand.scalar)
    text = f"tl.permute({operand.text}, {shape_text(order)})"
    return Expr(text, POSTFIX, shape, operand.scalar)


def _gather(operands: Operands, op: tt.GatherOp) -> Expr:
    shape = tt.shape_of(op.indices.type)
    src = exact(operands.expr(op.src), tt.shape_of(op.src.type))
    indices = exact(operands.expr(op.indices), shape)
    text = f"tl.gather({src.text}, {indices.text}, axis={op.axis.value.data})"
    return Expr(text, POSTFIX, shape, scalar_of(op))


def _reshape(operands: Operands, op: tt.ReshapeOp) -> Expr:
    operand, shape = operands.expr(op.src), tt.shape_of(op.result.type)
    if not operand.shape:
        return operand
    operand = exact(operand, tt.shape_of(op.src.type))
    text = f"tl.reshape({operand.text}, {shape_text(shape)})"
    return Expr(text, POSTFIX, shape, operand.scalar)


def _unsplat(operands: Operands, op: tt.UnsplatOp) -> Expr:
    operand = operands.expr(op.src)
    if not operand.shape:
        return operand
    return Expr(f"tl.reshape({operand.text}, ())", POSTFIX, (), operand.scalar)


def _join(operands: Operands, op: tt.JoinOp) -> Expr:
    shape = tt.shape_of(op.lhs.type)
    left, right = (exact(operands.expr(value), shape).text for value in (op.lhs, op.rhs))
    return Expr(f"tl.join({left}, {right})", POSTFIX, (*shape, 2), scalar_of(op))


def _split(operands: Operands, op: tt.SplitOp) -> Expr:
    """The text of both halves, a tuple; its shape is the halves'."""
    operand = exact(operands.expr(op.src), tt.shape_of(op.src.type))
    shape = tt.shape_of(op.outLHS.type)
    return Expr(f"tl.split({operand.text})", POSTFIX, shape, operand.scalar)


SPELLINGS: dict[str, Spelling] = {
    "tt.splat": _same,
    "tt.broadcast": _same,
    "tt.expand_dims": _expand_dims,
    "tt.trans": _trans,
    "tt.gather": _gather,
    "tt.reshape": _reshape,
    "tt.unsplat": _unsplat,
    "tt.join": _join,
    "tt.split": _split,
}
