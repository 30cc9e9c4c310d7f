"""Handlers of shape manipulation, of both dialects.

Lanes that move across dims are broadcast first: a dim of size 1 may stand for any size.
"""

from __future__ import annotations

from math import prod

import torch

from ninetoothed.interpreters.elementwise import gathered
from ninetoothed.interpreters.machine import HANDLERS, Machine, both, by_program, moved
from ninetoothed.interpreters.memory import together
from ninetoothed.ir import nt, tt
from ninetoothed.symbolic.expr import evaluate


@HANDLERS.register(nt.BroadcastOp, tt.BroadcastOp)
def _broadcast(machine: Machine, op: nt.BroadcastOp | tt.BroadcastOp) -> None:
    machine.values[op.result] = machine.value(op.operands[0])


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


@HANDLERS.register(tt.TransOp)
def _tt_trans(machine: Machine, op: tt.TransOp) -> None:
    dims = (0, *(dim + 1 for dim in op.order.get_values()))
    machine.values[op.result] = moved(machine.value(op.src), lambda x: x.permute(dims))


@HANDLERS.register(tt.GatherOp)
def _tt_gather(machine: Machine, op: tt.GatherOp) -> None:
    dim, indices = op.axis.value.data + 1, machine.data(op.indices)
    machine.put(op.result, gathered(machine.data(op.src), indices, dim))


@HANDLERS.register(nt.ReshapeOp, tt.ReshapeOp, tt.UnsplatOp)
def _reshape(machine: Machine, op: nt.ReshapeOp | tt.ReshapeOp | tt.UnsplatOp) -> None:
    value, result = op.operands[0], op.results[0]
    old, new = machine.sizes(value.type), machine.sizes(result.type)

    def move(data: torch.Tensor) -> torch.Tensor:
        if prod(data.shape[1:]) == 1:
            return data.reshape(data.shape[0], *[1] * len(new))
        return data.expand(-1, *old).reshape(data.shape[0], *new)

    machine.values[result] = moved(machine.value(value), move)


@HANDLERS.register(nt.JoinOp, tt.JoinOp)
def _join(machine: Machine, op: nt.JoinOp | tt.JoinOp) -> None:
    left, right = (machine.block(operand) for operand in op.operands)
    guard: torch.Tensor | None = None
    if left.guard is not None or right.guard is not None:
        true = torch.ones([1] * left.data.dim(), dtype=torch.bool)
        guard = _stacked(*(true if block.guard is None else block.guard for block in (left, right)))
    machine.put(op.results[0], _stacked(left.data, right.data), guard)


def _stacked(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return torch.stack(together(left, right), -1)


@HANDLERS.register(nt.SplitOp, tt.SplitOp)
def _split(machine: Machine, op: nt.SplitOp | tt.SplitOp) -> None:
    value = machine.value(op.operands[0])
    for last, result in enumerate(op.results):
        machine.values[result] = moved(value, lambda x, i=last: x.select(-1, i % x.shape[-1]))
