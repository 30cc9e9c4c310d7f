"""Callables that stand for functions: partials, methods and objects, as arrangements, as
applications and in applications.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import ArgumentError
from tests.support.everywhere import everywhere

X = torch.arange(-20, 20).float() / 4
VALUES = (X, torch.zeros(40))


def tiles(*tensors: Any, size: int = 16) -> tuple[Any, ...]:
    return tuple(tensor.tile((size,)) for tensor in tensors)


def is_(expected: torch.Tensor) -> Any:
    def check(x: torch.Tensor, output: torch.Tensor) -> None:
        assert torch.equal(x.cpu(), X)
        assert torch.equal(output.cpu(), expected)

    return check


def application(x, output, scale=2.0, offset=1, *, negate=False):
    y = x * scale + offset
    output = -y if negate else y


class Affine:
    """What a kernel computes, with its arrangement."""

    offset = 1

    def __init__(self, scale: int, size: int = 16) -> None:
        self.scale = scale
        self.size = size
        self.activation = absolute

    def arrange(self, x, output):
        return x.tile((self.size,)), output.tile((self.size,))

    def apply(self, x, output, more=0):
        output = self.activation(self(x)) + more

    def __call__(self, x):
        return self.plus_offset(x * self.scale)

    @classmethod
    def plus_offset(cls, x):
        return x + cls.offset * cls.one()

    @staticmethod
    def one():
        return 1


class Shifted(Affine):
    """Another offset."""

    offset = 2

    def plus_offset(self, x):
        return super_plus_offset(x) + self.offset


super_plus_offset = Affine.plus_offset


class Kernel:
    """An object that is an application."""

    __slots__ = ("scale",)

    def __init__(self, scale: int) -> None:
        self.scale = scale

    def __call__(self, x, output):
        output = x * self.scale


@dataclasses.dataclass(frozen=True)
class Composed:
    """Functions one after the other, which may be such objects."""

    first: Any
    second: Any

    def __call__(self, x):
        return self.second(self.first(x))


class Accumulator:
    """A method changes variables of its caller, as a function does."""

    def __init__(self, by: int) -> None:
        self.by = by

    def add(self, total, x):
        total += x * self.by


def absolute(x):
    return ntl.abs(x)


def positive(x, output):
    output = ntl.maximum(x, 0)


affine = Affine(3)
method = Shifted(3).plus_offset
composed = Composed(Composed(affine, absolute), affine)
accumulator = Accumulator(2)


def in_an_application(x, output):
    output = composed(x) + method(x) + affine.offset + affine.plus_offset(x)


def changed_by_a_method(x, output):
    total = x
    for _ in range(3):
        accumulator.add(total, x)
    accumulator.add(x=x, total=total)
    output = total


APPLICATIONS = {
    "defaults": (application, X * 2 + 1),
    "a partial": (functools.partial(application, scale=3), X * 3 + 1),
    "a partial of a keyword": (functools.partial(application, negate=True), -X * 2 - 1),
    "a partial of a partial": (
        functools.partial(functools.partial(application, scale=3, offset=2), scale=4),
        X * 4 + 2,
    ),
    "a method": (Affine(3).apply, (X * 3 + 1).abs()),
    "an inherited method": (Shifted(3).apply, (X * 3 + 3).abs()),
    "a partial of a method": (functools.partial(Affine(3).apply, more=2), (X * 3 + 1).abs() + 2),
    "an object": (Kernel(5), X * 5),
    "a partial of an object": (functools.partial(Kernel(5)), X * 5),
    "in an application": (in_an_application, (X * 3 + 1).abs() * 3 + 1 + X + 3 + 1 + X + 1),
    "changed by a method": (changed_by_a_method, X * 9),
}


@pytest.mark.parametrize("name", APPLICATIONS)
def test_applications(device: str, name: str) -> None:
    application, expected = APPLICATIONS[name]
    everywhere(device, tiles, application, VALUES, is_(expected))


@pytest.mark.parametrize(
    "arrangement",
    [functools.partial(tiles, size=8), Affine(3, 8).arrange, functools.partial(Affine(3).arrange)],
)
def test_arrangements(device: str, arrangement: Any) -> None:
    everywhere(device, arrangement, positive, VALUES, is_(X.clamp(min=0)))


def test_a_partial_fixes_a_parameter_in_front(device: str) -> None:
    def scaled(scale, x, output):
        output = x * scale

    everywhere(device, tiles, functools.partial(scaled, 3), VALUES, is_(X * 3))
    everywhere(device, tiles, functools.partial(scaled, scale=4), VALUES, is_(X * 4))


def test_jit_takes_methods_and_defaults(device: str) -> None:
    class Scaled:
        def __init__(self, scale: int) -> None:
            self.scale = scale

        def application(
            self,
            x: Tensor(1).tile((16,)),  # pyright: ignore
            output: Tensor(1).tile((16,)),  # pyright: ignore
            offset: int = 1,
        ) -> None:
            output = x * self.scale + offset

    kernel = ninetoothed.jit(Scaled(3).application)
    x, output = X.to(device), torch.zeros(40, device=device)
    kernel(x, output)
    assert torch.equal(output.cpu(), X * 3 + 1)


def test_fixed_parameters_are_no_arguments() -> None:
    thrice = functools.partial(application, scale=3)
    kernel = ninetoothed.make(tiles, thrice, (Tensor(1), Tensor(1)))
    assert kernel.interface.names == ("x", "output")
    output = torch.zeros(40)
    kernel(output=output, x=X)
    assert torch.equal(output, X * 3 + 1)
    with pytest.raises(ArgumentError, match="scale"):
        kernel(X, output, scale=3)


def test_a_symbol_may_have_a_fixed_parameters_name() -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, ...]:
        size = Symbol("scale", constexpr=True)
        return x.tile((size,)), output.tile((size,))

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
    output = torch.zeros(40)
    kernel(X, output, scale=4)
    assert torch.equal(output, X * 2 + 1)


def test_names_of_kernels() -> None:
    tensors = (Tensor(1), Tensor(1))
    named = {
        "positive": positive,
        "application": functools.partial(application, scale=3),
        "apply": Affine(3).apply,
        "Kernel": Kernel(3),
    }
    for name, function in named.items():
        assert ninetoothed.make(tiles, function, tensors).__name__ == name
