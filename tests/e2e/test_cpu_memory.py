"""A kernel on a CPU writes to what a kernel on a GPU writes to, whatever autograd says."""

from __future__ import annotations

import torch

import ninetoothed
from ninetoothed import Tensor


def arrangement(x, output):
    return x.tile((64,)), output.tile((64,))


def application(x, output):
    output = x


copy = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))


def test_leaf_that_requires_gradients():
    output = torch.zeros(100, requires_grad=True)
    with torch.no_grad():
        copy(torch.ones(100, requires_grad=True), output)
    assert output.is_leaf
    assert torch.equal(output.detach(), torch.ones(100))


def test_tensor_with_a_history():
    output = torch.zeros(100, requires_grad=True) * 2
    with torch.no_grad():
        copy(torch.ones(100), output)
    assert torch.equal(output.detach(), torch.ones(100))


def test_view_of_a_leaf():
    base = torch.zeros(200, requires_grad=True)
    with torch.no_grad():
        copy(torch.ones(100), base[50:150])
    assert base.detach().sum() == 100


def test_inference_tensor():
    with torch.inference_mode():
        output = torch.zeros(100)
    copy(torch.ones(100), output)
    assert torch.equal(output, torch.ones(100))


def test_inside_inference_mode():
    output = torch.zeros(100)
    with torch.inference_mode():
        copy(torch.ones(100), output)
    assert torch.equal(output, torch.ones(100))


def test_overlapping_input():
    output = torch.zeros(100)
    copy(torch.ones(1).expand(100), output)
    assert torch.equal(output, torch.ones(100))


def test_overlapping_output():
    output = torch.zeros(1)
    # Writing to one place from several indices has to be asked for.
    racing = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1, allow_races=True)))
    racing(torch.ones(100), output.expand(100))
    assert output.item() == 1
