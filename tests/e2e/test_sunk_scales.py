"""Scales behind a maximum: the same results, and kernels of their own for calls that allow it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.attention import attention_kernel
from ninetoothed import Tensor
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.testing import check_kernel
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-sink-scales"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
SUNK = "passed: the max is taken before lanes are scaled"
MAY_BE_ANY = "missed: scale kept: it may be 0, negative or infinite"
IN_SUCH_CALLS = "missed: scale kept: `scale` may be 0, negative or infinite in such calls"


def rows(x: Any, y: Any, scale: Any) -> tuple[Any, ...]:
    return x.tile((1, -1)), y.tile((1, -1)), scale


def made(application: Callable[..., None]) -> Kernel:
    return ninetoothed.make(rows, application, (Tensor(2), Tensor(2), Tensor(0)), num_warps=4)


def shifted(x: Any, y: Any, scale: Any) -> None:
    scores = x * (scale * 1.5)
    y = scores - ntl.max(scores, axis=1, keep_dims=True)


@pytest.fixture(scope="module")
def shift() -> Kernel:
    return made(shifted)


@pytest.mark.parametrize(
    ("scale", "is_sunk"),
    [
        *((scale, True) for scale in (0.125, 1.0, 3.0, 2.0**-60)),
        *((scale, False) for scale in (-0.5, 0.0, -0.0, math.inf, math.nan, 1e30, 1e-42)),
    ],
)
def test_numbers_of_calls(device: str, shift: Kernel, scale: float, is_sunk: bool) -> None:
    x = torch.randn(5, 67, device=device)
    x[1, 3], x[2, :], x[3, 5] = math.nan, -math.inf, math.inf
    y = torch.empty_like(x)
    number = torch.tensor(scale, device=device) * 1.5
    # Beside a number, a NaN is no maximum.
    scores = x * number
    largest = torch.where(scores.isnan(), -math.inf, scores).amax(1, keepdim=True)
    largest = torch.where(scores.isnan().all(1, keepdim=True), math.nan, largest)
    # A GPU's compiler may round the product and the difference at once.
    rounded = {"atol": 1e-6 * max(scale, 10.0)} if math.isfinite(scale) else {}
    check_kernel(shift, (x, y, scale), {"y": scores - largest}, levels=LEVELS[device], **rounded)
    assert remarks_of(shift, PASS, x, y, scale) == [SUNK if is_sunk else IN_SUCH_CALLS]


def test_calls_of_both_kinds_in_turn(device: str, shift: Kernel) -> None:
    x = torch.randn(4, 33, device=device)
    y = torch.empty_like(x)
    for scale in (0.25, -0.25, 0.25, 0.0, 2.0, -1.0, 0.25) * 3:
        shift(x, y, scale)
        scores = x * (torch.tensor(scale, device=device) * 1.5)
        torch.testing.assert_close(y, scores - scores.amax(1, keepdim=True))


def masked(x: Any, y: Any, scale: Any) -> None:
    scores = ntl.where(x > -1.0, x * scale, float("-inf"))
    y = ntl.exp(scores - ntl.maximum(ntl.max(scores, axis=1, keep_dims=True), -1e30))


def smallest(x: Any, y: Any, scale: Any) -> None:
    scores = ntl.where(x < 1.0, 2.0 * x, float("inf"))
    y = scores - ntl.minimum(ntl.min(scores, axis=1, keep_dims=True), scale)


def masked_by_zero(x: Any, y: Any, scale: Any) -> None:
    scores = ntl.where(x > -1.0, x * scale, 0.0)
    y = scores - ntl.max(scores, axis=1, keep_dims=True)


def negative(x: Any, y: Any, scale: Any) -> None:
    scores = x * -2.0
    y = scores - ntl.max(scores, axis=1, keep_dims=True) * scale


def of_two_numbers(x: Any, y: Any, scale: Any) -> None:
    scores = x * (scale * scale)
    y = scores - ntl.max(scores, axis=1, keep_dims=True)


def of_a_block(x: Any, y: Any, scale: Any) -> None:
    scores = x * x
    y = scores - ntl.max(scores, axis=1, keep_dims=True) * scale


def expected_of(application: Callable[..., None], x: torch.Tensor, scale: float) -> torch.Tensor:
    if application is masked:
        scores = torch.where(x > -1, x * scale, -math.inf)
        return torch.exp(scores - scores.amax(1, keepdim=True).clamp(min=-1e30))
    if application is smallest:
        scores = torch.where(x < 1, 2 * x, math.inf)
        return scores - scores.amin(1, keepdim=True).clamp(max=scale)
    scores = {
        masked_by_zero: torch.where(x > -1, x * scale, 0),
        negative: x * -2,
        of_two_numbers: x * (scale * scale),
        of_a_block: x * x,
    }[application]
    largest = scores.amax(1, keepdim=True)
    return scores - (largest * scale if application in (negative, of_a_block) else largest)


@pytest.mark.parametrize(
    ("application", "remarks"),
    [
        (masked, [SUNK]),
        (smallest, [SUNK.replace("max", "min")]),
        # What a mask puts in their place is no identity, and would have to be divided.
        (masked_by_zero, []),
        (negative, [MAY_BE_ANY]),
        # Each may be near the ends of fp32.
        (of_two_numbers, [MAY_BE_ANY]),
        (of_a_block, []),
    ],
)
@pytest.mark.parametrize("width", [1, 64, 131])
def test_scales(
    device: str, application: Callable[..., None], remarks: list[str], width: int
) -> None:
    kernel = made(application)
    x = torch.randn(5, width, device=device)
    y = torch.empty_like(x)
    expected = {"y": expected_of(application, x, 0.75)}
    check_kernel(kernel, (x, y, 0.75), expected, levels=LEVELS[device])
    assert remarks_of(kernel, PASS, x, y, 0.75) == remarks


def test_halves_are_scaled_as_written(device: str) -> None:
    def application(x: Any, y: Any, scale: Any) -> None:
        scores = x * 0.5
        y = scores - ntl.max(scores, axis=1, keep_dims=True) * ntl.cast(scale, x.dtype)

    kernel = made(application)
    x = torch.randn(5, 40, device=device).half()
    y = torch.empty_like(x)
    scores = x * 0.5
    expected = {"y": scores - scores.amax(1, keepdim=True) * 2}
    check_kernel(kernel, (x, y, 2.0), expected, levels=LEVELS[device], atol=1e-2)
    assert remarks_of(kernel, PASS, x, y, 2.0) == []


def test_switched_off(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "sunk_scales")
    x = torch.randn(4, 33, device=device)
    assert remarks_of(made(shifted), PASS, x, torch.empty_like(x), 0.5) == []


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("scale", [0.3, -0.3])
def test_attention(device: str, is_causal: bool, scale: float) -> None:
    query = torch.randn(1, 2, 1, 45, 16, device=device)
    key, value = (torch.randn(1, 2, 45, 16, device=device) for _ in range(2))
    output = torch.empty_like(query)
    logsumexp = torch.empty(query.shape[:-1], device=device)
    values = query, key, value, is_causal, scale, output, logsumexp
    scores = query[:, :, 0] @ key.mT * scale
    if is_causal:
        seen = torch.ones(45, 45, dtype=torch.bool, device=device).tril()
        scores = scores.masked_fill(~seen, -math.inf)
    expected = {
        "output": (scores.softmax(-1) @ value)[:, :, None],
        "logsumexp": scores.logsumexp(-1)[:, :, None] / math.log(2),
    }
    options = {"levels": LEVELS[device], "configs": 2, "atol": 2e-3, "rtol": 2e-3}
    check_kernel(attention_kernel, values, expected, **options)
    # Of keys that all queries of a block see, and of others.
    remark = SUNK if scale > 0 else IN_SUCH_CALLS
    assert remarks_of(attention_kernel, PASS, *values) == [remark] * 2
