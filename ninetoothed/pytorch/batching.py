"""Operators under ``torch.func.vmap``: one call for each index of the batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ninetoothed.errors import ArgumentError
from ninetoothed.pytorch.named_operators import NamedOperator


def batched(name: str, named: NamedOperator, operator: Callable[..., Any]) -> Callable[..., Any]:
    """The rule that ``torch.library.register_vmap`` takes for an operator."""

    def call(info: Any, in_dims: tuple[int | None, ...], *given: Any) -> Any:
        args = named.completed(given)
        dims = (*in_dims, *[None] * (len(args) - len(in_dims)))
        for place in named.mutated:
            if dims[place] is None:
                raise ArgumentError(
                    f"{name} writes {named.inputs[place]}, which torch.func.vmap does not map "
                    "over, so that all calls would write one memory; map over it, too"
                )
        calls = [operator(*_at(index, dims, args)) for index in range(info.batch_size)]
        if not named.has_results:
            return None, None
        if not calls:
            # What a call would return tells the shapes.
            pairs = zip(args, dims, strict=True)
            inputs = [
                one if dim is None else one.new_empty(_without(dim, one)) for one, dim in pairs
            ]
            returned = _several(named.check(*inputs))
            found = [one.new_empty((0, *one.shape)) for one in returned]
        else:
            found = [torch.stack(one) for one in zip(*map(_several, calls), strict=True)]
        return (found[0], 0) if len(found) == 1 else (tuple(found), (0,) * len(found))

    return call


def _several(returned: Any) -> tuple[torch.Tensor, ...]:
    """The results of a call, of which one is returned as it is."""
    return (returned,) if isinstance(returned, torch.Tensor) else returned


def _at(index: int, dims: Sequence[int | None], args: Sequence[Any]) -> list[Any]:
    """The arguments of the call at an index of the batch."""
    pairs = zip(args, dims, strict=True)
    return [one if dim is None else one.select(dim, index) for one, dim in pairs]


def _without(dim: int, tensor: torch.Tensor) -> tuple[int, ...]:
    """The tensor's shape without a dim."""
    return (*tensor.shape[:dim], *tensor.shape[dim + 1 :])
