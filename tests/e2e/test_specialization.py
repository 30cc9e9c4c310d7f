"""Applications that specialize on a block size: they are built anew for each value."""

from __future__ import annotations

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.artifacts.configuration import Config
from ninetoothed.compiler.compile import lower, serves
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.errors import ShapeError
from ninetoothed.kernel.kernel import Kernel
from tests.support.spaces import by_block_sizes


def _halves(x, y):
    block = block_size(32, 128)
    return x.tile((block,)), y.tile((block,))


def by_size(x, y):
    if x.shape[0] > 64:
        shift = ntl.full(x.shape, 1, ntl.float32)
    elif x.shape[0] % 64 == 0:
        shift = 2
    else:
        shift = 3.0
    y = x + shift * 0 + 1


def unrolled(x, y):
    total = x
    for _ in ntl.static_range(x.shape[0] // 32):
        total = total + 1
    y = total - min(x.shape[0], 4096) // 32


def indexed(x, y):
    y = x + (1, 2, 3, 4, 5)[x.shape[0] // 32] - x.shape[0] // 32


def _kernel(application) -> Kernel:
    return ninetoothed.make(_halves, application, (Tensor(1), Tensor(1)))


@pytest.mark.parametrize("application", [by_size, unrolled, indexed])
def test_every_block_size_decides_for_itself(application, device):
    kernel = _kernel(application)
    for size in (1, 5, 781):
        x = torch.arange(size, dtype=torch.float32, device=device)
        y = torch.empty_like(x)
        kernel(x, y)
        expected = x if application is unrolled else x + 1
        assert torch.equal(y, expected)


@pytest.mark.parametrize("application", [by_size, unrolled, indexed])
def test_a_module_states_its_specialization(application):
    kernel = _kernel(application)
    signature = assumed_signature(kernel.definition, {}, {})
    texts = set()
    for config in by_block_sizes(kernel.composed(signature), signature):
        module = kernel.composed(signature, config)
        assert serves(module, config)
        assert f"meta 32 to 128 specialized {config.values[0][1]}>" in str(module)
        texts.add(str(lower(module, signature, config)))
    assert len(texts) == 3


def test_a_module_is_built_once_a_value():
    kernel = _kernel(by_size)
    signature = assumed_signature(kernel.definition, {}, {})
    one = kernel.composed(signature, Config((("BLOCK_SIZE_0", 64),), 4))
    assert kernel.composed(signature, Config((("BLOCK_SIZE_0", 64),), 8)) is one
    assert kernel.composed(signature, Config((("BLOCK_SIZE_0", 128),), 4)) is not one


def test_no_specialization_without_need():
    def plain(x, y):
        y = x + x.shape[0]

    kernel = _kernel(plain)
    assert " specialized " not in kernel.ir("composed")


def test_specialization_on_constexpr_symbols():
    size = Symbol("SIZE", constexpr=True)

    def arrangement(x, y):
        return x.tile((size,)), y.tile((size,))

    def application(x, y):
        y = x + 1 if x.shape[0] == 8 else ntl.sum(x) + 0 * x

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
    x, y = torch.arange(16.0), torch.empty(16)
    kernel(x, y, SIZE=8)
    assert torch.equal(y, x + 1)
    kernel(x, y, SIZE=16)
    assert torch.equal(y, x.sum().expand(16))


def test_a_division_by_zero_is_an_error():
    def application(x, y):
        if 64 // (x.shape[0] - 32) > 1:
            y = x

    with pytest.raises(ShapeError, match="a divisor must be at least 1"):
        _kernel(application)
