"""Rows of elementwise math functions."""

from __future__ import annotations

import numpy as np

import ninetoothed.language as ntl
from ninetoothed.dtype import INTEGERS
from tests.rows.case import FINITE, FLOATS, NUMBERS, REALS, Array, Case, Values

PAIR = (NUMBERS, NUMBERS)
TRIPLE = (NUMBERS, NUMBERS, NUMBERS)
SMALL = Values(low=0.1, high=4, special=False)


def fused(x, y, z, result):
    result = ntl.fma(x, y, z)


def clamped(x, low, high, result):
    result = ntl.clamp(x, low, high)


def _in_order(x: Array, low: Array, high: Array) -> Array:
    return (low <= high) & ~np.isnan(x.astype(np.float64))


def clamped_symmetrically(x, result):
    result = ntl.clamp(x, -1.5, 1.5)


def clamped_with_nan(x, low, high, result, symmetric):
    result = ntl.clamp(x, low, high, ntl.PropagateNan.ALL)
    symmetric = ntl.clamp(x, -1.5, 1.5, propagate_nan=ntl.PropagateNan.ALL)


def extremes_with_nan(x, y, largest, smallest):
    largest = ntl.maximum(x, y, propagate_nan=ntl.PropagateNan.ALL)
    smallest = ntl.minimum(x, y, ntl.PropagateNan.ALL)


def rounded(x, y, root, quotient, third):
    root = ntl.sqrt_rn(x)
    quotient = ntl.div_rn(x, y)
    third = ntl.fdiv(x, 3, ieee_rounding=True)


def fast_quotient(x, y, quotient):
    quotient = ntl.fdiv(x, y)


def hyperbolic(x, result):
    result = ntl.tanh(x)


def power(x, y, result, squared):
    result = ntl.pow(x, y)
    squared = ntl.pow(x, 2)


def swizzled(i, j, rows, columns):
    rows, columns = ntl.swizzle2d(i, j, 9, 9, 4)


def _swizzled(i: Array, j: Array) -> tuple[Array, Array]:
    place = i * 9 + j
    first = place // 36 * 4
    rows = np.minimum(9 - first, 4)
    return first + place % 36 % rows, place % 36 // rows


CASES = (
    Case(
        "fma",
        fused,
        lambda x, y, z: x * y + z,
        (FINITE, FINITE, FINITE),
        FLOATS,
        magnitude=lambda x, y, z: np.abs(x * y) + np.abs(z),
    ),
    Case("clamp", clamped, np.clip, TRIPLE, (*FLOATS, *INTEGERS), defined=_in_order),
    Case(
        "clamp",
        clamped_symmetrically,
        lambda x: np.clip(x, -1.5, 1.5),
        dtypes=FLOATS,
        defined=lambda x: ~np.isnan(x),
    ),
    Case(
        "clamp_nan",
        clamped_with_nan,
        lambda x, low, high: (np.clip(x, low, high), np.clip(x, -1.5, 1.5)),
        TRIPLE,
        FLOATS,
        defined=lambda x, low, high: low <= high,
    ),
    Case(
        "maximum_nan minimum_nan",
        extremes_with_nan,
        lambda x, y: (np.maximum(x, y), np.minimum(x, y)),
        PAIR,
        (*FLOATS, *INTEGERS),
    ),
    # Subnormal numbers count as 0 in Triton's own division and root.
    Case(
        "sqrt_rn div_rn fdiv",
        rounded,
        lambda x, y: (np.sqrt(x), x / y, x / 3),
        (FINITE, FINITE),
        ("fp32",),
        ulps=0.5,
        defined=lambda x, y: (x >= 0) & (y != 0),
    ),
    # Fast quotients of fp32 are within 2 ulps.
    Case("fdiv", fast_quotient, np.divide, (FINITE, SMALL), REALS, ulps=2),
    # The device's function.
    Case("tanh", hyperbolic, np.tanh, dtypes=REALS, ulps=8),
    Case("pow", power, lambda x, y: (np.power(x, y), x * x), (SMALL, FINITE), REALS, ulps=16),
    Case("swizzle2d", swizzled, _swizzled, (Values(low=0, high=8, special=False),) * 2, ("i32",)),
)
