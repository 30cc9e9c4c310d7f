"""Sharding rules: what is proved of small kernels, and what is refused, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ninetoothed.language as ntl
from examples.matmul import matmul_kernel
from ninetoothed import Symbol, Tensor, make, sharding
from ninetoothed.errors import ArgumentError

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

B = Symbol("B", meta=True)


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Blocks of any size of vectors."""
    return tuple(tensor.tile((B,)) for tensor in tensors)


def rows(*tensors: Tensor) -> tuple[Tensor, ...]:
    """A row a program; of vectors, an element."""
    return tuple(
        tensor.tile((1, -1)).squeeze(1) if tensor.ndim == 2 else tensor.tile((1,))
        for tensor in tensors
    )


def columns(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """All rows of a block of columns in a loop, and one row."""
    arranged = x.tile((1, B)).tile((-1, 1)).squeeze(0)
    arranged.dtype = arranged.dtype.squeeze(1)
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
    return arranged, y.tile((B,))


def looped(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """A row in blocks, and one number a row."""
    arranged = x.tile((1, B)).tile((1, -1)).squeeze(1)
    arranged.dtype = arranged.dtype.squeeze(0)
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
    return arranged, y.tile((1,))


def table(
    arrangement: Callable[..., Any], application: Callable[..., Any], *tensors: int | Tensor
) -> str:
    """The rules of a kernel of tensors of so many dims."""
    given = tuple(Tensor(one) if isinstance(one, int) else one for one in tensors)
    return str(sharding(make(arrangement, application, given)))


def test_matmul() -> None:
    assert str(sharding(matmul_kernel)) == (
        "g0   input: S0, other: R,  output: S0\n"
        "g1   input: R,  other: S1, output: S1\n"
        "sum  input: S1, other: S0, output: P(sum)"
    )


# Applications of blocks of vectors, or of rows.


def copied(x: Any, y: Any) -> None:
    y = x


def coordinates(x: Any, y: Any) -> None:
    y = x + x.offsets(0)


def addresses(x: Any, y: Any) -> None:
    y = x + x.offsets()


def sizes(x: Any, y: Any) -> None:
    y = x / x.source.shape[0]


def numbers(x: Any, y: Any) -> None:
    y = x + ntl.program_id(0)


def pointers(x: Any, y: Any) -> None:
    y = x + ntl.load(x.source.data_ptr())


def lanes(x: Any, y: Any) -> None:
    y = x * ntl.arange(0, x.shape[0])


def scanned(x: Any, y: Any) -> None:
    y = ntl.cumsum(x, axis=0)


def flipped(x: Any, y: Any) -> None:
    y = ntl.flip(x)


def centered(x: Any, y: Any) -> None:
    y = x - ntl.max(x)


def branched(x: Any, y: Any) -> None:
    if ntl.sum(x) > 0:
        y = x


def total(x: Any, y: Any) -> None:
    y = ntl.sum(x, axis=-1)


def block_total(x: Any, y: Any) -> None:
    y = ntl.sum(x)


def one_a_block(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """A block of one tensor, and one element of the other."""
    return x.tile((B,)), y.tile((1,))


def windows(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Windows that overlap."""
    return x.tile((3,), strides=(1,), floor_mode=True), y.tile((1,))


def shortened(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """All elements but the last."""
    return x[:-1].tile((B,)), y.tile((B,))


def reversed_(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Blocks from the end."""
    return x[::-1].tile((B,)), y.tile((B,))


def diagonal(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Windows of blocks that go down both dims."""
    return x.tile((1, 1)).flatten(), y.tile((1,))


@pytest.mark.parametrize(
    ("arrangement", "application", "ndims", "reason"),
    [
        (blocks, coordinates, 1, "the application asks for the offsets(0) of x"),
        (blocks, addresses, 1, "the application asks for the addresses of x"),
        (blocks, sizes, 1, "the application asks for the size x_size_0"),
        (blocks, numbers, 1, "the application asks for the number of its program"),
        (blocks, pointers, 1, "the application computes with pointers to x"),
        (blocks, lanes, 1, "the application computes with numbers of lanes along it"),
        (blocks, scanned, 1, "the application combines elements along it"),
        (blocks, flipped, 1, "the application combines elements along it"),
        (blocks, centered, 1, "the application combines elements along it"),
        (
            blocks,
            branched,
            1,
            "the application computes with a sum along it, and does not store it as it is",
        ),
        (one_a_block, block_total, 1, "blocks of dim 0 of y and of dim 0 of x differ"),
        (windows, block_total, 1, "the index of dim 0 of x is b0 + g0"),
        (
            shortened,
            copied,
            1,
            "x has elements only where B * g0 + b0 < x_size_0 - 1",
        ),
        (reversed_, copied, 1, "the index of dim 0 of x is x_size_0 - B * g0 - b0 - 1"),
        (diagonal, block_total, 2, "2 dims of x depend on it: 0, 1"),
    ],
)
def test_refused_programs(
    arrangement: Callable[..., Any], application: Callable[..., Any], ndims: int, reason: str
) -> None:
    assert table(arrangement, application, ndims, 1) == f"g0  refused: {reason}"


# Applications of columns, block by block.


def summed(x: Any, y: Any) -> None:
    acc = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        acc += x[i]
    y = acc


def doubled(x: Any, y: Any) -> None:
    acc = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        acc = acc + acc + x[i]
    y = acc


def last(x: Any, y: Any) -> None:
    acc = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        acc = x[i] + 0
    y = acc


def maxed(x: Any, y: Any) -> None:
    acc = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        acc = ntl.maximum(acc, x[i])
    y = acc


def counted(x: Any, y: Any) -> None:
    acc = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        acc += 1
    y = acc


def weighted(x: Any, y: Any) -> None:
    acc = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        acc += x[i] * i
    y = acc


def started(x: Any, y: Any) -> None:
    acc = ntl.full(x.dtype.shape, 1, dtype=ntl.float32)
    for i in range(x.shape[0]):
        acc += x[i]
    y = acc


def skipped(x: Any, y: Any) -> None:
    acc = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(1, x.shape[0]):
        acc += x[i]
    y = acc


def swapped(x: Any, y: Any) -> None:
    a = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    b = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        a, b = b + x[i], a
    y = a


def nested(x: Any, y: Any) -> None:
    a = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            a += x[i] * x[j]
    y = a


def rooted(x: Any, y: Any) -> None:
    a = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        a += x[i] * x[i]
    y = ntl.sqrt(a)


def twice(x: Any, y: Any) -> None:
    a = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        for j in range(3):
            a += x[i]
    y = a


def mean(x: Any, y: Any) -> None:
    a = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        a += x[i]
    y = a / x.shape[0]


def nexts(x: Any, y: Any) -> None:
    a = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        a += x[0]
    y = a


def stored(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        y = x[i]


IS_SUM = "sum  x: S0, y: P(sum)"
UNFINISHED = "the application computes with a sum along it, and does not store it as it is"


@pytest.mark.parametrize(
    ("application", "line"),
    [
        (summed, IS_SUM),
        (twice, IS_SUM),
        (doubled, UNFINISHED),
        (last, "a loop along it carries more than a sum"),
        (maxed, UNFINISHED),
        (counted, UNFINISHED),
        (weighted, "the application computes with numbers of blocks along it"),
        (started, "a loop along it carries what does not begin with 0"),
        (skipped, "the application asks for the size x_size_0"),
        (swapped, "a loop along it carries more than a sum"),
        (nested, "the application combines elements along it"),
        (rooted, UNFINISHED),
        (mean, "the application asks for the size x_size_0"),
        (nexts, "no loop over all blocks along it reads them"),
        (stored, "what is stored in y is neither of one place along it nor a sum over all"),
    ],
)
def test_loops(application: Callable[..., Any], line: str) -> None:
    first, second = table(columns, application, 2, 1).splitlines()
    assert first.split(maxsplit=1) == ["g0", "x: S1, y: S0"]
    assert second == line if line == IS_SUM else second == f"x 0  refused: {line}"
