"""Windows whose lanes are read one after the other: what they give is what whole blocks give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.errors import CompilerError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes import find_pass
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

BLOCK = 64
WINDOW = 3
PASS = "nt-unroll-reductions"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
NAN, INFINITE = float("nan"), float("inf")


def windows(x: Any) -> Any:
    """Each program takes 64 windows of three neighbours of a vector, one outside at either end."""
    found = x.pad(((1, 1),)).tile((WINDOW,), strides=(1,), floor_mode=True)
    return found.ravel().tile((BLOCK, -1)).squeeze(1)


def arrangement(x: Any, *outputs: Any) -> tuple[Any, ...]:
    return windows(x), *(one.tile((BLOCK,)) for one in outputs)


def made(application: Callable[..., None], *dtypes: str) -> Kernel:
    tensors = [Tensor(1), *(Tensor(1, dtype=dtype) for dtype in dtypes)]
    return ninetoothed.make(arrangement, application, tensors, num_warps=4)


def neighbours(x: torch.Tensor, outside: float) -> torch.Tensor:
    return torch.nn.functional.pad(x, (1, 1), value=outside).unfold(0, WINDOW, 1)


def numbers(size: int, device: str) -> torch.Tensor:
    """Random ones, with a NaN and both infinities among them where there is room."""
    x = torch.randn(size, device=device)
    if size > 60:
        x[7], x[20], x[-1] = NAN, INFINITE, -INFINITE
    return x


def sum_and_largest(x: Any, total: Any, largest: Any) -> None:
    total = ntl.sum(x * 2.0, axis=1)
    largest = ntl.max(x, axis=1)


@pytest.mark.parametrize("size", [1, 3, 64, 65, 200])
def test_named_reductions(device: str, size: int) -> None:
    x = torch.randn(size, device=device)
    kernel, outputs = made(sum_and_largest, "fp32", "fp32"), [torch.zeros_like(x) for _ in range(2)]
    expected = {
        "total": neighbours(x * 2, 0).sum(1),
        "largest": neighbours(x, -INFINITE).amax(1),
    }
    check_kernel(kernel, (x, *outputs), expected, levels=LEVELS[device])
    assert remarks_of(kernel, PASS, x, *outputs) == ["passed: reduction of 3 lanes unrolled"] * 2


def _larger(lhs: Any, rhs: Any) -> Any:
    return ntl.maximum(lhs, rhs, propagate_nan=ntl.PropagateNan.ALL)


def largest(x: Any, found: Any) -> None:
    found = ntl.reduce(x, 1, _larger)


@pytest.mark.parametrize("size", [1, 3, 65, 200])
def test_a_function_with_an_identity(device: str, size: int) -> None:
    x = numbers(size, device)
    kernel, found = made(largest, "fp32"), torch.zeros_like(x)
    expected = {"found": neighbours(x, -INFINITE).amax(1)}
    check_kernel(kernel, (x, found), expected, levels=LEVELS[device])
    assert remarks_of(kernel, PASS, x, found) == ["passed: reduction of 3 lanes unrolled"]


def _sum_of_squares(lhs: Any, rhs: Any) -> Any:
    return ntl.sqrt(lhs * lhs + rhs * rhs)


def norm(x: Any, found: Any) -> None:
    found = ntl.reduce(ntl.abs(x), 1, _sum_of_squares)


@pytest.mark.parametrize("size", [1, 3, 65, 200])
def test_any_function(device: str, size: int) -> None:
    """Lanes outside are left out, for nothing is known that would change no result."""
    x = torch.randn(size, device=device)
    kernel, found = made(norm, "fp32"), torch.zeros_like(x)
    expected = {"found": neighbours(x, 0).norm(dim=1)}
    check_kernel(kernel, (x, found), expected, levels=LEVELS[device])
    assert remarks_of(kernel, PASS, x, found) == ["passed: reduction of 3 lanes unrolled"]


def test_the_lanes_are_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Translation validation knows of no other lanes than those that the pass declares."""
    kernel = made(sum_and_largest, "fp32", "fp32")
    signature = assumed_signature(kernel.definition, {}, {})
    signature, config = pick(kernel.definition, kernel.composed(signature), signature, {})
    assert validate(kernel.definition, signature, config).cases > 0
    monkeypatch.setattr(find_pass("nt-unroll-reductions"), "joined_lanes", lambda *_: ())
    with pytest.raises(CompilerError, match="nt-unroll-reductions changes which elements"):
        validate(kernel.definition, signature, config)


