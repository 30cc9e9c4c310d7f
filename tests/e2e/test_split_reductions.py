"""Reductions that several programs share: the last of them combines what one alone finds."""

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

PASS = "nt-split-reductions"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
NAN, INFINITE = float("nan"), float("inf")
BLOCK = block_size(lower_bound=16, upper_bound=16)
POSSIBLE = (
    "analysis: iterations kept together: split_reductions is 1, and may be more where programs are "
    "few"
)


def rows(x: Any, *others: Any) -> tuple[Any, ...]:
    return rows_in_tiles(x, BLOCK), *others


def made(application: Callable[..., None], *dtypes: str) -> Kernel:
    tensors = [Tensor(2), *(Tensor(1, dtype=dtype) for dtype in dtypes)]
    return ninetoothed.make(rows, application, tensors, num_warps=4)


def split(ran: list[Config]) -> bool:
    """True if configurations ran that split by each number, and others that do not."""
    return {config.parts for config in ran} == {1, 2, 4, 8, 16, 32, 64}


def three(x: Any, total: Any, largest: Any, least: Any) -> None:
    a, b, c = 0.0, float("-inf"), float("inf")
    for i in range(x.shape[0]):
        a += ntl.sum(x[i] * 2.0)
        b = ntl.maximum(ntl.max(x[i]), b)
        c = ntl.minimum(c, ntl.min(x[i]))
    total = a
    largest = b
    least = c


@pytest.mark.parametrize("width", [0, 1, 16, 17, 67, 1021])
def test_several_carried_numbers(device: str, width: int) -> None:
    """Also of fewer iterations than parts."""
    x = torch.randn(3, width, device=device)
    kernel = made(three, *["fp32"] * 3)
    outputs = [torch.zeros(3, device=device) for _ in range(3)]
    expected = {"total": 2 * x.sum(1)}
    if width:
        expected |= {"largest": x.amax(1), "least": x.amin(1)}
    assert split(check_kernel(kernel, (x, *outputs), expected, levels=LEVELS[device], atol=1e-3))
    assert remarks_of(kernel, PASS, x, *outputs) == [POSSIBLE]


def integers(x: Any, y: Any) -> None:
    total, most = 7, -100
    for i in range(x.shape[0]):
        total -= ntl.sum(x[i])
        most = ntl.maximum(most, ntl.max(x[i]))
    y = total * 100 + most


@pytest.mark.parametrize("width", [16, 65, 127])
def test_integers_are_exact(device: str, width: int) -> None:
    x = torch.randint(-9, 9, (5, width), dtype=torch.int32, device=device)
    kernel, y = made(integers, "i32"), torch.zeros(5, dtype=torch.int32, device=device)
    expected = (7 - x.sum(1)) * 100 + x.amax(1)
    assert split(check_kernel(kernel, (x, y), {"y": expected.int()}, levels=LEVELS[device]))


def from_given(x: Any, first: Any, count: Any, total: Any, largest: Any) -> None:
    a, b = first, first
    for i in range(count, x.shape[0]):
        a = a + ntl.sum(x[i])
        b = ntl.maximum(b, ntl.max(x[i]))
    total = a
    largest = b


def of_every_second(x: Any, first: Any, total: Any, largest: Any) -> None:
    a, b = first, first
    for i in range(1, x.shape[0], 2):
        a = a + ntl.sum(x[i])
        b = ntl.maximum(b, ntl.max(x[i]))
    total = a
    largest = b


@pytest.mark.parametrize("width", [0, 16, 112, 320])
def test_what_a_loop_begins_with_counts_once(device: str, width: int) -> None:
    """Its sign, too, where it is zero; and if nothing follows, whatever it is."""
    kernel = made(of_every_second, *["fp32"] * 3)
    x = torch.zeros(5, width, device=device)
    first = torch.tensor([-0.0, 0.0, NAN, INFINITE, 2.0], device=device)
    tiles = x.reshape(5, -1, 16)[:, 1::2].reshape(5, -1)
    found = torch.cat([first[:, None], tiles], 1)
    largest = torch.where(found.isnan(), -INFINITE, found).amax(1)
    largest = torch.where(found.isnan().all(1), NAN, largest)
    expected = {"total": first + 0.0 if tiles.numel() else first, "largest": largest}
    outputs = [torch.ones(5, device=device) for _ in range(2)]
    ran = check_kernel(kernel, (x, first, *outputs), expected, levels=LEVELS[device])
    assert split(ran)


