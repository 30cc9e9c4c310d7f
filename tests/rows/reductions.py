"""Rows of what combines lanes."""

from __future__ import annotations

import math

import numpy as np

import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.dtype import DTYPES, INTEGERS
from tests.rows.case import (
    BITS,
    FINITE,
    FLOATS,
    INTEGRAL,
    MANY,
    NUMBERS,
    REALS,
    Array,
    Case,
    Layout,
    Oracle,
    Result,
    Values,
)
from tests.rows.layouts import COLUMNS_TO_COLUMNS as COLUMNS
from tests.rows.layouts import ROWS_TO_ROWS, along_columns, along_rows, of_all


def row_sums(x, total):
    total = ntl.sum(x, axis=1)


def column_sums(x, total):
    total = ntl.sum(x, axis=-2, keep_dims=True)


def total_sum(x, total):
    total = ntl.sum(x)


def row_extremes(x, largest, smallest):
    largest = ntl.max(x, axis=1)
    smallest = x.min(axis=-1)


def column_extremes(x, largest, smallest):
    largest = x.max(axis=0, keep_dims=True)
    smallest = ntl.min(x, axis=0, keep_dims=True)


def total_extremes(x, largest, smallest):
    largest = ntl.max(x)
    smallest = ntl.min(x)


def row_parity(x, bits):
    bits = ntl.xor_sum(x, axis=1)


def row_bits(x, bits):
    bits = ntl.reduce_or(x, 1)


def row_places(x, largest, smallest):
    largest = ntl.argmax(x, 1)
    smallest = x.argmin(axis=-1)


def column_places(x, largest, smallest):
    largest = ntl.argmax(x, axis=0, keep_dims=True)
    smallest = ntl.argmin(x, 0, keep_dims=True)


def places(x, largest, smallest):
    largest = ntl.argmax(x)
    smallest = ntl.ravel(x.argmin(None, keep_dims=True)).item()


def row_extremes_and_places(x, largest, where_largest, smallest, where_smallest):
    largest, where_largest = ntl.max(x, 1, return_indices=True)
    smallest, where_smallest = x.min(1, return_indices=True)


def row_running_sums(x, running, backwards):
    running = ntl.cumsum(x, 1)
    backwards = x.cumsum(axis=-1, reverse=True)


def column_running_sums(x, running):
    running = ntl.cumsum(x)


def row_running_products(x, running, backwards):
    running = ntl.cumprod(x, 1)
    backwards = ntl.cumprod(x, 1, reverse=True)


def farther(a, b):
    return ntl.where(ntl.abs(a) >= ntl.abs(b), a, b)


def sum_and_size(sum1, size1, sum2, size2):
    return sum1 + sum2, size1 + size2


def decayed(scale1, value1, scale2, value2):
    return scale1 * scale2, value1 * scale2 + value2


def row_farthest(x, farthest):
    farthest = ntl.reduce(x, 1, farther)


def row_means(x, mean):
    total, size = ntl.reduce((x, ntl.full(x.shape, 1, x.dtype)), 1, sum_and_size)
    mean = total / size


def row_recurrence(x, value):
    _, value = ntl.associative_scan((x, x + 1), 1, decayed)


def row_farthest_so_far(x, farthest, backwards):
    farthest = ntl.associative_scan(x, 1, farther)
    backwards = x.associative_scan(1, farther, reverse=True)


def row_sorted(x, rising, falling):
    rising = ntl.sort(x)
    falling = ntl.sort(x, 1, descending=True)


def column_sorted(x, rising, falling):
    rising = ntl.sort(x, dim=0)
    falling = ntl.sort(x, 0, True)


def row_top(x, largest, smallest):
    largest = ntl.topk(x, 3)
    smallest = ntl.topk(x, 3, -1, descending=False)


def counted(x, counts, counts_of_even):
    counts = ntl.histogram(x, 10)
    counts_of_even = ntl.histogram(x, 10, x % 2 == 0)


def row_softmax(x, result):
    result = ntl.softmax(x, 1)


def _softmax(x: Array) -> Array:
    if not x.size:
        return x
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def summed_in(dtype: str) -> str:
    """The type of a sum."""
    row = DTYPES[dtype]
    if row.kind == "float" or row.bits >= 32:
        return dtype
    return "i32" if row.kind == "int" else "u32"


