"""A tensor's storage, which may have been resized under its views."""

from __future__ import annotations

from typing import Any

from ninetoothed.errors import ArgumentError, counted


def check_memory(name: str, tensor: Any) -> None:
    """Check that the elements of the tensor of parameter ``name`` lie in its memory.

    Raises:
        ArgumentError: one does not.
    """
    # What only behaves like a tensor need not have a storage.
    if tensor.numel() == 0 or not hasattr(tensor, "untyped_storage"):
        return
    dims = zip(tensor.shape, tensor.stride(), strict=True)
    last = tensor.storage_offset() + sum((size - 1) * max(stride, 0) for size, stride in dims)
    needed = (last + 1) * tensor.element_size()
    found = tensor.untyped_storage().nbytes()
    if needed > found:
        raise ArgumentError(
            f"{name} reaches beyond its memory, which has {counted(found, 'byte')} of {needed:,}: "
            "it is a view of a tensor that was resized; make the view again"
        )
