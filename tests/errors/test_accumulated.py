"""Blocks that are accumulated over loops from what is not all there."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.errors import ArgumentError
from tests.support.messages import Case, check, each


@each(
    Case(
        "the last block is not full",
        """
        def arrangement(x, out):
            x = x.tile((1, 8)).tile((1, -1)).squeeze(1)
            x.dtype = x.dtype.squeeze(0)
            x.dtype.dtype = x.dtype.dtype.squeeze(0)
            return x, out


        def application(x, out):
            total = ntl.zeros(x.dtype.shape, ntl.float32)
            for k in range(x.shape[0]):
                total += x[k]
            out = ntl.sum(total)


        kernel = make(arrangement, application, (Tensor(2), Tensor(1)))
        kernel(torch.zeros(3, 20), torch.zeros(3))
        """,
        """
        ArgumentError: x is accumulated over a loop, block by block, and then reduced, but where a block reaches beyond its end nothing is read; say what is read there, as in other=0 for a sum: declare x as Tensor(2, other=0), or pass sizes that fill all blocks
          File "kernel.py", line 16, column 1, in <module>
            kernel(torch.zeros(3, 20), torch.zeros(3))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "sequences of any length",
        """
        def arrangement(x, out):
            x = x.tile((1, 8, 4)).tile((1, -1, 1))
            x.dtype = x.dtype.squeeze((0, 2))
            x.dtype.dtype = x.dtype.dtype.squeeze(0)
            out = out.tile((1, 4)).unsqueeze(1)
            out.dtype = out.dtype.squeeze(0)
            return x, out


        def application(x, out):
            total = ntl.zeros((8, 4), ntl.float32)
            for k in range(x.shape[0]):
                total += x[k]
            out = ntl.sum(total, 0)


        make(arrangement, application, (Tensor(3, jagged_dim=1), Tensor(2)))
        """,
        """
        ShapeError: x is accumulated over a loop, block by block, and then reduced, but where a block reaches beyond its end nothing is read; say what is read there, as in other=0 for a sum: declare x as Tensor(3, other=0)
          File "kernel.py", line 13, column 9
            total += x[k]
            ^
        """,
    ),
    Case(
        "a mask of each turn",
        """
        def application(x, out):
            total = ntl.zeros((64,), ntl.float32)
            for k in range(4):
                offsets = ntl.arange(0, 64) + 64 * k
                total += ntl.load(x.source.data_ptr() + offsets, offsets < x.source.shape[0])
            out = ntl.sum(total)


        vectors(application)(torch.zeros(64), torch.zeros(64))
        """,
        """
        ShapeError: what is read under a mask is accumulated over a loop and then reduced, but where the mask is false it has no value; give it one, as in other=0
          File "kernel.py", line 5, column 18
            total += ntl.load(x.source.data_ptr() + offsets, offsets < x.source.shape[0])
                     ^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


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
