"""``layer_norm``, ``rms_norm`` and ``add_rms_norm`` against torch in float64, and their
gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import pytest
import torch

from examples import layer_norm as layer_norm_example
from examples import rms_norm as rms_norm_example
from examples.runner import Draw, gradients, raised, relative_error, tolerance_of
from tests.support.examples import GPU, Load, Place, kinds

SHAPES = ((1, 9), (2, 1025), (7, 128), (514, 33))
"""Of the last, a program of a backward pass has two rows."""
LARGE = ((1031, 4097), (4096, 8192), (3, 20011))
"""On a GPU."""


def rms_norm(input: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    return torch.nn.functional.rms_norm(input, weight.shape, weight, eps)


def add_rms_norm(
    input: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6
) -> torch.Tensor:
    """Both results, in one tensor."""
    return torch.stack((rms_norm(input + residual, weight, eps), input + residual))


def layer_norm(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    return torch.nn.functional.layer_norm(input, weight.shape, weight, bias, eps)


def stacked(example: ModuleType) -> Callable[..., torch.Tensor]:
    """``add_rms_norm`` of the example, with both results in one tensor."""
    return lambda *inputs: torch.stack(example.add_rms_norm(*inputs))


def check(results: Any, expected: Any) -> None:
    """The errors are rounding."""
    for result, one in zip(results, expected, strict=True):
        assert relative_error(result, one) <= tolerance_of(result)


def check_function(
    function: Callable[..., torch.Tensor],
    reference: Callable[..., torch.Tensor],
    inputs: Sequence[torch.Tensor],
    gradient: torch.Tensor,
) -> None:
    """The results and their gradients."""
    exact = [raised(value) for value in inputs]
    check([function(*inputs)], [reference(*exact)])
    found = gradients(function)(gradient, *inputs)
    assert [value.dtype for value in found] == [value.dtype for value in inputs]
    check(found, gradients(reference)(gradient.double(), *exact))


def shapes(place: Place, dtype: torch.dtype) -> Sequence[tuple[int, int]]:
    return SHAPES + LARGE if place == GPU and dtype is torch.float16 else SHAPES


@kinds
def test_rms_norm(place: Place, dtype: torch.dtype, load: Load, draw: Draw) -> None:
    example = load("rms_norm")
    for rows, columns in shapes(place, dtype):
        inputs, gradient = (draw(rows, columns), draw(columns)), draw(rows, columns)
        check_function(example.rms_norm, rms_norm, inputs, gradient)


@kinds
def test_layer_norm(place: Place, dtype: torch.dtype, load: Load, draw: Draw) -> None:
    example = load("layer_norm")
    for rows, columns in shapes(place, dtype):
        inputs = draw(rows, columns), draw(columns), draw(columns)
        check_function(example.layer_norm, layer_norm, inputs, draw(rows, columns))


@kinds
def test_add_rms_norm(place: Place, dtype: torch.dtype, load: Load, draw: Draw) -> None:
    example = load("rms_norm")
    for rows, columns in shapes(place, dtype):
        input, residual, weight = draw(rows, columns), draw(rows, columns), draw(columns)
        output, summed = example.add_rms_norm(input, residual, weight)
        # What is normalized is the rounded sum.
        assert torch.equal(summed, input + residual)
        check([output], [rms_norm(summed.double(), weight.double())])
        gradient = draw(2, rows, columns)
        found = gradients(stacked(example))(gradient, input, residual, weight)
        exact = map(raised, (gradient, summed, torch.zeros_like(summed), weight))
        check(found, gradients(add_rms_norm)(*exact))


def test_rows_of_one_number(place: Place, load: Load, draw: Draw) -> None:
    """Whose gradients all but vanish."""
    rms, layer = load("rms_norm"), load("layer_norm")
    input, weight, bias = torch.ones(3, 1, device=place.device), draw(1), draw(1)
    check([rms.rms_norm(input, weight)], [rms_norm(input.double(), weight.double())])
    check([layer.layer_norm(input, weight, bias)], [bias.double().expand(3, 1)])
    found = gradients(rms.rms_norm)(draw(3, 1), input, weight)
    assert found[0].abs().max() < 1e-4


def test_norms_of_transposed_matrices(load: Load, draw: Draw) -> None:
    input, residual, gradient = (draw(50, 21).T for _ in range(3))
    weight, bias = draw(100)[::2], draw(150)[::3]
    rms, layer = load("rms_norm"), load("layer_norm")
    check_function(rms.rms_norm, rms_norm, (input, weight), gradient)
    check_function(layer.layer_norm, layer_norm, (input, weight, bias), gradient)
    both = draw(2, 50, 21).mT
    check_function(stacked(rms), add_rms_norm, (input, residual, weight), both)


def test_gradients_of_a_sum(place: Place, load: Load, draw: Draw) -> None:
    """Whose gradient has no strides; of ``add_rms_norm``, a result may be left out."""
    inputs = draw(5, 33), draw(5, 33), draw(33)
    example = load("rms_norm")
    one = torch.ones((), device=place.device)
    for kept in (0, 1):

        def function(*inputs: torch.Tensor, kept: int = kept) -> torch.Tensor:
            return example.add_rms_norm(*inputs)[kept].sum()

        def reference(*inputs: torch.Tensor, kept: int = kept) -> torch.Tensor:
            return add_rms_norm(*inputs)[kept].sum()

        found = gradients(function)(one, *inputs)
        leaves = [value.double().requires_grad_() for value in inputs]
        expected = torch.autograd.grad(reference(*leaves), leaves, allow_unused=True)
        pairs = zip(expected, leaves, strict=True)
        check(found, [torch.zeros_like(x) if e is None else e for e, x in pairs])


@pytest.mark.parametrize("eps", [0.0, 2.0])
def test_eps(eps: float, load: Load, draw: Draw) -> None:
    """Without it too, and with programs of which the last has fewer rows."""
    rms, layer = load("rms_norm"), load("layer_norm")
    input, gradient, weight, bias = draw(1025, 10), draw(1025, 10), draw(10), draw(10)

    def with_eps(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
        return lambda *inputs: function(*inputs, eps)

    check_function(with_eps(rms.rms_norm), with_eps(rms_norm), (input, weight), gradient)
    inputs = input, weight, bias
    check_function(with_eps(layer.layer_norm), with_eps(layer_norm), inputs, gradient)


def test_parameters_in_float32(place: Place, load: Load) -> None:
    """Results have the element type of the input, gradients of the parameters theirs."""
    rms, layer = load("rms_norm"), load("layer_norm")
    draw = Draw(place.device, torch.bfloat16)
    input, gradient = draw(9, 70), draw(9, 70)
    weight, bias = draw(70, dtype=torch.float32), draw(70, dtype=torch.float32)
    assert rms.rms_norm(input, weight).dtype is torch.bfloat16
    assert layer.layer_norm(input, weight, bias).dtype is torch.bfloat16
    check_function(rms.rms_norm, rms_norm, (input, weight), gradient)
    check_function(layer.layer_norm, layer_norm, (input, weight, bias), gradient)


def test_layer_norm_of_rows_far_from_zero(load: Load, draw: Draw) -> None:
    """The variance is that of the differences from the mean."""
    example = load("layer_norm")
    input, weight, bias = draw(4, 1000) + 1000, draw(1000), draw(1000)
    result = example.layer_norm(input, weight, bias)
    assert relative_error(result, layer_norm(*map(raised, (input, weight, bias)))) < 1e-4


def test_same_gradients_each_time(place: Place, load: Load) -> None:
    example = load("layer_norm")
    draw = Draw(place.device, torch.float16)
    rows = 5000 if place.is_gpu else 1030
    inputs = draw(rows, 130), draw(rows, 130), draw(130), draw(130)
    first, second = (gradients(example.layer_norm)(*inputs) for _ in range(2))
    assert all(torch.equal(one, two) for one, two in zip(first, second, strict=True))


def test_norms_without_gradients(load: Load, draw: Draw) -> None:
    rms, layer = load("rms_norm"), load("layer_norm")
    input, residual = draw(3, 20).requires_grad_(), draw(3, 20)
    weight, bias = draw(20), draw(20).requires_grad_()
    with torch.no_grad():
        results = (
            rms.rms_norm(input, weight),
            *rms.add_rms_norm(input, residual, weight),
            layer.layer_norm(input, weight, bias),
        )
    assert not any(result.requires_grad for result in results)
    with torch.no_grad():
        exact, other, weight, bias = map(raised, (input, residual, weight, bias))
        output, summed = add_rms_norm(exact, other, weight)
        expected = rms_norm(exact, weight), output, summed, layer_norm(exact, weight, bias)
    check(results, expected)


@pytest.mark.parametrize("rows", [0, 4])
def test_norms_of_nothing(rows: int, load: Load, draw: Draw) -> None:
    rms, layer = load("rms_norm"), load("layer_norm")
    columns = 0 if rows else 4
    input, vector = draw(rows, columns), draw(columns)
    check_function(rms.rms_norm, rms_norm, (input, vector), input)
    both = draw(2, rows, columns)
    check_function(stacked(rms), add_rms_norm, (input, input, vector), both)
    check_function(layer.layer_norm, layer_norm, (input, vector, vector), input)


def test_shapes_that_do_not_fit_are_refused() -> None:
    draw = Draw("cpu", torch.float32)
    input, vector = draw(4, 6), draw(6)
    with pytest.raises(ValueError, match=r"weight must have .* \(6,\), not \(4,\)"):
        rms_norm_example.rms_norm(input, draw(4))
    with pytest.raises(ValueError, match=r"bias must have .* \(6,\), not \(5,\)"):
        layer_norm_example.layer_norm(input, vector, draw(5))
    with pytest.raises(ValueError, match=r"residual must be as input, \(4, 6\)"):
        rms_norm_example.add_rms_norm(input, draw(4, 5), vector)
