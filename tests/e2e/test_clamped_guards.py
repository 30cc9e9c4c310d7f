"""Products whose rows and columns behind the end are read at the last place inside."""

from __future__ import annotations

import math

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.matmul import arrangement
from ninetoothed import Tensor
from ninetoothed.testing import check_kernel
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-clamp-guards"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}


def product(input, other, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(input.shape[0]):
        accumulator = ntl.dot(input[k], other[k], accumulator)
    output = accumulator


def squares(input, other, output):
    """Operands that are computed, and a product that is computed with."""
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(input.shape[0]):
        accumulator += ntl.dot(input[k] * input[k], ntl.trans(ntl.trans(other[k])))
    output = ntl.exp(accumulator) - 1


def largest_of_row(input, other, output):
    """Of all lanes of a row: no column may be another one's."""
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(input.shape[0]):
        accumulator = ntl.dot(input[k], other[k], accumulator)
    output = ntl.zeros(output.shape, dtype=ntl.float32) + ntl.max(accumulator, axis=1)[:, None]


def made(application) -> ninetoothed.Kernel:
    return ninetoothed.make(arrangement, application, (Tensor(2), Tensor(2), Tensor(2)))


PRODUCT, SQUARES, LARGEST = map(made, (product, squares, largest_of_row))


def check(
    kernel: ninetoothed.Kernel, values: tuple[torch.Tensor, ...], expected: torch.Tensor
) -> None:
    """By some of the many configurations."""
    levels = LEVELS[values[0].device.type]
    check_kernel(kernel, values, {"output": expected}, configs=2, levels=levels)


@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 33, 17), (127, 65, 31), (33, 1, 0), (0, 5, 3), (64, 32, 33)], ids=str
)
@pytest.mark.parametrize("kernel", [PRODUCT, SQUARES], ids=["product", "computed"])
def test_sizes(device: str, kernel: ninetoothed.Kernel, m: int, n: int, k: int) -> None:
    input = torch.randn(m, k, device=device, dtype=torch.float16) / 8
    other = torch.randn(k, n, device=device, dtype=torch.float16) / 8
    output = torch.full((m, n), 7.0, device=device)
    expected = input.float() @ other.float()
    if kernel is SQUARES:
        expected = torch.expm1((input * input).float() @ other.float())
    check(kernel, (input, other, output), expected)


def test_values_that_are_no_numbers_stay_in_their_rows(device: str) -> None:
    """The last row and column are read for others, too, which are not stored."""
    input, other = torch.randn(33, 20, device=device), torch.randn(20, 19, device=device)
    input[-1], other[:, -1] = math.nan, math.inf
    output = torch.empty(33, 19, device=device)
    PRODUCT(input, other, output)
    assert torch.isfinite(output[:-1, :-1]).all()
    assert not torch.isfinite(output[-1]).any()
    assert not torch.isfinite(output[:, -1]).any()


def test_a_maximum_of_all_columns(device: str) -> None:
    """Columns that do not exist are 0: their maximum is, where all others are below."""
    input = -torch.rand(40, 20, device=device) - 1
    other = torch.rand(20, 19, device=device) + 1
    output = torch.empty(40, 19, device=device)
    check(LARGEST, (input, other, output), torch.zeros_like(output))


@pytest.mark.parametrize("kernel", [PRODUCT, SQUARES], ids=["product", "computed"])
def test_indices_are_clamped(kernel: ninetoothed.Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    values = torch.empty(33, 20), torch.empty(20, 19), torch.empty(33, 19)
    found = remarks_of(kernel, PASS, *values)
    told = [text.split(" clamped")[0] for text in found]
    assert told == ["passed: index of `input`", "passed: index of `other`"]
    assert remarks_of(LARGEST, PASS, *values) == []
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "clamped_guards")
    assert remarks_of(kernel, PASS, *values) == []
