"""Lanes that move, at sizes that are padded: on the CPU at ``nt`` and at ``tt``, through Triton
offline, and on a GPU by both backends.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.errors import ArgumentError, ShapeError
from tests.support.everywhere import everywhere

Shape = tuple[int, ...]

# Applications.


def numbered(shape):
    """Each lane's place in row-major order, from the indices of its dims."""
    value = ntl.zeros(shape, ntl.int32)
    for dim in ntl.static_range(len(shape)):
        row = ntl.arange(0, shape[dim])
        for axis in ntl.static_range(len(shape)):
            if axis != dim:
                row = ntl.expand_dims(row, axis)
        value = value * shape[dim] + row
    return value


def wrong(block, expected):
    """The number of lanes that are not as expected."""
    return ntl.sum((block != expected).to(ntl.int32))


# Cases.


def shapes(lanes: int, most: int) -> Iterator[Shape]:
    """The shapes of so many lanes, of one dim to ``most`` dims."""
    divisors = [size for size in range(1, lanes + 1) if lanes % size == 0]
    for rank in range(1, most + 1):
        for shape in itertools.product(divisors, repeat=rank):
            if math.prod(shape) == lanes:
                yield shape


RANKS = {1: 3, 2: 3, 3: 3, 4: 2, 5: 2, 6: 2, 10: 2}
SMALL = {
    lanes: list(itertools.product(shapes(lanes, rank), repeat=2)) for lanes, rank in RANKS.items()
}
CHOSEN: dict[str, list[tuple[Shape, Shape]]] = {
    "large": [
        ((781,), (1, 781)),
        ((781, 1), (781,)),
        ((781, 3), (3, 781)),
        ((3, 781), (781, 3)),
        ((5, 781), (781, 5)),
        ((2343,), (3, 781)),
        ((1, 5, 781), (5, 1, 781)),
        ((71, 11), (781,)),
        ((781,), (11, 71)),
    ],
    "mixed": [
        ((12,), (3, 4)),
        ((12,), (4, 3)),
        ((2, 3, 4), (6, 4)),
        ((2, 3, 4), (4, 6)),
        ((5, 3, 2), (3, 5, 2)),
        ((3, 5, 2, 2), (15, 4)),
        ((30,), (5, 3, 2)),
        ((24,), (2, 3, 4)),
        ((6, 10), (4, 15)),
    ],
}


def check_all(device: str, application: Any, count: int) -> None:
    """Run cases in one program, which counts what is wrong in each."""
    found = torch.full((count,), 7, dtype=torch.int32)

    def right(found: torch.Tensor) -> None:
        assert found.tolist() == [0] * count

    def arrangement(found: Tensor) -> Tensor:
        return found.tile((count,))

    everywhere(device, arrangement, application, [found], right)


def check(device: str, application: Any, inputs: list[torch.Tensor], *wanted: torch.Tensor) -> None:
    """Run one program that sees all tensors whole, and compare its outputs."""
    outputs = [torch.full_like(one, 3) for one in wanted]
    shapes = [tuple(one.shape) for one in (*inputs, *outputs)]

    def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
        tiled = [tensor.tile(shape) for tensor, shape in zip(tensors, shapes, strict=True)]
        return tuple(one.flatten() for one in tiled)

    def right(*values: torch.Tensor) -> None:
        for value, expected in zip(values[len(inputs) :], wanted, strict=True):
            assert torch.equal(value.cpu(), expected)

    everywhere(device, arrangement, application, [*inputs, *outputs], right)


