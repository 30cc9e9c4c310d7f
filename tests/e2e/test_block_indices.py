"""Elements of the block that a program sees, by index: read, written and updated."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.interpreters import interpret
from tests.support.everywhere import everywhere, lowered

SIX = 6
OTHER = -5.0


def vectors(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((SIX,)) for tensor in tensors)


def matrices(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((4, SIX)) for tensor in tensors)


def numbers(*shape: int) -> torch.Tensor:
    """Numbers that all differ."""
    return torch.arange(1.0, 1 + torch.Size(shape).numel()).reshape(shape)


def check(
    device: str, arrangement: Any, application: Any, x: torch.Tensor, wanted: torch.Tensor
) -> None:
    """Compare what the application makes of ``x`` and of ones."""

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert output.tolist() == wanted.tolist()

    tensors = [Tensor(x.ndim, other=OTHER), Tensor(wanted.ndim)]
    everywhere(
        device, arrangement, application, [x, torch.ones_like(wanted)], right, tensors=tensors
    )


def last(x, output):
    output[0] = x[-1]


def one_by_one(x, output):
    for k in range(x.shape[0]):
        output[k] += 2 * x[k]


def reversed_by_a_gather(x, output):
    output = x[x.shape[0] - 1 - ntl.arange(0, x.shape[0])]


def reversed_by_a_scatter(x, output):
    output[x.shape[0] - 1 - ntl.arange(0, x.shape[0])] = x


def outside(x, output):
    i = ntl.arange(0, x.shape[0])
    output[2 * i - 4] = x[2 * i - 4]


def outside_64_bits(x, output):
    i = ntl.arange(0, x.shape[0]).to(ntl.int64) + (1 << 32)
    output[i] = x[i]
    output[ntl.arange(0, 1).to(ntl.uint32) - 1] = x[0]


def whole(x, output):
    output[:] = x[:] + x[:]


def blocks_of(x: torch.Tensor) -> list[torch.Tensor]:
    """The blocks that programs see, and what lies outside."""
    rows = -(-len(x) // SIX)
    return [*torch.cat([x, torch.full((rows * SIX - len(x),), OTHER)]).split(SIX)]


def _last(blocks: list[torch.Tensor]) -> list[torch.Tensor]:
    return [torch.cat([block[-1:], torch.ones(SIX - 1)]) for block in blocks]


def _outside(blocks: list[torch.Tensor]) -> list[torch.Tensor]:
    even = torch.tensor([True, False] * 3)
    return [torch.where(even, block, 1.0) for block in blocks]


VECTORS: dict[str, tuple[Any, Any]] = {
    "last": (last, _last),
    "one_by_one": (one_by_one, lambda blocks: [2 * block + 1 for block in blocks]),
    "gather": (reversed_by_a_gather, lambda blocks: [block.flip(0) for block in blocks]),
    "outside": (outside, _outside),
    "outside_64_bits": (outside_64_bits, lambda blocks: [torch.ones(SIX) for _ in blocks]),
    "whole": (whole, lambda blocks: [2 * block for block in blocks]),
}


@pytest.mark.parametrize("size", [1, 3, 5, 6, 13, 781])
@pytest.mark.parametrize("name", VECTORS)
def test_vectors(name: str, size: int, device: str) -> None:
    application, expected = VECTORS[name]
    x = numbers(size)
    check(device, vectors, application, x, torch.cat(expected(blocks_of(x)))[:size])


@pytest.mark.parametrize("size", [1, 3, 5, 6, 13])
def test_scatter(size: int, device: str) -> None:
    x = numbers(size)
    wanted = torch.ones(size)
    for start in range(0, size, SIX):
        for lane in range(SIX):
            if start + SIX - 1 - lane < size:
                inside = start + lane < size
                wanted[start + SIX - 1 - lane] = x[start + lane] if inside else OTHER
    check(device, vectors, reversed_by_a_scatter, x, wanted)


def rows(x, output):
    for i in range(x.shape[0]):
        output[i, :] += x[i, :]


def columns(x, output):
    for j in ntl.static_range(x.shape[1]):
        output[:, j] = x[:, j - x.shape[1]] + 1


def elements(x, output):
    i, j = ntl.arange(0, 4), ntl.arange(0, 6)
    output[3 - i[:, None], j] = x[3 - i[:, None], j[None, :]] + 1


def picked_rows(x, output):
    i = 3 - ntl.arange(0, 4)
    output[i, :] = x[i, :] + 1


def picked_columns(x, output):
    j = 5 - ntl.arange(0, 6)
    output[:, j] = x[:, j] + 1


def tuples(x, output):
    place = (ntl.arange(0, 4)[:, None], ntl.arange(0, 6))
    rows, column = place[:1], place[1]
    output[place] = x[*rows, column] + 1
    output[0, 0] = x[*[0, 0]] + x[*(0, ...)][0] - x[(0, 0)] + 1


def diagonal(x, output):
    i = ntl.arange(0, 4)
    output[i, i] = x[i, i] + 1
    output[0, 5] = x[1, 1] + x[-2, -3]


def _diagonal(x: torch.Tensor) -> torch.Tensor:
    wanted = torch.ones_like(x)
    padded = torch.full((-(-x.shape[0] // 4) * 4, -(-x.shape[1] // SIX) * SIX), OTHER)
    padded[: x.shape[0], : x.shape[1]] = x
    full = torch.ones_like(padded)
    for i in range(0, x.shape[0], 4):
        for j in range(0, x.shape[1], SIX):
            for k in range(4):
                full[i + k, j + k] = padded[i + k, j + k] + 1
            full[i, j + 5] = padded[i + 1, j + 1] + padded[i + 2, j + 3]
    wanted[:] = full[: x.shape[0], : x.shape[1]]
    return wanted


MATRICES: dict[str, tuple[Any, Any]] = {
    "rows": (rows, lambda x: x + 1),
    "columns": (columns, lambda x: x + 1),
    "elements": (elements, lambda x: x + 1),
    "tuples": (tuples, lambda x: x + 1),
    "picked_rows": (picked_rows, lambda x: x + 1),
    "picked_columns": (picked_columns, lambda x: x + 1),
    "diagonal": (diagonal, _diagonal),
}


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (9, 14)], ids=str)
@pytest.mark.parametrize("name", MATRICES)
def test_matrices(name: str, shape: tuple[int, int], device: str) -> None:
    application, expected = MATRICES[name]
    x = numbers(*shape)
    check(device, matrices, application, x, expected(x))


def test_blocks_of_indices_stand_where_numpy_has_them() -> None:
    def arrangement(x: Tensor, first: Tensor, front: Tensor) -> tuple[Tensor, ...]:
        tensors = (x.tile((3, 4, 5)), first.tile((3, 2, 5)), front.tile((2, 4)))
        return tuple(tensor.flatten() for tensor in tensors)

    def application(x, first, front):
        k = ntl.arange(0, 2)
        first = x[:, 2 * k + 1, :]
        front = x[k, :, 2 * k]

    x, k = numbers(3, 4, 5), torch.arange(2)

    def right(x: torch.Tensor, first: torch.Tensor, front: torch.Tensor) -> None:
        assert torch.equal(first, x[:, 2 * k + 1, :])
        assert torch.equal(front, x[k, :, 2 * k])

    values = [x, torch.zeros(3, 2, 5), torch.zeros(2, 4)]
    everywhere("cpu", arrangement, application, values, right)


def test_levels_and_the_block_at_once(device: str) -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((5,)).tile((-1,)), output.tile((-1,))

    def application(x, output):
        for k in range(x.shape[0]):
            output[k] = x[k, 2] + x[k][-1]

    x = numbers(17)
    lanes = torch.cat([x, torch.full((3,), OTHER)]).reshape(4, 5)
    check(device, arrangement, application, x, lanes[:, 2] + lanes[:, -1])


def test_the_index_is_evaluated_once(device: str) -> None:
    def application(x, output):
        output[ntl.atomic_add(x.source.data_ptr(), 1.0).to(ntl.int32)] += 1

    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((3,)), output.tile((3,))

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert x.tolist() == [2.0, 0.0, 0.0]
        assert output.tolist() == [0.0, 1.0, 0.0]

    x = torch.tensor([1.0, 0.0, 0.0])
    everywhere(device, arrangement, application, [x, torch.zeros(3)], right)


def test_a_store_before_is_read() -> None:
    def application(x, output):
        output = x * 2
        output[0] = output[1]

    x = numbers(6)
    check("cpu", vectors, application, x, torch.tensor([4.0, 4, 6, 8, 10, 12]))


def test_what_is_not_read_has_no_value() -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((SIX,)), output.tile((1,))

    def application(x, output):
        picked = x[2 * ntl.arange(0, SIX)]
        output = ntl.sum(picked) + ntl.max(-picked) + ntl.sum(x[x.to(ntl.int32) - 1])

    x = numbers(3)

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert output.tolist() == [1.0 + 3 - 1 + 6]

    everywhere("cpu", arrangement, application, [x, torch.zeros(1)], right)


def test_lanes_of_what_is_computed() -> None:
    def application(x, output):
        y = x * 2
        rows = y[1, :][None, :] + y[:, -1][:, None]
        flat = ntl.sum(y, 0)
        output = rows + y[3, 4] + flat[5 - ntl.arange(0, 6)] + flat[x.shape[1] - 1]

    def expected(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        return y[1] + y[:, -1:] + y[3, 4] + y.sum(0).flip(0) + y.sum(0)[5]

    x = numbers(8, 12)
    parts = [[expected(part) for part in row.split(SIX, 1)] for row in x.split(4)]
    wanted = torch.cat([torch.cat(row, 1) for row in parts])
    check("cpu", matrices, application, x, wanted)


def test_races_of_indexed_stores_stay_open() -> None:
    def application(x, output):
        output[ntl.arange(0, 6)] = x

    report = ninetoothed.check(vectors, application, (Tensor(1), Tensor(1)))
    for question in ("coverage", "races"):
        (line,) = [line for line in str(report).splitlines() if question in line]
        assert line.split(maxsplit=2)[1:] == ["output", "undecided  some addresses are computed"]


def test_sequences() -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        x = x.tile((1, -1))
        x.dtype = x.dtype.squeeze(0)
        return x.squeeze(1), output.tile((1,))

    def application(x, output):
        turns = ntl.interleave(x, x)
        row = x.expand_dims(1).reshape(1, -1)
        output = ntl.sum(x[ntl.arange(0, 4)]) + x[0] + ntl.sum(turns) + ntl.sum(row) * 100

    x = torch.nested.nested_tensor(
        [torch.arange(3.0) + 1, torch.arange(5.0) + 10], layout=torch.jagged
    )
    output = torch.zeros(2)
    kernel = ninetoothed.make(arrangement, application, (Tensor(2, jagged_dim=1), Tensor(1)))
    wanted = [6 + 1 + 12 + 600.0, 46 + 10 + 120 + 6000.0]
    kernel(x, output)
    assert output.tolist() == wanted
    interpret(*lowered(kernel, [x, output.zero_()]))
    assert output.tolist() == wanted


ROWS = 3


def by_rows(index: Tensor, x: Tensor, output: Tensor) -> tuple[Tensor, ...]:
    """A program an index, and all rows of ``x`` and of ``output`` for each."""
    index = index.tile((1,))
    whole = [
        tensor.tile((1, SIX)).tile((-1, 1)).squeeze(1).expand(index.shape) for tensor in (x, output)
    ]
    for tensor in whole:
        tensor.dtype = tensor.dtype.squeeze(1)
        tensor.dtype.dtype = tensor.dtype.dtype.squeeze(0)
    return index, *whole


def rows_of_levels(index, x, output):
    output[index] = x[index] + 1


def rows_of_sources(index, x, output):
    j = ntl.arange(0, SIX)
    output.source[index, j] = x.source[index, j] + 1


def rows_by_a_block_of_two_dims(index, x, output):
    one = index[:, None]
    output[one] = x[ntl.reshape(index, (1, 1))] + 1


@pytest.mark.parametrize(
    "application", [rows_of_levels, rows_of_sources, rows_by_a_block_of_two_dims]
)
def test_an_index_block_of_one_lane_is_its_number(application: Any, device: str) -> None:
    index, x = torch.tensor([2, 0]), numbers(ROWS, SIX)

    def right(index: torch.Tensor, x: torch.Tensor, output: torch.Tensor) -> None:
        wanted = torch.zeros(ROWS, SIX)
        wanted[[2, 0]] = numbers(ROWS, SIX)[[2, 0]] + 1
        assert output.tolist() == wanted.tolist()

    values = [index, x, torch.zeros(ROWS, SIX)]
    tensors = [Tensor(1), Tensor(2), Tensor(2, allow_races=True)]
    everywhere(device, by_rows, application, values, right, tensors=tensors)


def test_an_index_block_of_one_lane_gives_one_element(device: str) -> None:
    def application(x, output):
        first = x[ntl.arange(0, 1)]
        last = (x * 2)[ntl.arange(0, 1) + 5]
        y = ntl.reshape(x, (2, 3))
        output = (first if first > last else last) + y[ntl.arange(0, 1), 2]

    x = numbers(SIX)
    check(device, vectors, application, x, torch.full((SIX,), 12.0 + 3))


def test_an_index_that_some_block_sizes_hold(device: str) -> None:
    """Only what no block has is refused; others read `other` where the block ends before."""

    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        block = ninetoothed.block_size(2, 8)
        return x.tile((block,)), output.tile((block,))

    def application(x, output):
        k = x.shape[0] - 1
        output = x[1] + x[-2] + x[k] * 0
        output[7] = 0.0

    x = torch.ones(8)

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert output.tolist()[:7] == [2.0] * 7

    everywhere(device, arrangement, application, [x, torch.zeros(8)], right)


def test_an_index_of_the_run_time_outside(device: str) -> None:
    """It reads `other` and writes nothing, on blocks, levels and sources alike."""

    def arrangement(x: Tensor, k: Tensor, output: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x.tile((2,)).tile((3,)), k, output.tile((SIX,))

    def application(x, k, output):
        output[0] = x[k, 0]
        output[1] = x[0, k]
        output[2] = x.source[k + 3]
        output[k + 3] = 7.0
        x[k, 1] = 7.0

    def right(x: torch.Tensor, k: torch.Tensor, output: torch.Tensor) -> None:
        assert x.tolist() == [1, 2, 3, 4, 5, 6]
        assert output.tolist() == [OTHER] * 3 + [0.0] * 3

    tensors = [Tensor(1, other=OTHER), Tensor(0), Tensor(1)]
    values = [numbers(SIX), 3, torch.zeros(SIX)]
    everywhere(device, arrangement, application, values, right, tensors)


def test_levels_are_left_alike_by_loops_that_are_unrolled_or_not(device: str) -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((2,)).tile((3,)), output.tile((2,))

    def rolled(x, output):
        for i in range(4):
            output += x[i - 1] + x.source[2 * i - 1]

    def unrolled(x, output):
        for i in ntl.static_range(4):
            output += x[i - 1] + x.source[2 * i - 1]

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        coordinates = OTHER + 2 + 4 + 6
        assert output.tolist() == [OTHER + 1 + 3 + 5 + coordinates, OTHER + 2 + 4 + 6 + coordinates]

    tensors = [Tensor(1, other=OTHER), Tensor(1)]
    for application in (rolled, unrolled):
        values = [numbers(SIX), torch.zeros(2)]
        everywhere(device, arrangement, application, values, right, tensors)
