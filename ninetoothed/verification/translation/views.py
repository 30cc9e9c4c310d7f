"""Views: tensors of one shape in several memory layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ninetoothed.calls.sequences import Jagged, Offsets
from ninetoothed.dtype import DTYPES
from ninetoothed.ir import nt

LAYOUTS = ("plain", "transposed", "spread", "backward", "repeated")
"""Contiguous; dims in the opposite order, one element into the memory; gaps between elements;
negative strides; one dim repeated, its stride 0."""
WRITABLE = LAYOUTS[:-1]
"""Layouts in which no two elements overlap."""

_VALUES = 4


class Backward(torch.Tensor):
    """Tensor with negative strides, which torch's own never have.

    The interpreters use its ``stride()``, which is negative, and ``storage_offset()``, that of the
    first element. It has no other use.
    """

    @classmethod
    def of(cls, tensor: torch.Tensor) -> Backward:
        """View of the same memory with the elements in the opposite order."""
        return tensor.as_subclass(cls)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Results of operations are plain tensors."""
        with torch._C.DisableTorchFunctionSubclass():  # pyright: ignore[reportPrivateUsage]
            return func(*args, **(kwargs or {}))

    def stride(self, dim: int | None = None) -> Any:
        """The negative strides."""
        strides = tuple(-stride for stride in super().stride())
        return strides if dim is None else strides[dim]

    def storage_offset(self) -> int:
        """Offset of the first element, after all others."""
        return int(super().storage_offset()) + self._reach()

    def data_ptr(self) -> int:
        """Address of the first element."""
        return super().data_ptr() + self._reach() * self.element_size()

    def _reach(self) -> int:
        return sum(
            (size - 1) * stride for size, stride in zip(self.shape, super().stride(), strict=True)
        )


def tensor(shape: Sequence[int], dtype: str, layout: str, seed: int) -> torch.Tensor:
    """Create a tensor of small integers, the same ones for the same arguments."""
    sizes = list(shape)
    if layout == "transposed":
        plain = _numbers([*reversed(sizes)], dtype, seed, start=1)
        return plain.permute(tuple(reversed(range(len(sizes)))))
    if layout == "spread":
        steps = [2 + dim % 2 for dim in range(len(sizes))]
        wide = _numbers([size * step for size, step in zip(sizes, steps, strict=True)], dtype, seed)
        # From the second element of each step on, so that accesses before it show.
        return wide[tuple(slice(1, None, step) for step in steps)]
    plain = _numbers(sizes, dtype, seed)
    if layout == "backward" and plain.numel() > 0:
        return Backward.of(plain)
    if layout == "repeated" and sizes and plain.numel() > 0:
        dim = seed % len(sizes)
        return plain.narrow(dim, 0, 1).expand(sizes)
    return plain


def sequences(
    shape: Sequence[int], jagged: nt.Jagged, number: int, dtype: str, layout: str, seed: int
) -> Jagged:
    """Create a jagged tensor: some sequences are as long as ``shape``'s longest, some empty."""
    longest = shape[jagged.dim]
    kinds = (longest, 0, max(longest - 1, 0), longest // 2)
    lengths = [kinds[(number + place) % len(kinds)] for place in range(shape[0])]
    # One element lies before the first sequence, and one behind the last.
    offsets = torch.tensor([1, *lengths]).cumsum(0)
    sizes = [*shape[1:]]
    sizes[jagged.dim - 1] = int(offsets[-1]) + 1
    return Jagged(tensor(sizes, dtype, layout, seed), Offsets(offsets), jagged.dim, longest)


def _numbers(shape: Sequence[int], dtype: str, seed: int, start: int = 0) -> torch.Tensor:
    """Tensor that starts ``start`` elements into its memory."""
    count = torch.Size(shape).numel()
    generator = torch.Generator().manual_seed(seed)
    flat = torch.randint(0, _VALUES, (start + count,), generator=generator)
    return flat.to(getattr(torch, DTYPES[dtype].torch))[start:].reshape(shape)
