"""Loops whose loads run ahead compute what they do without, whatever they read and write."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.testing import check_kernel

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

SIZE = Symbol("SIZE", meta=True, lower_bound=64, upper_bound=256)


def columns(x: Any) -> Any:
    """Blocks of columns, of each all rows."""
    x = x.tile((1, SIZE)).tile((-1, 1)).squeeze(0)
    x.dtype = x.dtype.squeeze(1)
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    return x


def matrix_and_row(x: Any, y: Any) -> tuple[Any, Any]:
    return columns(x), y.tile((SIZE,))


def matrices(x: Any, y: Any) -> tuple[Any, Any]:
    return columns(x), columns(y)


def total(x: Any, y: Any) -> None:
    found = ntl.zeros(y.shape, dtype=ntl.float32)
    for row in range(x.shape[0]):
        found += x[row]
    y = found


def running(x: Any, y: Any) -> None:
    found = ntl.zeros(x[0].shape, dtype=ntl.float32)
    for row in range(x.shape[0]):
        found += x[row]
        y[row] = found


# 1,001 and 1,008 columns: rows that start anywhere, and at multiples of 16.
@pytest.mark.parametrize("width", [1001, 1008, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 37])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_sums_of_rows(device: str, count: int, width: int, dtype: torch.dtype) -> None:
    kernel = ninetoothed.make(matrix_and_row, total, (Tensor(2), Tensor(1)), num_warps=4)
    x = torch.randn(count, width, device=device).to(dtype)
    y = torch.empty(width, device=device)
    ran = check_kernel(kernel, (x, y), lambda x, y: x.double().sum(0).float(), atol=1e-4)
    if device == "cuda" and (width == 1008 or dtype == torch.float32):
        assert {dict(config.choices).get("loop_stages") for config in ran} == {None, 2, 3}


@pytest.mark.parametrize("in_place", [False, True])
def test_stores_behind_loads(device: str, in_place: bool) -> None:
    kernel = ninetoothed.make(matrices, running, (Tensor(2), Tensor(2)), num_warps=4)
    x = torch.randn(37, 1008, device=device)
    y = x if in_place else torch.empty_like(x)
    expected = x.double().cumsum(0).float()
    ran = check_kernel(kernel, (x, y), {"y": expected}, atol=1e-4)
    # In place, a load might come before the store that it reads.
    if device == "cuda":
        staged = any("loop_stages" in dict(config.choices) for config in ran)
        assert staged is not in_place


def fenced(x: Any, y: Any) -> None:
    found = ntl.zeros(y.shape, dtype=ntl.float32)
    for row in range(x.shape[0]):
        ntl.inline_asm_elementwise(
            "fence.acq_rel.gpu; mov.b32 $0, $1;", "=r,r", [row], ntl.int32, False, 1
        )
        found += x[row]
    y = found


def test_no_load_runs_ahead_of_a_fence() -> None:
    kernel = ninetoothed.make(matrix_and_row, fenced, (Tensor(2), Tensor(1)), num_warps=4)
    found = kernel.remarks(torch.zeros(37, 1008), torch.zeros(1008)).remarks
    kept = "loop kept: by nt.inline_asm a program may wait for another"
    assert [one.message for one in found if one.pass_name == "nt-stage-loops"] == [kept]
