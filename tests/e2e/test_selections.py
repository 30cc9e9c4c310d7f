"""The first largest number and where it is, whose iterations several programs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.argmax import argmax_kernel
from examples.cumsum import rows_in_tiles
from ninetoothed import Tensor, block_size
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.testing import check_kernel
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-split-reductions"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
BLOCK = block_size(lower_bound=16, upper_bound=16)
ALL_PARTS = {1, 2, 4, 8, 16, 32, 64}
POSSIBLE = (
    "analysis: iterations kept together: split_reductions is 1, and may be more where programs are "
    "few"
)
MORE = "missed: iterations kept together: what it carries is more than a sum or an extreme"
NAN = float("nan")


def rows(x: Any, *others: Any) -> tuple[Any, ...]:
    return rows_in_tiles(x, BLOCK), *others


def made(application: Callable[..., None]) -> Kernel:
    tensors = (Tensor(2, other=float("-inf")), Tensor(1), Tensor(1, dtype="i32"))
    return ninetoothed.make(rows, application, tensors, num_warps=4)


def numbers(width: int, device: str) -> torch.Tensor:
    """Rows with ties, with NaN in front, in the middle and nowhere, and of equal numbers."""
    x = torch.randint(-3, 3, (5, width), device=device).float()
    x[1, 0] = NAN
    x[2, width // 2 :] = NAN
    x[3] = 2.0
    return x


@pytest.mark.parametrize("width", [1, 300, 2000])
def test_argmax(device: str, width: int) -> None:
    x = numbers(width, device)
    output = torch.zeros(5, dtype=torch.int64, device=device)
    expected = {"output": x.cpu().argmax(1).to(device)}
    options = {"levels": LEVELS[device], "configs": 3 if device == "cpu" else 12}
    ran = check_kernel(argmax_kernel, (x, output), expected, **options)
    assert any(config.parts > 1 for config in ran)
    assert remarks_of(argmax_kernel, PASS, x, output) == [POSSIBLE]


def largest(x: Any, value: Any, place: Any) -> None:
    best, index = float("-inf"), -1
    for i in range(x.shape[0]):
        number = ntl.max(x[i])
        found = number > best
        index, best = ntl.where(found, i, index), ntl.where(found, number, best)
    value = best
    place = index


def least(x: Any, value: Any, place: Any) -> None:
    best, index = 1e30, -1
    for i in range(x.shape[0]):
        number = ntl.min(ntl.where(x[i] > -1e30, x[i], 1e30))
        found = number < best
        best = ntl.where(found, number, best)
        index = ntl.where(found, i, index)
    value = best
    place = index


def first_tile(values: torch.Tensor) -> torch.Tensor:
    """The tile of each row's first extreme number, by what it is in each tile."""
    return values.argmax(1).int()


@pytest.mark.parametrize("width", [16, 17, 67, 1021])
@pytest.mark.parametrize("application", [largest, least])
def test_numbers(device: str, application: Callable[..., None], width: int) -> None:
    x = torch.randint(-9, 9, (4, width), device=device).float()
    sign = 1 if application is largest else -1
    tiles = torch.nn.functional.pad(sign * x, (0, -width % 16), value=-1e31)
    tiles = tiles.unflatten(1, (-1, 16)).amax(2)
    expected = {"value": sign * tiles.amax(1), "place": first_tile(tiles)}
    outputs = torch.zeros(4, device=device), torch.zeros(4, dtype=torch.int32, device=device)
    kernel = made(application)
    ran = check_kernel(kernel, (x, *outputs), expected, levels=LEVELS[device])
    assert {config.parts for config in ran} == ALL_PARTS
    assert remarks_of(kernel, PASS, x, *outputs) == [POSSIBLE]


def last(x: Any, value: Any, place: Any) -> None:
    """Of equal numbers the last: what each part begins with would be found again."""
    best, index = float("-inf"), -1
    for i in range(x.shape[0]):
        number = ntl.max(x[i])
        found = number >= best
        index, best = ntl.where(found, i, index), ntl.where(found, number, best)
    value = best
    place = index


def counting(x: Any, value: Any, place: Any) -> None:
    """How often a larger one was found depends on the order."""
    best, index = float("-inf"), 0
    for i in range(x.shape[0]):
        number = ntl.max(x[i])
        found = number > best
        index, best = ntl.where(found, index + 1, index), ntl.where(found, number, best)
    value = best
    place = index


def growing(x: Any, value: Any, place: Any) -> None:
    best, index = float("-inf"), -1
    for i in range(x.shape[0]):
        number = ntl.max(x[i])
        found = number > best
        index, best = ntl.where(found, i, index), ntl.where(found, number + best, best)
    value = best
    place = index


def second(x: Any, value: Any, place: Any) -> None:
    """What was the largest before is chosen: it depends on the order."""
    best, before = float("-inf"), float("-inf")
    for i in range(x.shape[0]):
        number = ntl.max(x[i])
        found = number > best
        before = ntl.where(found, best, before)
        best = ntl.where(found, number, best)
    value = best
    place = ntl.cast(before, ntl.int32)


def of_what_was_chosen(x: Any, value: Any, place: Any) -> None:
    best, index = float("-inf"), -1.0
    for i in range(x.shape[0]):
        number = ntl.max(x[i])
        found = number > best
        best = ntl.where(found, number, best)
        index = ntl.where(found, best * 2, index)
    value = best
    place = ntl.cast(index, ntl.int32)


def by_another(x: Any, value: Any, place: Any) -> None:
    best, index = float("-inf"), -1
    for i in range(x.shape[0]):
        found = ntl.max(x[i]) > best
        index, best = ntl.where(found, i, index), ntl.where(found, ntl.min(x[i]), best)
    value = best
    place = index


@pytest.mark.parametrize(
    "application", [last, counting, growing, second, of_what_was_chosen, by_another]
)
def test_what_is_kept(application: Callable[..., None]) -> None:
    outputs = torch.zeros(2), torch.zeros(2, dtype=torch.int32)
    assert remarks_of(made(application), PASS, torch.randn(2, 40), *outputs) == [MORE]
