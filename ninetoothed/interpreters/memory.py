"""Loads and stores of tensors: by offsets, or as strided views where the offsets are regular."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import torch

from ninetoothed.calls.storage import check_memory
from ninetoothed.errors import CompilerError
from ninetoothed.interpreters.element_types import Element
from ninetoothed.ir.nt.jagged import Jagged
from ninetoothed.layout.access import Access

Update = Callable[..., torch.Tensor]
"""The new values of elements, from their old ones and operands."""

_INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""By their size in bytes."""
_FILLING = -(1 << 63)
"""In the place of an offset: what fills up the rows of a packed copy, and is of no tensor."""


def together(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """Broadcast tensors to one shape."""
    # torch.broadcast_shapes would import sympy.
    return list(cast("Sequence[torch.Tensor]", torch.broadcast_tensors(*tensors)))


def integers(data: torch.Tensor) -> torch.Tensor:
    """The bits of ``data``, as integers of the same width."""
    return data.view(_INTEGERS[data.dtype.itemsize])


def _occurrences(ascending: torch.Tensor) -> torch.Tensor:
    """The number of equal entries before each entry, which are sorted."""
    numbers = torch.arange(ascending.numel())
    if ascending.numel() == 0:
        return numbers
    changes = torch.ones_like(ascending, dtype=torch.bool)
    changes[1:] = ascending[1:] != ascending[:-1]
    return numbers - torch.cummax(torch.where(changes, numbers, 0), 0).values


def _ends(offsets: torch.Tensor) -> tuple[int, int]:
    """The smallest and the largest of some offsets."""
    first, last = torch.aminmax(offsets)
    return int(first), int(last)


class Memory:
    """A tensor's storage, addressed by offsets from its first element.

    ``hidden``: it is none of the application's, so no trace records it. ``origins``: of a packed
    copy, for each of its elements the offset of the one in the tensor that it is a copy of, or
    :data:`_FILLING`.
    """

    def __init__(
        self,
        name: str,
        tensor: torch.Tensor,
        hidden: bool = False,
        origins: torch.Tensor | None = None,
    ) -> None:
        self.name = name
        self.hidden = hidden
        self._origins = origins
        first, size = 0, 0
        if tensor.numel() > 0:
            steps = zip(tensor.shape, tensor.stride(), strict=True)
            reaches = [(length - 1) * stride for length, stride in steps]
            # With a negative stride, elements lie before the first one.
            first = sum(reach for reach in reaches if reach < 0)
            size = 1 + sum(abs(reach) for reach in reaches)
        start = tensor.storage_offset() + first
        # Only the first call of its class has checked it.
        check_memory(name, tensor)
        self._flat = torch.as_strided(tensor.detach(), (size,), (1,), start)
        self._first = first

    def _bits(self, element: Element) -> torch.Tensor:
        flat = self._flat
        return flat if flat.dtype == element.memory else flat.view(element.memory)

    def _outside(self, first: int, last: int) -> CompilerError:
        return CompilerError(
            f"elements {first} to {last} of {self.name} are addressed, but it has {self._first} to "
            f"{self._first + self._flat.numel() - 1}"
        )

    def _has(self, first: int, last: int) -> bool:
        """True if the elements from ``first`` to ``last`` are in the memory."""
        return first >= self._first and last - self._first < self._flat.numel()

    def _shifted(self, offsets: torch.Tensor) -> torch.Tensor:
        return offsets - self._first if self._first else offsets

    def _places(self, offsets: torch.Tensor) -> torch.Tensor:
        """The positions of the elements at ``offsets`` in the flat memory."""
        if offsets.numel() > 0:
            ends = _ends(offsets)
            if not self._has(*ends):
                raise self._outside(*ends)
        return self._shifted(offsets)

    def traced(
        self, offsets: torch.Tensor, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The offsets of what is accessed in the application's tensor, and which are there."""
        if self._origins is None or self._origins.numel() == 0:
            return offsets, mask
        if mask is not None:
            offsets, mask = together(offsets, mask)
            offsets = torch.where(mask, offsets, 0)
        found = self._origins[self._places(offsets)]
        there = found != _FILLING
        return found, there if mask is None else there & mask

    def contains(self, offsets: torch.Tensor) -> torch.Tensor:
        """Which ``offsets`` are those of elements."""
        return (offsets >= self._first) & (offsets - self._first < self._flat.numel())

    def bits_at(self, offsets: torch.Tensor) -> torch.Tensor:
        """The bits of the elements at ``offsets``, which are inside, as integers."""
        return integers(self._flat)[self._shifted(offsets)]

    def gather(
        self,
        element: Element,
        offsets: torch.Tensor,
        bounds: tuple[int, int] | None,
        mask: torch.Tensor | None,
        fill: torch.Tensor | None = None,
        is_element: bool = False,
    ) -> torch.Tensor:
        """The elements at ``offsets``; ``fill``, by default zero, where the mask, broadcast with
        them, is false. ``bounds``: no offset is below or above, where that is known.
        ``is_element``: where the mask holds there is an element; the offsets are overwritten.
        """
        bits = self._bits(element)
        is_inside = bounds is not None and self._has(*bounds)
        if mask is None:
            places = self._shifted(offsets) if is_inside else self._places(offsets)
            return element.from_memory(bits.take(places))
        if fill is None:
            fill = element.number(0)
        own = mask
        if is_element and not is_inside:
            # What masked lanes read does not matter.
            last = self._first + self._flat.numel() - 1
            offsets, is_inside = offsets.clamp_(self._first, last), True
        offsets, mask = together(offsets, mask)
        if bits.numel() == 0:
            if mask.any():
                raise self._outside(int(offsets[mask].min()), int(offsets[mask].max()))
            return fill.expand(offsets.shape)
        if is_inside or (offsets.numel() > 0 and self._has(*_ends(offsets))):
            places = self._shifted(offsets)
        else:
            places = self._places(torch.where(mask, offsets, 0))
        found = element.from_memory(bits.take(places))
        if fill.numel() != 1:
            return torch.where(mask, found, fill.to(found.dtype))
        # In place, and by the mask as small as it is.
        return found.masked_fill_(own.logical_not(), fill.to(found.dtype).reshape(()))

    def scatter(
        self,
        element: Element,
        offsets: torch.Tensor,
        data: torch.Tensor,
        mask: torch.Tensor | None,
    ) -> None:
        """Write where the mask holds; shapes broadcast, and the last write to an element wins."""
        if mask is not None:
            offsets, data, mask = together(offsets, data, mask)
            chosen = mask.reshape(-1).nonzero().squeeze(1)
            offsets, data = (one.reshape(-1).index_select(0, chosen) for one in (offsets, data))
        else:
            offsets, data = together(offsets, data)
        places = self._places(offsets).reshape(-1)
        # Along a single dim, scatter_ writes in order.
        self._bits(element).scatter_(0, places, element.to_memory(data).reshape(-1))

    def update(
        self,
        element: Element,
        shape: Sequence[int],
        offsets: torch.Tensor,
        operands: Sequence[torch.Tensor],
        mask: torch.Tensor | None,
        function: Update,
    ) -> torch.Tensor:
        """Update elements to ``function(before, *operands)`` where the mask holds, in the order of
        the lanes of ``shape``; the values from before, zero where masked.
        """
        lanes = torch.arange(math.prod(shape))
        if mask is not None:
            lanes = lanes[mask.expand(shape).reshape(-1)]
        offsets, *values = (data.expand(shape).reshape(-1)[lanes] for data in (offsets, *operands))
        places = self._places(offsets)
        bits = self._bits(element)
        found = element.number(0).repeat(math.prod(shape))
        # One round for the first lane of each element, one for the second, …
        order = torch.argsort(places, stable=True)
        rounds = _occurrences(places[order])
        order = order[torch.argsort(rounds, stable=True)]
        end = 0
        for size in cast("list[int]", torch.bincount(rounds).tolist()):
            chosen = order[end : end + size]
            end += size
            where = places[chosen]
            before = element.from_memory(bits.take(where))
            after = function(before, *(value[chosen] for value in values))
            bits.put_(where, element.to_memory(after))
            found[lanes[chosen]] = before
        return found.reshape(shape)

    def _view(
        self, element: Element, start: int, shape: Sequence[int], steps: Sequence[int]
    ) -> torch.Tensor:
        bits = self._bits(element)
        last = start + sum((size - 1) * step for size, step in zip(shape, steps, strict=True))
        if not self._has(start, last):
            raise self._outside(start, last)
        return torch.as_strided(bits, shape, steps, bits.storage_offset() + start - self._first)

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


def packed_memory(name: str, tensor: torch.Tensor, strides: Sequence[int]) -> Memory:
    """A packed copy of a tensor, as its kernel makes it: rows are filled up with zeros."""
    sizes, ndim = tuple(tensor.shape), tensor.dim()
    lengths = (size * stride for size, stride in zip(sizes, strides, strict=True))
    count = max(lengths) if tensor.numel() else 0
    bits = torch.zeros(count * tensor.itemsize, dtype=torch.uint8)
    packed, origins = bits.view(tensor.dtype), torch.full((count,), _FILLING)
    if count:
        offsets = torch.zeros(sizes, dtype=torch.int64)
        for dim, (size, stride) in enumerate(zip(sizes, tensor.stride(), strict=True)):
            offsets += (torch.arange(size) * stride).reshape(-1, *[1] * (ndim - 1 - dim))
        origins.as_strided(sizes, strides).copy_(offsets)
        integers(packed).as_strided(sizes, strides).copy_(integers(tensor.detach()))
    return Memory(name, packed, origins=origins)


def scratch_memory(name: str, element: Element, count: int, zeroed: bool) -> Memory:
    """Scratch memory of a launch. Where it holds nothing, all bits are set: of floats, NaNs."""
    size = count * element.memory.itemsize
    data = torch.full((size,), 0 if zeroed else 0xFF, dtype=torch.uint8)
    return Memory(name, data.view(element.memory), hidden=True)


@dataclass(frozen=True)
class View:
    """An application's view of a parameter.

    ``place``: the tensor's memory, or the number that is passed by value. ``strides`` are in
    elements; ``shape`` is the block's, ``blocks`` its index variables, ``outer`` those of the
    programs, ``between`` those of the levels between. ``jagged``: it consists of sequences.
    """

    element: Element
    place: Memory | torch.Tensor
    access: Access
    strides: tuple[int, ...]
    outer: tuple[str, ...]
    between: tuple[str, ...]
    blocks: tuple[str, ...]
    shape: tuple[int, ...]
    jagged: Jagged | None = None
