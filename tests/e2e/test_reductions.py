"""Reductions, scans, sorts and histograms whose lanes are not all valid, or not all combined alike:
what the rows' own cases do not show.
"""

from __future__ import annotations

import functools

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.errors import ArgumentError
from tests.support.everywhere import everywhere
from tests.support.idioms.idiom import randn

sizes = pytest.mark.parametrize("n", [1, 3, 5, 64, 781])
tiles = pytest.mark.parametrize("tile", [48, 64])


def integers(*shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randint(-100, 100, shape, generator=generator).to(dtype)


def blocks(*tensors: Tensor, tile: int) -> tuple[Tensor, ...]:
    """Blocks of ``tile`` lanes of the tensors that have as many, one number of the others."""
    return tuple(tensor.tile((tile,)) for tensor in tensors)


def per_tile(*tensors: Tensor, tile: int) -> tuple[Tensor, ...]:
    """Blocks of the first tensor, one number a block of the others."""
    return tensors[0].tile((tile,)), *(tensor.tile((1,)) for tensor in tensors[1:])


def parts(x: torch.Tensor, tile: int) -> list[torch.Tensor]:
    return list(torch.split(x.cpu(), tile))


def same(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found.cpu(), expected.to(found.dtype).cpu(), rtol=1e-4, atol=1e-4)


def tensors(count: int, ndim: int = 1) -> tuple[Tensor, ...]:
    return tuple(Tensor(ndim) for _ in range(count))


def longest(a, b):
    """Not commutative: the first of equal magnitudes."""
    return ntl.where(ntl.abs(a) >= ntl.abs(b), a, b)


def first(a, b):
    return a


def product(a, b):
    return a * b


# Lanes behind the tensor's end.


def edge_of_reductions(x, place, value, index):
    place = ntl.argmax(x, 0)
    value, index = ntl.min(x, 0, return_indices=True, return_indices_tie_break_left=False)


@sizes
@tiles
def test_places_at_the_edge(device: str, n: int, tile: int) -> None:
    count = -(-n // tile)
    x = torch.randperm(n, generator=torch.Generator().manual_seed(n)).float() - 1000
    outputs = [torch.zeros(count, dtype=dtype) for dtype in (torch.int32, x.dtype, torch.int32)]

    def check(x: torch.Tensor, *found: torch.Tensor) -> None:
        tiles = parts(x, tile)
        same(found[0], torch.stack([part.argmax() for part in tiles]))
        same(found[1], torch.stack([part.min() for part in tiles]))
        same(found[2], torch.stack([part.argmin() for part in tiles]))

    arrangement = functools.partial(per_tile, tile=tile)
    everywhere(device, arrangement, edge_of_reductions, (x, *outputs), check)


def edge_of_combinations(x, product_of_all, last):
    product_of_all = ntl.reduce(x, 0, product)
    last = ntl.max(ntl.associative_scan(x, 0, first, reverse=True), 0)


@sizes
@tiles
def test_combinations_at_the_edge(device: str, n: int, tile: int) -> None:
    """From the end on, each lane takes the last valid one."""
    count = -(-n // tile)
    x = 1 + randn(n) / 100

    def check(x: torch.Tensor, *found: torch.Tensor) -> None:
        tiles = parts(x, tile)
        same(found[0], torch.stack([part.prod() for part in tiles]))
        same(found[1], torch.stack([part[-1] for part in tiles]))

    arrangement = functools.partial(per_tile, tile=tile)
    outputs = (torch.zeros(count), torch.zeros(count))
    everywhere(device, arrangement, edge_of_combinations, (x, *outputs), check)


def edge_of_orders(x, total, smallest, counts):
    order = ntl.sort(x)
    total = ntl.sum(ntl.cumsum(order, reverse=True))
    smallest = ntl.min(ntl.topk(x, 1))
    counts = ntl.sum(ntl.histogram(x, 50))


@sizes
@tiles
def test_orders_at_the_edge(device: str, n: int, tile: int) -> None:
    """Lanes behind the valid ones of a sorted block are not valid."""
    count = -(-n // tile)
    x = integers(n)

    def check(x: torch.Tensor, *found: torch.Tensor) -> None:
        tiles = parts(x, tile)
        sums = [(part.sort().values * torch.arange(1, len(part) + 1)).sum() for part in tiles]
        same(found[0], torch.stack(sums))
        same(found[1], torch.stack([part.max() for part in tiles]))
        same(found[2], torch.stack([((part >= 0) & (part < 50)).sum() for part in tiles]))

    arrangement = functools.partial(per_tile, tile=tile)
    outputs = [torch.zeros(count, dtype=torch.int32) for _ in range(3)]
    everywhere(device, arrangement, edge_of_orders, (x, *outputs), check)


# Lanes that other lanes choose.


def chosen_lanes(x, y, result):
    # Where x is negative, the guard is that of y, which ends before.
    mixed = ntl.where(x >= 0, x, y)
    result = ntl.associative_scan(mixed, 0, longest)


@pytest.mark.parametrize(("n", "m"), [(5, 3), (64, 41), (100, 70)])
@tiles
def test_a_guard_with_holes(device: str, n: int, m: int, tile: int) -> None:
    x, y = randn(n), randn(m) * 2

    def check(x: torch.Tensor, y: torch.Tensor, result: torch.Tensor) -> None:
        for start in range(0, n, tile):
            best: float | None = None
            for lane in range(start, min(start + tile, n)):
                value = float(x[lane]) if x[lane] >= 0 else float(y[lane]) if lane < m else None
                if value is not None and (best is None or abs(value) > abs(best)):
                    best = value
                # Up to the first valid lane values are unspecified.
                if best is not None:
                    assert float(result[lane]) == pytest.approx(best)

    arrangement = functools.partial(blocks, tile=tile)

    def grid(x: Tensor, y: Tensor, result: Tensor) -> tuple[Tensor, ...]:
        x, y, result = arrangement(x, y.pad(((0, n - m),)), result)
        return x, y, result

    everywhere(device, grid, chosen_lanes, (x, y, torch.zeros(n)), check)


def all_of_both(x, result):
    result = ntl.reduce(x, None, product)


@pytest.mark.parametrize("shape", [(4, 8), (3, 5), (9, 14), (1, 1), (33, 2)])
def test_all_lanes_of_ragged_tiles(device: str, shape: tuple[int, int]) -> None:
    """Whole rows of a tile are not valid: nor are their reductions."""
    x = 1 + randn(*shape) / 10
    counts = (-(-shape[0] // 4), -(-shape[1] // 6))

    def arrangement(x: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((4, 6)), result.tile((1, 1))

    def check(x: torch.Tensor, result: torch.Tensor) -> None:
        for i in range(counts[0]):
            for j in range(counts[1]):
                tile = x[4 * i : 4 * i + 4, 6 * j : 6 * j + 6].cpu()
                same(result[i, j], tile.prod())

    everywhere(device, arrangement, all_of_both, (x, torch.zeros(counts)), check)


def largest_sum(x, result):
    result = ntl.max(ntl.sum(x, 1), 0)


def sum_of_largest(x, result):
    result = ntl.sum(ntl.max(x, 1), 0)


def largest_running(x, result):
    result = ntl.max(ntl.max(ntl.cumsum(x, 1), 1), 0)


def deviations(x, result):
    mean = ntl.sum(x, 1, keep_dims=True) / 8
    result = ntl.min(ntl.min(x - mean, 1), 0)


def online(x, result):
    largest = ntl.full((4,), float("-inf"), ntl.float32)
    for k in range(x.shape[0]):
        largest = ntl.maximum(largest, ntl.max(x[k], 1))
    result = ntl.sum(largest, 0)


ORACLES = {
    largest_sum: lambda x: x.sum(1).amax(),
    sum_of_largest: lambda x: x.amax(1).sum(),
    largest_running: lambda x: x.cumsum(1).amax(),
    deviations: lambda x: (x - x.sum(1, keepdim=True) / 8).amin(),
}


@pytest.mark.parametrize("application", [*ORACLES])
@pytest.mark.parametrize("shape", [(4, 8), (3, 8), (4, 5), (1, 1), (9, 14)])
def test_rows_that_do_not_exist_are_in_no_reduction(
    device: str, application: Application, shape: tuple[int, int]
) -> None:
    x = -1 - torch.rand(shape)
    counts = (-(-shape[0] // 4), -(-shape[1] // 8))

    def arrangement(x: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((4, 8)), result.tile((1, 1))

    def check(x: torch.Tensor, result: torch.Tensor) -> None:
        for i in range(counts[0]):
            for j in range(counts[1]):
                tile = x[4 * i : 4 * i + 4, 8 * j : 8 * j + 8].cpu()
                same(result[i, j], ORACLES[application](tile))

    everywhere(device, arrangement, application, (x, torch.zeros(counts)), check)


@pytest.mark.parametrize("shape", [(4, 24), (3, 20), (9, 1)])
def test_rows_are_carried_through_a_loop(device: str, shape: tuple[int, int]) -> None:
    x = -1 - torch.rand(shape)

    def arrangement(x: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
        tiles = x.tile((4, 8)).tile((1, -1))
        tiles.dtype = tiles.dtype.squeeze(0)
        return tiles, result.tile((1, 1))

    def check(x: torch.Tensor, result: torch.Tensor) -> None:
        expected = torch.stack([part.amax(1).sum() for part in x.cpu().split(4)])
        same(result[:, 0], expected)

    result = torch.zeros(-(-shape[0] // 4), 1)
    everywhere(device, arrangement, online, (x, result), check)


def repeated(x, result):
    result = x * 0 + ntl.cumsum(ntl.sum(x, 1, keep_dims=True), 0, reverse=True)


@pytest.mark.parametrize("shape", [(4, 8), (2, 8), (6, 8)])
def test_a_scan_beside_a_dim_of_one_is_repeated_along_it(
    device: str, shape: tuple[int, int]
) -> None:
    x = torch.randint(0, 9, shape).float()

    def arrangement(x: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((4, 8)), result.tile((4, 8))

    def check(x: torch.Tensor, result: torch.Tensor) -> None:
        for found, part in zip(result.split(4), x.split(4), strict=True):
            same(found, part.sum(1).flip(0).cumsum(0).flip(0)[:, None].expand(part.shape))

    everywhere(device, arrangement, repeated, (x, torch.zeros(shape)), check)


def carried(x, result):
    power = x
    for _ in range(3):
        power = ntl.associative_scan(power, 0, product)
    result = ntl.sum(power, 0)


@sizes
@tiles
def test_a_loop_carries_what_is_real(device: str, n: int, tile: int) -> None:
    """Lanes behind the last valid one are in no sum."""
    x = 1 + randn(n) / 20000

    def scanned(part: torch.Tensor) -> torch.Tensor:
        return part.cumprod(0).cumprod(0).cumprod(0).sum()

    def check(x: torch.Tensor, result: torch.Tensor) -> None:
        expected = torch.stack([scanned(part.double()) for part in parts(x, tile)])
        torch.testing.assert_close(result.cpu().double(), expected, rtol=1e-3, atol=1e-3)

    arrangement = functools.partial(per_tile, tile=tile)
    everywhere(device, arrangement, carried, (x, torch.zeros(-(-n // tile))), check)


# Functions that combine.


def with_branches(a, b):
    if a > b:
        result = a - b
    elif a < b:
        result = b - a
    else:
        result = a * 0
    return result


def powers(a, b):
    for _ in ntl.static_range(2):
        a = a * b
    return a


def functions(x, largest, branches, unrolled, local):
    def weighted(left, right, scale=0.5):
        return left * scale + right * scale

    largest = ntl.reduce(x, 0, ntl.maximum, keep_dims=True)
    branches = ntl.reduce(x, 0, with_branches, keep_dims=True)
    unrolled = ntl.reduce(x, 0, powers, keep_dims=True)
    local = ntl.reduce(x, 0, weighted, keep_dims=True)


def test_functions_of_every_kind(device: str) -> None:
    """Two lanes, so that there is one way to combine them."""
    x = randn(10)

    def check(x: torch.Tensor, *found: torch.Tensor) -> None:
        a, b = x.cpu()[::2], x.cpu()[1::2]
        expected = (
            torch.maximum(a, b),
            (a - b).abs(),
            a * b * b,
            (a + b) / 2,
        )
        for result, wanted in zip(found, expected, strict=True):
            same(result, wanted)

    arrangement = functools.partial(per_tile, tile=2)
    outputs = [torch.zeros(5) for _ in range(4)]
    everywhere(device, arrangement, functions, (x, *outputs), check)


def mixed_types(x, y, bit, wide):
    any_bit, sum_of_wide = ntl.reduce((x > 50, y), 0, bit_and_sum)
    bit = any_bit.to(ntl.int32)
    wide = sum_of_wide


def bit_and_sum(bit1, sum1, bit2, sum2):
    return bit1 | bit2, sum1 + sum2


@sizes
def test_operands_of_several_types(device: str, n: int) -> None:
    x, y = integers(n, dtype=torch.int8), integers(n, dtype=torch.int64) * 2**40

    def check(x: torch.Tensor, y: torch.Tensor, bit: torch.Tensor, wide: torch.Tensor) -> None:
        same(bit, torch.stack([(part > 50).any() for part in parts(x, 64)]))
        assert torch.equal(wide.cpu(), torch.stack([part.sum() for part in parts(y, 64)]))

    def arrangement(x: Tensor, y: Tensor, *outputs: Tensor) -> tuple[Tensor, ...]:
        return x.tile((64,)), y.tile((64,)), *(output.tile((1,)) for output in outputs)

    count = -(-n // 64)
    outputs = [torch.zeros(count, dtype=dtype) for dtype in (torch.int32, torch.int64)]
    everywhere(device, arrangement, mixed_types, (x, y, *outputs), check)


def in_their_order(x, forwards, backwards):
    forwards = ntl.associative_scan(x, 0, first)
    backwards = ntl.associative_scan(x, 0, last, reverse=True)


def last(a, b):
    return b


@sizes
def test_the_left_comes_first(device: str, n: int) -> None:
    """Backwards, what is on the left lies behind."""
    x = randn(n)

    def check(x: torch.Tensor, forwards: torch.Tensor, backwards: torch.Tensor) -> None:
        same(forwards, torch.cat([part[:1].expand(len(part)) for part in parts(x, 64)]))
        same(backwards, x.cpu())

    arrangement = functools.partial(blocks, tile=64)
    outputs = (torch.zeros(n), torch.zeros(n))
    everywhere(device, arrangement, in_their_order, (x, *outputs), check)


# Sizes of nothing, and numbers at the ends.


def nothing(x, total, product_of_all, bits, largest):
    total = ntl.sum(x, 1)
    product_of_all = ntl.max(ntl.cumprod(x, 1), 1)
    bits = ntl.sum(ntl.sort(x), 1)
    largest = ntl.max(x, 1)


def test_blocks_of_no_lanes(device: str) -> None:
    x = torch.zeros(3, 0)

    def arrangement(x: Tensor, *outputs: Tensor) -> tuple[Tensor, ...]:
        return x.tile((1, -1)).squeeze(1), *(output.tile((1,)) for output in outputs)

    def check(x: torch.Tensor, *found: torch.Tensor) -> None:
        infinity = torch.full((3,), torch.inf)
        for result, wanted in zip(
            found, (0 * found[0], -infinity, 0 * found[0], -infinity), strict=True
        ):
            same(result, wanted)

    outputs = [torch.ones(3) for _ in range(4)]
    everywhere(device, arrangement, nothing, (x, *outputs), check)


def counted(x, counts):
    counts = ntl.histogram(x, 7)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int64, torch.uint64])
def test_numbers_that_are_not_counted(device: str, dtype: torch.dtype) -> None:
    """Neither those that have the same low bits as one that is."""
    ends = torch.iinfo(dtype)
    high = [1 << 32, (1 << 32) + 6, -(1 << 32)] if ends.bits == 64 else [16, 32, 100]
    numbers = [0, 1, 1, 6, 7, 8, ends.max, ends.min, *(n for n in high if n >= ends.min)]
    x = torch.tensor(numbers, dtype=dtype)
    wanted = torch.tensor([sum(n == number for n in numbers) for number in range(7)])

    def arrangement(x: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((-1,)), counts.tile((-1,))

    counts = torch.zeros(7, dtype=torch.int32)
    everywhere(device, arrangement, counted, (x, counts), lambda x, counts: same(counts, wanted))


def top_three(x, result):
    result = ntl.topk(x, 3)


def test_fewer_lanes_than_wanted() -> None:
    def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(tensor.tile((1, -1)) for tensor in tensors)

    kernel = ninetoothed.make(arrangement, top_three, tensors(2, 2))
    x, result = randn(4, 5), torch.zeros(4, 3)
    kernel(x, result)
    same(result, x.sort(descending=True).values[:, :3])
    with pytest.raises(ArgumentError, match=r"ntl\.topk: k is 3, and there are .* lanes"):
        kernel(randn(4, 2), result)


def sequences(x, rising, backwards, farthest):
    rising = ntl.sort(x)
    backwards = ntl.cumsum(x, 1, reverse=True)
    farthest = ntl.associative_scan(x, 1, longest, reverse=True)


def test_sequences_of_their_own_lengths(device: str) -> None:
    """Lanes behind a sequence, up to the longest, are not valid."""
    lengths = (0, 1, 7, 64, 65)
    offsets = torch.tensor([0, *lengths]).cumsum(0)
    values = randn(sum(lengths))
    x = torch.nested.nested_tensor_from_jagged(values, offsets)
    outputs = [torch.nested.nested_tensor_from_jagged(0 * values, offsets) for _ in range(3)]

    def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(tensor.tile((1, -1)) for tensor in tensors)

    def largest_from(part: torch.Tensor) -> torch.Tensor:
        places = [part[lane:].abs().argmax() + lane for lane in range(len(part))]
        return torch.stack([part[place] for place in places]) if places else part

    def check(x: torch.Tensor, *found: torch.Tensor) -> None:
        for index, part in enumerate(x.cpu().unbind()):
            same(found[0].unbind()[index], part.sort().values)
            same(found[1].unbind()[index], part.flip(0).cumsum(0).flip(0))
            same(found[2].unbind()[index], largest_from(part))

    declared = [Tensor(2, jagged_dim=1) for _ in range(4)]
    everywhere(device, arrangement, sequences, (x, *outputs), check, tensors=declared)


def test_lanes_of_a_selection(device: str) -> None:
    """A lane is valid where the condition is, and the operand that is chosen."""

    def arrangement(x: Tensor, *outputs: Tensor) -> tuple[Tensor, ...]:
        return x.tile((8,)), *(output.tile((1,)) for output in outputs)

    def application(x, beside, behind, by_condition, by_branch):
        lane, ones = ntl.arange(0, 8), ntl.full((8,), 1.0, ntl.float32)
        beside = ntl.sum(ntl.where(lane < 3, x, 10.0))
        behind = ntl.sum(ntl.where(lane < 3, 10.0, x))
        by_condition = ntl.sum(ntl.where(x > 0, ones, 10.0))
        by_branch = ntl.sum(x if ntl.program_id(0) > 0 else ones)

    def right(x: torch.Tensor, *outputs: torch.Tensor) -> None:
        # Three lanes of the block lie beyond the tensor's five elements, all 2.
        assert [output.item() for output in outputs] == [6 + 50, 30 + 4, 5, 8]

    values = [torch.full((5,), 2.0), *(torch.zeros(1) for _ in range(4))]
    everywhere(device, arrangement, application, values, right)
