"""Loops and indices whose numbers 32 bits do not hold."""

from __future__ import annotations

import pytest
import torch

import ninetoothed.language as ntl
from tests.support.everywhere import everywhere


def blocks(x, n, output):
    return x.tile((16,)), n, output.tile((16,))


def up(x, n, output):
    total = ntl.cast(0, ntl.int64)
    for i in range(n, 2**40, 2**39):
        total += i
    output = total


def down(x, n, output):
    total = ntl.cast(0, ntl.int64)
    for i in range(2**32, x.source.shape[0], -(2**31)):
        total += i
    output = total


def once(x, n, output):
    for i in range(0, 10, 2**33):
        output = i + n


def multiplied(x, n, output):
    output = ntl.cast(x.source.shape[0], ntl.int64) * 2**40


def outside(x, n, output):
    output = x.source[2**33] + 5


@pytest.mark.parametrize(
    ("application", "wanted"),
    [(up, 6 + 2**39), (down, 2**32 + 2**31), (once, 3), (multiplied, 2**44), (outside, 5)],
    ids=["up", "down", "once", "multiplied", "outside"],
)
def test_numbers(application: object, wanted: int, device: str) -> None:
    def check(*arguments: torch.Tensor) -> None:
        assert arguments[-1].tolist() == [wanted] * 16

    values = [torch.ones(16), 3, torch.zeros(16, dtype=torch.int64)]
    everywhere(device, blocks, application, values, check)
