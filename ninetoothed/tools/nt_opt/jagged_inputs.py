"""Jagged tensors of ``--run``: their sequences, random or from a file.

In a file, the array of a jagged tensor is its elements, without the dim of the batch, and a second
one, named as the IR names it (``x_offsets``), has the start of each sequence and the end of the
last one, as ``values()`` and ``offsets()`` of a ``torch.nested`` tensor.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from ninetoothed.calls.sequences import Jagged, Offsets
from ninetoothed.errors import ArgumentError
from ninetoothed.ir import nt


@dataclass(frozen=True)
class SequenceOffsets:
    """Offsets of the sequences of a call's jagged tensors. Tensors of as many sequences, with as
    long a longest one, have the same: a kernel may ask for it.
    """

    known: dict[tuple[int, int], torch.Tensor] = field(
        default_factory=dict[tuple[int, int], torch.Tensor]
    )

    def add(self, offsets: torch.Tensor) -> tuple[int, int]:
        """Use these for tensors of their sizes; the sizes: their number, and the longest."""
        lengths = offsets.diff()
        sizes = len(lengths), int(lengths.max()) if len(lengths) else 0
        self.known.setdefault(sizes, offsets)
        return sizes

    def find(self, shape: Sequence[int], dim: int, generator: torch.Generator) -> torch.Tensor:
        """The offsets of a tensor whose longest sequence has ``shape[dim]`` entries: the first one,
        and the others have random lengths.
        """
        batch, longest = shape[0], shape[dim]
        if (batch, longest) not in self.known:
            lengths = torch.randint(longest + 1, (batch,), generator=generator)
            lengths[:1] = longest
            self.known[batch, longest] = torch.cat(
                [torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)]
            )
        return self.known[batch, longest]


def dim_of(param: nt.Param) -> int:
    """The dim of a jagged parameter's sequences."""
    assert param.jagged_dim is not None
    return param.jagged_dim


def given_offsets(param: nt.Param, arrays: Mapping[str, Any], file: str | None) -> torch.Tensor:
    """The offsets of a jagged parameter whose elements are an array of a file.

    Raises:
        ArgumentError: the file has none, or they do not fit the elements.
    """
    elements = arrays[param.name]
    dim = dim_of(param) - 1
    if elements.ndim != len(param.sizes) - 1:
        raise ArgumentError(
            f"--inputs: {param.name} is jagged, so its array must have {len(param.sizes) - 1} "
            f"dims, its sequences one behind another, not {elements.ndim}"
        )
    found = arrays.get(str(param.offsets))
    if found is None:
        raise ArgumentError(
            f"--inputs: {file} has no array {param.offsets}: the start of each sequence of "
            f"{param.name}, and the end of the last one"
        )
    if found.ndim != 1 or not len(found) or not np.issubdtype(found.dtype, np.integer):
        raise ArgumentError(
            f"--inputs: {param.offsets} must be integers along one dim, at least one, not "
            f"{found.dtype} of shape {found.shape}"
        )
    ends = (0, *map(int, found), elements.shape[dim])
    if any(end < start for start, end in itertools.pairwise(ends)):
        raise ArgumentError(
            f"--inputs: {param.offsets} must rise from 0 or more to at most {elements.shape[dim]}, "
            f"the size of dim {dim} of {param.name}"
        )
    return torch.from_numpy(found.astype(np.int64))


def given_shape(
    param: nt.Param, elements: Sequence[int], sizes: tuple[int, int]
) -> tuple[int, ...]:
    """The shape of a jagged tensor: the batch first, and the longest sequence's length."""
    batch, longest = sizes
    dim = dim_of(param)
    return (batch, *elements[: dim - 1], longest, *elements[dim:])


def elements_shape(param: nt.Param, shape: Sequence[int], offsets: torch.Tensor) -> tuple[int, ...]:
    """The shape of the elements: without the batch, and with all sequences along their dim."""
    dim = dim_of(param)
    return (*shape[1:dim], int(offsets[-1]), *shape[dim + 1 :])


def jagged(param: nt.Param, elements: torch.Tensor, offsets: torch.Tensor, bits: int) -> Jagged:
    """The elements as a jagged tensor, with offsets of ``bits`` bits."""
    own = Offsets(offsets.to(torch.int32 if bits == 32 else torch.int64))
    longest = int(offsets.diff().max()) if len(offsets) > 1 else 0
    return Jagged(elements, own, dim_of(param), longest)
