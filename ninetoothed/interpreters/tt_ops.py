"""Handlers of the dialect ``tt``. Pointers are offsets into the memory of one tensor."""

from __future__ import annotations

import torch
from xdsl.ir import Operation

from ninetoothed.interpreters.elements import element_of
from ninetoothed.interpreters.functions import apply
from ninetoothed.interpreters.machine import (
    Handler,
    Machine,
)
from ninetoothed.interpreters.pointers import masked, pointer_of
from ninetoothed.ir import tt


def _program_id(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.GetProgramIdOp)
    data = machine.programs if op.axis.value.data == 0 else torch.zeros(1)
    machine.put(op.result, data.to(torch.int32))


def _num_programs(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.GetNumProgramsOp)
    count = machine.count if op.axis.value.data == 0 else 1
    machine.put(op.result, torch.tensor([count], dtype=torch.int32))


def _make_range(machine: Machine, op: Operation) -> None:
    assert isinstance(op, tt.MakeRangeOp)
    data = torch.arange(op.start.value.data, op.end.value.data, dtype=torch.int32)
    machine.put(op.result, data.unsqueeze(0))


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


HANDLERS: dict[type[Operation], Handler] = {
    tt.GetProgramIdOp: _program_id,
    tt.GetNumProgramsOp: _num_programs,
    tt.MakeRangeOp: _make_range,
    tt.MulhiuiOp: _mulhiui,
    tt.LoadOp: _load,
    tt.StoreOp: _store,
}
