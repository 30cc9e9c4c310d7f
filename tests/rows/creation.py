"""Rows of what makes blocks."""

from __future__ import annotations

import numpy as np

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.rows.case import LANES, NUMBERS, NUMBERS_AND_BITS, Array, Case, Layout


def fill(x, zeros, ones, zeros_again, ones_again):
    zeros = ntl.zeros(x.shape, x.dtype)
    ones = ntl.full(x.shape, 1, dtype=x.dtype)
    zeros_again = ntl.zeros_like(x)
    ones_again = ntl.full_like(x, 1)


def _fill(x: Array) -> tuple[Array, ...]:
    like = np.full_like
    return like(x, 0), like(x, 1), like(x, 0), like(x, 1)


def count(x, plain, later):
    plain = ntl.arange(0, 5)
    later = ntl.arange(3, 8)


def _fives(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((5,)) for tensor in tensors)


FIVES = Layout("fives", _fives, (((10,),), ((781,),), ((3,),), ((0,),)))

CASES = (
    Case("zeros full zeros_like full_like", fill, _fill, (NUMBERS,), NUMBERS_AND_BITS, LANES),
    Case(
        "arange",
        count,
        lambda x: (np.arange(len(x)) % 5, np.arange(len(x)) % 5 + 3),
        (NUMBERS,),
        ("i32", "i64", "fp32"),
        (FIVES,),
    ),
)
