"""Reductions that a loop adds up: made once, behind it, they give what each iteration's gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.cumsum import rows_in_tiles
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.configuration import Config
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.testing import check_kernel
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-defer-reductions"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
NAN, INFINITE = float("nan"), float("inf")
BLOCK = block_size(lower_bound=32, upper_bound=64)
CHOICE = "deferred_reductions"
POSSIBLE = "analysis: reduction kept: deferred_reductions is 0, and may be 1"


def rows(x: Any, *others: Any) -> tuple[Any, ...]:
    return rows_in_tiles(x, BLOCK), *others


def made(application: Callable[..., None], *dtypes: str) -> Kernel:
    tensors = [Tensor(2), *(Tensor(1, dtype=dtype) for dtype in dtypes)]
    return ninetoothed.make(rows, application, tensors, num_warps=4)


def deferred(ran: list[Config]) -> bool:
    """True if configurations ran that defer, and others."""
    return {dict(config.choices).get(CHOICE) for config in ran} == {None, 1}


def three(x: Any, total: Any, largest: Any, least: Any) -> None:
    a, b, c = 0.0, float("-inf"), float("inf")
    for i in range(x.shape[0]):
        a += ntl.sum(x[i] * 2.0)
        b = ntl.maximum(ntl.max(x[i]), b)
        c = ntl.minimum(c, ntl.min(x[i]))
    total = a
    largest = b
    least = c


@pytest.mark.parametrize("width", [1, 31, 64, 65, 200])
def test_named_reductions(device: str, width: int) -> None:
    x = torch.randn(5, width, device=device)
    kernel = made(three, *["fp32"] * 3)
    outputs = [torch.zeros(5, device=device) for _ in range(3)]
    expected = {"total": 2 * x.sum(1), "largest": x.amax(1), "least": x.amin(1)}
    assert deferred(check_kernel(kernel, (x, *outputs), expected, levels=LEVELS[device], atol=1e-4))
    assert remarks_of(kernel, PASS, x, *outputs) == [POSSIBLE] * 3


def logsumexp(x: Any, y: Any) -> None:
    largest, total = -3.0e38, 0.0
    for i in range(x.shape[0]):
        larger = ntl.maximum(largest, ntl.max(x[i]))
        total = total * ntl.exp(largest - larger) + ntl.sum(ntl.exp(x[i] - larger))
        largest = larger
    y = largest + ntl.log(total)


@pytest.mark.parametrize("width", [1, 65, 200])
def test_sums_that_are_scaled(device: str, width: int) -> None:
    x = torch.randn(5, width, device=device) * 8
    kernel, y = made(logsumexp, "fp32"), torch.zeros(5, device=device)
    assert deferred(
        check_kernel(kernel, (x, y), {"y": x.logsumexp(1)}, levels=LEVELS[device], atol=1e-4)
    )
    # The largest one is needed in each iteration.
    kept = "missed: reduction kept: the loop uses what it has combined so far"
    assert remarks_of(kernel, PASS, x, y) == [kept, POSSIBLE]


def from_seven(x: Any, y: Any) -> None:
    total = 7
    for i in range(x.shape[0]):
        total += ntl.sum(x[i])
    y = total


@pytest.mark.parametrize("width", [0, 65])
def test_sums_that_begin_with_a_number(device: str, width: int) -> None:
    x = torch.randint(-9, 9, (5, width), dtype=torch.int32, device=device)
    kernel, y = made(from_seven, "i32"), torch.zeros(5, dtype=torch.int32, device=device)
    assert deferred(check_kernel(kernel, (x, y), {"y": 7 + x.sum(1).int()}, levels=LEVELS[device]))
    assert remarks_of(kernel, PASS, x, y) == [POSSIBLE]


def largest_of_none(x: Any, y: Any) -> None:
    found = 0.5
    for i in range(x.shape[0]):
        found = ntl.maximum(found, ntl.max(x[i]))
    y = found


@pytest.mark.parametrize("width", [0, 65])
def test_blocks_without_lanes(device: str, width: int) -> None:
    """What a loop begins with counts, whatever the blocks have."""

    def blocks(x: Any, y: Any) -> tuple[Any, ...]:
        found = x.tile((1, 1, -1)).tile((1, -1, -1)).squeeze((1, 2))
        found.dtype = found.dtype.squeeze((0, 2))
        found.dtype.dtype = found.dtype.dtype.squeeze((0, 1))
        return found, y

    kernel = ninetoothed.make(blocks, largest_of_none, (Tensor(3), Tensor(1)), num_warps=4)
    x, y = torch.rand(5, 4, width, device=device), torch.zeros(5, device=device)
    expected = x.amax((1, 2)).clamp_min(0.5) if width else torch.full_like(y, 0.5)
    assert deferred(check_kernel(kernel, (x, y), {"y": expected}, levels=LEVELS[device]))
    assert remarks_of(kernel, PASS, x, y) == [POSSIBLE]


def from_given(x: Any, first: Any, count: Any, y: Any) -> None:
    total = first
    for i in range(count):
        total = total + ntl.sum(x[i])
    y = total


@pytest.mark.parametrize("count", [0, 2])
def test_what_a_sum_begins_with_is_kept(device: str, count: int) -> None:
    """Its sign, too, where it is zero."""
    tensors = (Tensor(2), Tensor(1), Tensor(0, dtype=ninetoothed.int32), Tensor(1))
    kernel = ninetoothed.make(rows, from_given, tensors, num_warps=4)
    x = torch.zeros(5, 128, device=device)
    first = torch.tensor([-0.0, 0.0, NAN, INFINITE, 2.0], device=device)
    y = torch.ones(5, device=device)
    expected = first + 0.0 if count else first
    ran = check_kernel(kernel, (x, first, count, y), {"y": expected}, levels=LEVELS[device])
    assert deferred(ran)
    kernel(x, first, count, y)
    assert torch.equal(y.signbit()[:2], expected.signbit()[:2])


def first_then(x: Any, y: Any) -> None:
    found = ntl.max(x[0])
    for i in range(1, x.shape[0]):
        found = ntl.maximum(found, ntl.max(x[i]))
    y = found


def halves(x: Any, y: Any) -> None:
    total = ntl.cast(0.0, ntl.float16)
    for i in range(x.shape[0]):
        total += ntl.cast(ntl.sum(ntl.cast(x[i], ntl.float16)), ntl.float16)
    y = total


def horner(x: Any, y: Any) -> None:
    total = 1.0
    for i in range(x.shape[0]):
        total = total * 0.5 + ntl.sum(x[i])
    y = total


def growing(x: Any, y: Any) -> None:
    total = 0.0
    for i in range(x.shape[0]):
        total = total * ntl.exp(ntl.max(x[i])) + ntl.sum(x[i])
    y = total


def running(x: Any, y: Any) -> None:
    total, seen = 0.0, 0.0
    for i in range(x.shape[0]):
        total += ntl.sum(x[i])
        seen += ntl.abs(total)
    y = seen + total


@pytest.mark.parametrize(
    ("application", "reason"),
    [
        (horner, "what it is added to does not begin with 0"),
        (first_then, "what it is combined with at first may be NaN"),
        (halves, "lanes of fp16 would be rounded in each iteration"),
        (growing, "what scales the sum may be infinite"),
        (running, "the loop uses what it has combined so far"),
    ],
)
def test_what_is_kept(application: Callable[..., None], reason: str) -> None:
    x, y = torch.randn(5, 64), torch.zeros(5)
    kernel = made(application, "fp32")
    assert remarks_of(kernel, PASS, x, y) == [f"missed: reduction kept: {reason}"]


def matrix(x: Any, y: Any) -> tuple[Any, ...]:
    """A program takes eight rows, tile by tile."""
    found = x.tile((8, BLOCK)).tile((1, -1)).squeeze(1)
    found.dtype = found.dtype.squeeze(0)
    return found, y.tile((8,))


def of_columns(x: Any, y: Any) -> None:
    total = ntl.zeros((x.dtype.shape[0], 1), dtype=ntl.float32)
    for i in range(x.shape[0]):
        total += ntl.sum(x[i], axis=1, keep_dims=True)
    y = ntl.sum(total, axis=1)


def of_rows(x: Any, y: Any) -> None:
    total = ntl.zeros((x.dtype.shape[0],), dtype=ntl.float32)
    for i in range(x.shape[0]):
        total += ntl.sum(x[i], axis=1)
    y = total


@pytest.mark.parametrize("application", [of_columns, of_rows])
@pytest.mark.parametrize("size", [(1, 1), (9, 65), (17, 200)])
def test_blocks(device: str, application: Callable[..., None], size: tuple[int, int]) -> None:
    x = torch.randn(size, device=device)
    kernel = ninetoothed.make(matrix, application, (Tensor(2), Tensor(1)), num_warps=4)
    y = torch.zeros(size[0], device=device)
    assert deferred(check_kernel(kernel, (x, y), {"y": x.sum(1)}, levels=LEVELS[device], atol=1e-4))
    assert remarks_of(kernel, PASS, x, y) == [POSSIBLE]
