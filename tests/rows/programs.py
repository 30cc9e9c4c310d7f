"""Rows of program ids, debugging and hints."""

from __future__ import annotations

import numpy as np

import ninetoothed.language as ntl
from tests.rows.case import FINITE, LANES, PADDED, VECTORS, Array, Case, Oracle, Values

INDICES = Values(low=-1000, high=1000, special=False)


def numbered(x, number, others):
    number = ntl.program_id(0) + ntl.program_id(1) + ntl.program_id(2) + x * 0
    others = ntl.num_programs(0) * ntl.num_programs(1) * ntl.num_programs(2) + x * 0


def _numbered(size: int) -> Oracle:
    def oracle(x: Array) -> tuple[Array, Array]:
        places = np.arange(x.size, dtype=x.dtype)
        return places // size, np.full_like(x, -(-x.size // size))

    return oracle


def held(x, result):
    ntl.device_assert(x > -10, "x is large")
    ntl.device_assert(x < 0, "x is negative", mask=x < 0)
    ntl.assume(ntl.num_programs(0) > 0)
    ntl.debug_barrier()
    result = x


def hinted(x, result, scalar):
    places = ntl.multiple_of(ntl.max_contiguous(ntl.arange(0, 16), 16), 16)
    steps = ntl.max_constancy(places // 4, [4])
    scalar = ntl.multiple_of(ntl.num_programs(0) * 16, 16) + x * 0
    result = x + ntl.sum(places) + ntl.sum(steps)


def printed(x, result):
    if ntl.program_id(0) < 0:
        ntl.device_print("never", x, hex=True)
    result = x


CASES = (
    Case("program_id num_programs", numbered, _numbered(64), (INDICES,), ("i32",), (VECTORS,)),
    Case("program_id num_programs", numbered, _numbered(48), (INDICES,), ("i32",), (PADDED,)),
    Case("device_assert assume debug_barrier", held, lambda x: x, (FINITE,), ("fp32", "i32")),
    Case(
        "multiple_of max_contiguous max_constancy",
        hinted,
        lambda x: (x + 120 + 24, x * 0 + 16 * -(-x.size // 64)),
        (INDICES,),
        ("i32",),
        (VECTORS,),
    ),
    Case("device_print", printed, lambda x: x, (FINITE,), ("fp32", "u8"), LANES),
)
