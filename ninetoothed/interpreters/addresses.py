"""``nt.address``: an access evaluated at the coordinates of single elements of its block."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from ninetoothed.interpreters.jagged import TENSORS, Number
from ninetoothed.interpreters.machine import HANDLERS, Machine, Pointer, both, meet
from ninetoothed.interpreters.memory import Memory, View
from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import evaluate


@HANDLERS.register(nt.AddressOp)
def _address(machine: Machine, op: nt.AddressOp) -> None:
    view = machine.views[op.ref]
    assert isinstance(view.place, Memory)
    ones = [1] * len(nt.shape_of(op.exists.type))

    def by_block(data: torch.Tensor) -> torch.Tensor:
        """One number for each program, broadcastable with blocks."""
        return data.to(torch.int64).reshape(-1, *ones)

    values: dict[str, Number] = dict(machine.symbols)
    values.update({name: by_block(data) for name, data in machine.own.items()})
    values.update(zip(view.outer, map(by_block, machine.outer), strict=False))
    between = [by_block(machine.data(index)) for index in op.indices]
    values.update(zip(view.between, between, strict=True))
    coordinates = [machine.block(value) for value in op.coordinates]
    exists = torch.ones(1, *ones, dtype=torch.bool)
    for block, size in zip(coordinates, view.shape, strict=True):
        exists = exists & (block.data >= 0) & (block.data < size)
    for name, block in zip(view.blocks, coordinates, strict=True):
        values[name] = torch.where(exists, block.data.to(torch.int64), 0)
    try:
        offsets, guard = _evaluated(view, values)
    except (ZeroDivisionError, RuntimeError):
        # Division by the size of an empty tensor, which has no element.
        offsets, guard = torch.zeros(1, *ones, dtype=torch.int64), torch.zeros_like(exists)
    machine.values[op.pointers] = Pointer(view.place, offsets)
    exists = exists if guard is None else exists & guard
    machine.put(op.exists, exists, meet(coordinates))


def _evaluated(
    view: View, values: Mapping[str, Number]
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The offsets of elements, and the access's guard."""
    offset: Number = 0
    if view.jagged is not None:
        offset = values[view.jagged.start] * view.strides[view.jagged.dim]
    for index, stride in zip(view.access.indices, view.strides, strict=True):
        offset = offset + evaluate(index, values, TENSORS) * stride
    exists: torch.Tensor | None = None
    for guard in view.access.guards:
        index, size = (evaluate(expr, values, TENSORS) for expr in (guard.index, guard.size))
        exists = both(exists, torch.as_tensor((index >= 0) & (index < size)))
    like = next(iter(values[name] for name in view.blocks))
    return torch.as_tensor(offset) + torch.zeros_like(torch.as_tensor(like)), exists
