"""Broadcast, reshape, transpose, gather, join and split."""

from __future__ import annotations

from typing import Any

from ninetoothed.backend.triton.expression import POSTFIX, Expr
from ninetoothed.backend.triton.spelling.operands import SPELLINGS, Operands, call_of
from ninetoothed.ir import tt


@SPELLINGS.register(tt.SplatOp, tt.BroadcastOp)
def _same(operands: Operands, op: tt.SplatOp | tt.BroadcastOp) -> Expr:
    return operands.expr(op.src)


@SPELLINGS.register(tt.ExpandDimsOp)
def _expand_dims(operands: Operands, op: tt.ExpandDimsOp) -> Expr:
    operand, axis = operands.expr(op.src), op.axis.value.data
    if not operand.shape:
        return operand
    shape = (*operand.shape[:axis], 1, *operand.shape[axis:])
    index = ", ".join("None" if dim == axis else ":" for dim in range(len(shape)))
    return Expr(f"{operand.at(POSTFIX)}[{index}]", POSTFIX, shape, operand.scalar)


@SPELLINGS.register(tt.TransOp)
def _trans(operands: Operands, op: tt.TransOp) -> Expr:
    operand = operands.expr(op.src)
    if not operand.shape:
        return operand
    attribute: Any = op.order
    order: tuple[int, ...] = tuple(attribute.get_values())
    shape = tuple(operand.shape[dim] for dim in order)
    swapped = order == (1, 0)
    text = f"tl.trans({operand.text})" if swapped else f"tl.permute({operand.text}, {order})"
    return Expr(text, POSTFIX, shape, operand.scalar)


@SPELLINGS.register(tt.GatherOp)
def _gather(operands: Operands, op: tt.GatherOp) -> Expr:
    texts = (operands.whole(value).text for value in (op.src, op.indices))
    return call_of(op, "tl.gather", *texts, f"axis={op.axis.value.data}")


@SPELLINGS.register(tt.ReshapeOp, tt.UnsplatOp)
def _reshape(operands: Operands, op: tt.ReshapeOp | tt.UnsplatOp) -> Expr:
    operand = operands.expr(op.src)
    if not operand.shape:
        return operand
    shape = tt.shape_of(op.result.type)
    return call_of(op, "tl.reshape", operands.whole(op.src).text, shape)


@SPELLINGS.register(tt.JoinOp)
def _join(operands: Operands, op: tt.JoinOp) -> Expr:
    return call_of(op, "tl.join", operands.whole(op.lhs).text, operands.whole(op.rhs).text)


@SPELLINGS.register(tt.SplitOp)
def _split(operands: Operands, op: tt.SplitOp) -> Expr:
    return call_of(op, "tl.split", operands.whole(op.src).text)
