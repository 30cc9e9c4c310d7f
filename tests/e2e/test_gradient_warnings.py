"""A kernel tells, once, that no gradients flow through it."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager

import pytest
import torch

import ninetoothed
from ninetoothed import GradientWarning, NineToothedWarning, Tensor
from ninetoothed.errors import ArgumentError

REMEDY = (
    "call it in the forward of a torch.autograd.Function, whose backward computes them, or under "
    "torch.no_grad(), or pass {}.detach()"
)


def arrangement(x, y, output):
    return x.tile((64,)), y.tile((64,)), output.tile((64,))


def application(x, y, output):
    output = x + y


def made(**options):
    tensors = tuple(Tensor(1) for _ in range(3))
    return ninetoothed.make(arrangement, application, tensors, **options)


def tensors(device: str, *requiring: int, size: int = 100) -> list[torch.Tensor]:
    return [torch.ones(size, device=device, requires_grad=place in requiring) for place in range(3)]


@contextmanager
def silent() -> Generator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", NineToothedWarning)
        yield


@pytest.mark.parametrize(
    ("requiring", "who"),
    [
        ((0,), "x requires"),
        ((1,), "y requires"),
        ((0, 1), "x and y require"),
        # Written, and a leaf at that: torch's own operations refuse it.
        ((2,), "output requires"),
    ],
)
def test_tensors_that_require_gradients(device, requiring, who):
    kernel = made()
    given = tensors(device, *requiring)
    with pytest.warns(GradientWarning) as caught:
        kernel(*given)
    (warning,) = caught
    remedy = REMEDY.format(who.split()[0])
    assert str(warning.message) == f"{who} gradients, and none flow through a kernel; {remedy}"
    assert warning.filename == __file__
    assert given[2].detach().sum() == 200
    # Once a kernel.
    with silent():
        for place in range(4):
            kernel(*tensors(device, place % 3))
            kernel(*given)


@pytest.mark.parametrize("size", [100, 300])
def test_a_later_call(device, size):
    """Calls without gradients, or without autograd, do not hide it."""
    kernel = made()
    with silent():
        for _ in range(4):
            kernel(*tensors(device))
            with torch.no_grad():
                kernel(*tensors(device, 0))
            with torch.inference_mode():
                kernel(*tensors(device, 0))
        with torch.no_grad():
            for _ in range(4):
                kernel(*tensors(device, 0))
    with pytest.warns(GradientWarning):
        kernel(*tensors(device, 0, size=size))
    with silent():
        for _ in range(4):
            kernel(*tensors(device, 0))


def test_a_number(device):
    def arrangement(x, scale, output):
        return x.tile((64,)), scale, output.tile((64,))

    def application(x, scale, output):
        output = x * scale

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(0), Tensor(1)))
    x, output = torch.ones(2, 100, device=device)
    with pytest.warns(GradientWarning, match=r"scale requires gradients"):
        kernel(x, torch.tensor(2.0, requires_grad=True), output)
    assert output.sum() == 200


def test_by_keyword(device):
    x, y, output = tensors(device, 0)
    with pytest.warns(GradientWarning, match=r"x requires gradients"):
        made()(output=output, y=y, x=x)


def test_nested_tensors():
    def arrangement(x, output):
        return tuple(one.tile((1, 64)) for one in (x, output))

    def application(x, output):
        output = x * 2

    tensors = tuple(Tensor(2, jagged_dim=1) for _ in range(2))
    kernel = ninetoothed.make(arrangement, application, tensors)
    rows = [torch.ones(3, requires_grad=True), torch.ones(70)]
    x = torch.nested.as_nested_tensor(rows, layout=torch.jagged)
    assert x.requires_grad
    with pytest.warns(GradientWarning, match=r"x requires gradients"):
        kernel(x, torch.zeros_like(x.detach()))


def test_strict(device):
    kernel = made(strict=True)
    for _ in range(4):
        kernel(*tensors(device))
        with torch.no_grad():
            kernel(*tensors(device, 0))
        for size in (100, 300):
            given = tensors(device, 0, size=size)
            with pytest.raises(
                ArgumentError, match="x requires gradients, and none flow"
            ) as caught:
                kernel(*given)
            assert caught.value.loc.file == __file__
            assert given[2].sum() == size


def test_in_a_function_of_autograd(device):
    kernel = made()

    class Add(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            output = torch.empty_like(x)
            kernel(x, y, output)
            return output

        @staticmethod
        def backward(ctx, gradient):
            return gradient, gradient

    x, y, _ = tensors(device, 0, 1)
    with silent():
        for _ in range(3):
            Add.apply(x, y).sum().backward()
    assert x.grad.sum() == 300
