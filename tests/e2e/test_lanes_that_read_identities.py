"""Sums of what is computed from loads that read the identity, or what makes it, outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.cumsum import rows_in_tiles
from ninetoothed import Tensor, block_size
from ninetoothed.testing import check_kernel
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-mask-reductions"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
NAN, INFINITE = float("nan"), float("inf")
LEAST = -3.0e38
BLOCK = block_size(lower_bound=32, upper_bound=64)


def rows(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    return rows_in_tiles(x, BLOCK), y, z


def check(
    application: Callable[..., None],
    x: torch.Tensor,
    expected: dict[str, torch.Tensor],
    remarks: list[str],
    **tolerances: float,
) -> None:
    """Compare with the expected ``y`` and ``z``, and with the remarks of the pass."""
    tensors = (Tensor(2), Tensor(1, dtype="fp32"), Tensor(1, dtype="fp32"))
    kernel = ninetoothed.make(rows, application, tensors, num_warps=4)
    arguments = (x, *(torch.zeros(len(x), device=x.device) for _ in range(2)))
    check_kernel(kernel, arguments, expected, levels=LEVELS[x.device.type], **tolerances)
    assert remarks_of(kernel, PASS, *arguments) == remarks


def logsumexp(x: Any, y: Any, z: Any) -> None:
    largest, total = LEAST, 0.0
    for i in range(x.shape[0]):
        tile = ntl.cast(x[i], ntl.float32)
        larger = ntl.maximum(largest, ntl.max(tile))
        total = total * ntl.exp(largest - larger) + ntl.sum(ntl.exp(tile - larger))
        largest = larger
    y = largest + ntl.log(total)
    z = total


def squares(x: Any, y: Any, z: Any) -> None:
    total, shifted = 0.0, 0.0
    for i in range(x.shape[0]):
        tile = ntl.cast(x[i], ntl.float32)
        total += ntl.sum(tile * tile)
        shifted += ntl.sum((tile + 1.0) * (tile + 1.0))
    y = total
    z = shifted


def inputs(width: int, dtype: torch.dtype, device: str) -> torch.Tensor:
    x = torch.randn(6, width)
    for row, number in enumerate((NAN, INFINITE, -INFINITE), 1):
        x[row, width // 2 :: 7] = number
    x[4] = -INFINITE
    return x.to(dtype).to(device)


@pytest.mark.parametrize("width", [0, 1, 31, 64, 65, 200])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
def test_an_online_softmax(device: str, dtype: torch.dtype, width: int) -> None:
    x = inputs(width, dtype, device)
    wide = x.float()
    numbers = torch.where(wide.isnan(), LEAST, wide)
    start = torch.full((6, 1), LEAST, device=device)
    largest = torch.cat([numbers, start], 1).amax(1, keepdim=True)
    total = (wide - largest).exp().sum(1)
    check(logsumexp, x, {"y": largest[:, 0] + total.log(), "z": total}, [], atol=1e-4)


@pytest.mark.parametrize("width", [0, 1, 65])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
def test_squares(device: str, dtype: torch.dtype, width: int) -> None:
    x = inputs(width, dtype, device)
    wide = x.float()
    expected = {"y": (wide * wide).sum(1), "z": ((wide + 1) * (wide + 1)).sum(1)}
    # What is not 0 where the load reads 0 is selected.
    selected = (
        "missed: lanes that are not valid are set to the identity: no load gives them that value"
    )
    check(squares, x, expected, [selected], rtol=1e-4, atol=1e-3)
