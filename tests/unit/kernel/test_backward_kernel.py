"""Memory of the gradients that backward kernels compute."""

# pyright: reportUnusedVariable=false, reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# Kernels are written in the language, whose parameters have no types.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.kernel.backward_kernel import BackwardKernel
from ninetoothed.pytorch.gradient_names import roles_of
from tests.unit.kernel.test_outputs import allocations


def in_blocks(*tensors):
    return tuple(tensor.tile((64,)) for tensor in tensors)


def scaled(x, y, z):
    z = x * y


def gradient_of_x(z_gradient, y, x_gradient):
    x_gradient = z_gradient * y


def gradient_added(z_gradient, y, x_gradient):
    x_gradient += z_gradient * y


def backward_of(application: Callable[..., Any]) -> BackwardKernel:
    forward = ninetoothed.make(in_blocks, scaled, tuple(Tensor(1) for _ in "xyz"))
    kernel = ninetoothed.make(in_blocks, application, tuple(Tensor(1) for _ in "gyx"))
    roles = roles_of("tests::scaled", forward.interface, ("z",), kernel.interface)
    return BackwardKernel(kernel, roles, forward.interface)


def test_arguments() -> None:
    backward = backward_of(gradient_of_x)
    assert backward.taken.names == ("z_gradient", "y", "x_gradient", "x")
    assert backward.outputs == ("x_gradient",)
    given, y = torch.full((100,), 3.0), torch.arange(100.0)
    # Of x, the shape and the element type count.
    x = torch.empty((), dtype=torch.float64).expand(100)
    found = backward(given, y, x)
    assert found.dtype == torch.float64
    assert torch.equal(found, 3.0 * y.double())


def test_memory_is_left_as_it_is_where_all_is_written_and_nothing_is_read() -> None:
    vector = torch.ones(100)
    backward = backward_of(gradient_of_x)
    assert allocations(lambda: backward(vector, vector, vector)) == ["empty_like"]
    # Its last block would not be written.
    longer = torch.ones(200)
    assert allocations(lambda: backward.allocated((vector, vector, longer), {})) == ["zeros_like"]
    added = backward_of(gradient_added)
    assert "zeros_like" in allocations(lambda: added(vector, vector, vector))
