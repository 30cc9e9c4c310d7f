"""Sharding rules: what is proved of small kernels, and what is refused, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed.language as ntl
from examples.matmul import matmul_kernel
from ninetoothed import NineToothedError, Symbol, Tensor, make, sharding
from tests.support.ranks import Tensors, check_rule

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

B = Symbol("B", meta=True)
UNFINISHED = "the application computes with a sum along it, and does not store it as it is"


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Blocks of any size of vectors."""
    return tuple(tensor.tile((B,)) for tensor in tensors)


def rows(*tensors: Tensor) -> tuple[Tensor, ...]:
    """A row a program; of vectors, an element."""
    return tuple(
        tensor.tile((1, -1)).squeeze(1) if tensor.ndim == 2 else tensor.tile((1,))
        for tensor in tensors
    )


def columns(x: Any, y: Any) -> tuple[Any, Any]:
    """All rows of a block of columns in a loop, and one row."""
    arranged = x.tile((1, B)).tile((-1, 1)).squeeze(0)
    arranged.dtype = arranged.dtype.squeeze(1)
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
    return arranged, y.tile((B,))


def looped(x: Any, y: Any) -> tuple[Any, Any]:
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
    for _ in range(x.shape[0]):
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
        for _ in range(3):
            a += x[i]
    y = a


def mean(x: Any, y: Any) -> None:
    a = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        a += x[i]
    y = a / x.shape[0]


def nexts(x: Any, y: Any) -> None:
    a = ntl.zeros(x.dtype.shape, dtype=ntl.float32)
    for _ in range(x.shape[0]):
        a += x[0]
    y = a


