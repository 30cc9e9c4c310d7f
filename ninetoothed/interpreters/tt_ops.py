"""Handlers of the dialect ``tt``. Pointers are offsets into the memory of one tensor."""

from __future__ import annotations

import torch
from xdsl.ir import Operation

from ninetoothed.errors import CompilerError
from ninetoothed.interpreters.elements import convert, element_of
from ninetoothed.interpreters.functions import along, apply, dot, picked
from ninetoothed.interpreters.machine import (
    Block,
    Handler,
    Machine,
    Value,
    moved,
)
from ninetoothed.interpreters.pointers import masked, pointer_of
from ninetoothed.ir import tt
from ninetoothed.ir.diagnostics import fail


def _program_id(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.GetProgramIdOp)
    data = machine.programs if op.axis.value.data == 0 else torch.zeros(1)
    machine.put(op.result, data.to(torch.int32))


def _make_range(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.MakeRangeOp)
    data = torch.arange(op.start.value.data, op.end.value.data, dtype=torch.int32)
    machine.put(op.result, data.unsqueeze(0))


def _splat(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.SplatOp)
    ones = [1] * len(tt.shape_of(op.result.type))
    machine.values[op.result] = moved(machine.value(op.src), lambda x: x.reshape(-1, *ones))


def _expand_dims(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.ExpandDimsOp)
    dim = op.axis.value.data + 1
    machine.values[op.result] = moved(machine.value(op.src), lambda x: x.unsqueeze(dim))


def _broadcast(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.BroadcastOp)
    machine.values[op.result] = machine.value(op.src)


def _trans(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.TransOp)
    dims = (0, *(dim + 1 for dim in op.order.get_values()))
    machine.values[op.result] = moved(machine.value(op.src), lambda x: x.permute(dims))


def _gather(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.GatherOp)
    dim, indices = op.axis.value.data + 1, machine.data(op.indices)
    machine.put(op.result, picked(machine.data(op.src), indices, dim))


def _mulhiui(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.MulhiuiOp)
    element = element_of(op.result.type)
    machine.put(op.result, apply("umulhi", element, machine.data(op.x), machine.data(op.y)))


def _load(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.LoadOp)
    pointer = pointer_of(machine.value(op.ptr), op)
    wanted = None if op.mask is None else machine.data(op.mask)
    mask = masked(machine, wanted, pointer.offsets)
    shape = tt.shape_of(op.result.type)
    machine.touch("read", pointer.memory, pointer.offsets, mask, shape)
    data = pointer.memory.gather(element_of(op.result.type), pointer.offsets, mask)
    if op.other is not None and wanted is not None:
        data = torch.where(wanted, data, machine.data(op.other))
    machine.put(op.result, data)


def _store(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.StoreOp)
    pointer = pointer_of(machine.value(op.ptr), op)
    wanted = None if op.mask is None else machine.data(op.mask)
    mask = masked(machine, wanted, pointer.offsets)
    machine.touch("write", pointer.memory, pointer.offsets, mask, tt.shape_of(op.value.type))
    data = machine.data(op.value)
    pointer.memory.scatter(element_of(op.value.type), pointer.offsets, data, mask)


def _dot(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.DotOp)
    depth = tt.shape_of(op.a.type)[1]
    left = along(machine.data(op.a), 2, depth)
    right = along(machine.data(op.b), 1, depth)
    operand, result = element_of(op.a.type), element_of(op.result.type)
    machine.put(op.result, dot(left, right, machine.data(op.c), operand, result))


def _reduce(machine: Machine, op: Operation) -> None:
    """Combine halves with halves, as the threads of a program do."""
    assert isinstance(op, tt.ReduceOp)
    dim = op.axis.value.data + 1
    size = tt.shape_of(op.srcs[0].type)[dim - 1]
    lanes = [along(machine.data(src), dim, size) for src in op.srcs]
    if size & (size - 1):
        raise fail(op, f"{op.name}: the size {size} must be a power of two", CompilerError)
    while size > 1:
        size //= 2
        halves = [data.narrow(dim, start, size) for start in (0, size) for data in lanes]
        combined = machine.run(op.combine.block, [Block(data) for data in halves])
        lanes = [along(_data(value), dim, size) for value in combined]
    for result, data in zip(op.results, lanes, strict=True):
        machine.put(result, data.select(dim, 0))


def _data(value: Value) -> torch.Tensor:
    assert isinstance(value, Block)
    return value.data


def _fp_to_fp(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.FpToFpOp)
    block = machine.block(op.src)
    data = convert(block.data, element_of(op.src.type), element_of(op.result.type))
    machine.put(op.result, data, block.guard)


HANDLERS: dict[type[Operation], Handler] = {
    tt.GetProgramIdOp: _program_id,
    tt.MakeRangeOp: _make_range,
    tt.SplatOp: _splat,
    tt.ExpandDimsOp: _expand_dims,
    tt.BroadcastOp: _broadcast,
    tt.TransOp: _trans,
    tt.GatherOp: _gather,
    tt.MulhiuiOp: _mulhiui,
    tt.LoadOp: _load,
    tt.StoreOp: _store,
    tt.DotOp: _dot,
    tt.ReduceOp: _reduce,
    tt.FpToFpOp: _fp_to_fp,
}
