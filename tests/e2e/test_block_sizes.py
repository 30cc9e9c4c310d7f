"""Sizes that must be equal, where the compiler chooses block sizes: equal for all choices is right,
and a call checks what only it knows. ``tests/errors/programs/block_sizes.py`` has what is refused.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.errors import ArgumentError, ShapeError
from tests.support.everywhere import everywhere


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Blocks of a size that the compiler chooses."""
    BLOCK = block_size(lower_bound=2, upper_bound=64)
    return tuple(tensor.tile((BLOCK,)) for tensor in tensors)


def tiles(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Blocks of two sizes that the compiler chooses."""
    tile = block_size(16, 32), block_size(16, 32)
    return tuple(tensor.tile(tile) for tensor in tensors)


def by_two_halves(x, output):
    output = ntl.ravel(ntl.reshape(x, (x.shape[0] // 2, 2))) + x


def by_two_quarters(x, output):
    n = x.shape[0] // 2
    output = ntl.where(x > 0, x, ntl.ravel(ntl.reshape(x, (2, n)))) + x


def into_halves(x, output):
    pairs = ntl.reshape(x, (x.shape[0] // 2, 2))
    output = 2 * ntl.ravel(pairs)


def by_its_own_arange(x, output):
    output = x + (x + ntl.arange(0, x.shape[0]) - ntl.arange(0, output.shape[0]))


def by_halves_until_one(x, output):
    n = x.shape[0]
    total = x * 1
    while n > 1:
        n = n // 2
        left, right = ntl.split(ntl.reshape(total, (n, 2)))
        total = left + right
    output = 2 * x + 0 * total


@pytest.mark.parametrize(
    "application",
    [by_two_halves, by_two_quarters, into_halves, by_its_own_arange, by_halves_until_one],
)
def test_sizes_that_are_equal_for_all_choices(application: Any, device: str) -> None:
    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert torch.equal(output, 2 * x)

    values = [torch.arange(1.0, 51), torch.zeros(50)]
    everywhere(device, blocks, application, values, right, (Tensor(1, other=0), Tensor(1)))


def test_dims_of_two_sizes_set_apart(device: str) -> None:
    """`offsets(d)` has one dim: of rows and of columns, each with its own place."""

    def application(x, output):
        rows, columns = x.offsets(0), x.offsets(1)
        output = ntl.where(columns[None, :] >= rows[:, None], x, 0)

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert torch.equal(output, torch.triu(x))

    everywhere(device, tiles, application, [torch.rand(40, 70), torch.ones(40, 70)], right)


def test_offsets_have_one_dim() -> None:
    def application(x, output):
        ntl.static_assert(x.offsets(0).shape == x.shape[:1])
        ntl.static_assert(x.offsets(1).shape == x.shape[1:])
        ntl.static_assert(x.offsets().shape == x.shape)
        output = x

    ninetoothed.make(tiles, application, (Tensor(2), Tensor(2)))


def test_a_branch_for_equal_block_sizes(device: str) -> None:
    """Where the application asks whether two sizes are equal, they may be."""

    def arrangement(x: Tensor, y: Tensor, output: Tensor) -> tuple[Tensor, ...]:
        one, two = block_size(16, 32), block_size(16, 32)
        x, y = x.tile((one,)), y.tile((two,)).tile((-1,))
        return x, y.expand(x.shape), output.tile((one,))

    def application(x, y, output):
        if x.shape[0] == y.dtype.shape[0]:
            total = y[0]
        else:
            total = ntl.full(x.shape, ntl.sum(y[0]), ntl.float32)
        output = x + 0 * total

    def right(x: torch.Tensor, y: torch.Tensor, output: torch.Tensor) -> None:
        assert torch.equal(output, x)

    values = [torch.arange(64.0), torch.ones(64), torch.zeros(64)]
    everywhere(device, arrangement, application, values, right)


def test_sizes_of_the_call_are_checked_by_it() -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((1, -1)), output.tile((1, -1))

    def application(x, output):
        output = x

    kernel = ninetoothed.make(arrangement, application, (Tensor(2), Tensor(2)))
    x, output = torch.rand(3, 5), torch.zeros(3, 5)
    kernel(x, output)
    assert torch.equal(output, x)
    with pytest.raises(ArgumentError, match="x_size_1 and output_size_1 must be equal"):
        kernel(x, torch.zeros(3, 6))


def test_block_sizes_that_a_call_gives_are_checked_by_it() -> None:
    ONE, TWO = Symbol("ONE", constexpr=True), Symbol("TWO", constexpr=True)

    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((ONE,)), output.tile((TWO,))

    def application(x, output):
        output = x

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
    x, output = torch.rand(64), torch.zeros(64)
    kernel(x, output, ONE=16, TWO=16)
    assert torch.equal(output, x)
    with pytest.raises((ArgumentError, ShapeError), match="the sizes ONE and TWO must be equal"):
        kernel(x, output, ONE=16, TWO=32)


def test_bounds_with_one_choice_are_a_number(device: str) -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((block_size(32, 63),)), output.tile((block_size(17, 32),))

    def application(x, output):
        output = x + ntl.arange(0, 32)

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert torch.equal(output.cpu(), x.cpu() + torch.arange(32.0))

    everywhere(device, arrangement, application, [torch.ones(32), torch.zeros(32)], right)


@pytest.mark.parametrize("strict", [False, True])
def test_equal_sizes_of_two_symbols_are_no_accident(strict: bool) -> None:
    """The CPU and a GPU would take equal numbers for both symbols, and copy all of x."""

    def application(y, x, z):
        z = ntl.where(y.offsets(1) >= y.offsets(0), x, 0)

    tensors = (Tensor(2), Tensor(2), Tensor(2))
    with pytest.raises(ShapeError, match="must be equal whatever block sizes are chosen"):
        ninetoothed.make(tiles, application, tensors, strict=strict)


def test_it_is_refused_by_make_for_every_signature() -> None:
    """Declared element types or not, with numbers to come or not."""

    def arrangement(x: Tensor, k: Tensor, output: Tensor) -> tuple[Tensor, ...]:
        return x.tile((block_size(),)), k, output.tile((block_size(),))

    def application(x, k, output):
        output = x * k

    for tensors in (
        (Tensor(1), Tensor(0), Tensor(1)),
        (Tensor(1, dtype="fp16"), Tensor(0, dtype="i32"), Tensor(1, dtype="fp16")),
    ):
        with pytest.raises(ShapeError, match="BLOCK_SIZE_0 = 32 and BLOCK_SIZE_1 = 64"):
            ninetoothed.make(arrangement, application, tensors)