def place_of_largest(x: Any, found: Any) -> None:
    found = ntl.argmax(x, axis=1)


def test_a_function_of_several_values(device: str) -> None:
    """The places of lanes are no part of a window."""
    x = torch.randn(200, device=device)
    kernel, found = made(place_of_largest, "i32"), torch.zeros_like(x, dtype=torch.int32)
    expected = {"found": neighbours(x, -INFINITE).argmax(1).int()}
    check_kernel(kernel, (x, found), expected, levels=LEVELS[device])


def centred(x: Any, found: Any) -> None:
    mean = ntl.sum(x, axis=1, keep_dims=True) / 3.0
    found = ntl.max(x - mean, axis=1)


def test_windows_that_are_needed_whole(device: str) -> None:
    x = torch.randn(200, device=device)
    kernel, found = made(centred, "fp32"), torch.zeros_like(x)
    given = neighbours(x, 0)
    inside = neighbours(torch.ones_like(x), 0) > 0
    centred_ = (given - given.sum(1, keepdim=True) / 3).masked_fill(~inside, -INFINITE)
    check_kernel(kernel, (x, found), {"found": centred_.amax(1)}, levels=LEVELS[device])
    (kept,) = {one.partition(":")[0] for one in remarks_of(kernel, PASS, x, found)}
    assert kept == "missed"


def filtered(x: Any, weight: Any, shift: Any, found: Any) -> None:
    found = ntl.sum(x * weight[None, :] + shift, axis=1)


def of_filters(x: Any, weight: Any, shift: Any, found: Any) -> tuple[Any, ...]:
    outputs = found.tile((BLOCK,))
    row = weight.tile((-1,)).expand((outputs.shape[0],))
    return windows(x), row, shift, outputs


@pytest.mark.parametrize("size", [1, 64, 65, 200])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("other", [None, 0])
def test_windows_times_a_filter(
    device: str, size: int, dtype: torch.dtype, other: int | None
) -> None:
    """The filter has the window's dim alone: each of its numbers is read by itself."""
    weight_tensor = Tensor(1, shape_options=({"constexpr": True},))
    tensors = (Tensor(1, other=other), weight_tensor, Tensor(0), Tensor(1))
    kernel = ninetoothed.make(of_filters, filtered, tensors, num_warps=4)
    x = torch.randint(-9, 9, (size,), device=device).to(dtype)
    weight = torch.tensor([2, -1, 3], device=device, dtype=dtype)
    found = torch.empty_like(x)
    terms = neighbours(x, 0) * weight + 1
    if other is None:
        # Lanes outside are in no sum.
        terms *= neighbours(torch.ones_like(x), 0)
    expected = terms.sum(1)
    check_kernel(kernel, (x, weight, 1, found), {"found": expected}, levels=LEVELS[device])
    assert remarks_of(kernel, PASS, x, weight, 1, found) == [
        "passed: reduction of 3 lanes unrolled"
    ]


def less_its_mean(x: Any, found: Any) -> None:
    deviations = x - ntl.expand_dims(ntl.sum(x, axis=1) / WINDOW, 1)
    found = ntl.sum(deviations * deviations, axis=1)


def test_windows_less_what_is_of_all_their_lanes(device: str) -> None:
    kernel = made(less_its_mean, "fp32")
    x = torch.randn(100, device=device)
    x[0] = x[-1] = 0
    found = torch.empty_like(x)
    expected = neighbours(x, 0)
    valid = neighbours(torch.ones_like(x), 0)
    mean = expected.sum(1, keepdim=True) / WINDOW
    expected = ((expected - mean).square() * valid).sum(1)
    check_kernel(kernel, (x, found), {"found": expected}, levels=LEVELS[device], atol=1e-5)
    kept = "missed: reduction kept: an operand of it is neither read nor computed lane by lane"
    assert kept in remarks_of(kernel, PASS, x, found)
