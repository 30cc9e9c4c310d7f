"""Jagged tensors: what they are declared as, arranged as, and called with."""

from __future__ import annotations

import warnings

import pytest
import torch

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.errors import ArgumentError


def tiled(*tensors):
    return tuple(t.tile((1, 16, 16)) for t in tensors)


def copy(x, y):
    y = x


KERNEL = ninetoothed.make(tiled, copy, [Tensor(3, jagged_dim=1) for _ in range(2)])
LAST = ninetoothed.make(tiled, copy, [Tensor(3, jagged_dim=2) for _ in range(2)])
DENSE = ninetoothed.make(tiled, copy, [Tensor(3) for _ in range(2)])
ROWS = [torch.ones(2, 4), torch.ones(3, 4)]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    STRIDED = torch.nested.nested_tensor(ROWS, layout=torch.strided)
NESTED = torch.nested.nested_tensor(ROWS, layout=torch.jagged)


@pytest.mark.parametrize(
    ("kernel", "value", "message"),
    [
        (
            KERNEL,
            torch.ones(2, 3, 4),
            "x must be a nested tensor that is jagged along dim 1, not a dense tensor of shape "
            "(2, 3, 4); convert it with torch.nested.as_nested_tensor(x, layout=torch.jagged), or "
            "leave jagged_dim out",
        ),
        (
            LAST,
            torch.ones(2, 4, 3),
            "x must be a nested tensor that is jagged along dim 2, not a dense tensor of shape "
            "(2, 4, 3); convert it with torch.nested.as_nested_tensor(x.transpose(1, 2), "
            "layout=torch.jagged).transpose(1, 2), or leave jagged_dim out",
        ),
        (
            KERNEL,
            STRIDED,
            "x must be a nested tensor that is jagged along dim 1, and its layout is "
            "torch.strided; convert it with torch.nested.as_nested_tensor(x.unbind(), "
            "layout=torch.jagged)",
        ),
        (
            LAST,
            NESTED,
            "x must be a nested tensor that is jagged along dim 2, and it is jagged along dim 1; "
            "pass x.transpose(1, 2)",
        ),
        (
            KERNEL,
            torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
            "x must have 3 dims, but it has 2",
        ),
        (
            KERNEL,
            torch.nested.narrow(
                torch.ones(2, 3, 4), 1, torch.tensor([0, 1]), torch.tensor([2, 1]), torch.jagged
            ),
            "x has gaps between its sequences, as torch.nested.narrow leaves them; pass "
            "x.contiguous()",
        ),
        (
            DENSE,
            NESTED,
            "x is a nested tensor, and a dense one of 3 dims is declared; declare Tensor(3, "
            "jagged_dim=1), or pass torch.nested.to_padded_tensor(x, 0.0)",
        ),
        (KERNEL, 1.0, "x must be a torch tensor of 3 dims, not 1.0"),
    ],
)
def test_arguments(kernel, value, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        kernel(value, NESTED)
    assert str(caught.value).partition("\n")[0] == message


def test_other_lengths() -> None:
    other = torch.nested.nested_tensor(ROWS[::-1], layout=torch.jagged)
    with pytest.raises(ArgumentError) as caught:
        KERNEL(NESTED, other)
    assert str(caught.value).partition("\n")[0] == (
        "the sequences of x and y must have equal lengths, but their offsets differ; make one with "
        "torch.nested.nested_tensor_from_jagged(values, x.offsets())"
    )


def test_other_longest() -> None:
    other = torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(20, 4)], layout=torch.jagged)
    with pytest.raises(ArgumentError, match="the outermost shapes of x and y must be equal"):
        KERNEL(NESTED, other)