def test_a_count_that_the_call_gives_is_not_known() -> None:
    tensors = (Tensor(2), Tensor(1), Tensor(0, dtype=ninetoothed.int32), Tensor(1), Tensor(1))
    kernel = ninetoothed.make(rows, from_given, tensors, num_warps=4)
    found = remarks_of(kernel, PASS, torch.zeros(5, 64), torch.zeros(5), 1, *[torch.zeros(5)] * 2)
    assert found == [
        "missed: iterations kept together: how often the loop iterates is not known at the launch"
    ]


def extremes(x: Any, plain: Any, propagated: Any) -> None:
    a = ntl.full((x.dtype.shape[0],), INFINITE, dtype=ntl.float32)
    b = ntl.full((x.dtype.shape[0],), INFINITE, dtype=ntl.float32)
    for i in range(x.shape[0]):
        a = ntl.minimum(a, x[i])
        b = ntl.minimum(b, x[i], propagate_nan=ntl.PropagateNan.ALL)
    plain = ntl.min(a)
    propagated = ntl.sum(b)


def test_nans_are_kept_or_left_out(device: str) -> None:
    x = torch.randn(3, 160, device=device)
    x[0, 100] = x[1, :] = NAN
    tiles = x.reshape(3, 10, 16)
    plain = torch.where(tiles.isnan(), INFINITE, tiles).amin((1, 2))
    expected = {"plain": plain, "propagated": tiles.amin(1).sum(1)}
    kernel = made(extremes, "fp32", "fp32")
    outputs = [torch.zeros(3, device=device) for _ in range(2)]
    ran = check_kernel(kernel, (x, *outputs), expected, levels=LEVELS[device], atol=1e-5)
    assert split(ran)


def blocks(x: Any, y: Any, scale: Any, sums: Any, scaled: Any) -> tuple[Any, ...]:
    """A program takes three rows of each matrix, tile by tile."""

    def tiles(one: Any) -> Any:
        found = one.tile((3, BLOCK)).tile((1, -1)).squeeze(1)
        found.dtype = found.dtype.squeeze(0)
        return found

    return tiles(x), tiles(y), *(one.tile((3,)) for one in (scale, sums, scaled))


def row_products(x: Any, y: Any, scale: Any, sums: Any, scaled: Any) -> None:
    weight = scale + 1.0
    total = ntl.zeros((x.dtype.shape[0], x.dtype.shape[1]), dtype=ntl.float32)
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    found = ntl.sum(total, axis=1)
    sums = found
    scaled = found * weight + scale


@pytest.mark.parametrize("size", [(0, 40), (1, 1), (3, 16), (7, 67), (5, 513)])
def test_blocks_of_odd_sizes(device: str, size: tuple[int, int]) -> None:
    """Loads stand before the loop and behind it, and several stores."""
    x, y = (torch.randn(size, device=device) for _ in range(2))
    tensors = (*(Tensor(2, other=0) for _ in "xy"), *(Tensor(1) for _ in range(3)))
    kernel = ninetoothed.make(blocks, row_products, tensors, num_warps=4)
    scale, *outputs = (torch.randn(size[0], device=device) for _ in range(3))
    sums = (x * y).sum(1)
    expected = {"sums": sums, "scaled": sums * (scale + 1) + scale}
    arguments = (x, y, scale, *outputs)
    assert split(check_kernel(kernel, arguments, expected, levels=LEVELS[device], atol=1e-4))


def numbered(x: Any, y: Any) -> None:
    total = ntl.program_id(0) * 1000 + ntl.num_programs(0)
    for i in range(x.shape[0]):
        total += ntl.sum(x[i])
    y = total


def test_numbers_of_programs_are_those_of_unsplit_ones(device: str) -> None:
    x = torch.randint(-9, 9, (5, 100), dtype=torch.int32, device=device)
    kernel, y = made(numbered, "i32"), torch.zeros(5, dtype=torch.int32, device=device)
    expected = torch.arange(5, device=device) * 1000 + 5 + x.sum(1)
    assert split(check_kernel(kernel, (x, y), {"y": expected.int()}, levels=LEVELS[device]))


def normalized(x: Any, y: Any) -> None:
    total = 0.0
    for i in range(x.shape[0]):
        total += ntl.sum(x[i])
    for i in range(x.shape[0]):
        y[i] = x[i] / total


def test_what_is_kept() -> None:
    """The last part would do alone what the second loop does."""

    def tiles(x: Any, y: Any) -> tuple[Any, ...]:
        return rows_in_tiles(x, BLOCK), rows_in_tiles(y, BLOCK)

    kernel = ninetoothed.make(tiles, normalized, (Tensor(2), Tensor(2)), num_warps=4)
    x = torch.rand(3, 40)
    assert remarks_of(kernel, PASS, x, torch.zeros_like(x)) == [
        "missed: iterations kept together: it is not the only loop"
    ]
