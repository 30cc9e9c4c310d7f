"""Sizes that sympy has computed, in kernels."""

from __future__ import annotations

import pytest
import sympy
import torch

import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from tests.support.everywhere import everywhere


def test_tiles_of_half_a_size(device: str) -> None:
    def arrangement(x, y):
        half = sympy.floor(sympy.sympify(x.shape[0]) / 2)
        return x.tile((half,)), y.tile((1,))

    def application(x, y):
        y = ntl.sum(x)

    def check(x, y):
        assert y.tolist() == [21.0, 57.0]

    everywhere(device, arrangement, application, (torch.arange(1.0, 13.0), torch.zeros(2)), check)


def test_the_compiler_still_chooses_a_block(device: str) -> None:
    """A symbol that went through sympy is a block size as before."""

    def arrangement(x, y, B=block_size(upper_bound=64)):
        block, rows = sympy.sympify(B), sympy.sympify(y.shape[0])
        width = sympy.simplify(block * 2 - block)
        return x.expand((rows, -1)).tile((sympy.Integer(1), width)), y.tile((1, B))

    def application(x, y):
        y = x * 2

    x, y = torch.arange(150.0)[None], torch.zeros(3, 150)

    def check(x, y):
        assert torch.equal(y.cpu(), (torch.arange(150.0) * 2).expand(3, 150))

    everywhere(device, arrangement, application, (x, y), check)


@pytest.mark.parametrize("size", [30, 32])
def test_padding_to_whole_blocks(device: str, size: int) -> None:
    def arrangement(x, y):
        block = sympy.sympify(Symbol("block", constexpr=True))
        more = -sympy.sympify(x.shape[0]) % block
        return x.pad(((0, more),)).tile((block,)), y.tile((block,))

    def application(x, y):
        y = x + 1

    def check(x, y):
        assert y.tolist() == [*range(1, size + 1), *[1] * (32 - size)]

    x, y = torch.arange(size, dtype=torch.float32), torch.zeros(32)
    tensors = Tensor(1, other=0), Tensor(1)
    everywhere(device, arrangement, application, (x, y), check, tensors, block=8)
