"""What the names of a backward kernel's parameters say."""

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnusedVariable=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# Kernels are written in the language, whose parameters have no types.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ninetoothed
from ninetoothed import Symbol, Tensor
from ninetoothed.artifacts.interface import Interface
from ninetoothed.errors import ArgumentError
from ninetoothed.pytorch.gradient_names import roles_of

BLOCK = Symbol("BLOCK", constexpr=True)


def interface(application: Callable[..., Any], *ndims: int) -> Interface:
    """The interface of a kernel of tensors of so many dims; those of none are numbers."""
    tensors = [Tensor(ndim) for ndim in ndims]
    arranged = tuple(one.tile((BLOCK,) * one.ndim) if one.ndim else one for one in tensors)
    return ninetoothed.make(lambda *_: arranged, application, tuple(tensors)).interface


def scaled(x, weight, factor, z):
    z = x * weight * factor


FORWARD = interface(scaled, 1, 1, 0, 1)


def gradients(z_gradient, weight, factor, x_gradient):
    x_gradient = z_gradient * weight * factor


def test_roles() -> None:
    roles = roles_of("tests::scaled", FORWARD, ("z",), interface(gradients, 1, 1, 0, 1))
    assert roles.given == {"z_gradient": "z"}
    assert roles.computed == {"x_gradient": "x"}
    assert roles.tensors == ("weight",)
    assert roles.numbers == ("factor", "BLOCK")
    assert roles.shapes == ("x",)


def abbreviated(z_gradient, weight, x_grad):
    x_grad = z_gradient * weight


def of_another(z_gradient, other, x_gradient):
    x_gradient = z_gradient * other


def of_number(z_gradient, x, factor_gradient):
    factor_gradient = z_gradient * x


def without_given(x, x_gradient):
    x_gradient = x


def without_computed(z_gradient, x):
    x = z_gradient


REFUSED: list[tuple[Interface, str]] = [
    (
        interface(abbreviated, 1, 1, 1),
        "tests::scaled: abbreviated takes x_grad, and nothing has that name; did you mean "
        "x_gradient? x, weight, factor, z and BLOCK are values of the call, z_gradient is given, "
        "and x_gradient and weight_gradient are written",
    ),
    (
        interface(of_another, 1, 1, 1),
        "tests::scaled: of_another takes other, and nothing has that name; name it as what it "
        "is: x, weight, factor, z and BLOCK are values of the call, z_gradient is given, and "
        "x_gradient and weight_gradient are written",
    ),
    (
        interface(of_number, 1, 1, 1),
        "tests::scaled: factor_gradient is the gradient of factor by its name, and factor is a "
        "number, which has none; leave factor_gradient out, or rename it",
    ),
    (
        interface(without_given, 1, 1),
        "tests::scaled: without_given takes no parameter that is the gradient of a result by its "
        "name; name it z_gradient",
    ),
    (
        interface(without_computed, 1, 1),
        "tests::scaled: without_computed writes no parameter that is the gradient of an input by "
        "its name; name it x_gradient or weight_gradient",
    ),
    (
        interface(gradients, 1, 1, 0, 2),
        "tests::scaled: x_gradient is the gradient of x, and must be a tensor of 1 dim, but a "
        "tensor of 2 dims in the backward kernel; declare it there as x is declared",
    ),
    (
        interface(gradients, 1, 1, 1, 1),
        "tests::scaled: factor is a number, but a tensor of 1 dim in the backward kernel; declare "
        "it there as factor is declared",
    ),
]


@pytest.mark.parametrize(("backward", "message"), REFUSED)
def test_refused(backward: Interface, message: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        roles_of("tests::scaled", FORWARD, ("z",), backward)
    assert raised.value.message == message


def taken(x, x_gradient, z):
    z = x * x_gradient


def ambiguous(z_gradient, x_gradient):
    x_gradient = z_gradient


def test_name_of_two() -> None:
    with pytest.raises(ArgumentError) as raised:
        roles_of("tests::taken", interface(taken, 1, 1, 1), ("z",), interface(ambiguous, 1, 1))
    assert raised.value.message == (
        "tests::taken: x_gradient may be the parameter of taken, or the gradient of x; rename that "
        "parameter"
    )
