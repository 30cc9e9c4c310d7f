"""Functions written for Triton, called inside an application: in both interpreters; Triton takes
both texts.
"""

from __future__ import annotations

import numpy as np
import pytest

import ninetoothed.language as ntl
from tests.rows import running
from tests.rows.case import PADDED, SCALARS, VECTORS, Array, Case, Values

triton = pytest.importorskip("triton")
tl = triton.language
libdevice = pytest.importorskip("triton.language.extra.libdevice")

REAL = Values(special=False, step=1 / 8)
TYPES = ("fp32", "fp64", "i32")
BLOCKS = (VECTORS, PADDED)
WARPS = tl.constexpr(4)


@triton.jit
def double(x):
    return x * 2


@triton.jit
def shifted(x, BY: tl.constexpr, again: tl.constexpr = False):
    """Constexpr parameters are known when compiling."""
    x = double(x) + BY
    if again:
        return x + BY
    return x


def values_alone(x, output):
    """A parameter is a value inside: it is not written."""
    output = shifted(x, 3) + shifted(x, BY=1, again=True)


@triton.jit
def increased(x):
    x = x + 1
    tl.device_assert(x == x)


def statement(x, output):
    """A call that is a statement changes no variable, either."""
    y = x
    increased(y)
    for _ in range(2):
        increased(y)
    output = y


@triton.jit
def unrolled(x, COUNT: tl.constexpr):
    total = tl.zeros_like(x)
    for i in tl.static_range(COUNT):
        total += x * i
    i = 0
    while i < COUNT:
        total -= i
        i += 1
    return total


def loops(x, output):
    output = unrolled(x, 4) + WARPS


@triton.jit
def copy_row(source, target, size, BLOCK: tl.constexpr):
    """Reads and writes through pointers."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < size
    value = tl.load(source + offsets, mask=mask, other=0)
    tl.store(target + offsets, value + 1, mask=mask)


def through_pointers(x, output):
    """The program's number is Triton's."""
    copy_row(x.source.data_ptr(), output.source.data_ptr(), x.source.shape[0], 64)


@triton.jit
def bounded(x):
    low: tl.constexpr = -2
    return tl.maximum(tl.minimum(x, tl.constexpr(2)), low)


def helpers(x, output):
    """Triton's helpers for numbers, and names in modules of Triton."""
    blocks = triton.cdiv(x.source.shape[0] + 8, 8) - triton.cdiv(x.source.shape[0], 8)
    assert triton.next_power_of_2(48) == 64
    output = bounded(x) + blocks


@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)


def combination(x, output):
    output = ntl.reduce(x, 0, larger)


def _combination(x: Array) -> Array:
    parts = [x[i : i + 64] for i in range(0, len(x), 64)]
    return np.concatenate([np.full_like(part, part.max()) for part in parts])


def elementary(x, output):
    output = tl.math.exp2(tl.floor(x)) + tl.extra.libdevice.abs(libdevice.abs(x))


CASES = (
    Case("", values_alone, lambda x: 4 * x + 5, (REAL,), TYPES, BLOCKS),
    Case("", statement, lambda x: x, (REAL,), TYPES, BLOCKS),
    Case("", loops, lambda x: 6 * x - 6 + 4, (REAL,), TYPES, BLOCKS),
    Case("", through_pointers, lambda x: x + 1, (REAL,), TYPES, (VECTORS,)),
    Case("", helpers, lambda x: np.clip(x, -2, 2) + 1, (REAL,), TYPES, (VECTORS, SCALARS)),
    Case("", combination, _combination, (REAL,), TYPES, (VECTORS,)),
    Case(
        *("", elementary, lambda x: 2 ** np.floor(x) + np.abs(x), (REAL,), ("fp32", "fp64")),
        layouts=BLOCKS,
        ulps=4,
    ),
)
each = running.each(CASES)


@each
def test_on_cpu(case: Case, dtype: str) -> None:
    running.run_on_cpu(case, dtype)


@pytest.mark.gpu
@each
def test_on_gpu(case: Case, dtype: str) -> None:
    running.run_on_gpu(case, dtype)
