"""Sums relative to the largest value so far, whose iterations several programs share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.attention import attention_kernel
from examples.cumsum import rows_in_tiles
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.configuration import Config
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.testing import check_kernel
from tests.support import profiles
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-split-reductions"
CONFIGS = {"cpu": profiles.cases(ci=2, full=4), "cuda": 4}
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
BLOCK = block_size(lower_bound=16, upper_bound=16)
POSSIBLE = (
    "analysis: iterations kept together: split_reductions is 1, and may be more where programs are "
    "few"
)
INFINITE = float("inf")


def rows(x: Any, *others: Any) -> tuple[Any, ...]:
    return rows_in_tiles(x, BLOCK), *others


def made(application: Callable[..., None], outputs: int = 2) -> Kernel:
    tensors = [Tensor(2, other=float("-inf")), *(Tensor(1) for _ in range(outputs))]
    return ninetoothed.make(rows, application, tensors, num_warps=4)


def split(ran: list[Config]) -> bool:
    """True if configurations ran that split by each number, and others that do not."""
    return {config.parts for config in ran} == {1, 2, 4, 8, 16, 32, 64}


def means(x: Any, mean: Any, logsumexp: Any) -> None:
    """The mean of numbers, weighted by their exponentials; lanes outside have no weight."""
    largest, total, weighted = -3e38, 0.0, 0.0
    for i in range(x.shape[0]):
        values = x[i]
        larger = ntl.maximum(largest, ntl.max(values))
        weights = ntl.exp(values - larger)
        correction = ntl.exp(largest - larger)
        total = total * correction + ntl.sum(weights)
        finite = ntl.where(values > float("-inf"), values, 0.0)
        weighted = correction * weighted + ntl.sum(weights * finite / 2.0)
        largest = larger
    mean = 2.0 * weighted / total
    logsumexp = largest + ntl.log(total)


@pytest.mark.parametrize("width", [1, 16, 17, 67, 1021])
def test_numbers(device: str, width: int) -> None:
    """Also of fewer iterations than parts, and of rows that grow and fall."""
    x = torch.randn(4, width, device=device)
    x[1] += torch.linspace(0, 50, width, device=device)
    x[2] -= torch.linspace(0, 50, width, device=device)
    x[3, 0] = 90.0
    kernel, outputs = made(means), [torch.zeros(4, device=device) for _ in range(2)]
    expected = {"mean": (x.softmax(1) * x).sum(1), "logsumexp": x.logsumexp(1)}
    ran = check_kernel(kernel, (x, *outputs), expected, levels=LEVELS[device], atol=1e-3)
    assert split(ran)
    assert remarks_of(kernel, PASS, x, *outputs) == [POSSIBLE]


@pytest.mark.parametrize("width", [33, 500])
def test_parts_of_what_has_no_weight(device: str, width: int) -> None:
    x = torch.randn(3, width, device=device)
    x[1, 16:] = -INFINITE
    x[2, :-1] = -INFINITE
    kernel, outputs = made(means), [torch.zeros(3, device=device) for _ in range(2)]
    finite = x.where(x.isfinite(), 0)
    expected = {"mean": (x.softmax(1) * finite).sum(1), "logsumexp": x.logsumexp(1)}
    assert split(check_kernel(kernel, (x, *outputs), expected, levels=LEVELS[device], atol=1e-3))


def from_nothing(x: Any, mean: Any, logsumexp: Any) -> None:
    largest, total = float("-inf"), 0.0
    for i in range(x.shape[0]):
        larger = ntl.maximum(largest, ntl.max(x[i]))
        total = total * ntl.exp(largest - larger) + ntl.sum(ntl.exp(x[i] - larger))
        largest = larger
    mean = total
    logsumexp = largest


def squared(x: Any, mean: Any, logsumexp: Any) -> None:
    largest, total = -3e38, 0.0
    for i in range(x.shape[0]):
        larger = ntl.maximum(largest, ntl.max(x[i]))
        weights = ntl.exp(x[i] - larger)
        total = total * ntl.exp(largest - larger) + ntl.sum(weights * weights)
        largest = larger
    mean = total
    logsumexp = largest


def with_another_base(x: Any, mean: Any, logsumexp: Any) -> None:
    largest, total = -3e38, 0.0
    for i in range(x.shape[0]):
        larger = ntl.maximum(largest, ntl.max(x[i]))
        total = total * ntl.exp2(largest - larger) + ntl.sum(ntl.exp(x[i] - larger))
        largest = larger
    mean = total
    logsumexp = largest


def not_rescaled(x: Any, mean: Any, logsumexp: Any) -> None:
    largest, total = -3e38, 0.0
    for i in range(x.shape[0]):
        largest = ntl.maximum(largest, ntl.max(x[i]))
        total = total + ntl.sum(ntl.exp(x[i] - largest))
    mean = total
    logsumexp = largest


def of_what_was_found(x: Any, mean: Any, logsumexp: Any) -> None:
    largest, total = -3e38, 0.0
    for i in range(x.shape[0]):
        larger = ntl.maximum(largest, ntl.max(x[i]) + total)
        total = total * ntl.exp(largest - larger) + ntl.sum(ntl.exp(x[i] - larger))
        largest = larger
    mean = total
    logsumexp = largest


def of_a_number(x: Any, mean: Any, logsumexp: Any) -> None:
    """Nothing bounds it: a part that has not met the largest would overflow."""
    largest, total = -3e38, 0.0
    for i in range(x.shape[0]):
        larger = ntl.maximum(largest, ntl.max(x[i]))
        total = total * ntl.exp(largest - larger) + ntl.exp(100.0 - larger)
        largest = larger
    mean = total
    logsumexp = largest


def of_the_largest_before(x: Any, mean: Any, logsumexp: Any) -> None:
    largest, total, most = -3e38, 0.0, 0.0
    for i in range(x.shape[0]):
        larger = ntl.maximum(largest, ntl.max(x[i]))
        total = total * ntl.exp(largest - larger) + ntl.sum(ntl.exp(x[i] - larger))
        most = ntl.where(larger > 0.0, total, most)
        largest = larger
    mean = most
    logsumexp = largest


KEPT = "missed: iterations kept together: "
MORE = KEPT + "nt.elementwise makes more of what the loop carries than a sum"


@pytest.mark.parametrize(
    ("application", "reason"),
    [
        (squared, MORE),
        (with_another_base, KEPT + "the extreme depends on more that the loop carries"),
        (not_rescaled, KEPT + "what it carries is more than a sum or an extreme"),
        (of_what_was_found, MORE),
        (of_a_number, MORE),
        (of_the_largest_before, MORE),
        (from_nothing, KEPT + "the extreme that sums are relative to may begin infinite"),
    ],
)
def test_what_is_kept(application: Callable[..., None], reason: str) -> None:
    x, *outputs = torch.randn(2, 40), torch.zeros(2), torch.zeros(2)
    assert remarks_of(made(application), PASS, x, *outputs) == [reason]


def square(x: Any, *others: Any) -> tuple[Any, ...]:
    """Rows of 16, in tiles of 16 columns."""
    tiles = x.tile((16, 16)).tile((1, -1)).squeeze(1)
    tiles.dtype = tiles.dtype.squeeze(0)
    return tiles, *(one.tile((16,)) for one in others)


def relative_to(of_columns: bool, axis: int) -> Callable[..., None]:
    """Weights relative to the largest of each row, which stand for columns or for rows, and are
    summed up along ``axis``: of rows along 1 alone, each is relative to the extreme of its sum.
    """

    def application(x: Any, largest_of: Any, total_of: Any) -> None:
        largest = ntl.full((16,), -3e38, dtype=ntl.float32)
        total = ntl.zeros((16,), dtype=ntl.float32)
        for i in range(x.shape[0]):
            larger = ntl.maximum(largest, ntl.max(x[i], axis=1))
            weights = ntl.exp(x[i] - ntl.expand_dims(larger, 0 if of_columns else 1))
            total = total * ntl.exp(largest - larger) + ntl.sum(weights, axis=axis)
            largest = larger
        largest_of = largest
        total_of = total

    return application


def across(x: Any, largest_of: Any, total_of: Any) -> None:
    largest = ntl.full((16,), -3e38, dtype=ntl.float32)
    total = ntl.zeros((16, 16), dtype=ntl.float32)
    for i in range(x.shape[0]):
        larger = ntl.maximum(largest, ntl.max(x[i], axis=1))
        weights = ntl.exp(x[i] - larger[:, None])
        total = total * ntl.exp(largest[:, None] - larger[None, :]) + weights
        largest = larger
    largest_of = largest
    total_of = ntl.sum(total, axis=1)


@pytest.mark.parametrize(
    "application",
    [relative_to(True, 1), relative_to(False, 0), relative_to(True, 0), across],
)
def test_lanes_of_other_rows(application: Callable[..., None]) -> None:
    tensors = (Tensor(2, other=float("-inf")), Tensor(1), Tensor(1))
    kernel = ninetoothed.make(square, application, tensors, num_warps=4)
    (reason,) = remarks_of(kernel, PASS, torch.randn(16, 80), torch.zeros(16), torch.zeros(16))
    assert reason.startswith(KEPT)
    assert reason.endswith(" makes more of what the loop carries than a sum")


def test_what_is_infinite(device: str) -> None:
    """Two infinite extremes are one."""

    def application(x: Any, total_of: Any) -> None:
        largest, total = -3e38, 0.0
        for i in range(x.shape[0]):
            larger = ntl.maximum(largest, ntl.max(x[i]))
            weights = ntl.where(x[i] < 1e30, ntl.exp(x[i] - larger), 0.0)
            total = total * ntl.exp(largest - larger) + ntl.sum(weights)
            largest = larger
        total_of = total

    x = torch.randn(2, 160, device=device)
    x[0, -1] = INFINITE
    finite = torch.exp(x[1] - x[1].max()).sum()
    expected = {"total_of": torch.stack([torch.zeros_like(finite), finite])}
    kernel, total = made(application, 1), torch.zeros(2, device=device)
    assert split(check_kernel(kernel, (x, total), expected, levels=LEVELS[device], atol=1e-4))


def attended(
    queries: int, keys: int, dim: int, device: str
) -> tuple[tuple[Any, ...], dict[str, torch.Tensor]]:
    query = torch.randn(1, 2, 1, queries, dim, device=device)
    key, value = (torch.randn(1, 2, keys, dim, device=device) for _ in range(2))
    scores = query[:, :, 0] @ key.mT * 0.3
    expected = {
        "output": (scores.softmax(-1) @ value)[:, :, None],
        "logsumexp": scores.logsumexp(-1)[:, :, None] / math.log(2),
    }
    values = (
        *(query, key, value, False, 0.3),
        *(torch.empty_like(query), torch.empty(query.shape[:-1], device=device)),
    )
    return values, expected


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (5, 64), (1, 200), (5, 701)])
def test_attention(device: str, queries: int, keys: int) -> None:
    """Two loops: over whole blocks of keys, and over what is left."""
    values, expected = attended(queries, keys, 16, device)
    options = {"levels": LEVELS[device], "configs": CONFIGS[device], "atol": 2e-3, "rtol": 2e-3}
    ran = check_kernel(attention_kernel, values, expected, **options)
    assert any(config.parts > 1 for config in ran)
    assert remarks_of(attention_kernel, PASS, *values) == [POSSIBLE]


def test_causal_attention(device: str) -> None:
    """Of which a program says itself how far it goes."""
    values, _ = attended(20, 70, 16, device)
    query, key, value = (one[:, :, 0] if one.dim() == 5 else one for one in values[:3])
    seen = torch.ones(20, 70, dtype=torch.bool, device=device).tril()
    scores = (query @ key.mT * 0.3).masked_fill(~seen, -math.inf)
    expected = {"output": (scores.softmax(-1) @ value)[:, :, None]}
    values = (*values[:3], True, *values[4:])
    options = {"levels": LEVELS[device], "configs": CONFIGS[device], "atol": 2e-3, "rtol": 2e-3}
    ran = check_kernel(attention_kernel, values, expected, **options)
    assert any(config.parts > 1 for config in ran)
    assert remarks_of(attention_kernel, PASS, *values) == [POSSIBLE]