def compared_in(dtype: str) -> str:
    """The type of an extremum."""
    row = DTYPES[dtype]
    if row.bits >= 32:
        return dtype
    return "fp32" if row.kind == "float" else "i32"


def _sum(axis: int) -> Oracle:
    def oracle(x: Array) -> Array:
        # Sums of few bits wrap, so it is enough that the type is wide.
        return x.sum(axis) if x.dtype.kind == "f" else x.sum(axis, dtype=x.dtype.kind + "8")

    return oracle


def _extremes(axis: int) -> Oracle:
    def oracle(x: Array) -> tuple[Array, Array]:
        wide = x.astype(np.int32) if x.dtype.itemsize < 4 else x
        if not x.shape[axis]:
            return _of_nothing(wide, axis)
        return np.fmax.reduce(wide, axis), np.fmin.reduce(wide, axis)

    return oracle


def _of_nothing(x: Array, axis: int) -> tuple[Array, Array]:
    """A value that no lane changes."""
    shape = tuple(size for position, size in enumerate(x.shape) if position != axis)
    ends = (
        (-np.inf, np.inf) if x.dtype.kind == "f" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
    )
    return np.full(shape, ends[0], x.dtype), np.full(shape, ends[1], x.dtype)


def _sum_of_magnitudes(axis: int) -> Oracle:
    return lambda x: np.abs(x).sum(axis)


def _thirds(x: Array) -> Array:
    """Each program's three rows, as one."""
    rows = np.full((6, *x.shape[1:]), np.nan)
    rows[: len(x)] = x
    return rows.reshape(2, -1)


def _places(axis: int) -> Oracle:
    def oracle(x: Array) -> tuple[Array, Array]:
        return x.argmax(axis, keepdims=axis == 0), x.argmin(axis, keepdims=axis == 0)

    return oracle


def _all_places(x: Array) -> tuple[Array, Array]:
    programs = _thirds(x)
    return np.nanargmax(programs, 1), np.nanargmin(programs, 1)


def _extremes_and_places(x: Array) -> tuple[Array, ...]:
    return x.max(1), x.argmax(1), x.min(1), x.argmin(1)


def _running(combine: np.ufunc, axis: int) -> Oracle:
    """Both ways along rows, forwards along columns."""

    def oracle(x: Array) -> Array | tuple[Array, Array]:
        if x.dtype.kind != "f":
            x = x.astype(x.dtype.kind.replace("b", "u") + "8")
        forwards = combine.accumulate(x, axis)
        if axis == 0:
            return forwards
        return forwards, np.flip(combine.accumulate(np.flip(x, axis), axis), axis)

    return oracle


def _of_magnitudes(oracle: Oracle) -> Oracle:
    return lambda x: oracle(np.abs(x))


def _farthest_so_far(x: Array) -> tuple[Array, Array]:
    def scan(values: Array) -> Array:
        found = values.copy()
        for lane in range(1, values.shape[1]):
            left, right = found[:, lane - 1], values[:, lane]
            found[:, lane] = np.where(np.abs(left) >= np.abs(right), left, right)
        return found

    return scan(x), np.flip(scan(np.flip(x, 1)), 1)


def _recurrence(x: Array) -> Array:
    found = x + 1
    for lane in range(1, x.shape[1]):
        found[:, lane] += found[:, lane - 1] * x[:, lane]
    return found


def _sorted(axis: int) -> Oracle:
    # NumPy has NaNs behind all numbers, too.
    return lambda x: (np.sort(x, axis), np.flip(np.sort(x, axis), axis))


def _top(x: Array) -> tuple[Array, Array]:
    return np.flip(np.sort(x, 1), 1)[:, :3], np.sort(x, 1)[:, :3]


def _counts(x: Array) -> tuple[Array, Array]:
    """Of each program's 64 lanes."""
    tiles = [x[start : start + 64] for start in range(0, len(x), 64)]
    numbers = np.arange(10, dtype=x.dtype)
    counts = [[(tile == number).sum() for number in numbers] for tile in tiles]
    found = np.array(counts, np.int32).reshape(-1)
    return found, np.where(np.tile(numbers, len(tiles)) % 2 == 0, found, 0)


