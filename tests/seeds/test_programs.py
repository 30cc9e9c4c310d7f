"""The documented programs: the same calls on a CPU and on a GPU, ``device`` the one difference."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from tests.seeds import annotated, annotated_by_text, block_sizes, symbols_inside

ADDITIONS = {
    "jit": annotated.add_kernel,
    "jit, annotations as text": annotated_by_text.add_kernel,
    "make, block_size()": block_sizes.add_kernel,
    "make, a number": block_sizes.add_kernel_1024,
    "make, meta symbol": symbols_inside.add_kernel,
    "make, constexpr by keyword": partial(symbols_inside.add_kernel_by_keyword, BLOCK_SIZE=1024),
}
PRODUCTS = {
    "jit": annotated.matmul_kernel,
    "jit, annotations as text": annotated_by_text.matmul_kernel,
    "make, block_size()": block_sizes.matmul_kernel,
    "make, meta symbols": symbols_inside.matmul_kernel,
}
each_device = pytest.mark.parametrize(
    "device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
)
each_addition = pytest.mark.parametrize("kernel", ADDITIONS.values(), ids=ADDITIONS)
each_product = pytest.mark.parametrize("kernel", PRODUCTS.values(), ids=PRODUCTS)


@each_device
@each_addition
def test_addition(kernel, device):
    dtype = torch.float16

    lhs = torch.tensor((1, 2, 3), dtype=dtype, device=device)
    rhs = torch.tensor((4, 5, 6), dtype=dtype, device=device)

    output = torch.empty_like(lhs)
    kernel(lhs, rhs, output)

    reference = torch.tensor((5, 7, 9), dtype=dtype, device=device)
    assert torch.allclose(output, reference)


@each_device
@each_addition
@pytest.mark.parametrize("size", [1, 1024, 98432])
def test_addition_of_long_vectors(kernel, device, size):
    generator = torch.Generator().manual_seed(0)
    lhs = torch.randn(size, generator=generator).to(device)
    rhs = torch.randn(size, generator=generator).to(device)

    output = torch.full_like(lhs, float("nan"))
    kernel(lhs, rhs, output)

    assert torch.equal(output, lhs + rhs)


@each_device
@each_product
def test_product(kernel, device):
    dtype = torch.float16

    lhs = torch.tensor(((1, 2), (3, 4)), dtype=dtype, device=device)
    rhs = torch.tensor(((5, 6), (7, 8)), dtype=dtype, device=device)

    output = torch.empty((lhs.shape[0], rhs.shape[1]), dtype=dtype, device=device)
    kernel(lhs, rhs, output)

    reference = torch.tensor(((19, 22), (43, 50)), dtype=dtype, device=device)
    assert torch.allclose(output, reference)


@each_device
@each_product
def test_product_of_large_matrices(kernel, device):
    generator = torch.Generator().manual_seed(0)
    lhs = torch.randn((257, 129), generator=generator).to(torch.float16).to(device)
    rhs = torch.randn((129, 300), generator=generator).to(torch.float16).to(device)

    output = torch.full((257, 300), float("nan"), dtype=torch.float16, device=device)
    kernel(lhs, rhs, output)

    reference = (lhs.double() @ rhs.double()).to(torch.float16)
    torch.testing.assert_close(output, reference, rtol=1e-3, atol=1e-2)
