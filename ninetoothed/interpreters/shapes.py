"""Handlers of shape manipulation, of both dialects.

Lanes that move across dims are broadcast first: a dim of size 1 may stand for any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from xdsl.ir import Attribute

from ninetoothed.interpreters.elementwise import gathered
from ninetoothed.interpreters.machine import (
    HANDLERS,
    Block,
    Machine,
    Value,
    both,
    by_program,
    moved,
)
from ninetoothed.interpreters.memory import together
from ninetoothed.ir import nt, tt
from ninetoothed.symbolic.expr import evaluate


@HANDLERS.register(nt.BroadcastOp)
def _broadcast(machine: Machine, op: nt.BroadcastOp) -> None:
    machine.values[op.result] = machine.value(op.value)


@HANDLERS.register(nt.ExpandDimsOp)
def _expand_dims(machine: Machine, op: nt.ExpandDimsOp) -> None:
    dim = op.dim + 1
    machine.values[op.result] = moved(machine.value(op.value), lambda x: x.unsqueeze(dim))


@HANDLERS.register(nt.TransOp)
def _trans(machine: Machine, op: nt.TransOp) -> None:
    dims = (0, *(dim + 1 for dim in op.dims))
    machine.values[op.result] = moved(machine.value(op.value), lambda x: x.permute(dims))


@HANDLERS.register(nt.FlipOp)
def _flip(machine: Machine, op: nt.FlipOp) -> None:
    dim = op.dim + 1
    block, size = machine.block(op.value), machine.number(nt.shape_of(op.value.type)[op.dim])
    if isinstance(size, int):
        machine.values[op.result] = moved(block, lambda x: x.flip(dim))
        return
    # Each program's own sequence, behind which there are no lanes.
    ones = [1] * block.data.dim()
    ones[dim] = evaluate(nt.shape_of(op.value.type)[op.dim], machine.symbols)
    lanes = by_program(size, block.data) - 1 - torch.arange(ones[dim]).reshape(ones)
    machine.values[op.result] = moved(block, lambda x: gathered(x, lanes, dim))


@HANDLERS.register(nt.GatherOp)
def _gather(machine: Machine, op: nt.GatherOp) -> None:
    block, indices = machine.block(op.value), machine.block(op.indices)
    dim = op.dim + 1
    guard = None if block.guard is None else gathered(block.guard, indices.data, dim)
    machine.put(op.result, gathered(block.data, indices.data, dim), both(guard, indices.guard))


@HANDLERS.register(tt.SplatOp)
def _splat(machine: Machine, op: tt.SplatOp) -> None:
    ones = [1] * len(tt.shape_of(op.result.type))
    machine.values[op.result] = moved(machine.value(op.src), lambda x: x.reshape(-1, *ones))


@HANDLERS.register(tt.ExpandDimsOp)
def _tt_expand_dims(machine: Machine, op: tt.ExpandDimsOp) -> None:
    dim = op.axis.value.data + 1
    machine.values[op.result] = moved(machine.value(op.src), lambda x: x.unsqueeze(dim))


@HANDLERS.register(tt.BroadcastOp)
def _tt_broadcast(machine: Machine, op: tt.BroadcastOp) -> None:
    machine.values[op.result] = machine.value(op.src)


@HANDLERS.register(tt.TransOp)
def _tt_trans(machine: Machine, op: tt.TransOp) -> None:
    dims = (0, *(dim + 1 for dim in op.order.get_values()))
    machine.values[op.result] = moved(machine.value(op.src), lambda x: x.permute(dims))


@HANDLERS.register(tt.GatherOp)
def _tt_gather(machine: Machine, op: tt.GatherOp) -> None:
    dim, indices = op.axis.value.data + 1, machine.data(op.indices)
    machine.put(op.result, gathered(machine.data(op.src), indices, dim))


def _reshaped(value: Value, old: Sequence[int], new: Sequence[int]) -> Value:
    """Reshape in row-major order."""

    def move(data: torch.Tensor) -> torch.Tensor:
        if prod(data.shape[1:]) == 1:
            return data.reshape(data.shape[0], *[1] * len(new))
        return data.expand(-1, *old).reshape(data.shape[0], *new)

    return moved(value, move)


def _joined(left: Block, right: Block) -> Block:
    """Stack two blocks along a new last dim."""
    data = _stacked(left.data, right.data)
    if left.guard is None and right.guard is None:
        return Block(data)
    true = torch.ones([1] * left.data.dim(), dtype=torch.bool)
    one, two = (true if block.guard is None else block.guard for block in (left, right))
    return Block(data, _stacked(one, two))


def _stacked(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return torch.stack(together(left, right), -1)


def _split_off(value: Value) -> list[Value]:
    """Split along the last dim."""
    return [moved(value, lambda x, last=last: x.select(-1, last % x.shape[-1])) for last in (0, 1)]


def _shape(machine: Machine, type: Attribute) -> list[int]:
    """The sizes of a block of ``nt``."""
    return [evaluate(size, machine.symbols) for size in nt.shape_of(type)]


@HANDLERS.register(nt.ReshapeOp)
def _reshape(machine: Machine, op: nt.ReshapeOp) -> None:
    old, new = _shape(machine, op.value.type), _shape(machine, op.result.type)
    machine.values[op.result] = _reshaped(machine.value(op.value), old, new)


@HANDLERS.register(nt.JoinOp)
def _join(machine: Machine, op: nt.JoinOp) -> None:
    machine.values[op.result] = _joined(machine.block(op.left), machine.block(op.right))


@HANDLERS.register(nt.SplitOp)
def _split(machine: Machine, op: nt.SplitOp) -> None:
    machine.values.update(zip(op.results, _split_off(machine.value(op.value)), strict=True))


@HANDLERS.register(tt.ReshapeOp)
def _tt_reshape(machine: Machine, op: tt.ReshapeOp) -> None:
    old, new = tt.shape_of(op.src.type), tt.shape_of(op.result.type)
    machine.values[op.result] = _reshaped(machine.value(op.src), old, new)


@HANDLERS.register(tt.UnsplatOp)
def _unsplat(machine: Machine, op: tt.UnsplatOp) -> None:
    machine.values[op.result] = _reshaped(machine.value(op.src), tt.shape_of(op.src.type), ())


@HANDLERS.register(tt.JoinOp)
def _tt_join(machine: Machine, op: tt.JoinOp) -> None:
    machine.values[op.result] = _joined(machine.block(op.lhs), machine.block(op.rhs))


@HANDLERS.register(tt.SplitOp)
def _tt_split(machine: Machine, op: tt.SplitOp) -> None:
    machine.values.update(zip(op.results, _split_off(machine.value(op.src)), strict=True))
