"""Random numbers: Triton's stream, bit for bit."""

from __future__ import annotations

import numpy as np

import ninetoothed.language as ntl
from tests.rows.case import PADDED, SCALARS, Array, Case, Result, Values
from tests.support.philox import normal, philox, stream, uniform


def bits(x, one, two, three, four, single):
    one, two, three, four = ntl.randint4x(42, x)
    single = ntl.randint(42, x, 7)


def _bits(x: Array) -> tuple[Array, ...]:
    return *stream(42, x), stream(42, x, 7)[0]


def counted(x, one, two, three, four):
    one, two, three, four = ntl.philox(7, x, x + 1, x * 0, x * 3)


def counted_raw(x, one, two, three, four):
    one, two, three, four = ntl.philox_impl(x, x + 1, x * 0, x * 3, x * 0 + 7, x * 0)


def _counted(x: Array) -> tuple[Array, ...]:
    unsigned = x.view(f"u{x.itemsize}")
    return tuple(philox(7, [unsigned, unsigned + 1, unsigned * 0, unsigned * 3]))


def uniform_numbers(x, one, two, three, four, single):
    one, two, three, four = ntl.rand4x(42, x)
    single = ntl.rand(42, x)


def _uniform_numbers(x: Array) -> tuple[Array, ...]:
    found = [uniform(row).astype(np.float64) for row in stream(42, x)]
    return *found, found[0]


def normal_numbers(x, one, two, three, four, single):
    one, two, three, four = ntl.randn4x(42, x)
    single = ntl.randn(42, x)


def _normal_numbers(x: Array) -> tuple[Array, ...]:
    one, two, three, four = (uniform(row) for row in stream(42, x))
    found = [row.astype(np.float64) for row in (*normal(one, two), *normal(three, four))]
    return *found, found[0]


def scaled(x, result):
    result = ntl.uint_to_uniform_float(x)


def _scaled(x: Array) -> Array:
    if x.itemsize == 4:
        return uniform(x).astype(np.float64)
    signed = x.view(np.int64)
    return np.where(signed < 0, ~signed, signed).astype(np.float64) * 1.0842020432385337e-19


def paired(x, y, one, two):
    one, two = ntl.pair_uniform_to_normal(x, y)


def _paired(x: Array, y: Array) -> tuple[Array, Array]:
    radius = np.sqrt(-2 * np.log(np.maximum(1e-7, x)))
    return radius * np.cos(2 * np.pi * y), radius * np.sin(2 * np.pi * y)


BLOCKS = (PADDED, SCALARS)
OFFSETS = Values(0, 2**31 - 1)
UNIT = Values(0, 0.999, special=(0,))
WIDE = ("i32", "i64", "u32", "u64")
BITS = Result("u32")
FLOAT = Result("fp32")


# The angle, up to 2 pi, rounds to 2.4e-7, and so much the sine and the cosine of it may be off;
# they are a factor of radii up to 5.7.
def _radius(*arrays: Array) -> tuple[Array, ...]:
    return tuple(np.full(np.shape(arrays[0]), 6.0) for _ in range(5))


CASES = (
    Case("randint randint4x", bits, _bits, (OFFSETS,), ("i32", "i64"), BLOCKS, BITS),
    Case("philox", counted, _counted, (OFFSETS,), ("u32", "i32"), BLOCKS, BITS),
    # The key of 64 bits is a block, as in Triton, so scalars give blocks.
    Case("philox", counted, _counted, (OFFSETS,), ("u64", "i64"), BLOCKS[:1], Result("u64")),
    Case("philox_impl", counted_raw, _counted, (OFFSETS,), ("u32", "u64"), BLOCKS),
    Case(
        *("rand rand4x", uniform_numbers, _uniform_numbers, (OFFSETS,), ("i32",), BLOCKS),
        results=FLOAT,
    ),
    Case(
        *("randn randn4x", normal_numbers, _normal_numbers, (OFFSETS,), ("i32",), BLOCKS),
        results=FLOAT,
        ulps=4,
        magnitude=_radius,
    ),
    Case("uint_to_uniform_float", scaled, _scaled, (OFFSETS,), WIDE, BLOCKS, FLOAT),
    Case(
        *("pair_uniform_to_normal", paired, _paired, (UNIT, UNIT), ("fp32",)),
        results=FLOAT,
        ulps=4,
        magnitude=lambda x, y: _radius(x)[:2],
    ),
)