def _counters(x: Tensor, *outputs: Tensor) -> tuple[Tensor, ...]:
    return x.tile((64,)), *(output.tile((10,)) for output in outputs)


COUNTERS = Layout(
    "counters",
    _counters,
    tuple(((n,), (-(-n // 64) * 10,), (-(-n // 64) * 10,)) for n in (MANY, 0, 1, 3, 5)),
)
TOPS = Layout(
    "tops",
    lambda x, *outputs: tuple(one.tile((2, -1)) for one in (x, *outputs)),
    tuple(((5, n), (5, 3), (5, 3)) for n in (37, 3, 5)),
)


# The networks of 37 lanes are shorter than those of 251, and of those of 781 one takes minutes.
SHORT_ROWS = Layout(ROWS_TO_ROWS.name, ROWS_TO_ROWS.arrange, tuple(((5, n),) for n in (37, 1, 3)))
LONG_ROWS = Layout(ROWS_TO_ROWS.name, ROWS_TO_ROWS.arrange, tuple(((5, n),) for n in (251, 1, 3)))
SHORT_COLUMNS = Layout(COLUMNS.name, COLUMNS.arrange, tuple(((n, 5),) for n in (37, 1, 3)))


def somewhere(layout: Layout) -> Layout:
    """Without blocks of no lanes."""
    calls = tuple(call for call in layout.calls if 0 not in call[0])
    return Layout(layout.name, layout.arrange, calls)


# Where a NaN is depends in Triton on the order in which lanes are combined.
PLACED = Values(special=(math.inf, -math.inf, 0.0, -8.0, 8.0))
I32 = Result("i32")
EXTREMES = Result(compared_in)
# A sum of 781 lanes is a tree of ten levels behind the few that a thread sums in a row.
ROUNDINGS = 16
NEAR_ONE = Values(0.9, 1.1, special=())
HALVES = Values(-0.5, 0.5, special=())
# Infinities, each of which meets finite numbers.
INFINITE = Values(special=(math.inf, math.inf))

CASES = (
    Case(
        *("sum", row_sums, _sum(1), (FINITE,), FLOATS, (along_rows(1),)),
        ulps=ROUNDINGS,
        magnitude=_sum_of_magnitudes(1),
    ),
    Case("sum", row_sums, _sum(1), (INTEGRAL,), INTEGERS, (along_rows(1),), Result(summed_in)),
    Case(
        *("sum", column_sums, _sum(0), (INFINITE,), ("fp32", "fp64"), (along_columns(1),)),
        ulps=ROUNDINGS,
        magnitude=_sum_of_magnitudes(0),
    ),
    Case(
        *("sum", total_sum, lambda x: np.nansum(_thirds(x), 1), (FINITE,), REALS, (of_all(1),)),
        ulps=ROUNDINGS,
        magnitude=lambda x: np.nansum(np.abs(_thirds(x)), 1),
    ),
    Case(
        *("max min", row_extremes, _extremes(1), (NUMBERS,), FLOATS, (along_rows(2),)),
        results=EXTREMES,
    ),
    Case(
        *("max min", row_extremes, _extremes(1), (INTEGRAL,), INTEGERS, (along_rows(2),)),
        results=EXTREMES,
    ),
    Case(
        *("max min", column_extremes, _extremes(0), (NUMBERS,), ("fp32", "i32")),
        layouts=(along_columns(2),),
        results=EXTREMES,
    ),
    Case(
        *("max min", total_extremes, lambda x: _extremes(1)(_thirds(x)), (NUMBERS,), ("fp32",)),
        layouts=(of_all(2),),
        results=EXTREMES,
    ),
    Case(
        *("xor_sum", row_parity, lambda x: np.bitwise_xor.reduce(x, 1), (INTEGRAL,), INTEGERS),
        layouts=(along_rows(1),),
    ),
    Case(
        *("reduce_or", row_bits, lambda x: np.bitwise_or.reduce(x, 1), (INTEGRAL,), BITS),
        layouts=(along_rows(1),),
    ),
    *(
        Case(
            *("argmax argmin", row_places, _places(1), (values,), dtypes),
            layouts=(somewhere(along_rows(2)),),
            results=I32,
        )
        for values, dtypes in ((PLACED, (*FLOATS, "fp8e5")), (INTEGRAL, BITS))
    ),
    Case(
        *("argmax argmin", places, _all_places, (PLACED,), ("fp32", "fp16")),
        layouts=(of_all(2),),
        results=I32,
    ),
    *(
        Case(
            *("argmax argmin", column_places, _places(0), (values,), dtypes),
            layouts=(somewhere(along_columns(2)),),
            results=I32,
        )
        for values, dtypes in ((PLACED, ("fp32",)), (INTEGRAL, ("u8",)))
    ),
    *(
        Case(
            *("max min", row_extremes_and_places, _extremes_and_places, (values,), dtypes),
            layouts=(somewhere(along_rows(4)),),
            results=(Result(), I32, Result(), I32),
        )
        for values, dtypes in ((PLACED, FLOATS), (INTEGRAL, BITS))
    ),
    Case(
        *("cumsum", row_running_sums, _running(np.add, 1), (FINITE,), FLOATS, (ROWS_TO_ROWS,)),
        ulps=ROUNDINGS,
        magnitude=_of_magnitudes(_running(np.add, 1)),
    ),
    Case(
        *("cumsum", row_running_sums, _running(np.add, 1), (INTEGRAL,), BITS, (ROWS_TO_ROWS,)),
        results=Result(summed_in),
    ),
    Case(
        *("cumsum", column_running_sums, _running(np.add, 0), (FINITE,), REALS, (COLUMNS,)),
        ulps=ROUNDINGS,
        magnitude=_of_magnitudes(_running(np.add, 0)),
    ),
    Case(
        *("cumprod", row_running_products, _running(np.multiply, 1), (NEAR_ONE,), REALS),
        layouts=(ROWS_TO_ROWS,),
        # Each of 781 products rounds.
        ulps=MANY,
    ),
    Case(
        *("cumprod", row_running_products, _running(np.multiply, 1), (INTEGRAL,), BITS),
        layouts=(ROWS_TO_ROWS,),
        results=Result(summed_in),
    ),
    Case(
        *("reduce", row_farthest, lambda x: _farthest_so_far(x)[0][:, -1], (FINITE,), REALS),
        layouts=(somewhere(along_rows(1)),),
    ),
    Case(
        *("reduce", row_means, lambda x: x.mean(1), (FINITE,), REALS),
        layouts=(somewhere(along_rows(1)),),
        ulps=ROUNDINGS,
        magnitude=lambda x: np.abs(x).mean(1),
    ),
    Case(
        *("associative_scan", row_recurrence, _recurrence, (HALVES,), REALS, (ROWS_TO_ROWS,)),
        ulps=ROUNDINGS,
        magnitude=_of_magnitudes(_recurrence),
    ),
    Case(
        *("associative_scan", row_farthest_so_far, _farthest_so_far, (FINITE,), REALS),
        layouts=(ROWS_TO_ROWS,),
    ),
    *(
        Case("sort", row_sorted, _sorted(1), (values,), dtypes, (SHORT_ROWS,))
        for values, dtypes in ((NUMBERS, (*FLOATS, "fp8e5", "fp8e4nv")), (INTEGRAL, BITS))
    ),
    *(
        Case("sort", column_sorted, _sorted(0), (values,), dtypes, (SHORT_COLUMNS,))
        for values, dtypes in ((NUMBERS, ("fp16",)), (INTEGRAL, ("u64",)))
    ),
    Case("sort", row_sorted, _sorted(1), (NUMBERS,), ("fp32",), (LONG_ROWS,)),
    Case("topk", row_top, _top, (NUMBERS,), FLOATS, (TOPS,)),
    Case("topk", row_top, _top, (INTEGRAL,), ("i8", "u64"), (TOPS,)),
    Case("histogram", counted, _counts, (Values(-3, 12),), INTEGERS, (COUNTERS,), results=I32),
    Case(
        *("softmax", row_softmax, _softmax, (Values(special=()),), REALS, (ROWS_TO_ROWS,)),
        # The exponent's, the sum's and the division's.
        ulps=8 + ROUNDINGS + 2,
    ),
)
