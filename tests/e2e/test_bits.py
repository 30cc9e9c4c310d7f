"""Bits count in arithmetic, as Python's do: 0 and 1, in i32."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.everywhere import everywhere

X = torch.tensor([-2.0, -0.5, 1.0, 3.0])
P, Q = (X > 0).int(), (X > -1).int()
"""The bits of the applications, as numbers."""


def vectors(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((4,)) for tensor in tensors)


def add(x, output):
    output = (x > 0) + (x > -1)


def add_a_known_bit(x, output):
    output = (x > 0) + True


def subtract(x, output):
    output = (x > 0) - (x > -1)


def multiply(x, output):
    output = (x > 0) * (x > -1) + 2 * (x > -1)


def power(x, output):
    output = ((x > 0) + (x > -1)) ** 3


def negate(x, output):
    output = -(x > -1)


def divide(x, output):
    output = 6 * ((x > 0) / 2)


def divide_whole(x, output):
    output = (x > -1) // ((x > 0) + 1) + (x > -1) // 1


def remainder(x, output):
    output = (x > -1) % 2 + 5 % ((x > 0) + 1)


def shift(x, output):
    output = ((x > 0) << (x > -1)) + ((x > -1) >> (x > 0)) + ((x > 0) << 3)


def augmented(x, output):
    count = x > 0
    count += x > -1
    count -= x > 2
    output = count


def in_a_loop(x, output):
    count = ntl.zeros(x.shape, ntl.int32)
    for i in range(3):
        count += x > i - 1
    output = count


def of_both_branches(x, output):
    count = (x > 0) + (x > -1) if ntl.program_id(0) == 0 else 0
    output = count


def stored_elementwise(x, output):
    output += x > 0
    output += x > -1


def summed(x, output):
    output = ntl.sum((x > 0) + (x > -1)) + ntl.sum(x > -1).to(ntl.int32)


def scanned(x, output):
    output = ntl.cumsum(x > -1, 0)


def of_scalars(x, output):
    output = (ntl.sum(x) > 0) + (ntl.sum(x) > 1)


def compared(x, output):
    p, q = x > 0, x > -1
    output = (p < q) + 2 * (p == q) + 4 * (p > q) + 8 * (q >= p)


def bitwise(x, output):
    p, q = x > 0, x > -1
    output = (p & ~q) + 2 * (p | q) + 4 * (p ^ q) + 8 * ~p


def extrema(x, output):
    p, q = x > 0, x > -1
    output = ntl.maximum(p, q) + 2 * ntl.minimum(p, q) + 4 * ntl.abs(p)


def of_known_bits(x, output):
    output = x * 0 + (True + True) - (True - False) * -True


PROGRAMS: list[tuple[Any, torch.Tensor]] = [
    (add, P + Q),
    (add_a_known_bit, P + 1),
    (subtract, P - Q),
    (multiply, P * Q + 2 * Q),
    (power, (P + Q) ** 3),
    (negate, -Q),
    (divide, 3 * P),
    (divide_whole, Q // (P + 1) + Q),
    (remainder, Q + 5 % (P + 1)),
    (shift, (P << Q) + (Q >> P) + (P << 3)),
    (augmented, P + Q - (X > 2).int()),
    (in_a_loop, Q + P + (X > 1)),
    (of_both_branches, P + Q),
    (stored_elementwise, P + Q),
    (summed, torch.full((4,), 8)),
    (scanned, Q.cumsum(0)),
    (of_scalars, torch.full((4,), 2)),
    (compared, (P < Q).int() + 2 * (P == Q) + 4 * (P > Q) + 8 * (Q >= P)),
    (bitwise, 2 * (P | Q) + 4 * (P ^ Q) + 8 * (1 - P)),
    (extrema, Q + 2 * P + 4 * P),
    (of_known_bits, torch.full((4,), 3)),
]


@pytest.mark.parametrize(
    ("application", "wanted"), PROGRAMS, ids=[program.__name__ for program, _ in PROGRAMS]
)
def test_bits_count(application: Any, wanted: torch.Tensor, device: str) -> None:
    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert output.tolist() == wanted.tolist()

    everywhere(device, vectors, application, [X, torch.zeros(4, dtype=torch.int32)], right)


def test_a_sum_of_bits_is_stored_as_bits(device: str) -> None:
    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert output.tolist() == (P + Q > 0).tolist()

    everywhere(device, vectors, add, [X, torch.zeros(4, dtype=torch.bool)], right)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int64, torch.float16])
def test_bits_take_the_type_of_what_they_meet(dtype: torch.dtype, device: str) -> None:
    def application(x, y, output):
        ntl.static_assert(((x > 0) + y).dtype == y.dtype)
        ntl.static_assert((y * (x > 0)).dtype == y.dtype)
        output = ((x > 0) + y) * (x > -1)

    def right(x: torch.Tensor, y: torch.Tensor, output: torch.Tensor) -> None:
        assert output.tolist() == ((P + y.cpu()) * Q).tolist()

    y = torch.tensor([1, 2, 3, 4], dtype=dtype)
    everywhere(device, vectors, application, [X, y, torch.zeros(4, dtype=dtype)], right)


def test_types() -> None:
    def application(x, output):
        p = x > 0
        ntl.static_assert((p + p).dtype == ntl.int32 and (p - p).dtype == ntl.int32)
        ntl.static_assert((p * p).dtype == ntl.int32 and (-p).dtype == ntl.int32)
        ntl.static_assert((p // p).dtype == ntl.int32 and (p % p).dtype == ntl.int32)
        ntl.static_assert((p << p).dtype == ntl.int32 and (p >> p).dtype == ntl.int32)
        ntl.static_assert((p / p).dtype == ntl.float32 and ntl.sum(p).dtype == ntl.uint32)
        ntl.static_assert((p & p).dtype == ntl.int1 and (~p).dtype == ntl.int1)
        ntl.static_assert((p == p).dtype == ntl.int1 and ntl.maximum(p, p).dtype == ntl.int1)
        output = p + p

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert output.tolist() == (2 * P).tolist()

    everywhere("cpu", vectors, application, [X, torch.zeros(4)], right)
