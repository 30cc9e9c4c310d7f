"""Programs whose lanes all exist run a copy without guards: sizes around whole blocks."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.testing import check_kernel
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

BLOCK = 64
PASS = "nt-split-boundaries"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
SPLIT = "passed: programs with `g0 * 64 + 63 < lhs_size_0` run a copy without guards"


def arrangement(*tensors: Any) -> tuple[Any, ...]:
    return tuple(tensor.tile((BLOCK,)) for tensor in tensors)


def add(lhs: Any, rhs: Any, output: Any) -> None:
    output = lhs + rhs


def kernel() -> Kernel:
    return ninetoothed.make(arrangement, add, [Tensor(1) for _ in range(3)], num_warps=4)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 127, 128, 129, 1000, 1001])
def test_sizes_around_whole_blocks(device: str, size: int) -> None:
    lhs, rhs = torch.randn(2, size, device=device).unbind()
    output = torch.zeros_like(lhs)
    check_kernel(kernel(), (lhs, rhs, output), {"output": lhs + rhs}, levels=LEVELS[device])
    # Where 16 bytes divide the vectors, none that is moved at once ends outside.
    assert remarks_of(kernel(), PASS, lhs, rhs, output) == ([SPLIT] if size % 4 else [])


def test_fewer_elements_are_stored_than_read(device: str) -> None:
    lhs, rhs = torch.randn(2, 201, device=device).unbind()
    output = torch.zeros(195, device=device)
    expected = {"output": (lhs + rhs)[:195]}
    check_kernel(kernel(), (lhs, rhs, output), expected, levels=LEVELS[device])


def test_nothing_behind_the_end_is_written(device: str) -> None:
    lhs, rhs, memory = torch.full((3, 300), 7.0, device=device).unbind()
    kernel()(lhs[:197], rhs[:197], memory[:197])
    assert torch.equal(memory.cpu(), torch.tensor([14.0] * 197 + [7.0] * 103))


# Misaligned, strided: elements are moved one by one anyway.
@pytest.mark.parametrize("cut", [slice(1, 198), slice(None, None, 2)])
def test_where_no_vectors_are(device: str, cut: slice) -> None:
    lhs, rhs, output = (torch.randn(393, device=device)[cut] for _ in range(3))
    check_kernel(kernel(), (lhs, rhs, output), {"output": lhs + rhs}, levels=LEVELS[device])


def test_in_place(device: str) -> None:
    x = torch.arange(197.0, device=device)
    expected = x * 2
    kernel()(x, x, x)
    assert torch.equal(x, expected)


def summed(lhs: Any, rhs: Any, output: Any) -> None:
    output = lhs - ntl.max(rhs)


def test_a_reduction_of_each_program(device: str) -> None:
    """In the copy, no lane needs the identity."""
    made = ninetoothed.make(arrangement, summed, [Tensor(1) for _ in range(3)], num_warps=4)
    lhs, rhs = torch.randn(2, 197, device=device).unbind()
    output = torch.zeros_like(lhs)
    largest = torch.cat([part.amax().expand(len(part)) for part in rhs.split(BLOCK)])
    check_kernel(made, (lhs, rhs, output), {"output": lhs - largest}, levels=LEVELS[device])
