"""Copies of a call's arguments, with the memory that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ninetoothed.artifacts.configuration import Config
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.sequences import Jagged, is_nested


@dataclass(frozen=True)
class StrayWrite:
    """The first byte that was written outside of tensors: of parameter number ``place``'s memory,
    which has ``size`` bytes, byte number ``byte``, which is negative in front of it.
    """

    place: int
    byte: int
    size: int

    def __str__(self) -> str:
        """Text for a message."""
        if self.byte < 0:
            return f"{-self.byte} bytes in front of its memory"
        if self.byte >= self.size:
            return f"{self.byte - self.size} bytes behind its memory"
        return f"byte {self.byte} of its memory, where it has no element"


class Run(NamedTuple):
    """One run of a call on copies: its configuration, the copies as it left them, in launch order,
    and the names of the parameters that it may have written to.

    ``stray``: the first write to none of their elements that was found. ``full``: by the kernel of
    calls in which all guards hold.
    """

    config: Config
    values: tuple[Any, ...]
    written: frozenset[str]
    stray: StrayWrite | None = None
    full: bool = False


def copied(
    values: Iterable[Any], copy: Callable[[Any], tuple[Any, int]] | None = None
) -> list[Any]:
    """Copies of tensors, of the same sizes and strides; tensors that share memory share its copy.

    Numbers are left as they are, and so are tensors on the meta device, which hold nothing. A copy
    is no part of autograd's graph.

    ``copy(tensor)`` copies the memory that a tensor is in; it returns the storage, and how many
    bytes stand in front of the copy.
    """
    storages: dict[tuple[str, int], tuple[Any, int]] = {}
    return [_copied(value, storages, copy or _cloned) for value in values]


def _cloned(tensor: Any) -> tuple[Any, int]:
    return tensor.untyped_storage().clone(), 0


def _copied(
    value: Any,
    storages: dict[tuple[str, int], tuple[Any, int]],
    copy: Callable[[Any], tuple[Any, int]],
) -> Any:
    if isinstance(value, Jagged):
        return value.with_elements(_copied(value.elements, storages, copy))
    if not is_tensor(value) or value.device.type == "meta":
        return value
    if is_nested(value) or str(value.layout) != "torch.strided":
        return value.detach().clone()
    tensor = value.detach()
    key = str(tensor.device), tensor.untyped_storage().data_ptr()
    if key not in storages:
        storages[key] = copy(tensor)
    storage, front = storages[key]
    # A new tensor, for one of inference mode cannot be set outside of it.
    new = tensor.new_empty(0)
    offset = tensor.storage_offset() + front // tensor.itemsize
    new.set_(storage, offset, tensor.shape, tensor.stride())
    return new
