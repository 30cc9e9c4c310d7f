"""Guard bands: memory around a call's tensors that no program may write to.

They are filled with NaN of the floats of two bytes and more, so that what is read there by mistake
shows as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.copies import StrayWrite, copied
from ninetoothed.calls.sequences import elements_of

if TYPE_CHECKING:
    import torch

_BYTES = 4096
"""Of each of a memory's two bands. As large as the alignment that any argument may have."""


def banded(values: Sequence[Any]) -> list[Any]:
    """Copies of tensors as ``copied`` makes them, with guard bands around their memory."""
    return copied(values, _with_bands)


def stray_write(before: Sequence[Any], copies: Sequence[Any]) -> StrayWrite | None:
    """The first write to what ``banded`` made of ``before`` that was to no element of a tensor."""
    import torch

    integers = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    expected = banded(before)
    memories: dict[int, list[int]] = {}
    for place, value in enumerate(map(elements_of, copies)):
        if is_tensor(value) and value.device.type != "meta":
            memories.setdefault(value.untyped_storage().data_ptr(), []).append(place)
    for places in memories.values():
        first = elements_of(copies[places[0]])
        storage = first.untyped_storage()
        elements = torch.zeros_like(_bytes(first)).untyped_storage()
        for place in places:
            one = elements_of(copies[place])
            view = one.new_empty(0).set_(elements, one.storage_offset(), one.shape, one.stride())
            view.view(integers[one.itemsize]).fill_(-1)
        here = first.new_empty(0, dtype=torch.uint8).set_(elements)
        wrong = (_bytes(first) != _bytes(elements_of(expected[places[0]]))) & (here == 0)
        found = wrong.nonzero()
        if len(found):
            byte = int(found[0]) - _BYTES
            return StrayWrite(places[0], byte, storage.nbytes() - 2 * _BYTES)
    return None


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    """All bytes of the memory that a tensor is in."""
    import torch

    return tensor.new_empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())


def _with_bands(tensor: torch.Tensor) -> tuple[torch.UntypedStorage, int]:
    """A copy of the memory of a tensor, with bands, and the number of bytes in front."""
    import torch

    memory = _bytes(tensor)
    # Every second byte is 255; those between them hold the rest of the exponent, of doubles also.
    place = torch.arange(_BYTES, device=memory.device)
    band = torch.where(place % 2 == 1, 255, place // 2 % 15 + 241).to(torch.uint8)
    return torch.cat([band, memory, band]).untyped_storage(), _BYTES
