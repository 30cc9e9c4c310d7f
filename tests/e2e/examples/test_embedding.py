"""The embedding: rows gathered by number, and scattered back by atomics."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from examples import embedding
from examples.runner import Draw, gradients, relative_error, tolerance_of
from ninetoothed.errors import AssertionFailedError
from tests.support.examples import Load, Place, kinds

# Numbers, rows and columns.
RAGGED = ((1, 1, 1), (17, 5, 33), (3, 100, 1025), (64, 16, 64))
LARGE = ((4099, 50257, 769), (20000, 1001, 1024))


@kinds
def test_embedding(place: Place, strided: bool, load: Load, draw: Draw) -> None:
    """Each number is there more than once, where there are fewer rows."""
    embedding = load("embedding").embedding
    for count, rows, columns in RAGGED + LARGE if place.is_gpu else RAGGED:
        weight = draw(rows, columns)
        index = draw.integers(rows, count, 2)[:, 1] if strided else draw.integers(rows, count)
        assert torch.equal(embedding(index, weight), weight[index])
        check_gradient(embedding, index, weight, draw(count, columns))


def check_gradient(
    embedding, index: torch.Tensor, weight: torch.Tensor, gradient: torch.Tensor
) -> None:
    (found,) = gradients(embedding)(gradient, index, weight)
    (wanted,) = gradients(functional.embedding)(gradient.double(), index, weight.double())
    assert found.dtype is weight.dtype
    assert relative_error(found, wanted) <= tolerance_of(found)


@pytest.mark.parametrize("shape", [(), (2, 3), (0,), (2, 0, 3), (2, 1, 3, 2)])
def test_an_index_of_any_shape(shape: tuple[int, ...], load: Load, draw: Draw) -> None:
    embedding = load("embedding").embedding
    index, weight = draw.integers(7, *shape), draw(7, 20)
    assert torch.equal(embedding(index, weight), weight[index])
    if index.numel():
        check_gradient(embedding, index, weight, draw(*shape, 20))


def test_transposed_tensors(load: Load, draw: Draw) -> None:
    embedding = load("embedding").embedding
    index, weight = draw.integers(7, 5, 3).T, draw(20, 7).T
    assert torch.equal(embedding(index, weight), weight[index])
    check_gradient(embedding, index, weight, draw(20, 5, 3).permute(2, 1, 0))


def test_many_small_gradients_of_one_row(place: Place, load: Load) -> None:
    """A sum in the gradient's own type would stop at 256."""
    dtype = torch.bfloat16
    module = load("embedding")
    index = torch.full((3000,), 2, device=place.device)
    gradient = torch.ones(3000, 8, dtype=dtype, device=place.device)
    result = module.embedding_backward(gradient, index, 4)
    assert result[2].eq(torch.tensor(3000.0).to(dtype)).all()
    assert result[[0, 1, 3]].eq(0).all()


def test_without_gradients(load: Load, draw: Draw) -> None:
    embedding = load("embedding").embedding
    index, weight = draw.integers(7, 3), draw(7, 20).requires_grad_()
    with torch.no_grad():
        assert not embedding(index, weight).requires_grad
    assert not embedding(index, weight.detach()).requires_grad


@pytest.mark.parametrize("number", [-1, 5, 2**40])
def test_a_number_that_is_no_row_stops_the_program(number: int) -> None:
    index = torch.tensor([0, number, 4])
    with pytest.raises(AssertionFailedError, match="no row of the weight"):
        embedding.embedding(index, torch.zeros(5, 3))
    with pytest.raises(AssertionFailedError, match="no row of the weight"):
        embedding.embedding_backward(torch.zeros(3, 3), index, 5)


def test_gradients_of_float64_are_refused() -> None:
    weight = torch.zeros(5, 3, dtype=torch.float64, requires_grad=True)
    output = embedding.embedding(torch.tensor([1]), weight)
    with pytest.raises(ValueError, match=r"does not hold torch\.float64"):
        output.sum().backward()
