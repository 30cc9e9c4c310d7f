"""Batches of calls of named operators, and the single calls that they are compared with."""

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportFunctionMemberAccess=false, reportPrivateUsage=false
# Arrangements have parameters without types.

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.func import vmap

import ninetoothed
from ninetoothed import Tensor, block_size
from ninetoothed.kernel.kernel import Kernel

BLOCK_SIZE = block_size()
_numbers = itertools.count()


def operator(kernel: Kernel, **options: Any) -> Callable[..., Any]:
    """An operator of a name of its own."""
    return ninetoothed.operator(f"batches::k{next(_numbers)}", kernel, **options)


def in_blocks(*tensors):
    return tuple(tensor.tile((BLOCK_SIZE,)) for tensor in tensors)


def as_they_are(*tensors):
    return tensors


def made(application: Callable[..., Any], arrangement: Any = in_blocks, ndim: int = 1) -> Kernel:
    """A kernel whose tensors have so many dims each."""
    count = application.__code__.co_argcount
    return ninetoothed.make(arrangement, application, tuple(Tensor(ndim) for _ in range(count)))


def drawn(*shape: int, device: str = "cpu") -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator).to(device)


def single_calls(function: Any, in_dims: Sequence[int | None], *args: Any) -> Any:
    """What vmap returns, by a call for each index."""
    sizes = [one.shape[dim] for one, dim in zip(args, in_dims, strict=True) if dim is not None]
    results: list[Any] = []
    for index in range(sizes[0]):
        pairs = zip(args, in_dims, strict=True)
        results.append(
            function(*[one if dim is None else one.select(dim, index) for one, dim in pairs])
        )
    if isinstance(results[0], torch.Tensor):
        return torch.stack(results)
    return tuple(torch.stack(one) for one in zip(*results, strict=True))


def check(launches: list[str], function: Any, in_dims: Sequence[int | None], *args: Any) -> None:
    """Check that vmap makes one launch, and gives the bits of single calls."""
    launches.clear()
    found = vmap(function, in_dims=tuple(in_dims))(*args)
    assert len(launches) == 1, launches
    expected = single_calls(function, in_dims, *args)
    assert [*map(torch.Tensor.stride, several(found))] == [
        *map(torch.Tensor.stride, several(expected))
    ]
    for one, other in zip(several(found), several(expected), strict=True):
        assert torch.equal(one, other)


def several(results: Any) -> tuple[torch.Tensor, ...]:
    return (results,) if isinstance(results, torch.Tensor) else results
