"""An idiom: a kernel as a user writes it, calls of it, and the expected results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ninetoothed import Tensor

Call = tuple[Any, ...]
"""The arguments of one call, in the application's order: tensors and numbers."""


@dataclass(frozen=True)
class Idiom:
    """One way to arrange tensors, as a kernel.

    Args:
        name: Its name, words joined by ``_``.
        arrangement, application: What ``make`` takes.
        arguments: Calls to try: exact and ragged sizes, views with gaps, transposed ones.
        reference: Takes the arguments of a call, as they are before it, and gives what the
            ``outputs`` are after it: one tensor, or one an output.
        tensors: What ``make`` takes, where more than the number of dims of each argument counts; a
            function of nothing where they cannot be made without a warning.
        outputs: Positions of the arguments that the kernel writes.
        keywords: Constexpr symbols of every call.
        values: Constexpr tensors, where no call gives them.
        data_dependent: Which element is touched depends on the data, so that nothing can be proved
            of it.
        tolerance: Of the results, relative and absolute.
        warns: Name of the class of warning that the kernel gives, once.
    """

    name: str
    arrangement: Callable[..., object]
    application: Callable[..., object]
    arguments: Callable[[], Iterable[Call]]
    reference: Callable[..., torch.Tensor | tuple[torch.Tensor, ...]]
    tensors: Sequence[object] | Callable[[], Sequence[object]] | None = None
    outputs: tuple[int, ...] = (-1,)
    keywords: Mapping[str, Any] = field(default_factory=dict[str, Any])
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    data_dependent: bool = False
    tolerance: float = 1e-5
    warns: str | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def symbolic_tensors(self) -> Sequence[object]:
        """What ``make`` takes."""
        given = self.tensors() if callable(self.tensors) else self.tensors
        return given or declared(next(iter(self.arguments())))


def declared(values: Sequence[Any]) -> list[Tensor]:
    """A symbolic tensor for each value, of its number of dims."""
    return [Tensor(value.ndim if isinstance(value, torch.Tensor) else 0) for value in values]


def randn(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Normally distributed, the same for the same shape."""
    generator = torch.Generator().manual_seed(hash(shape) % 2**31)
    return torch.randn(shape, generator=generator).to(dtype)


def integers(low: int, high: int, *shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """From ``low`` to ``high``, exclusive."""
    generator = torch.Generator().manual_seed(hash(shape) % 2**31)
    return torch.randint(low, high, shape, generator=generator).to(dtype)


def nan(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """An output that is not written yet."""
    return torch.full(shape, math.nan, dtype=dtype)


def transposed(tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers, the first dim innermost in memory."""
    dims = tuple(reversed(range(tensor.ndim)))
    return tensor.permute(dims).contiguous().permute(dims)


def gapped(tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers with gaps between them along every dim, and before the first."""
    wide = torch.zeros([2 * size + 1 for size in tensor.shape], dtype=tensor.dtype)
    view = wide[(slice(1, None, 2),) * tensor.ndim]
    view.copy_(tensor)
    return view
