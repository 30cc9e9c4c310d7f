"""Calls whose outermost levels agree by number, or not at all, or for some block sizes only."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import AgreementWarning, ArgumentError, ArrangementError
from ninetoothed.kernel.kernel import Kernel


def elements(*tensors: Tensor) -> tuple[Tensor, ...]:
    """One program an element."""
    tiled = [tensor.tile((1,) * tensor.ndim) for tensor in tensors]
    for tensor in tiled:
        assert isinstance(tensor.dtype, Tensor)
        tensor.dtype = tensor.dtype.flatten()
    return tuple(tiled)


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    """One program a block of a size that the compiler chooses."""
    size = Symbol("SIZE", meta=True, lower_bound=32, upper_bound=256)
    return tuple(tensor.tile((size,)) for tensor in tensors)


def one_a_block(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return *blocks(x), *elements(y)


def add(x: Any, y: Any, output: Any) -> None:
    output = x + y  # pyright: ignore[reportUnusedVariable]


def plus_one(x: Any, output: Any) -> None:
    output = x + 1  # pyright: ignore[reportUnusedVariable]


def total(x: Any, output: Any) -> None:
    output = ntl.sum(x)  # pyright: ignore[reportUnusedVariable]


def numbers(*shape: int, device: str) -> torch.Tensor:
    count = torch.Size(shape).numel()
    return torch.arange(1.0, count + 1, device=device).reshape(shape)


def quietly(kernel: Kernel, *values: Any) -> None:
    """A call without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", AgreementWarning)
        kernel(*values)


def refused(kernel: Kernel, *values: Any) -> str:
    """The error of a call, which is no subclass's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        with pytest.raises(ArgumentError) as caught:
            kernel(*values)
    assert type(caught.value) is ArgumentError
    return caught.value.message


def warned(kernel: Kernel, *values: Any) -> list[str]:
    """What a call warns of, up to the remedy."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel(*values)
    found = [one.message for one in caught]
    assert all(isinstance(one, AgreementWarning) for one in found)
    return [str(one).partition(":")[0] for one in found]


SHAPES = [
    ((2, 3, 4), (6, 4)),
    ((6, 4), (24,)),
    ((24,), (2, 3, 4)),
    ((4, 6), (6, 4)),
    ((5,), (5, 1)),
]


@pytest.mark.parametrize(("shape", "other"), SHAPES)
def test_equal_numbers_agree_whatever_the_dims(
    device: str, shape: tuple[int, ...], other: tuple[int, ...]
) -> None:
    kernel = ninetoothed.make(elements, plus_one, (Tensor(len(shape)), Tensor(len(other))))
    for _ in range(3):
        x, output = numbers(*shape, device=device), torch.zeros(other, device=device)
        quietly(kernel, x, output)
        assert torch.equal(output.flatten(), x.flatten() + 1)


def test_classes_take_turns(device: str) -> None:
    """Equal shapes, equal numbers, any numbers, and back: each call is of the strictest class."""
    kernel = ninetoothed.make(elements, add, tuple(Tensor(2) for _ in range(3)))

    def call(shape: tuple[int, int], issued: int = 0) -> None:
        x, output = numbers(4, 6, device=device), torch.zeros(4, 6, device=device)
        y = numbers(*shape, device=device)
        expected = x.flatten().clone()
        count = min(y.numel(), 24)
        expected[:count] += y.flatten()[:count]
        assert len(warned(kernel, x, y, output)) == issued
        assert torch.equal(output.flatten(), expected)

    call((4, 6))
    call((6, 4))
    call((3, 6), issued=1)
    for _ in range(3):
        for shape in ((4, 6), (3, 6), (8, 3), (6, 6), (2, 12), (1, 1), (0, 3)):
            call(shape)


def test_fewer_and_more_that_are_read(device: str) -> None:
    kernel = ninetoothed.make(elements, add, (Tensor(1), Tensor(1, other=7.0), Tensor(1)))
    found: list[str] = []
    for count in (5, 3, 9, 0, 1, 3):
        x, output = numbers(5, device=device), torch.zeros(5, device=device)
        y = numbers(count, device=device)
        found += warned(kernel, x, y, output)
        padded = torch.cat([y, torch.full((5,), 7.0, device=device)])[:5]
        assert torch.equal(output, x + padded)
    assert found == [
        "a call gives the outermost level of y or output another number of elements than there are "
        "programs, one an element of x",
    ]


