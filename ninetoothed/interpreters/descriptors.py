"""Handlers of tensor descriptors: boxes are read with zeros around the tensor, and written where it
has elements.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.ir import SSAValue

from ninetoothed.interpreters.element_types import element_of
from ninetoothed.interpreters.machine import HANDLERS, Descriptor, Machine, Pointer, both
from ninetoothed.interpreters.memory import Memory
from ninetoothed.interpreters.pointers import masked, pointer_of
from ninetoothed.ir import nt, tt


@HANDLERS.register(tt.MakeTensorDescOp)
def _make(machine: Machine, op: tt.MakeTensorDescOp) -> None:
    base = pointer_of(machine.value(op.base), op)
    shape, strides = ([machine.data(value) for value in row] for row in (op.shape, op.strides))
    machine.descriptors[op.result] = Descriptor(base, shape, strides)


@HANDLERS.register(nt.HostDescriptorOp)
def _host(machine: Machine, op: nt.HostDescriptorOp) -> None:
    place = machine.views[op.ref].place
    assert isinstance(place, Memory)
    base = Pointer(place, torch.zeros(1, dtype=torch.int64))
    shape, strides = (
        [torch.tensor([machine.number(expr)]) for expr in row.data]
        for row in (op.shape, op.strides)
    )
    machine.descriptors[op.result] = Descriptor(base, shape, strides)


def _lanes(
    machine: Machine, desc: SSAValue, indices: Sequence[SSAValue]
) -> tuple[Descriptor, torch.Tensor, torch.Tensor | None]:
    """The descriptor, the offsets of a box's lanes, and which of these are accessed."""
    found = machine.descriptors[desc]
    box = tt.shape_of(tt.box_of(desc.type))
    ones = [1] * len(box)
    offsets = found.base.offsets.reshape(-1, *ones)
    inside: torch.Tensor | None = None
    for dim, (index, length) in enumerate(zip(indices, box, strict=True)):
        lanes = torch.arange(length).reshape(-1, *ones[dim + 1 :])
        places = machine.data(index).to(torch.int64).reshape(-1, *ones) + lanes
        size, stride = (row[dim].reshape(-1, *ones) for row in (found.shape, found.strides))
        inside = both(inside, (places >= 0) & (places < size))
        offsets = offsets + places * stride
    return found, offsets, masked(machine, inside, offsets)


@HANDLERS.register(tt.DescriptorLoadOp)
def _load(machine: Machine, op: tt.DescriptorLoadOp) -> None:
    desc, offsets, mask = _lanes(machine, op.desc, op.indices)
    memory = desc.base.memory
    machine.touch("read", memory, offsets, mask, tt.shape_of(op.result.type))
    machine.put(op.result, memory.gather(element_of(op.result.type), offsets, None, mask))


@HANDLERS.register(tt.DescriptorStoreOp)
def _store(machine: Machine, op: tt.DescriptorStoreOp) -> None:
    desc, offsets, mask = _lanes(machine, op.desc, op.indices)
    memory = desc.base.memory
    machine.touch("write", memory, offsets, mask, tt.shape_of(op.src.type))
    memory.scatter(element_of(op.src.type), offsets, machine.data(op.src), mask)
