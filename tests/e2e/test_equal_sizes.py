"""Calls whose sizes are equal, and calls of the same kernel whose sizes are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.calls.arguments import bind
from tests.support.everywhere import everywhere


def blocks(x: Tensor, y: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    return x.tile((64,)), y.tile((64,)), out.tile((64,))


def add(x: Any, y: Any, out: Any) -> None:
    out = x + y


# Equally many blocks, and sizes that differ: each tensor keeps its own end.
@pytest.mark.parametrize("sizes", [(100, 100, 100), (100, 97, 90), (128, 128, 90), (64, 64, 1)])
def test_vectors(device: str, sizes: Sequence[int]) -> None:
    values = [torch.rand(sizes[0]), torch.rand(sizes[1]), torch.zeros(sizes[2])]

    def check(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
        torch.testing.assert_close(out, x[: len(out)] + y[: len(out)])

    everywhere(device, blocks, add, values, check)


def products(x: Tensor, y: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    out_blocks = out.tile((16, 16))
    rows = x.tile((16, 16)).tile((1, -1)).expand((-1, out_blocks.shape[1]))
    columns = y.tile((16, 16)).tile((-1, 1)).expand((out_blocks.shape[0], -1))
    rows.dtype = rows.dtype.squeeze(0)
    columns.dtype = columns.dtype.squeeze(1)
    return rows, columns, out_blocks


def matmul(x: Any, y: Any, out: Any) -> None:
    total = ntl.zeros(out.shape, dtype=ntl.float32)
    for k in range(x.shape[0]):
        total += ntl.dot(x[k], y[k])
    out = total


# Rows and columns that no element of the output is made of.
@pytest.mark.parametrize("sizes", [(20, 24, 18), (20, 24, 16), (32, 33, 30)])
@pytest.mark.parametrize("less", [(0, 0), (3, 0), (0, 1), (2, 1)])
def test_products(device: str, sizes: Sequence[int], less: tuple[int, int]) -> None:
    m, k, n = sizes
    m_out, n_out = m - less[0], n - less[1]
    # Small integers: a GPU multiplies in tf32.
    x, y = (torch.randint(-8, 8, shape).float() for shape in ((m, k), (k, n)))
    values = [x, y, torch.zeros(m_out, n_out)]

    def check(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
        assert torch.equal(out, (x @ y)[: len(out), : out.shape[1]])

    everywhere(device, products, matmul, values, check)


def test_the_signature_says_which() -> None:

    kernel = ninetoothed.make(products, matmul, (Tensor(2), Tensor(2), Tensor(2)))
    values = [torch.rand(20, 24), torch.rand(24, 17), torch.zeros(18, 17)]
    assert bind(kernel.interface, values, {}).signature.equal == (
        ("x_size_1", "y_size_0"),
        ("y_size_1", "out_size_1"),
    )
