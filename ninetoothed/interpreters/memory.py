"""Reads and writes of tensors: by offsets, or as strided views where the offsets are regular."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch

from ninetoothed.errors import CompilerError
from ninetoothed.interpreters.elements import Element
from ninetoothed.ir.access import Access


def _together(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """The tensors at the shape that they broadcast to."""
    shapes = [tensor.shape for tensor in tensors]
    shape = cast(torch.Size, torch.broadcast_shapes(*shapes))
    return [tensor.expand(shape) for tensor in tensors]


class Memory:
    """The elements of a tensor as they lie in its storage, the first one at offset 0."""

    def __init__(self, name: str, tensor: torch.Tensor) -> None:
        self.name = name
        extent = 0
        if tensor.numel() > 0:
            steps = zip(tensor.shape, tensor.stride(), strict=True)
            extent = 1 + sum((size - 1) * stride for size, stride in steps)
        self._flat = torch.as_strided(tensor.detach(), (extent,), (1,), tensor.storage_offset())

    def _bits(self, element: Element) -> torch.Tensor:
        flat = self._flat
        return flat if flat.dtype == element.memory else flat.view(element.memory)

    def _outside(self, first: int, last: int) -> CompilerError:
        return CompilerError(
            f"elements {first} to {last} of {self.name} are addressed, but it has 0 to "
            f"{self._flat.numel() - 1}"
        )

    def _check(self, offsets: torch.Tensor) -> None:
        if offsets.numel() == 0:
            return
        first, last = (int(bound) for bound in torch.aminmax(offsets))
        if first < 0 or last >= self._flat.numel():
            raise self._outside(first, last)

    def gather(
        self, element: Element, offsets: torch.Tensor, mask: torch.Tensor | None
    ) -> torch.Tensor:
        """The elements at ``offsets``; zeros where the mask, broadcast with them, is false."""
        bits = self._bits(element)
        if mask is None:
            self._check(offsets)
            return element.from_memory(bits.take(offsets))
        offsets, mask = _together(offsets, mask)
        if bits.numel() == 0:
            if mask.any():
                raise self._outside(int(offsets[mask].min()), int(offsets[mask].max()))
            return element.number(0).expand(offsets.shape)
        offsets = torch.where(mask, offsets, 0)
        self._check(offsets)
        found = element.from_memory(bits.take(offsets))
        return torch.where(mask, found, torch.zeros((), dtype=found.dtype))

    def scatter(
        self,
        element: Element,
        offsets: torch.Tensor,
        data: torch.Tensor,
        mask: torch.Tensor | None,
    ) -> None:
        """Write where the mask holds; the shapes broadcast, and of two writes to an element the
        later one stays.
        """
        if mask is not None:
            offsets, data, mask = _together(offsets, data, mask)
            offsets, data = offsets[mask], data[mask]
        else:
            offsets, data = _together(offsets, data)
        self._check(offsets)
        # Along a single dim, scatter_ writes in order.
        self._bits(element).scatter_(0, offsets.reshape(-1), element.to_memory(data).reshape(-1))

    def _view(
        self, element: Element, start: int, shape: Sequence[int], steps: Sequence[int]
    ) -> torch.Tensor:
        bits = self._bits(element)
        last = start + sum((size - 1) * step for size, step in zip(shape, steps, strict=True))
        if start < 0 or last >= bits.numel():
            raise self._outside(start, last)
        return torch.as_strided(bits, shape, steps, bits.storage_offset() + start)

    def read(
        self, element: Element, start: int, shape: Sequence[int], steps: Sequence[int]
    ) -> torch.Tensor:
        """The elements at ``start + sum(index * step)``; a dim of step 0 is left at size 1."""
        if 0 in shape:
            return element.number(0).expand(shape)
        sizes = [size if step else 1 for size, step in zip(shape, steps, strict=True)]
        # A copy: later writes do not change what was read.
        return element.from_memory(self._view(element, start, sizes, steps).clone())

    def write(
        self,
        element: Element,
        start: int,
        shape: Sequence[int],
        steps: Sequence[int],
        data: torch.Tensor,
    ) -> None:
        """Write the elements at ``start + sum(index * step)``, which are distinct."""
        if 0 not in shape:
            self._view(element, start, shape, steps).copy_(element.to_memory(data))


@dataclass(frozen=True)
class Share:
    """A parameter of a kernel as its application sees it.

    ``place``: the tensor's memory, or the number that is passed by value. ``strides`` are in
    elements; ``shape`` is the block's, ``blocks`` its index variables, ``outer`` those of the
    programs, ``between`` those of the levels between.
    """

    element: Element
    place: Memory | torch.Tensor
    access: Access
    strides: tuple[int, ...]
    outer: tuple[str, ...]
    between: tuple[str, ...]
    blocks: tuple[str, ...]
    shape: tuple[int, ...]