def test_fewer_that_are_written(device: str) -> None:
    kernel = ninetoothed.make(elements, plus_one, (Tensor(1), Tensor(1)))
    around = torch.zeros(9, device=device)
    output = around[2:5]
    assert len(warned(kernel, numbers(6, device=device), output)) == 1
    assert around.tolist() == [0, 0, 2, 3, 4, 0, 0, 0, 0]


def test_more_that_are_written(device: str) -> None:
    kernel = ninetoothed.make(elements, plus_one, (Tensor(1), Tensor(1)))
    for _ in range(2):
        output = torch.zeros(6, device=device)
        assert refused(kernel, numbers(5, device=device), output) == (
            "output is written, so its outermost level must have no more elements than there are "
            "programs, one an element of x: they are (6,) and (5,)"
        )
        assert not output.any()
    quietly(kernel, numbers(6, device=device), output)
    assert output.tolist() == [2, 3, 4, 5, 6, 7]


def test_more_than_indices_hold(device: str) -> None:
    """Of 2^32 elements, no program reaches most: 32 bits do not hold their number."""

    def arrangement(x: Tensor, y: Tensor, output: Tensor) -> tuple[Tensor, ...]:
        (size,) = x.shape
        rows = y.expand((-1, size, size)).tile((1, 1, 1))
        return x.tile((4,)), rows, output.tile((4,))

    def application(x: Any, y: Any, output: Any) -> None:
        output = x + ntl.sum(y)  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(3), Tensor(1)))
    y = numbers(1, 1, 1, device=device)
    x = torch.zeros(1 << 15, device=device)
    output = torch.empty_like(x)
    assert warned(kernel, x, y, output)
    assert output.unique().tolist() == [1]
    x = torch.zeros(1 << 16, device=device)
    assert refused(kernel, x, y, torch.empty_like(x)) == (
        "the outermost level of y must have no more elements than indices of 32 bits reach, in "
        "which tensors of these sizes are computed with: they are (4294967296,) and (2147483647,); "
        "expand it to fewer, or tile it in larger blocks"
    )


def test_strict(device: str) -> None:
    kernel = ninetoothed.make(elements, plus_one, (Tensor(1), Tensor(1)), strict=True)
    x, output = numbers(6, device=device), torch.zeros(6, device=device)
    quietly(kernel, x, output)
    for _ in range(2):
        with pytest.raises(
            ArrangementError, match="a call gives the outermost level of output another number"
        ):
            kernel(x, output[:4])
    two = ninetoothed.make(elements, plus_one, (Tensor(2), Tensor(1)), strict=True)
    quietly(two, x.reshape(2, 3), output.zero_())
    assert torch.equal(output, x + 1)


def test_a_tensor_that_is_not_used(device: str) -> None:
    def application(x: Any, unused: Any, output: Any) -> None:
        output = x * unused.source.shape[0]  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(elements, application, (Tensor(1), Tensor(2), Tensor(1)))
    for shape in ((2, 3), (6, 6), (0, 9), (1, 1)):
        x, output = numbers(6, device=device), torch.zeros(6, device=device)
        quietly(kernel, x, torch.zeros(shape, device=device), output)
        assert torch.equal(output, x * shape[0])


def test_no_programs(device: str) -> None:
    kernel = ninetoothed.make(elements, plus_one, (Tensor(1), Tensor(2)))
    empty, output = torch.zeros(0, device=device), torch.ones(3, 4, device=device)
    quietly(kernel, empty, output[:0])
    assert refused(kernel, empty, output).startswith("output is written, so")
    reading = ninetoothed.make(elements, total, (Tensor(1), Tensor(1)))
    warned(reading, empty, torch.ones(0, device=device))
    assert output.eq(1).all()


