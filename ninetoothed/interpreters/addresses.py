"""``nt.address``: an access evaluated at the coordinates of single elements of its block."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from ninetoothed.interpreters.machine import HANDLERS, Machine, Pointer, both, meet
from ninetoothed.interpreters.memory import Memory, Share
from ninetoothed.interpreters.sequences import TENSORS, Number
from ninetoothed.ir import nt
from ninetoothed.ir.index_expr import evaluate


@HANDLERS.register(nt.AddressOp)
def _address(machine: Machine, op: nt.AddressOp) -> None:
    share = machine.shares[op.ref]
    assert isinstance(share.place, Memory)
    ones = [1] * len(nt.shape_of(op.exists.type))

    def beside(data: torch.Tensor) -> torch.Tensor:
        """One number a program, as it broadcasts with blocks."""
        return data.to(torch.int64).reshape(-1, *ones)

    values: dict[str, Number] = dict(machine.symbols)
    values.update({name: beside(data) for name, data in machine.own.items()})
    values.update(zip(share.outer, map(beside, machine.outer), strict=False))
    between = [beside(machine.data(index)) for index in op.indices]
    values.update(zip(share.between, between, strict=True))
    coordinates = [machine.block(value) for value in op.coordinates]
    exists = torch.ones(1, *ones, dtype=torch.bool)
    for block, size in zip(coordinates, share.shape, strict=True):
        exists = exists & (block.data >= 0) & (block.data < size)
    for name, block in zip(share.blocks, coordinates, strict=True):
        values[name] = torch.where(exists, block.data.to(torch.int64), 0)
    try:
        offsets, guard = _evaluated(share, values)
    except (ZeroDivisionError, RuntimeError):
        # By the size of an empty tensor, which has no element.
        offsets, guard = torch.zeros(1, *ones, dtype=torch.int64), torch.zeros_like(exists)
    machine.values[op.pointers] = Pointer(share.place, offsets)
    exists = exists if guard is None else exists & guard
    machine.put(op.exists, exists, meet(coordinates))


def _evaluated(
    share: Share, values: Mapping[str, Number]
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The offsets of elements, and the access's guard."""
    offset: Number = 0
    if share.jagged is not None:
        offset = values[share.jagged.start] * share.strides[share.jagged.dim]
    for index, stride in zip(share.access.indices, share.strides, strict=True):
        offset = offset + evaluate(index, values, TENSORS) * stride
    exists: torch.Tensor | None = None
    for guard in share.access.guards:
        index, size = (evaluate(expr, values, TENSORS) for expr in (guard.index, guard.size))
        exists = both(exists, torch.as_tensor((index >= 0) & (index < size)))
    like = next(iter(values[name] for name in share.blocks))
    return torch.as_tensor(offset) + torch.zeros_like(torch.as_tensor(like)), exists
