"""Kernels that another process imports, for tests of pickling."""

from __future__ import annotations

import functools
from typing import Any

import torch

import ninetoothed
from ninetoothed import Symbol, Tensor

TENSORS = (Tensor(1), Tensor(1))


def arrangement(x, output, size=16):
    return x.tile((size,)), output.tile((size,))


def assigning(x, output):
    """An arrangement that changes what it is given."""
    x.shape = (64,)
    return x.tile((16,)), output.tile((16,))


def with_symbol(x, output):
    size = Symbol("SIZE", constexpr=True)
    return x.tile((size,)), output.tile((size,))


def doubled(x, output, factor=2):
    output = x * factor


class Scaled:
    """Its methods are an application and an arrangement."""

    def __init__(self, factor: int) -> None:
        self.factor = factor

    def arrange(self, x, output):
        return x.tile((16,)), output.tile((16,))

    def apply(self, x, output):
        output = x * self.factor

    def __call__(self, x, output):
        output = x * self.factor

    @classmethod
    def of_class(cls, x, output):
        output = x * 2


@ninetoothed.jit
def by_jit(x: Tensor(1).tile((16,)), output: Tensor(1).tile((16,))):
    output = x * 2


def tripled(x: Tensor(1).tile((16,)), output: Tensor(1).tile((16,))):
    output = x * 3


def hidden() -> Any:
    """An arrangement and an application that nobody can import."""

    def arrangement(x, output):
        return x.tile((16,)), output.tile((16,))

    def application(x, output):
        output = x * 2

    return arrangement, application


class Module(torch.nn.Module):
    """It holds a kernel whose functions are methods of its own."""

    def __init__(self, factor: int) -> None:
        super().__init__()
        self.factor = factor
        self.weight = torch.nn.Parameter(torch.ones(1))
        self.kernel = ninetoothed.make(self.arrange, self.apply_factor, TENSORS)
        self.other = ninetoothed.make(arrangement, doubled, TENSORS)

    def arrange(self, x, output):
        return x.tile((16,)), output.tile((16,))

    def apply_factor(self, x, output):
        output = x * self.factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``4 * factor * x``, by both kernels."""
        y, output = torch.empty_like(x), torch.empty_like(x)
        self.kernel(x, y)
        self.other(y, output)
        return output * 2


def called(kernel: Any, connection: Any) -> None:
    """Call a kernel in a process of its own."""
    x, output = torch.arange(20.0), torch.empty(20)
    kernel(x, output)
    connection.send(output.tolist())


half = functools.partial(doubled, factor=0.5)