@pytest.mark.parametrize("size", [32, 64, 128, 256])
@pytest.mark.parametrize("count", [1000, 1024, 4000])
def test_block_sizes_that_agree_are_used(device: str, size: int, count: int) -> None:
    """One element a block: the number of elements tells the block size."""
    kernel = ninetoothed.make(one_a_block, total, (Tensor(1), Tensor(1)))
    x = numbers(count, device=device)
    output = torch.zeros(-(-count // size), device=device)
    for _ in range(3):
        quietly(kernel, x, output.zero_())
        padded = torch.cat([x, torch.zeros(size, device=device)])
        assert torch.equal(output, padded[: len(output) * size].reshape(-1, size).sum(1))
    if device != "cpu":
        config = kernel.best_config(x, output)
        assert config is not None
        assert dict(config.values) == {"SIZE": size}
        assert kernel.tuning_report(x, output).chosen == config


def test_block_sizes_of_alternating_calls(device: str) -> None:
    kernel = ninetoothed.make(one_a_block, total, (Tensor(1), Tensor(1)))
    x = numbers(1000, device=device)
    for _ in range(3):
        for size in (64, 256, 32, 128):
            output = torch.zeros(-(-1000 // size), device=device)
            quietly(kernel, x, output)
            padded = torch.cat([x, torch.zeros(size, device=device)])
            assert torch.equal(output, padded[: len(output) * size].reshape(-1, size).sum(1))


def test_no_block_size_agrees(device: str) -> None:
    """Then the numbers count, and for the choice of a block size that the call is no error."""
    kernel = ninetoothed.make(one_a_block, total, (Tensor(1), Tensor(1)))
    x, output = numbers(1000, device=device), torch.zeros(33, device=device)
    assert refused(kernel, x, output).startswith("output is written, so")
    # 32 blocks of 32, more than there are elements, whatever the block size is.
    few = torch.zeros(3, device=device)
    warned(kernel, x, few)
    sums = {float(x[: 3 * size].sum()) for size in (32, 64, 128, 256)}
    assert float(few.sum()) in sums
    # 16 blocks of 64 agree; 20 elements only have as many blocks of 32.
    some = torch.zeros(20, device=device)
    warned(kernel, x, some)
    assert torch.equal(some, x[:640].reshape(20, 32).sum(1))


def test_sizes_that_fill_as_many_blocks(device: str) -> None:
    kernel = ninetoothed.make(blocks, add, tuple(Tensor(1) for _ in range(3)))
    x, y = numbers(250, device=device), numbers(200, device=device)
    output = torch.zeros(250, device=device)
    # The rest of the last block of y was never read.
    with pytest.raises(ArgumentError, match=r"output_size_0 <= y_size_0 .*\(250, 200\)"):
        kernel(x, y, output)
    output = torch.zeros(200, device=device)
    quietly(kernel, x, y, output)
    assert torch.equal(output, x[:200] + y)


def test_counts_and_block_sizes(device: str) -> None:
    """Of the relaxed class, too, the configurations in which the numbers are equal."""

    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, ...]:
        return *blocks(x), *elements(output)

    kernel = ninetoothed.make(arrangement, total, (Tensor(1), Tensor(2)))
    x = numbers(1000, device=device)
    for shape, size in (((4, 4), 64), ((2, 2), 256), ((8, 4), 32), ((8, 1), 128)):
        output = torch.zeros(shape, device=device)
        quietly(kernel, x, output)
        padded = torch.cat([x, torch.zeros(size, device=device)])
        sums = padded[: output.numel() * size].reshape(-1, size).sum(1)
        assert torch.equal(output.flatten(), sums)


def test_block_sizes_of_a_specialized_application(device: str) -> None:
    """Those with which the call would be an error are left out there, too."""

    def arrangement(x: Tensor, y: Tensor, output: Tensor) -> tuple[Tensor, ...]:
        return *one_a_block(x, y), *elements(output)

    def application(x: Any, y: Any, output: Any) -> None:
        factor = 1 if x.shape[0] > 32 else 10
        output = ntl.sum(x) + y * factor  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(arrangement, application, tuple(Tensor(1) for _ in range(3)))
    x, y = torch.ones(256, device=device), numbers(1, device=device)
    output = torch.zeros(8, device=device)
    warned(kernel, x, y, output)
    assert output.tolist() == [42.0, *[32.0] * 7]
    assert refused(kernel, x, y, torch.zeros(9, device=device)).startswith("output is written, so")


def test_strict_calls_of_a_specialized_application(device: str) -> None:
    """What it reads with other block sizes than the least is an error, too."""

    def arrangement(x: Tensor, y: Tensor, output: Tensor) -> tuple[Tensor, ...]:
        size = ninetoothed.block_size(lower_bound=16, upper_bound=32)
        return x.tile((size,)), *elements(y, output)

    def application(x: Any, y: Any, output: Any) -> None:
        output = y if x.shape[0] > 16 else ntl.sum(x)  # pyright: ignore[reportUnusedVariable]

    tensors = (Tensor(shape=(256,)), Tensor(shape=(3,)), Tensor(shape=(8,)))
    values = [torch.ones(size, device=device) for size in (256, 3, 8)]
    lax = ninetoothed.make(arrangement, application, tensors)
    assert len(warned(lax, *values)) == 1
    strict = ninetoothed.make(arrangement, application, tensors, strict=True)
    with pytest.raises(ArrangementError, match="the outermost level of y has fewer"):
        strict(*values)
