"""Handlers of the dialect ``tt``. Pointers are offsets into the memory of one tensor."""

from __future__ import annotations

import torch

from ninetoothed.interpreters.element_types import element_of
from ninetoothed.interpreters.elementwise import apply
from ninetoothed.interpreters.machine import HANDLERS, Machine
from ninetoothed.interpreters.pointers import masked, pointer_of
from ninetoothed.ir import tt


@HANDLERS.register(tt.GetProgramIdOp)
def _program_id(machine: Machine, op: tt.GetProgramIdOp) -> None:
    data = machine.programs if op.axis.value.data == 0 else torch.zeros(1)
    machine.put(op.result, data.to(torch.int32))


@HANDLERS.register(tt.GetNumProgramsOp)
def _num_programs(machine: Machine, op: tt.GetNumProgramsOp) -> None:
    count = machine.count if op.axis.value.data == 0 else 1
    machine.put(op.result, torch.tensor([count], dtype=torch.int32))


@HANDLERS.register(tt.MakeRangeOp)
def _make_range(machine: Machine, op: tt.MakeRangeOp) -> None:
    data = torch.arange(op.start.value.data, op.end.value.data, dtype=torch.int32)
    machine.put(op.result, data.unsqueeze(0))


@HANDLERS.register(tt.MulhiuiOp)
def _mulhiui(machine: Machine, op: tt.MulhiuiOp) -> None:
    element = element_of(op.result.type)
    machine.put(op.result, apply("umulhi", element, machine.data(op.x), machine.data(op.y)))


@HANDLERS.register(tt.LoadOp)
def _load(machine: Machine, op: tt.LoadOp) -> None:
    pointer = pointer_of(machine.value(op.ptr), op)
    wanted = None if op.mask is None else machine.data(op.mask)
    mask = masked(machine, wanted, pointer.offsets)
    shape = tt.shape_of(op.result.type)
    machine.touch("read", pointer.memory, pointer.offsets, mask, shape)
    data = pointer.memory.gather(element_of(op.result.type), pointer.offsets, None, mask)
    if op.other is not None and wanted is not None:
        data = torch.where(wanted, data, machine.data(op.other))
    machine.put(op.result, data)


@HANDLERS.register(tt.StoreOp)
def _store(machine: Machine, op: tt.StoreOp) -> None:
    pointer = pointer_of(machine.value(op.ptr), op)
    wanted = None if op.mask is None else machine.data(op.mask)
    mask = masked(machine, wanted, pointer.offsets)
    machine.touch("write", pointer.memory, pointer.offsets, mask, tt.shape_of(op.value.type))
    data = machine.data(op.value)
    pointer.memory.scatter(element_of(op.value.type), pointer.offsets, data, mask)
