"""Handlers of what moves lanes, of both dialects.

Lanes that are moved across dims are spread first: a dim of size 1 may stand for any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from xdsl.ir import Attribute, Operation

from ninetoothed.interpreters.functions import picked
from ninetoothed.interpreters.machine import Block, Handler, Machine, Value, both, by_program, moved
from ninetoothed.interpreters.memory import together
from ninetoothed.ir import nt, tt
from ninetoothed.ir.index_expr import evaluate


def _broadcast(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.BroadcastOp)
    machine.values[op.result] = machine.value(op.value)


def _expand_dims(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.ExpandDimsOp)
    dim = op.dim + 1
    machine.values[op.result] = moved(machine.value(op.value), lambda x: x.unsqueeze(dim))


def _trans(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.TransOp)
    dims = (0, *(dim + 1 for dim in op.dims))
    machine.values[op.result] = moved(machine.value(op.value), lambda x: x.permute(dims))


def _flip(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.FlipOp)
    dim = op.dim + 1
    block, size = machine.block(op.value), machine.number(nt.shape_of(op.value.type)[op.dim])
    if isinstance(size, int):
        machine.values[op.result] = moved(block, lambda x: x.flip(dim))
        return
    # Each program's own sequence; what lies behind it is no lane.
    ones = [1] * block.data.dim()
    ones[dim] = evaluate(nt.shape_of(op.value.type)[op.dim], machine.symbols)
    lanes = by_program(size, block.data) - 1 - torch.arange(ones[dim]).reshape(ones)
    machine.values[op.result] = moved(block, lambda x: picked(x, lanes, dim))


def _gather(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.GatherOp)
    block, indices = machine.block(op.value), machine.block(op.indices)
    dim = op.dim + 1
    guard = None if block.guard is None else picked(block.guard, indices.data, dim)
    machine.put(op.result, picked(block.data, indices.data, dim), both(guard, indices.guard))


def _splat(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.SplatOp)
    ones = [1] * len(tt.shape_of(op.result.type))
    machine.values[op.result] = moved(machine.value(op.src), lambda x: x.reshape(-1, *ones))


def _tt_expand_dims(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.ExpandDimsOp)
    dim = op.axis.value.data + 1
    machine.values[op.result] = moved(machine.value(op.src), lambda x: x.unsqueeze(dim))


def _tt_broadcast(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.BroadcastOp)
    machine.values[op.result] = machine.value(op.src)


def _tt_trans(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.TransOp)
    dims = (0, *(dim + 1 for dim in op.order.get_values()))
    machine.values[op.result] = moved(machine.value(op.src), lambda x: x.permute(dims))


def _tt_gather(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.GatherOp)
    dim, indices = op.axis.value.data + 1, machine.data(op.indices)
    machine.put(op.result, picked(machine.data(op.src), indices, dim))


def _reshaped(value: Value, old: Sequence[int], new: Sequence[int]) -> Value:
    """The lanes of ``value`` in row-major order, in shape ``new``."""

    def move(data: torch.Tensor) -> torch.Tensor:
        if prod(data.shape[1:]) == 1:
            return data.reshape(data.shape[0], *[1] * len(new))
        return data.expand(-1, *old).reshape(data.shape[0], *new)

    return moved(value, move)


def _joined(left: Block, right: Block) -> Block:
    """The lanes of both, along a new last dim."""
    data = _stacked(left.data, right.data)
    if left.guard is None and right.guard is None:
        return Block(data)
    true = torch.ones([1] * left.data.dim(), dtype=torch.bool)
    one, two = (true if block.guard is None else block.guard for block in (left, right))
    return Block(data, _stacked(one, two))


def _stacked(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return torch.stack(together(left, right), -1)


def _split_off(value: Value) -> list[Value]:
    """The two halves of the last dim."""
    return [moved(value, lambda x, last=last: x.select(-1, last % x.shape[-1])) for last in (0, 1)]


def _shape(machine: Machine, type: Attribute) -> list[int]:
    """The sizes of a block of ``nt``."""
    return [evaluate(size, machine.symbols) for size in nt.shape_of(type)]


def _reshape(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.ReshapeOp)
    old, new = _shape(machine, op.value.type), _shape(machine, op.result.type)
    machine.values[op.result] = _reshaped(machine.value(op.value), old, new)


def _join(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.JoinOp)
    machine.values[op.result] = _joined(machine.block(op.left), machine.block(op.right))


def _split(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.SplitOp)
    machine.values.update(zip(op.results, _split_off(machine.value(op.value)), strict=True))


def _tt_reshape(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.ReshapeOp)
    old, new = tt.shape_of(op.src.type), tt.shape_of(op.result.type)
    machine.values[op.result] = _reshaped(machine.value(op.src), old, new)


def _unsplat(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.UnsplatOp)
    machine.values[op.result] = _reshaped(machine.value(op.src), tt.shape_of(op.src.type), ())


def _tt_join(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.JoinOp)
    machine.values[op.result] = _joined(machine.block(op.lhs), machine.block(op.rhs))


def _tt_split(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.SplitOp)
    machine.values.update(zip(op.results, _split_off(machine.value(op.src)), strict=True))


HANDLERS: dict[type[Operation], Handler] = {
    nt.BroadcastOp: _broadcast,
    nt.ExpandDimsOp: _expand_dims,
    nt.TransOp: _trans,
    nt.FlipOp: _flip,
    nt.GatherOp: _gather,
    nt.ReshapeOp: _reshape,
    nt.JoinOp: _join,
    nt.SplitOp: _split,
    tt.SplatOp: _splat,
    tt.BroadcastOp: _tt_broadcast,
    tt.ExpandDimsOp: _tt_expand_dims,
    tt.TransOp: _tt_trans,
    tt.GatherOp: _tt_gather,
    tt.ReshapeOp: _tt_reshape,
    tt.UnsplatOp: _unsplat,
    tt.JoinOp: _tt_join,
    tt.SplitOp: _tt_split,
}
