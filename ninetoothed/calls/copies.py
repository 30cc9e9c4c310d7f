"""Copies of a call's arguments, with the memory that they share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ninetoothed.artifacts.configuration import Config
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.sequences import Jagged, is_nested


class Run(NamedTuple):
    """One run of a call on copies: its configuration, the copies as it left them, in launch order,
    and the names of the parameters that it may have written to.
    """

    config: Config
    values: tuple[Any, ...]
    written: frozenset[str]


def copied(values: Iterable[Any]) -> list[Any]:
    """Copies of tensors, of the same sizes and strides; tensors that share memory share its copy.

    Numbers are left as they are, and so are tensors on the meta device, which hold nothing. A copy
    is no part of autograd's graph.
    """
    storages: dict[tuple[str, int], Any] = {}
    return [_copied(value, storages) for value in values]


def _copied(value: Any, storages: dict[tuple[str, int], Any]) -> Any:
    if isinstance(value, Jagged):
        return value.with_elements(_copied(value.elements, storages))
    if not is_tensor(value) or value.device.type == "meta":
        return value
    if is_nested(value) or str(value.layout) != "torch.strided":
        return value.detach().clone()
    tensor = value.detach()
    storage = tensor.untyped_storage()
    key = str(tensor.device), storage.data_ptr()
    if key not in storages:
        storages[key] = storage.clone()
    # A new tensor, for one of inference mode cannot be set outside of it.
    new = tensor.new_empty(0)
    new.set_(storages[key], tensor.storage_offset(), tensor.shape, tensor.stride())
    return new
