"""Blocks that are accumulated over loops from what is not all there."""

from __future__ import annotations

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.errors import ArgumentError


def rows(x, out):
    x = x.tile((1, 8)).tile((1, -1)).squeeze(1)
    x.dtype = x.dtype.squeeze(0)
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    return x, out


def accumulated(x, out):
    total = ntl.zeros(x.dtype.shape, ntl.float32)
    for k in range(x.shape[0]):
        total += x[k]
    out = ntl.sum(total)


def same_in_each_turn(x, out):
    total = ntl.zeros(x.dtype.shape, ntl.float32)
    for _ in range(3):
        total += x[0]
    out = ntl.sum(total)


def reduced_in_each_turn(x, out):
    total = 0.0
    for k in range(x.shape[0]):
        total += ntl.sum(x[k])
    out = total


@pytest.mark.parametrize("application", [accumulated, same_in_each_turn, reduced_in_each_turn])
@pytest.mark.parametrize("other", [None, 0])
@pytest.mark.parametrize("size", [0, 1, 5, 8, 16, 20])
def test_what_is_left_out(application, other: int | None, size: int) -> None:
    """Lanes that no turn reads are; those that some turn reads are not."""
    kernel = ninetoothed.make(rows, application, (Tensor(2, other=other), Tensor(1)))
    x, out = torch.arange(3.0 * size).reshape(3, size), torch.full((3,), -1.0)
    if application is accumulated and other is None and size == 20:
        with pytest.raises(ArgumentError, match="pass sizes that fill all blocks"):
            kernel(x, out)
        return
    kernel(x, out)
    expected = 3 * x[:, :8] if application is same_in_each_turn else x
    assert torch.equal(out, expected.sum(1))
