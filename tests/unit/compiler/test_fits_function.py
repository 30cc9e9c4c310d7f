"""Which block sizes pass the checks of a call: what the checks themselves say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.add import add_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.artifacts.configuration import Space
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.compiler.fits_function import counts_function, fits_function, fits_source
from ninetoothed.compiler.space import interpreted_values, least_waste, space
from ninetoothed.errors import CheckError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.launch.loaded import Host

TARGET = Target.parse("sm_90")


def sizes(*rows: Sequence[int] | int) -> list[torch.Tensor]:
    """Tensors of these shapes, without data."""
    return [torch.empty(row, device="meta") for row in rows]


def fitting(kernel: Kernel, values: Sequence[Any], **constexprs: int) -> list[tuple[int, ...]]:
    """The block sizes of a kernel's space that fit a call, ascending. The launch checks of each are
    held to say the same.
    """
    bound = bind(kernel.definition.interface, values, constexprs)
    module = kernel.composed(bound.signature)
    fits = fits_function(module, bound.signature)
    assert fits is not None
    choice = fits(*bound.values)
    found: list[tuple[int, ...]] = []
    choices = {config.values: config for config in space(module, bound.signature).configs}
    for values_, config in sorted(choices.items()):
        blocks = tuple(size for _, size in values_)
        serving = kernel.composed(bound.signature, config)
        artifact = compile_kernel(serving, bound.signature, config, TARGET, "ttir")
        try:
            Host(artifact).checked(bound.values)
            passes = True
        except CheckError:
            passes = False
        assert choice(*blocks) is passes, blocks
        found += [blocks] * passes
    return found


def one_a_block(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    size = Symbol("SIZE", meta=True, lower_bound=32, upper_bound=256)
    return x.tile((size,)), y.tile((1,))


def total(x: Any, y: Any) -> None:
    y = ntl.sum(x)  # pyright: ignore[reportUnusedVariable]


SUMS = ninetoothed.make(one_a_block, total, (Tensor(1), Tensor(1)))


@pytest.mark.parametrize(
    ("x", "y", "blocks"),
    [
        (1000, 16, [(64,)]),
        (1000, 4, [(256,)]),
        (1000, 5, []),
        (1, 1, [(32,), (64,), (128,), (256,)]),
        (33, 1, [(64,), (128,), (256,)]),
        (0, 0, [(32,), (64,), (128,), (256,)]),
        (0, 1, []),
    ],
)
def test_one_element_a_block(x: int, y: int, blocks: list[tuple[int, ...]]) -> None:
    assert fitting(SUMS, sizes(x, y)) == blocks


def test_sizes_that_fill_as_many_blocks() -> None:
    assert fitting(add_kernel, sizes(100, 130, 100)) == [(256,), (512,), (1024,)]
    assert fitting(add_kernel, sizes(1000, 1000, 1000))[0] == (32,)
    assert fitting(add_kernel, sizes(1025, 1000, 1000)) == []


def test_several_block_sizes() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        rows = Symbol("ROWS", meta=True, lower_bound=1, upper_bound=4)
        columns = Symbol("COLUMNS", meta=True, lower_bound=16, upper_bound=64)
        return x.tile((rows, columns)), y.tile((1, 1))

    def application(x: Any, y: Any) -> None:
        y = ntl.max(x)  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(arrangement, application, (Tensor(2), Tensor(2)))
    assert fitting(kernel, sizes((4, 64), (2, 4))) == [(2, 16)]
    assert fitting(kernel, sizes((3, 60), (1, 1))) == [(4, 64)]
    assert fitting(kernel, sizes((3, 60), (2, 1))) == [(2, 64)]


def test_a_size_that_is_declared_to_be_a_block_size() -> None:
    size = Symbol("SIZE", meta=True, lower_bound=32, upper_bound=256)

    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((size,)), y.tile((1,))

    kernel = ninetoothed.make(arrangement, total, (Tensor(1), Tensor(1, shape=(size,))))
    assert fitting(kernel, sizes(64 * 64, 64)) == [(64,)]
    assert fitting(kernel, sizes(64 * 64, 63)) == []
    x, y = torch.randn(64 * 64), torch.zeros(64)
    kernel(x, y)
    assert torch.allclose(y, x.reshape(64, 64).sum(1), atol=1e-4)


def test_constants_of_the_call() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        size = Symbol("SIZE", meta=True, lower_bound=16, upper_bound=64)
        step = Symbol("step", constexpr=True)
        return x.tile((size,), strides=(size * step,)), y.tile((1,))

    kernel = ninetoothed.make(arrangement, total, (Tensor(1), Tensor(1)))
    assert fitting(kernel, sizes(256, 5), step=2) == [(32,)]
    assert fitting(kernel, sizes(256, 4), step=1) == [(64,)]


def test_a_divisor_that_the_call_shows_to_be_0() -> None:
    def arrangement(x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, ...]:
        size = Symbol("SIZE", meta=True, lower_bound=16, upper_bound=64)
        tiled = x.tile((size,), strides=(z.shape[0],))
        return tiled, y.tile((1,)), z.tile((-1,)).expand(tiled.shape)

    def application(x: Any, y: Any, z: Any) -> None:
        y = ntl.sum(x) + ntl.sum(z)  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(arrangement, application, tuple(Tensor(1) for _ in range(3)))
    assert fitting(kernel, sizes(256, 8, 32)) == [(32,)]
    assert fitting(kernel, sizes(256, 8, 0)) == []


def test_an_application_that_is_specialized_on_a_block_size() -> None:
    """Its own checks are those of one block size, and do not count."""

    def application(x: Any, y: Any) -> None:
        lanes = ntl.arange(0, 32) if x.shape[0] == 32 else x
        y = ntl.sum(x + lanes)  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(one_a_block, application, (Tensor(1), Tensor(1)))
    assert fitting(kernel, sizes(1000, 16)) == [(64,)]


@pytest.mark.parametrize("rows", [((3, 4), (3, 4)), ((3, 4), (5, 4))])
def test_nothing_is_generated_where_no_check_depends_on_block_sizes(
    rows: Sequence[Sequence[int]],
) -> None:
    signature = bind(softmax_kernel.definition.interface, sizes(*rows), {}).signature
    module = softmax_kernel.composed(signature)
    assert fits_source(module, signature) == ""
    assert space(module, signature).fits == ""


def test_a_space_on_disk() -> None:
    signature = bind(SUMS.definition.interface, sizes(1000, 16), {}).signature
    found = space(SUMS.composed(signature), signature)
    assert "def fits(x, y):" in found.fits
    assert Space.from_json(found.to_json()) == found


def test_evaluation_takes_block_sizes_that_fit() -> None:
    signature = bind(SUMS.definition.interface, sizes(1000, 16), {}).signature
    module = SUMS.composed(signature)
    fits = fits_function(module, signature)
    assert fits is not None

    def chosen(x: int, y: int, lanes: int = 1 << 22) -> dict[str, int]:
        return interpreted_values(module, signature, lanes, fits(*sizes(x, y)))

    assert chosen(1000, 16) == {"SIZE": 64}
    assert chosen(1, 1) == {"SIZE": 256}
    assert chosen(33, 1, 100) == {"SIZE": 64}
    # Where none fits, as if all did: the error is that of the usual choice.
    assert chosen(1000, 5) == {"SIZE": 256}


@pytest.mark.parametrize(
    ("m", "n", "k", "expected"),
    [
        (100, 70, 90, [128, 128, 128]),
        (1, 1, 1, [32, 32, 32]),
        # Two programs and three steps, as with blocks of 1,024.
        (1500, 64, 3000, [1024, 64, 1024]),
        (2048, 1024, 1024, [1024, 1024, 1024]),
    ],
)
def test_evaluation_takes_no_larger_blocks_than_it_needs(
    m: int, n: int, k: int, expected: list[int]
) -> None:
    values = sizes((m, k), (k, n), (m, n))
    signature = bind(matmul_kernel.definition.interface, values, {}).signature
    module = matmul_kernel.composed(signature)
    counts = counts_function(module, signature)
    assert counts is not None
    largest = interpreted_values(module, signature, 1 << 22)
    assert [*largest.values()] == [1024, 1024, 1024]
    found = least_waste(module, largest, counts(*values))
    assert counts(*values)(*found.values()) == counts(*values)(*largest.values())
    assert sorted(found.values()) == sorted(expected)


def test_block_sizes_that_fit_are_left_as_they_fit() -> None:
    values = sizes(1000, 16)
    signature = bind(SUMS.definition.interface, values, {}).signature
    module = SUMS.composed(signature)
    fits, counts = fits_function(module, signature), counts_function(module, signature)
    assert fits is not None
    assert counts is not None
    found = least_waste(module, {"SIZE": 64}, counts(*values), fits(*values))
    assert found == {"SIZE": 64}


def test_kernels_without_block_sizes_have_no_counts() -> None:
    signature = bind(softmax_kernel.definition.interface, sizes((4, 40), (4, 40)), {}).signature
    assert counts_function(softmax_kernel.composed(signature), signature) is None
