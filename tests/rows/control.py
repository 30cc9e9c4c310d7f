"""Rows of loops."""

from __future__ import annotations

import numpy as np

import ninetoothed.language as ntl
from tests.rows.case import FINITE, PADDED, SCALARS, VECTORS, Array, Case, Values
from tests.rows.layouts import along_rows


def loop(x, result):
    result = x
    for i in ntl.range(4):
        result += i


def loop_down(x, result):
    total = x
    for i in ntl.range(7, x.shape[0] - x.shape[0], -3, num_stages=2):
        total = total * 2 - i
    result = total


def bounds_of_data(first, count, result):
    total = 0
    for i in ntl.range(first, first + count, 2):
        total += i * i
    result = total


def unrolled(x, result):
    total = x
    for i in ntl.static_range(1, 6, 2):
        total += x * i
    result = total


def known_when_compiling(x, result):
    factor = ntl.constexpr(x.shape[0] * 0 + 3)
    result = x * factor


def nested_whiles(x, total):
    """The inner loop carries what the outer one does, and some of its lanes do not exist."""
    block, i = x, 0
    while i < 2:
        inner, j = ntl.cumsum(block, axis=0), 0
        while j < 2:
            inner = block
            j += 1
        block = ntl.where(inner > 0, inner, x)
        i += 1
    total = ntl.sum(block, axis=1)


def _bounds_of_data(first: Array, count: Array) -> Array:
    pairs = zip(first.tolist(), count.tolist(), strict=True)
    return np.array([sum(i * i for i in range(one, one + many, 2)) for one, many in pairs])


SMALL = Values(step=1 / 8, special=(np.nan, np.inf))

CASES = (
    Case("range", loop, lambda x: x + 6, (SMALL,), ("fp32", "fp64", "i32", "i64")),
    Case(
        *("range", loop_down, lambda x: ((x * 2 - 7) * 2 - 4) * 2 - 1, (SMALL,)),
        dtypes=("fp32", "fp64", "i32"),
        layouts=(VECTORS, PADDED),
    ),
    # Each program has a number: it is a loop's bound.
    Case(
        *("range", bounds_of_data, _bounds_of_data, (FINITE, Values(0, 9, special=(0,)))),
        dtypes=("i32", "i64"),
        layouts=(SCALARS,),
    ),
    Case("sum", nested_whiles, lambda x: x.sum(1), (FINITE,), ("i32", "i64"), (along_rows(1),)),
    Case("static_range", unrolled, lambda x: x * 10, (SMALL,), ("fp32", "fp64", "i32")),
    Case(
        *("constexpr", known_when_compiling, lambda x: x * 3, (SMALL,), ("fp32", "i32")),
        layouts=(VECTORS, PADDED),
    ),
)