def stored(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        y = x[i]


IS_SUM = "sum  x: S0, y: P(sum)"


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


def gathered(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Small blocks of one tensor, and for each program all of the other."""
    arranged = x.tile((2,))
    return arranged, y.tile((-1,)).expand(arranged.shape)


def scattered(x: Any, y: Any) -> None:
    ntl.atomic_add(y.source.data_ptr() + ntl.cast(x, ntl.int32), x)


def added(x: Any, y: Any) -> None:
    ntl.atomic_add(y.source.data_ptr(), ntl.sum(x))


def programs_counted(x: Any, y: Any) -> None:
    ntl.atomic_add(y.source.data_ptr(), 1.0)


def most(x: Any, y: Any) -> None:
    ntl.atomic_max(y.source.data_ptr() + ntl.cast(x, ntl.int32), x)


def used(x: Any, y: Any) -> None:
    x = ntl.atomic_add(y.source.data_ptr() + ntl.cast(x, ntl.int32), x)


def read(x: Any, y: Any) -> None:
    ntl.atomic_add(y.source.data_ptr() + ntl.cast(x, ntl.int32), ntl.load(y.source.data_ptr()))


def overwritten(x: Any, y: Any) -> None:
    ntl.store(y.source.data_ptr() + ntl.cast(x, ntl.int32), x)


def fetched(x: Any, y: Any) -> None:
    x = x + ntl.load(y.source.data_ptr())


@pytest.mark.parametrize(
    ("application", "x", "line"),
    [
        (scattered, 1, "x: S0, y: P(sum)"),
        (added, 1, "x: S0, y: P(sum)"),
        (fetched, 1, "x: S0, y: R"),
        (
            added,
            Tensor(1, other=1),
            "refused: the application sums what it reads beyond the end, too",
        ),
        (
            scattered,
            Tensor(1, other=1),
            "refused: the application adds what it reads beyond the end, too",
        ),
        (
            programs_counted,
            1,
            "refused: what is added to y is the same at all places along it",
        ),
        (most, 1, "refused: every program along it changes the same elements of y"),
        (overwritten, 1, "refused: every program along it writes the same elements of y"),
        (used, 1, "refused: the application uses what y was before an atomic_add"),
        (
            read,
            1,
            "refused: y, of which each rank has a part of a sum, is used otherwise",
        ),
    ],
)
def test_addresses(application: Callable[..., Any], x: int | Tensor, line: str) -> None:
    assert table(gathered, application, x, 1) == f"g0  {line}"


@pytest.mark.parametrize("application", [scattered, added])
@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_additions_of_ranks(application: Callable[..., Any], ranks: int) -> None:
    kernel = make(gathered, application, (Tensor(1), Tensor(1)))
    (rule,) = sharding(kernel).rules
    before = {"x": torch.tensor([1.0, 3.0, 1.0, 4.0, 0.0, 4.0, 2.0]), "y": torch.arange(5.0)}
    after = {name: tensor.clone() for name, tensor in before.items()}
    kernel(**after)

    def run(tensors: Tensors) -> None:
        kernel(**tensors)

    check_rule(rule, ranks, before, after, run, torch.testing.assert_close)


def test_sums_of_rows() -> None:
    assert table(rows, total, 2, 1) == "g0   x: S0, y: S0\nsum  x: S1, y: P(sum)"
    assert table(looped, block_sums, 2, 1) == "g0   x: S0, y: S0\nsum  x: S1, y: P(sum)"
    assert table(looped, block_sums, Tensor(2, other=1), 1) == (
        "g0   x: S0, y: S0\nx 1  refused: the application sums what it reads beyond the end, too"
    )


def block_sums(x: Any, y: Any) -> None:
    total_ = ntl.zeros((1,), dtype=ntl.float32)
    for i in range(x.shape[0]):
        total_ += ntl.sum(x[i], axis=0, keep_dims=True)
    y = total_


def test_one_tensor_needs_one_placement() -> None:
    def arrangement(x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, ...]:
        arranged = x.tile((B,))
        return arranged, y.tile((-1,)).expand(arranged.shape), z.tile((B,))

    def application(x: Any, y: Any, z: Any) -> None:
        z = x + ntl.max(y)

    x, z = Tensor(1), Tensor(1)
    assert str(sharding(make(arrangement, application, (x, x, z)))).splitlines()[0] == (
        "g0   refused: y is a tensor of several parameters, which need several placements"
    )


def test_rules_by_name() -> None:
    found = sharding(matmul_kernel)
    assert found.kernel == "matmul_kernel"
    assert found.assumed == "element types assumed: input: fp32, other: fp32, output: fp32"
    assert {name: str(one) for name, one in found.rule("sum").placements.items()} == {
        "input": "S1",
        "other": "S0",
        "output": "P(sum)",
    }
    refused = sharding(make(blocks, coordinates, (Tensor(1), Tensor(1))))
    with pytest.raises(KeyError, match=r"g0: the application asks for the offsets\(0\) of x"):
        refused.rule("g0")


def test_dims_of_refusals() -> None:
    (refusal,) = sharding(make(blocks, coordinates, (Tensor(1), Tensor(1)))).refusals
    assert refusal.name == "g0"
    assert refusal.dims == (("x", 0), ("y", 0))


def test_sizes_that_a_kernel_is_compiled_for() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        return x.tile((B, -1)).squeeze(1), y.tile((B,))

    def application(x: Any, y: Any) -> None:
        for _ in ntl.static_range(x.shape[1] // 32):
            y = ntl.max(x, axis=1)
        if x.shape[1] < 32:
            y = ntl.sum(x, axis=1)

    x = Tensor(2, shape_options=(None, {"constexpr": True}))
    kernel = make(arrangement, application, (x, Tensor(1)))
    found = sharding(kernel)
    assert not found.holds_for_all_sizes
    # A part of a row is compiled for its own size, and may be no sum.
    assert str(found) == (
        "g0   x: S0, y: S0\nx 1  refused: the kernel is compiled for the size of dim 1 of x"
    )
    assert sharding(matmul_kernel).holds_for_all_sizes


def test_bad_input() -> None:
    with pytest.raises(NineToothedError) as caught:
        sharding(summed)  # pyright: ignore[reportArgumentType]
    assert caught.value.message.startswith("sharding takes a kernel, not <function summed at 0x")
    assert caught.value.message.endswith("; give what ninetoothed.make or ninetoothed.jit returned")
    with pytest.raises(NineToothedError, match="there is no parameter z"):
        sharding(matmul_kernel, {"z": "fp16"})
    with pytest.raises(NineToothedError, match="dtypes must be a dict by name of parameter"):
        sharding(matmul_kernel, 3)  # pyright: ignore[reportArgumentType]