def lanes_of(shape: Shape, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Numbers that all differ."""
    return (torch.arange(math.prod(shape)) + 1).reshape(shape).to(dtype)


@pytest.mark.parametrize("name", [*SMALL, *CHOSEN])
def test_reshape(name: str | int, device: str) -> None:
    cases = SMALL[name] if isinstance(name, int) else CHOSEN[name]

    def application(found):
        for case in ntl.static_range(len(cases)):
            old, new = cases[case]
            found[case] = wrong(numbered(old).reshape(new), numbered(new))

    check_all(device, application, len(cases))


SHAPES: list[Shape] = [(1,), (3,), (5,), (4,), (781,), (3, 5), (5, 1), (1, 3), (2, 4), (3, 1, 5)]
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


@each_shape
def test_two_blocks(shape: Shape, device: str) -> None:
    x, y = lanes_of(shape), -lanes_of(shape)

    def application(x, y, joined, first, second, turns, flat, front, back):
        joined = ntl.join(x, y)
        first, second = ntl.split(ntl.join(x, y))
        turns = ntl.interleave(x, y)
        flat = ntl.ravel(ntl.join(y, x))
        front = ntl.cat(x, y)
        back = ntl.cat(y, x, dim=-1)

    joined = torch.stack([x, y], -1)
    flat = torch.stack([y, x], -1).ravel()
    check(
        *(device, application, [x, y], joined, x, y, joined.flatten(-2), flat),
        *(torch.cat([x, y], 0), torch.cat([y, x], -1)),
    )


@each_shape
def test_dims(shape: Shape, device: str) -> None:
    x = lanes_of(shape)
    order = tuple(reversed(range(len(shape))))

    def application(x, turned, again, backwards, more, fewer):
        turned = x.permute(*order)
        again = ntl.trans(ntl.permute(x, order), order)
        backwards = x.flip(0)
        more = x.expand_dims((0, -1))
        fewer = ntl.squeeze(ntl.unsqueeze(x, -1), -1)

    turned = x.permute(order).contiguous()
    check(device, application, [x], turned, x, x.flip(0), x[None, ..., None], x)


def _gathering(axis: int) -> Any:
    def application(x, index, found):
        found = x.gather(index, axis)

    return application


@each_shape
@pytest.mark.parametrize("count", [1, 3, 7])
def test_gather(shape: Shape, count: int, device: str) -> None:
    for axis in range(len(shape)):
        picked = (*shape[:axis], count, *shape[axis + 1 :])
        index = lanes_of(picked, torch.int32) * 5 % shape[axis]
        x = lanes_of(shape)

        wanted = torch.gather(x, axis, index.to(torch.int64))
        check(device, _gathering(axis), [x, index], wanted)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "float16", "bfloat16", "int64", "float64"]
)
def test_element_types(dtype: str, device: str) -> None:
    x = lanes_of((3, 5), torch.int64).to(getattr(torch, dtype))
    x[0, 2] = 0

    def application(x, reshaped, joined, backwards):
        reshaped = x.reshape(5, 3)
        joined, _ = ntl.join(x, x).split()
        backwards = x.flip(1)

    check(device, application, [x], x.reshape(5, 3), x, x.flip(1))


def test_scalars() -> None:
    def application(x, pair, sum, one):
        left, right = x.split()
        pair = ntl.join(right, left)
        sum = ntl.expand_dims(left + right, 0)
        one = ntl.expand_dims(x.flip().gather(ntl.zeros((1,), ntl.int32), 0).item(), 0)

    x = torch.tensor([3.0, 5.0])
    check("cpu", application, [x], x.flip(0), torch.tensor([8.0]), torch.tensor([5.0]))


# What is not read.


def ragged(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
    return x.tile((6,)), output.tile((1,))


@pytest.mark.parametrize("size", [1, 3, 5, 6, 13])
def test_guards_move_with_lanes(size: int, device: str) -> None:
    x = lanes_of((size,))

    def application(x, output):
        rows = x.reshape(2, 3)
        left, right = x.reshape(3, 2).split()
        output = (
            ntl.sum(rows.trans())
            + ntl.max(ntl.join(-x, -x)) * 100
            + ntl.sum(ntl.cat(x.flip(), x))
            + ntl.sum(x.gather(5 - ntl.arange(0, 6), 0)) * 1000
            + ntl.sum(left - right * 0)
        )

    def sums(block: torch.Tensor) -> float:
        # Where the right lane does not exist, the sum of both does not.
        total = block.sum()
        left = block[0 : len(block) // 2 * 2 : 2].sum()
        return float(total * 3 + block.neg().max() * 100 + total * 1000 + left)

    wanted = torch.tensor([sums(block) for block in x.split(6)])

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert output.tolist() == wanted.tolist()

    values = [x, torch.zeros(len(wanted))]
    everywhere(device, ragged, application, values, right)


# Sizes that only a call knows.


def rows(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
    x, output = x.tile((1, -1)), output.tile((1, -1))
    x.dtype, output.dtype = x.dtype.squeeze(0), output.dtype.squeeze(0)
    return x.squeeze(1), output.squeeze(1)


@pytest.mark.parametrize("size", [1, 3, 4, 5, 781])
def test_run_time_sizes(size: int, device: str) -> None:
    def application(x, output):
        output = ntl.interleave(x, -x)

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert torch.equal(output, torch.stack([x, -x], -1).flatten(1))

    values = [lanes_of((2, size)), torch.zeros(2, 2 * size)]
    everywhere(device, rows, application, values, right)


@pytest.mark.parametrize("size", [1, 3, 4, 5, 97])
def test_a_size_that_is_left(size: int) -> None:
    def application(x, output):
        output = ntl.reshape(ntl.join(x, x), -1, x.shape[0]).permute(1, 0).ravel()

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        joined = torch.stack([x, x], -1).reshape(2, 2, size)
        assert torch.equal(output, joined.transpose(1, 2).reshape(2, -1))

    values = [lanes_of((2, size)), torch.zeros(2, 2 * size)]
    everywhere("cpu", rows, application, values, right)


def test_sizes_that_the_call_checks() -> None:
    def application(x, output):
        output = x.reshape(output.shape)

    kernel = ninetoothed.make(rows, application, (Tensor(2), Tensor(2)))
    x, output = lanes_of((2, 12)), torch.zeros(2, 12)
    kernel(x, output)
    assert torch.equal(x, output)
    with pytest.raises(ArgumentError, match="must be equal: they are"):
        kernel(x, torch.zeros(2, 9))


def test_a_sequence_of_its_own_length() -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return tuple(one.tile((1, -1, 4)).squeeze(1).squeeze(1) for one in (x, output))  # pyright: ignore[reportReturnType]

    def application(x, output):
        output = x.permute(0, 2, 1).reshape(1, 4 * x.shape[1], 1)

    tensors = (Tensor(3, jagged_dim=1), Tensor(3, jagged_dim=1))
    with pytest.raises(ShapeError, match="each program has its own"):
        ninetoothed.make(arrangement, application, tensors)
