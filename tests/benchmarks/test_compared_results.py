"""Results that may differ and be right: what is compared of them finds those that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from benchmarks.correctness import WrongResultError, checked
from benchmarks.operation import Operation
from benchmarks.operations import operations
from examples.runner import Draw


def _error(operation: Operation, result: Any, inputs: tuple[Any, ...]) -> float:
    def call() -> Any:
        # What is checked is overwritten.
        return result.clone() if isinstance(result, torch.Tensor) else [t.clone() for t in result]

    expected = operation.expected(inputs)
    return checked(call, inputs, expected, operation)


def _dropped(keep: Callable[[torch.Tensor], torch.Tensor], scale: float = 4 / 3) -> float:
    """The error of dropout with p = 0.25 that keeps what ``keep`` says of the elements' numbers."""
    input = Draw("cpu", torch.float16)(64, 301)
    number = torch.arange(input.numel()).view(input.shape)
    result = torch.where(keep(number), input * scale, 0.0).half()
    return _error(operations()["dropout"], result, (input, 0.25, 7))


def _random(number: torch.Tensor, p: float = 0.25) -> torch.Tensor:
    return torch.rand(number.shape, generator=torch.Generator().manual_seed(1)) >= p


def _none(number: torch.Tensor) -> torch.Tensor:
    return number >= 0


def _first_quarter(number: torch.Tensor) -> torch.Tensor:
    return number >= number.numel() // 4


def _each_fourth(number: torch.Tensor) -> torch.Tensor:
    return number % 4 != 0


def _too_many(number: torch.Tensor) -> torch.Tensor:
    return _random(number, 0.3)


def _in_pairs(number: torch.Tensor) -> torch.Tensor:
    return _random(number[:, ::2]).repeat_interleave(2, dim=1)[:, : number.shape[1]]


def test_any_random_mask_is_a_dropout() -> None:
    assert _dropped(_random) < 1e-3


@pytest.mark.parametrize("keep", [_none, _first_quarter, _each_fourth, _too_many, _in_pairs])
def test_what_is_dropped_is_random(keep: Callable[[torch.Tensor], torch.Tensor]) -> None:
    with pytest.raises(WrongResultError):
        _dropped(keep)


def test_a_dropout_that_does_not_scale_is_wrong() -> None:
    with pytest.raises(WrongResultError):
        _dropped(_random, scale=1.0)


def test_which_of_equal_elements_topk_takes_is_open() -> None:
    input = torch.tensor([[1.0, 2.0, 2.0, 0.0]])
    values = torch.tensor([[2.0, 2.0]])
    for indices in ([[1, 2]], [[2, 1]]):
        assert _error(operations()["topk"], (values, torch.tensor(indices)), (input, 2)) == 0


@pytest.mark.parametrize("indices", [[[1, 1]], [[1, 0]], [[1, 9]], [[-1, 2]]])
def test_topk_takes_an_element_once_and_where_it_is(indices: list[list[int]]) -> None:
    input = torch.tensor([[1.0, 2.0, 2.0, 0.0]])
    result = (torch.tensor([[2.0, 2.0]]), torch.tensor(indices))
    with pytest.raises(WrongResultError):
        _error(operations()["topk"], result, (input, 2))
