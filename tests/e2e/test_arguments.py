"""Arguments and declarations: values outside a tensor, element types, numbers and 0-dim tensors."""

from __future__ import annotations

import pytest
import torch

from ninetoothed import Tensor
from tests.support.everywhere import everywhere


def padded(x, output):
    return x.pad(((2, 3),)).tile((16,)), output.tile((16,))


def copied(x, output):
    output = x


@pytest.mark.parametrize(
    ("dtype", "other", "expected"),
    [
        (torch.int8, float("inf"), 127),
        (torch.int8, float("-inf"), -128),
        (torch.int32, float("inf"), 2**31 - 1),
        (torch.int64, float("-inf"), -(2**63)),
        (torch.uint8, float("inf"), 255),
        (torch.uint8, float("-inf"), 0),
        (torch.uint64, float("inf"), 2**64 - 1),
        (torch.int32, -7.0, -7),
        (torch.int32, -0.0, 0),
        (torch.bool, float("inf"), True),
        (torch.bool, float("-inf"), True),
        (torch.bool, 0.5, True),
        (torch.bool, 0.0, False),
        (torch.float32, float("-inf"), float("-inf")),
    ],
    ids=str,
)
def test_what_lies_outside(device, dtype, other, expected):
    """Infinities of integers are the type's extremes; bits are `!= 0`."""
    x = torch.ones(20).to(dtype)

    def check(x, output):
        assert output.tolist() == [expected] * 2 + [1] * 20 + [expected] * 3

    tensors = (Tensor(1, other=other), Tensor(1))
    everywhere(device, padded, copied, (x, torch.zeros(25).to(dtype)), check, tensors)
