"""Which configurations are tried."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.add import add_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.arguments import bind
from ninetoothed.artifact import Config
from ninetoothed.configurations import (
    LIMIT,
    MAX_ACCUMULATOR_REGISTERS,
    MAX_BLOCK,
    configurations,
    interpreted_values,
)
from ninetoothed.errors import ConfigurationError
from ninetoothed.kernel import Kernel, assumed_signature


def flat(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    size = Symbol("SIZE", meta=True, lower_bound=1, upper_bound=1 << 20)
    return x.tile((size,)), y.tile((size,))


def copy(x: Any, y: Any) -> None:
    y = x  # pyright: ignore[reportUnusedVariable]


def test_a_vector_kernel_tries_each_block_size() -> None:
    sizes = [dict(config.values)["BLOCK_SIZE_0"] for config in add_kernel.configs]
    assert sorted(sizes) == [32, 64, 128, 256, 512, 1024]
    assert sizes[0] == 1024


def test_blocks_are_bounded() -> None:
    kernel = ninetoothed.make(flat, copy, (Tensor(1), Tensor(1)))
    sizes = [dict(config.values)["SIZE"] for config in kernel.configs]
    assert max(sizes) == MAX_BLOCK
    # A block near 2048 lanes is the first guess.
    assert sizes[0] == 2048
    assert {config.num_warps for config in kernel.configs} == {4, 8}


def test_a_matrix_product_tries_at_most_24() -> None:
    configs = matmul_kernel.configs
    assert len(configs) == LIMIT == len(set(configs))
    for config in configs:
        m, k, n = (value for _, value in config.values)
        assert m * n // (config.num_warps * 32) <= MAX_ACCUMULATOR_REGISTERS
        assert max(m * n, m * k, k * n) <= MAX_BLOCK
        assert config.num_stages == 3
    # Several accumulator tiles, not many variants of one.
    tiles = {(dict(c.values)["BLOCK_SIZE_0"], dict(c.values)["BLOCK_SIZE_2"]) for c in configs}
    assert len(tiles) >= 10


def rows(x: Tensor, y: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    size = Symbol("SIZE", meta=True, lower_bound=16, upper_bound=256)
    x, out = x.tile((size, 256)).squeeze(1), out.tile((size, 64)).squeeze(1)
    return x, y.tile((64, 256)).squeeze(1).tile((-1,)).expand(x.shape), out


def products(x: Any, y: Any, out: Any) -> None:
    block = ntl.cast(x, x.dtype)
    total = ntl.zeros(out.shape, dtype=ntl.float32)
    for i in range(y.shape[0]):
        total += ntl.dot(block, ntl.trans(y[i]))
    for i in range(y.shape[0]):
        total += ntl.dot(block, ntl.trans(y[i])) + ntl.dot(block, 2 * ntl.trans(y[i]))
    out = total  # pyright: ignore[reportUnusedVariable]


def test_what_lies_in_shared_memory_counts_once() -> None:
    """Three stages of a block of ``y``, 32 KiB each in fp16, in whichever loop and for whichever
    product; ``x`` is not fetched ahead.
    """
    tensors = tuple(Tensor(2, dtype="fp16") for _ in range(3))
    kernel = ninetoothed.make(rows, products, tensors)
    sizes = {dict(config.values)["SIZE"] for config in kernel.configs}
    # With 256 rows of 512 bytes, these would be more than a program may use.
    assert sizes == {16, 32, 64, 128}


def test_nothing_to_choose_is_one_configuration() -> None:
    assert softmax_kernel.configs == [Config((), 4, 3)]


def test_warps_and_stages_of_the_user() -> None:
    kernel = ninetoothed.make(
        flat, copy, (Tensor(1), Tensor(1)), num_warps=(2, 4), num_stages=5, max_num_configs=4
    )
    configs = kernel.configs
    assert len(configs) == 4
    assert [config.num_warps for config in configs] == [2, 4, 2, 4]
    assert {config.num_stages for config in configs} == {5}


def huge(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    size = Symbol("SIZE", meta=True, lower_bound=1 << 16, upper_bound=1 << 17)
    return x.tile((size,)), y.tile((size,))


def test_no_choice_that_fits_is_an_error() -> None:
    kernel = ninetoothed.make(huge, copy, (Tensor(1), Tensor(1)))
    with pytest.raises(ConfigurationError) as caught:
        _ = kernel.configs
    assert str(caught.value).startswith(
        "no choice of block sizes fits: the smallest, {'SIZE': 65536}, has a block of 65536 "
        "lanes, and at most 32768 lanes and 128 registers of accumulator a thread can run; give "
        "block_size() a smaller lower_bound"
    )


def test_evaluation_takes_the_fewest_programs() -> None:
    def values(kernel: Kernel, lanes: int) -> list[int]:
        signature = assumed_signature(kernel.definition, {}, {})
        return list(interpreted_values(kernel.composed(signature), signature, lanes).values())

    assert values(add_kernel, 1 << 22) == [1024]
    assert values(matmul_kernel, 1 << 22) == [1024, 1024, 1024]
    assert max(values(matmul_kernel, 1 << 12)) <= 128
    # Not even the smallest fits: it is taken all the same.
    assert values(add_kernel, 1) == [32]


def column_sums(x: Any, out: Any) -> None:
    out = ntl.sum(x, axis=0)


def test_sizes_of_a_call_count_as_their_extent() -> None:
    def arrangement(x: Tensor, out: Tensor) -> tuple[Tensor, Tensor]:
        size = Symbol("N", meta=True)
        out = out.tile((size,)).unsqueeze(0)
        return x.tile((-1, size)), out

    kernel = ninetoothed.make(arrangement, column_sums, (Tensor(2), Tensor(1)))
    # The assumed extent is 1024, so that 32 columns fill the largest block.
    assert [dict(config.values)["N"] for config in kernel.configs] == [32]
    x, out = torch.ones(7, 40), torch.empty(40)
    kernel(x, out)
    assert out.eq(7).all()


def test_a_block_that_no_gpu_can_hold() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((-1, -1)), y.tile((-1, -1))

    def application(x: Any, y: Any) -> None:
        y = x + 1  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(arrangement, application, (Tensor(2), Tensor(2)))
    arguments = torch.empty(2048, 1025, device="meta"), torch.empty(2048, 1025, device="meta")
    signature = bind(kernel.definition, arguments, {}).signature
    message = "a block has 4194304 lanes, and on a GPU at most 1048576 can be one block; tile it"
    with pytest.raises(ninetoothed.NineToothedError, match=message):
        configurations(kernel.composed(signature), signature)
