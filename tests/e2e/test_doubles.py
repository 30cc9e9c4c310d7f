"""Python floats beside tensors of fp64 lose no digit: interpreted at `nt` and at `tt`, and on
a GPU.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.everywhere import everywhere

TENTH = 0.1
DOUBLE = torch.tensor(0.1, dtype=torch.float64)


def blocks(*tensors):
    return tuple(tensor.tile((16,)) if tensor.ndim else tensor for tensor in tensors)


def helper(x, by=0.1):
    return x * by


def literal(x, output):
    output = x * 0.1


def alone(x, output):
    output = 0.1


def constant(x, output):
    output = x * TENTH


def tensor_from_outside(x, output):
    output = x * DOUBLE


def default(x, output):
    output = helper(x)


def chosen(x, output):
    s = 0.1 if x.source.shape[0] > 3 else 0.2
    output = x * s


def branches(x, output):
    s = 0.2
    if x.source.shape[0] > 3:
        s = 0.1
    output = x * s


def added_in_a_loop(x, output):
    s = 0.0
    for _ in range(1):
        s += 0.1
    output = x * s


def scaled_in_a_loop(x, output):
    s = 0.1
    for _ in range(2):
        s = s * 1.0
    output = x * s


def while_small(x, output):
    s = 0.0
    while s < 0.05:
        s += 0.1
    output = x * s


def of_integers(x, output):
    output = (ntl.arange(0, 16) * 0 + 1) * 0.1


def where(x, output):
    output = ntl.where(x > 0, 0.1, 0.2)


def extremum(x, output):
    output = ntl.minimum(x, 0.1)


def store(x, output):
    output = 0.0
    output = ntl.full((16,), 0.1, ntl.float64)


@pytest.mark.parametrize(
    "application",
    [
        *(literal, alone, constant, tensor_from_outside, default, chosen, branches),
        *(added_in_a_loop, scaled_in_a_loop, while_small, of_integers, where, extremum, store),
    ],
    ids=lambda application: application.__name__,
)
def test_numbers_of_an_application(application, device):
    def check(x, output):
        assert output.tolist() == [0.1] * 16

    x = torch.ones(16, dtype=torch.float64)
    everywhere(device, blocks, application, (x, torch.zeros_like(x)), check)


def scaled(x, s, output):
    output = x * s


def converted(x, s, output):
    output = x * (s + 0.0) * 1.0


@pytest.mark.parametrize("application", [scaled, converted])
@pytest.mark.parametrize("options", [{}, {"constexpr": True}, {"dtype": "fp64"}], ids=str)
@pytest.mark.parametrize("number", [0.1, np.float64(0.1), DOUBLE], ids=["float", "numpy", "torch"])
def test_arguments(application, options, number, device):
    def check(x, s, output):
        assert output.tolist() == [0.1] * 16

    x = torch.ones(16, dtype=torch.float64)
    tensors = (Tensor(1), Tensor(0, **options), Tensor(1))
    everywhere(device, blocks, application, (x, number, torch.zeros_like(x)), check, tensors)


def test_numbers_beside_tensors_of_fp32(device):
    def check(x, s, output):
        assert torch.equal(output, torch.full_like(output, 0.1, dtype=torch.float32))

    x = torch.ones(16)
    everywhere(device, blocks, converted, (x, 0.1, torch.zeros(16)), check)
