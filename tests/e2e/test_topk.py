"""The first lanes of an order, found without sorting all, and sorted blocks that are merged."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.cumsum import rows_in_tiles
from ninetoothed import Tensor, block_size
from ninetoothed.testing import check_kernel
from tests.support.everywhere import everywhere
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-merge-sorted"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
MERGED = "passed: sorted blocks are merged"
NAN, INFINITE = float("nan"), float("inf")


def drawn(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """Numbers with many ties, and with all that floats have beside numbers."""
    generator = torch.Generator().manual_seed(sum(shape))
    if not dtype.is_floating_point:
        limits = torch.iinfo(dtype)
        found = torch.randint(max(limits.min, -9), 10, shape, generator=generator).to(dtype)
        found.view(-1)[:3] = torch.tensor([limits.max, limits.min, limits.max], dtype=dtype)[
            : found.numel()
        ]
        return found
    values = torch.tensor([NAN, INFINITE, -INFINITE, 0.0, -0.0, 1.5, -1.5, 3.0], dtype=dtype)
    return values[torch.randint(0, len(values), shape, generator=generator)]


def tops(k: int, dim: int) -> Any:
    def application(x: Any, largest: Any, smallest: Any) -> None:
        largest = ntl.topk(x, k, dim)
        smallest = ntl.topk(x, k, dim, descending=False)

    return application


def whole(*tensors: Tensor) -> tuple[Any, ...]:
    return tuple(tensor.tile((-1, -1)) for tensor in tensors)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8, torch.int64], ids=str)
@pytest.mark.parametrize(
    ("n", "k"), [(1, 1), (2, 1), (3, 3), (8, 2), (8, 4), (8, 8), (37, 5), (64, 8), (64, 33)]
)
def test_first_lanes(device: str, n: int, k: int, dtype: torch.dtype) -> None:
    for dim in (0, 1):
        shapes = [(n, 3), (k, 3)] if dim == 0 else [(3, n), (3, k)]
        x, *outputs = [drawn(dtype, *shapes[0]), *(torch.zeros(shapes[1], dtype=dtype),) * 2]

        def check(x: torch.Tensor, *found: torch.Tensor, dim: int = dim) -> None:
            for result, largest in zip(found, (True, False), strict=True):
                expected = torch.sort(x.cpu(), dim, descending=largest).values
                expected = expected.narrow(dim, 0, k)
                assert torch.equal(result.cpu().nan_to_num(7), expected.nan_to_num(7))

        everywhere(device, whole, tops(k, dim), (x, *outputs), check)


def one_row(*tensors: Tensor) -> tuple[Any, ...]:
    return tuple(tensor.tile((1, -1)) for tensor in tensors)


@pytest.mark.parametrize("k", [1, 2, 4, 8, 16])
def test_all_zeros_and_ones(k: int) -> None:
    """A network of comparisons that sorts each sequence of zeros and ones sorts every sequence."""
    lanes = torch.arange(16)
    x = (torch.arange(1 << 16)[:, None] >> lanes & 1).to(torch.int32)
    y = torch.zeros(len(x), k, dtype=torch.int32)

    def check(x: torch.Tensor, *found: torch.Tensor) -> None:
        for result, largest in zip(found, (True, False), strict=True):
            expected = torch.sort(x, 1, descending=largest).values[:, :k]
            assert torch.equal(result, expected)

    everywhere("cpu", one_row, tops(k, 1), (x, y, y), check)


def merged(a: Any, b: Any, y: Any) -> None:
    y = ntl.sort(ntl.cat(ntl.sort(a), ntl.sort(b), dim=1))


def test_all_merges_of_zeros_and_ones(device: str) -> None:
    counts = torch.cartesian_prod(torch.arange(9), torch.arange(9))
    a, b = ((torch.arange(8) < one[:, None]).to(torch.int32) for one in counts.unbind(1))
    y = torch.zeros(len(a), 16, dtype=torch.int32)

    def check(a: torch.Tensor, b: torch.Tensor, y: torch.Tensor) -> None:
        assert torch.equal(y, torch.cat([a, b], 1).sort(1).values)

    everywhere(device, eights, merged, (a, b, y), check)


def eights(a: Tensor, b: Tensor, y: Tensor) -> tuple[Any, ...]:
    return a.tile((1, 8)), b.tile((1, 8)), y.tile((1, 16))


def rows(x: Tensor, y: Tensor, k: int) -> tuple[Any, ...]:
    best: Any = y.tile((1, k)).squeeze(1)
    best.dtype = best.dtype.squeeze(0)
    return rows_in_tiles(x, block_size(lower_bound=32, upper_bound=64)), best


def best_of_row(k: int, worst: int, falls: bool) -> Any:
    def application(x: Any, y: Any) -> None:
        best = ntl.full((k,), worst, dtype=x.source.dtype)
        for i in range(x.shape[0]):
            new = ntl.topk(x[i], k, descending=falls)
            best = ntl.topk(ntl.cat(best, new), k, descending=falls)
        y = best

    return application


@pytest.mark.parametrize(
    ("k", "dtype", "falls"),
    [
        (1, torch.int32, True),
        (2, torch.uint8, True),
        (5, torch.int32, True),
        (8, torch.int32, False),
        (8, torch.int64, True),
        (32, torch.int16, True),
    ],
    ids=str,
)
def test_merged_rows(device: str, k: int, dtype: torch.dtype, falls: bool) -> None:
    limits = torch.iinfo(dtype)
    worst = limits.min if falls else limits.max
    kernel = ninetoothed.make(
        functools.partial(rows, k=k),
        best_of_row(k, worst, falls),
        (Tensor(2, other=worst), Tensor(2)),
        num_warps=4,
    )
    x = drawn(dtype, 3, 150).to(device)
    y = torch.zeros(3, k, dtype=dtype, device=device)
    expected = torch.sort(x, 1, descending=falls).values[:, :k]
    check_kernel(kernel, (x, y), {"y": expected}, levels=LEVELS[device])
    # Five lanes and five are no block of two halves: they are gathered.
    assert remarks_of(kernel, PASS, x, y) == ([] if k == 5 else [MERGED])
