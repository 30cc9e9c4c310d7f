"""Reductions that programs share, of blocks of many lanes: groups of parts are combined first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import SPLIT
from ninetoothed.artifacts.sample import Sample
from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.compiler.space import space
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-split-reductions"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
ROWS, COLUMNS = 64, 16
INFINITE = float("inf")


def tiles(x: Any, *outputs: Any) -> tuple[Any, ...]:
    """A program takes 64 rows, in tiles of 16 columns; outputs are blocks of such a tile."""
    found = x.tile((ROWS, COLUMNS)).tile((1, -1)).squeeze(1)
    found.dtype = found.dtype.squeeze(0)
    return found, *(one.tile((ROWS, COLUMNS)).squeeze(1) for one in outputs)


def sums(x: Any, total: Any, largest: Any) -> None:
    a = ntl.full((x.dtype.shape[0], x.dtype.shape[1]), 7, dtype=ntl.int32)
    b = ntl.full((x.dtype.shape[0], x.dtype.shape[1]), -100, dtype=ntl.int32)
    for i in range(x.shape[0]):
        a -= x[i]
        b = ntl.maximum(b, x[i])
    total = a
    largest = b


def weights(x: Any, total: Any) -> None:
    """Sums of weights by lane, relative to the largest of each row."""
    largest = ntl.full((x.dtype.shape[0],), -3e38, dtype=ntl.float32)
    a = ntl.zeros((x.dtype.shape[0], x.dtype.shape[1]), dtype=ntl.float32)
    for i in range(x.shape[0]):
        larger = ntl.maximum(largest, ntl.max(x[i], axis=1))
        weight = ntl.exp(x[i] - larger[:, None])
        a = a * ntl.exp(largest - larger)[:, None] + weight
        largest = larger
    total = a


def first_largest(x: Any, value: Any, place: Any) -> None:
    best = ntl.full((x.dtype.shape[0], x.dtype.shape[1]), -1e30, dtype=ntl.float32)
    index = ntl.full((x.dtype.shape[0], x.dtype.shape[1]), -1, dtype=ntl.int32)
    for i in range(x.shape[0]):
        found = x[i] > best
        index, best = ntl.where(found, i, index), ntl.where(found, x[i], best)
    value = best
    place = index


def made(application: Callable[..., None], other: float, *dtypes: str) -> Kernel:
    tensors = (Tensor(2, other=other), *(Tensor(2, dtype=dtype) for dtype in dtypes))
    return ninetoothed.make(tiles, application, tensors, num_warps=4)


SUMS = made(sums, 0, "i32", "i32")
WEIGHTS = made(weights, -INFINITE, "fp32")
FIRST = made(first_largest, -INFINITE, "fp32", "i32")


def by_tile(x: torch.Tensor, fill: float) -> torch.Tensor:
    """Rows × tiles × columns of a tile, of whole tiles."""
    padded = torch.nn.functional.pad(x, (0, -x.shape[1] % COLUMNS), value=fill)
    return padded.unflatten(1, (-1, COLUMNS))


def artifact(kernel: Kernel, values: Any, parts: int) -> Artifact:
    signature = bind(kernel.definition.interface, values, {}).signature
    module, target = kernel.composed(signature), Target.parse(DEFAULT_TARGET)
    config = space(module, signature, target=target).configs[0].choosing(SPLIT, parts)
    return compile_kernel(module, signature, config, target, "triton-python")


def check(kernel: Kernel, values: tuple[Any, ...], expected: dict[str, Any], device: str) -> None:
    """Compare all numbers of parts; 64 of them are combined in groups."""
    options: dict[str, Any] = {"levels": LEVELS[device], "atol": 1e-5, "rtol": 1e-5}
    ran = check_kernel(kernel, values, expected, **options)
    assert {config.parts for config in ran} == {1, 2, 4, 8, 16, 32, 64}
    assert "arrivals1" in artifact(kernel, values, 64).text


@pytest.mark.parametrize("size", [(64, 16), (70, 1100), (3, 133)])
def test_integers_are_exact(device: str, size: tuple[int, int]) -> None:
    """Also of fewer tiles than parts, so that whole groups have found nothing."""
    x = torch.randint(-9, 9, size, dtype=torch.int32, device=device)
    outputs = [torch.zeros(size[0], COLUMNS, dtype=torch.int32, device=device) for _ in range(2)]
    found = by_tile(x, 0)
    expected = {"total": (7 - found.sum(1)).int(), "largest": found.amax(1)}
    check(SUMS, (x, *outputs), expected, device)


@pytest.mark.parametrize("width", [16, 133, 1100])
def test_sums_relative_to_an_extreme(device: str, width: int) -> None:
    """Rows without any weight have sums of 0, and no NaN."""
    x = torch.randn(66, width, device=device)
    x[1] += torch.linspace(0, 50, width, device=device)
    x[2] -= torch.linspace(0, 50, width, device=device)
    x[3] = -INFINITE
    x[4, : width // 2] = -INFINITE
    largest = x.amax(1, keepdim=True).clamp_min(-3e38)
    expected = {"total": by_tile(torch.exp(x - largest), 0).sum(1)}
    check(WEIGHTS, (x, torch.zeros(66, COLUMNS, device=device)), expected, device)


@pytest.mark.parametrize("width", [16, 1104])
def test_the_first_of_equal_numbers(device: str, width: int) -> None:
    x = torch.randint(-3, 3, (64, width), device=device).float()
    x[5] = 1.0
    found = by_tile(x, 0)
    expected = {"value": found.amax(1), "place": found.cpu().argmax(1).int().to(device)}
    outputs = [torch.zeros(64, COLUMNS, dtype=one, device=device) for one in (x.dtype, torch.int32)]
    check(FIRST, (x, *outputs), expected, device)


CASES = {
    "sums": (SUMS, (torch.int32, torch.int32, torch.int32)),
    "weights": (WEIGHTS, (torch.float32, torch.float32)),
    "first": (FIRST, (torch.float32, torch.float32, torch.int32)),
}


def given(case: str, device: str = "cpu") -> tuple[Kernel, tuple[torch.Tensor, ...]]:
    """A kernel, and arguments."""
    kernel, (dtype, *others) = CASES[case]
    x = torch.randint(-9, 9, (64, 2048), device=device).to(dtype)
    return kernel, (x, *(torch.zeros(64, COLUMNS, dtype=one, device=device) for one in others))


def test_no_pass_changes_an_address() -> None:
    kernel, values = given("weights")
    signature = bind(kernel.definition.interface, values, {}).signature
    config = space(kernel.composed(signature), signature).configs[0].choosing(SPLIT, 64)
    report = validate(kernel.definition, signature, config)
    assert report.cases > 0
    assert report.evaluated[PASS] == report.cases


@pytest.mark.parametrize("case", CASES)
@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_triton_compiles_them(case: str) -> None:
    found = artifact(*given(case), 64)
    assert [one.zeroed for one in found.scratch[-2:]] == [True, True]
    assert compat.compile_binary(found).code


@pytest.mark.gpu
@pytest.mark.parametrize("case", CASES)
def test_results_are_the_same_in_every_run(case: str) -> None:
    """Bit by bit, whichever part of a group and whichever group ends last."""
    kernel, arguments = given(case, "cuda")
    every = Sample.parse("configs", "all")
    runs = [
        {
            (run.config, run.full): [value.clone() for value in run.values[1:]]
            for run, _ in kernel.runs(arguments, {}, every, ("nt",))
        }
        for _ in range(5)
    ]
    assert any(config.parts == 64 for config, _ in runs[0])
    for again in runs[1:]:
        for key, values in runs[0].items():
            assert all(map(torch.equal, values, again[key]))
