"""Coordinates, sources, pointers and atomics, with numbers: interpreted at `nt` and at `tt`, and on
a GPU by both backends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.backend.launch_source import reads_writes
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import offline
from tests.support.everywhere import everywhere, lowered
from tests.support.targets import TARGETS

BLOCK = Symbol("BLOCK", constexpr=True)
ROWS = Symbol("ROWS", constexpr=True)
COLUMNS = Symbol("COLUMNS", constexpr=True)


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(t.tile((BLOCK,)) if t.ndim else t for t in tensors)


def matrices(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(t.tile((ROWS, COLUMNS)) for t in tensors)


def equal(*pairs: tuple[torch.Tensor, torch.Tensor]) -> None:
    for result, expected in pairs:
        torch.testing.assert_close(result.cpu(), expected.to(result.dtype), rtol=0, atol=0)


# Coordinates.


def corners(x, out):
    row = x.offsets(0)[0]
    out = 100 * row + x.offsets(1)[0] + (x.offsets(0) - row)[:, None]


def test_first_coordinates(device: str) -> None:
    x, out = torch.zeros(10, 26), torch.full((10, 26), -1, dtype=torch.int32)
    i, j = torch.arange(10)[:, None], torch.arange(26)

    def check(x, out):
        equal((out, 100 * (i // 4 * 4) + j // 8 * 8 + i % 4))

    everywhere(device, matrices, corners, (x, out), check, ROWS=4, COLUMNS=8)


def coordinates(x, rows, columns, linear):
    rows = x.offsets(0)[:, None]
    columns = x.offsets(-1)
    linear = x.offsets()


@pytest.mark.parametrize(("rows", "columns"), [(4, 8), (3, 5), (1, 16)])
def test_coordinates_of_blocks(device: str, rows: int, columns: int) -> None:
    x = torch.zeros(26, 10).T
    outputs = [torch.full((10, 26), -1, dtype=torch.int32) for _ in range(3)]
    i, j = torch.arange(10)[:, None].expand(10, 26), torch.arange(26).expand(10, 26)
    everywhere(
        device,
        matrices,
        coordinates,
        (x, *outputs),
        lambda x, a, b, c: equal((a, i), (b, j), (c, i + 10 * j)),
        ROWS=rows,
        COLUMNS=columns,
    )


def attention_arrangement(q: Tensor, k: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    """One program a block of rows of ``q``; it walks over blocks of rows of ``k``."""
    rows = q.tile((BLOCK, -1))
    keys = k.tile((BLOCK, -1)).tile((-1, -1)).expand((rows.shape[0], 1))
    keys.dtype = keys.dtype.squeeze(1)
    return rows, keys, out.tile((BLOCK, 1))


def masked_scores(q, k, out):
    best = ntl.full((q.shape[0],), float("-inf"), ntl.float32)
    for i in range(k.shape[0]):
        scores = ntl.dot(q, ntl.trans(k[i]), input_precision="ieee")
        scores = ntl.where(k[i].offsets(-2) < k.source.shape[-2], scores, float("-inf"))
        best = ntl.maximum(best, ntl.max(scores, axis=1))
    out = best[:, None]


def test_tail_masks_by_coordinates(device: str) -> None:
    """Without the mask, the rows behind the last of ``k`` would give scores of 0."""
    q, k = -torch.rand(40, 16), torch.rand(50, 16)
    everywhere(
        device,
        attention_arrangement,
        masked_scores,
        (q, k, torch.zeros(40, 1)),
        lambda q, k, out: torch.testing.assert_close(
            out.cpu(), (q @ k.T).max(1).values[:, None].cpu()
        ),
        BLOCK=16,
    )


def whole(x: Tensor, out: Tensor) -> tuple[Tensor, Tensor]:
    return x, out.tile((1, 1))


def element_coordinates(x, out):
    out = x.offsets(0) * 100 + x.offsets(-1)


def test_coordinates_of_elements(device: str) -> None:
    expected = torch.arange(5)[:, None] * 100 + torch.arange(7)
    everywhere(
        device,
        whole,
        element_coordinates,
        (torch.zeros(5, 7), torch.zeros(5, 7, dtype=torch.int32)),
        lambda x, out: equal((out, expected)),
    )


# The source.


def source_facts(x, out):
    source = x.source
    size = source.shape[0] * 1000 + source.shape[-1] * 10 + source.ndim
    last = source.stride(-1) + source.strides[0] * 10000
    known = 1 if source.dtype is ntl.float32 else 0
    out = (size + last * known) + ntl.zeros(out.shape, ntl.int32)


def test_facts_of_the_source(device: str) -> None:
    x = torch.zeros(3, 6).T
    expected = torch.full((8,), 6000 + 30 + 2 + 6 + 10000)
    everywhere(
        device,
        lambda x, out: (x.tile((-1, -1)).flatten(), out.tile((8,))),
        source_facts,
        (x, torch.zeros(8, dtype=torch.int32)),
        lambda x, out: equal((out, expected)),
    )


def gather_rows(index, table, out):
    out = table.source[index[:, None], ntl.arange(0, 5)]


def rows_arrangement(index: Tensor, table: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    columns = table.tile((-1, -1)).flatten().expand((-(-index.shape[0] // BLOCK),))
    return index.tile((BLOCK,)), columns, out.tile((BLOCK, -1)).squeeze(1)


@pytest.mark.parametrize("block", [4, 6])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8, torch.int16])
def test_gathers_from_the_source(device: str, block: int, dtype: torch.dtype) -> None:
    """Coordinates outside read ``other``."""
    table = torch.randn(11, 5).T.contiguous().T
    index = torch.tensor([3, 0, 10, 11, 3, 7, 9, 100, 1, 127, 4], dtype=dtype)
    expected = torch.where(index[:, None] < 11, table[index.clamp(max=10).long()], 7.0)
    everywhere(
        device,
        rows_arrangement,
        gather_rows,
        (index, table, torch.zeros(11, 5)),
        lambda index, table, out: equal((out, expected)),
        tensors=(Tensor(1), Tensor(2, other=7.0), Tensor(2)),
        BLOCK=block,
    )


def scatter(index, x, out):
    out.source[index, 1] = x
    out.source[index, 0] += 1


@pytest.mark.parametrize("block", [8, 24])
def test_scatters_to_the_source(device: str, block: int) -> None:
    """Coordinates outside write nothing, and so do lanes whose index was not read."""
    index = torch.tensor([5, -1, 3, 9, 12, 4, 1, -7, 8, 2], dtype=torch.int64)
    x = torch.arange(10.0) + 1
    expected = torch.zeros(10, 2)
    inside = (index >= 0) & (index < 10)
    expected[index[inside], 1] = x[inside]
    expected[index[inside], 0] = 1
    everywhere(
        device,
        lambda index, x, out: (
            *(t.tile((BLOCK,)) for t in (index, x)),
            out.tile((-1, -1)).flatten().expand((-(-index.shape[0] // BLOCK),)),
        ),
        scatter,
        (index, x, torch.zeros(10, 2)),
        lambda index, x, out: equal((out, expected)),
        BLOCK=block,
    )


def reverse(x, out):
    i = x.offsets(0)
    out[i] = x[out.source.shape[0] - 1 - i]
    out[i] *= 2


@pytest.mark.parametrize("dtype", [torch.float32, torch.uint8])
def test_a_tensor_that_is_not_arranged_is_addressed(device: str, dtype: torch.dtype) -> None:
    x = torch.arange(9).to(dtype)
    everywhere(
        device,
        lambda x, out: (x, out),
        reverse,
        (x, torch.zeros(9, dtype=dtype)),
        lambda x, out: equal((out, 2 * x.flip(0).cpu())),
    )


def summed_rows(x, out):
    total = ntl.zeros((), ntl.float32)
    for j in range(x.source.shape[1]):
        total += x.source[x.offsets(0), ntl.arange(0, 3) + j * 3].sum()
    out = total


def test_lanes_outside_the_source_do_not_count(device: str) -> None:
    """Blocks of three columns, padded to four, walk beyond the last one."""
    x = torch.randint(-9, 9, (4, 10)).float() + 0.5
    everywhere(
        device,
        lambda x, out: (x.tile((1, -1)).squeeze(1), out),
        summed_rows,
        (x, torch.zeros(4)),
        lambda x, out: equal((out, x.sum(1).cpu())),
        tensors=(Tensor(2, other=None), Tensor(1)),
    )


# Pointers.


def copy_by_pointers(x, out):
    offsets = x.offsets(0)
    mask = offsets < x.source.shape[0]
    pointers = x.source.data_ptr() + offsets * x.source.stride(0)
    value = ntl.load(pointers, mask=mask, other=3)
    ntl.store(offsets + out.source.data_ptr(), value, mask)


@pytest.mark.parametrize("block", [32, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.uint16, torch.int64])
def test_pointers(device: str, block: int, dtype: torch.dtype) -> None:
    x = (torch.arange(200) % 7).to(torch.int32).to(dtype)[::2]
    everywhere(
        device,
        blocks,
        copy_by_pointers,
        (x, torch.zeros(100, dtype=dtype)),
        lambda x, out: equal((out, x.cpu())),
        BLOCK=block,
    )


def walk(x, out):
    pointer = x.source.data_ptr() + x.offsets(0) * x.source.stride(0)
    total = ntl.load(pointer)
    for _ in range(1, x.source.shape[1]):
        pointer += x.source.stride(1)
        total += ntl.load(pointer)
    last = pointer - 2 * x.source.stride(1)
    out = total + ntl.load(last) * 100


def test_loops_carry_pointers(device: str) -> None:
    x = torch.randint(0, 9, (6, 5)).float().T.contiguous().T
    everywhere(
        device,
        lambda x, out: (x.tile((1, -1)).squeeze(1), out),
        walk,
        (x, torch.zeros(6)),
        lambda x, out: equal((out, (x.sum(1) + 100 * x[:, 2]).cpu())),
    )


def grid_of_pointers(x, out):
    rows = x.source.data_ptr() + ntl.arange(0, 3) * x.source.stride(0)
    pointers = rows[:, None] + ntl.arange(0, 4)[None, :] * x.source.stride(1)
    out = ntl.load(pointers)


def test_blocks_of_pointers_broadcast(device: str) -> None:
    """Lanes that pad the blocks address nothing, though they lie outside the tensor."""
    x = torch.randn(3, 4)
    everywhere(
        device,
        lambda x, out: (x.tile((3, 4)), out.tile((3, 4))),
        grid_of_pointers,
        (x, torch.zeros(3, 4)),
        lambda x, out: equal((out, x.cpu())),
    )


def row_sums(x, out):
    offsets = ntl.arange(0, 6)
    value = ntl.load(x.source.data_ptr() + x.offsets(0) * 5 + offsets, mask=offsets < 5)
    out = ntl.max(value)


def test_masked_lanes_do_not_count(device: str) -> None:
    """A lane that no pointer reads is outside the guard of what is read."""
    x = -torch.rand(4, 5) - 1
    everywhere(
        device,
        lambda x, out: (x.tile((1, -1)).squeeze(1), out),
        row_sums,
        (x, torch.zeros(4)),
        lambda x, out: equal((out, x.max(1).values.cpu())),
    )


# Atomics.


def histogram(x, counts):
    bins = counts.source.data_ptr() + x
    ntl.atomic_add(bins, 1, mask=(x >= 0) & (x < counts.source.shape[0]), sem="relaxed")


def histogram_arrangement(x: Tensor, counts: Tensor) -> tuple[Tensor, ...]:
    return x.tile((BLOCK,)), counts.tile((-1,)).expand((-(-x.shape[0] // BLOCK),))


@pytest.mark.parametrize("block", [64, 50])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float16])
def test_histogram(device: str, block: int, dtype: torch.dtype) -> None:
    """Lanes behind the end count nowhere: their mask is not known."""
    x = torch.randint(-3, 12, (777,), generator=torch.Generator().manual_seed(0))
    expected = torch.bincount(x[(x >= 0) & (x < 10)], minlength=10)
    everywhere(
        device,
        histogram_arrangement,
        histogram,
        (x.int(), torch.zeros(10, dtype=dtype)),
        lambda x, counts: equal((counts, expected)),
        BLOCK=block,
    )


def update_arrangement(place: Tensor, x: Tensor, old: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    count = -(-x.shape[0] // 16)
    return (*(t.tile((16,)) for t in (place, x, old)), out.tile((-1,)).expand((count,)))


def updating(function: Any) -> Callable[..., None]:
    def application(place, x, old, out):
        old = function(out.source.data_ptr() + place, x, mask=place < out.source.shape[0])

    return application


REFERENCE: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "max": max,
    "min": min,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "xchg": lambda a, b: b,
}
INTEGERS = (torch.int32, torch.uint32, torch.int64, torch.uint64)
FLOATS = (torch.float32, torch.float64)
UPDATES = [
    *((name, dtype) for name in REFERENCE for dtype in INTEGERS),
    *((name, dtype) for name in ("add", "max", "min", "xchg") for dtype in FLOATS),
    ("add", torch.float16),
]


@pytest.mark.parametrize(("name", "dtype"), UPDATES)
def test_atomics_one_lane_an_element(device: str, name: str, dtype: torch.dtype) -> None:
    """The old values are those that were there, and each element is updated once."""
    generator = torch.Generator().manual_seed(1)
    signed = dtype not in (torch.uint32, torch.uint64)
    start, x = (torch.randint(-100 * signed, 100, (40,), generator=generator) for _ in range(2))
    place = torch.randperm(40, generator=generator)
    place[::7] = 1000
    expected = start.tolist()
    for where, value in zip(place.tolist(), x.tolist(), strict=True):
        if where < 40:
            expected[where] = REFERENCE[name](expected[where], value)
    before = torch.where(place < 40, start[place.clamp(max=39)], 0)

    def check(place: Any, x: Any, old: torch.Tensor, out: torch.Tensor) -> None:
        equal((out, torch.tensor(expected).to(dtype)))
        kept = (place < 40).cpu()
        equal((old.cpu().double()[kept], before.double()[kept]))

    everywhere(
        device,
        update_arrangement,
        updating(getattr(ntl, f"atomic_{name}")),
        (place, x.to(dtype), torch.zeros(40, dtype=dtype), start.to(dtype)),
        check,
    )


def tickets(x, order, counter):
    order = ntl.atomic_add(counter.source.data_ptr() + ntl.zeros(x.shape, ntl.int32), 1)
    ntl.atomic_max(counter.source.data_ptr() + 1, ntl.max(x))


def test_old_values_are_those_of_ascending_programs() -> None:
    """The interpreter's order; a GPU's is any."""
    x = torch.randperm(64).int()

    def check(x: torch.Tensor, order: torch.Tensor, counter: torch.Tensor) -> None:
        equal((order, torch.arange(64)), (counter, torch.tensor([64, 63])))

    everywhere(
        "cpu",
        lambda x, order, counter: (
            *(t.tile((16,)) for t in (x, order)),
            counter.tile((-1,)).expand((-(-x.shape[0] // 16),)),
        ),
        tickets,
        (x, torch.zeros(64, dtype=torch.int32), torch.zeros(2, dtype=torch.int32)),
        check,
    )


def unlock(place, x, old, out):
    old = ntl.atomic_cas(out.source.data_ptr() + place, 3, x)


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint64, torch.int16, torch.float32])
def test_compare_and_swap(device: str, dtype: torch.dtype) -> None:
    place, start = torch.randperm(48), torch.arange(48) % 5
    x = torch.arange(48) + 100
    expected = torch.where(start == 3, torch.zeros(48).long().scatter(0, place, x), start)
    everywhere(
        device,
        update_arrangement,
        unlock,
        (place, x.to(dtype), torch.zeros(48, dtype=dtype), start.to(dtype)),
        lambda place, x, old, out: equal(
            (out, expected.to(dtype)), (old, start[place.cpu()].to(dtype))
        ),
    )


def extremes(x, high, low):
    ntl.atomic_max(high.source.data_ptr() + x.offsets(0) % 4, x)
    ntl.atomic_min(low.source.data_ptr() + x.offsets(0) % 4, x)


def test_extremes_of_floats_of_either_sign(device: str) -> None:
    x = torch.tensor([-2.0, -0.0, 3.5, float("-inf"), -7.5, 0.0, 1.0, -1.0] * 2)
    columns = x.reshape(4, 4)
    everywhere(
        device,
        lambda x, high, low: (
            x.tile((8,)),
            *(t.tile((-1,)).expand((-(-x.shape[0] // 8),)) for t in (high, low)),
        ),
        extremes,
        (x, torch.full((4,), -float("inf")), torch.full((4,), float("inf"))),
        lambda x, high, low: equal((high, columns.amax(0)), (low, columns.amin(0))),
    )


def test_what_is_updated_is_read_and_written() -> None:
    kernel = ninetoothed.make(histogram_arrangement, histogram, (Tensor(1), Tensor(1)))
    values = [torch.zeros(8, dtype=torch.int32) for _ in range(2)]
    module, _ = lowered(kernel, values, BLOCK=8)
    assert reads_writes(module) == (("x", "counts"), ("counts",))


def every_update(place, x, old, out):
    pointers = out.source.data_ptr() + place
    if out.dtype is ntl.float16:
        ntl.atomic_add(pointers, x, sem="release", scope="sys")
    else:
        found = ntl.atomic_add(pointers, x)
        ntl.atomic_max(pointers, found, mask=place < 9, scope="cta")
        found = ntl.atomic_min(pointers, ntl.atomic_max(pointers, 3), sem="acquire")
        if out.dtype is not ntl.float32:
            ntl.atomic_and(pointers, 7)
            found += ntl.atomic_or(pointers, 8) + ntl.atomic_xor(pointers, x, sem="relaxed")
        old = found + ntl.atomic_cas(pointers, x, ntl.atomic_xchg(pointers, found))
        ntl.atomic_add(out.source.data_ptr(), 1)
        ntl.atomic_max(out.source.data_ptr(), ntl.max(x))


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("dtype", ["fp16", "fp32", "i32", "u64"])
def test_updates_compile(dtype: str, language: str, target: str) -> None:
    kernel = ninetoothed.make(update_arrangement, every_update, [Tensor(1) for _ in range(4)])
    dtypes = {"place": "i32", "x": dtype, "old": dtype, "out": dtype}
    offline.compiled(kernel, target, language, dtypes)


# Padded lanes.


def by_pointers(x, out):
    places = ntl.arange(0, 3)[:, None] * 8 + ntl.arange(0, 5)[None, :]
    ntl.store(out.source.data_ptr() + places, x)


def test_padded_lanes_store_nothing(device: str) -> None:
    """A block of 3 x 5 is one of 4 x 8; what it stores is 3 x 5, in each dim."""
    x = torch.arange(1.0, 16.0).reshape(3, 5)

    def check(x, out):
        expected = torch.full((4, 8), -7.0)
        expected[:3, :5] = x.cpu()
        equal((out, expected))

    def arrangement(x, out):
        return x.tile((3, 5)), out.tile((4, 8))

    everywhere(device, arrangement, by_pointers, (x, torch.full((4, 8), -7.0)), check)
