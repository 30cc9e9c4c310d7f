"""Moderate numbers: a part of the signature where a kernel gains by them."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.addmm import addmm_kernel
from ninetoothed import Tensor
from ninetoothed.artifacts.signature import Signature, is_moderate
from ninetoothed.kernel.kernel import Kernel

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false


@pytest.mark.parametrize("number", [1, True, 0.125, 2.0**-60, 2.0**60, 3e10])
def test_moderate(number: float) -> None:
    assert is_moderate(number)


@pytest.mark.parametrize(
    "number", [0, False, 0.0, -1.0, math.inf, -math.inf, math.nan, 1e30, 1e-30]
)
def test_not_moderate(number: float) -> None:
    assert not is_moderate(number)


def arrangement(x: Any, *others: Any) -> tuple[Any, ...]:
    return (x.tile((1, -1)), *others)


def moderate(signature: Signature) -> list[str]:
    return [param.name for param in signature.params if param.moderate]


def signature(kernel: Kernel, *args: Any) -> Signature:
    return kernel._bind(args, {}).signature  # pyright: ignore[reportPrivateUsage]


def made(*kinds: Tensor) -> Kernel:
    def application(x: Any, scale: Any, shift: Any) -> None:
        scores = x * scale + shift
        x = scores - ntl.max(x * scale, axis=1, keep_dims=True)

    return ninetoothed.make(arrangement, application, (Tensor(2), *kinds))


def test_of_numbers_that_scale_alone() -> None:
    kernel, x = made(Tensor(0), Tensor(0)), torch.zeros(3, 4)
    assert moderate(signature(kernel, x, 0.5, 0.5)) == ["scale"]
    assert moderate(signature(kernel, x, -0.5, 0.5)) == []
    # Of each class, the second call is known by its key.
    assert moderate(signature(kernel, x, 0.25, -1.0)) == ["scale"]
    assert signature(kernel, x, 0.25, -1.0) == signature(kernel, x, 0.5, 0.5)
    assert signature(kernel, x, 0.0, 0.5) == signature(kernel, x, math.nan, 1.0)
    assert signature(kernel, x, torch.tensor(2.0), 1.0) == signature(kernel, x, 2.0, 1.0)


def test_kernels_that_do_not_gain() -> None:
    a, b, c = torch.zeros(4, 8), torch.zeros(8, 4), torch.zeros(4, 4)
    found = {signature(addmm_kernel, c, a, b, beta, 1.0, c.clone()) for beta in (0.0, 1.0, -2.0)}
    assert len(found) == 1


def test_kernels_of_which_nothing_is_known_without_a_value() -> None:
    kernel, x = made(Tensor(0), Tensor(0, constexpr=True)), torch.zeros(3, 4)
    assert moderate(signature(kernel, x, 0.5, 2)) == ["scale"]
    assert moderate(signature(kernel, x, -0.5, 2)) == []
    # An integer is no scale, of whatever sign.
    assert signature(kernel, x, 3, 2) == signature(kernel, x, -3, 2)
