"""Calls with sizes outside the bounds that ``shape_options`` gave: what the arrangement decided
by these is asked of the sizes, and refused where the answer is another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import ArgumentError
from ninetoothed.kernel.kernel import Kernel

UP_TO_8 = {"upper_bound": 8}
FROM_4 = {"lower_bound": 4}


def copied(x: Any, output: Any) -> None:
    output = x  # pyright: ignore[reportUnusedVariable]


def made(arrangement: Callable[..., object], *options: Any) -> Kernel:
    one, two = options if len(options) == 2 else (*options, None)
    tensors = (Tensor(1, shape_options=one, other=0), Tensor(1, shape_options=two))
    return ninetoothed.make(arrangement, copied, tensors)


def few_or_half(x: Any, output: Any) -> Any:
    """The first half of many elements, and all of few."""
    size = x.shape[0]
    chosen = x if size <= 8 else x[: size // 2]
    return chosen.tile((4,)), output.tile((4,))


def called(kernel: Kernel, size: int, of_output: int | None = None) -> torch.Tensor:
    x = torch.arange(1.0, size + 1)
    output = torch.zeros(size if of_output is None else of_output)
    kernel(x, output)
    return output


def test_a_size_outside_its_bounds_is_refused_where_the_arrangement_asked() -> None:
    kernel = made(few_or_half, UP_TO_8)
    for size in (1, 8, 0):
        assert called(kernel, size).tolist() == [*range(1, size + 1)]
    for _ in range(2):
        with pytest.raises(ArgumentError) as caught:
            called(kernel, 9)
        assert caught.value.message == (
            "the arrangement (test_size_decisions.py, line 35) took x_size_0 <= 8 to be True by "
            "the bounds of its symbols, but the two are (9, 8); arrange without the condition, or "
            "declare other bounds (lower_bound, upper_bound) and make a kernel for each answer"
        )
    assert called(kernel, 7).tolist() == [*range(1, 8)]


def conditions() -> dict[str, tuple[Callable[[Any], Any], Any, int, int]]:
    """Conditions that bounds from 4 to 8 decide; options; a size with which the answer is another,
    and one outside the bounds with which it is not.
    """
    return {
        "lt": (lambda n: n < 9, UP_TO_8, 9, 0),
        "le": (lambda n: n <= 8, UP_TO_8, 9, 0),
        "gt": (lambda n: n > 8, UP_TO_8, 9, 0),
        "ge": (lambda n: n >= 10, UP_TO_8, 10, 9),
        "eq": (lambda n: n == 10, UP_TO_8, 10, 9),
        "ne": (lambda n: n != 10, UP_TO_8, 10, 11),
        "a number": (lambda n: n - 10, UP_TO_8, 10, 11),
        "from below": (lambda n: n >= 4, FROM_4, 3, 4),
        "never": (lambda n: n < 3, FROM_4, 2, 3),
        "a divisor": (lambda n: 64 // n >= 8, {**UP_TO_8, "lower_bound": 1}, 9, 8),
        "a divisor of 0": (lambda n: 64 // n >= 8, {**UP_TO_8, "lower_bound": 1}, 0, 7),
        "a remainder": (lambda n: 64 % n < 8, {**UP_TO_8, "lower_bound": 1}, 0, 64),
        "equal bounds": (lambda n: n == 8, {**UP_TO_8, "lower_bound": 8}, 7, 8),
        "a rounded quotient": (lambda n: (n + 3) // 4 <= 2, UP_TO_8, 9, 1),
    }


@pytest.mark.parametrize("name", conditions())
def test_conditions(name: str) -> None:
    condition, options, other, same = conditions()[name]

    def arrangement(x: Any, output: Any) -> Any:
        return (x if condition(x.shape[0]) else x[::1]).tile((4,)), output.tile((4,))

    kernel = made(arrangement, options)
    assert called(kernel, same).tolist() == [*range(1, same + 1)]
    with pytest.raises(ArgumentError, match=r"took .* by the bounds of its symbols"):
        called(kernel, other)


def test_conditions_that_hold_whatever_the_bounds() -> None:
    def arrangement(x: Any, output: Any) -> Any:
        assert x.shape[0] >= 0
        assert x.shape[0] + 1 > 0
        return x.tile((4,)), output.tile((4,))

    kernel = made(arrangement, {"lower_bound": 2, "upper_bound": 8})
    assert not kernel.definition.size_decisions
    for size in (0, 1, 9):
        assert called(kernel, size).tolist() == [*range(1, size + 1)]


@pytest.mark.parametrize("choose", [max, min])
def test_extremes(choose: Callable[..., Any]) -> None:
    def arrangement(x: Any, output: Any) -> Any:
        size = choose(x.shape[0], 100)
        return x.tile((size,)), output.tile((size,))

    kernel = made(arrangement, UP_TO_8, UP_TO_8)
    called(kernel, 9)
    with pytest.raises(ArgumentError, match=r"to be (True|False) by the bounds"):
        called(kernel, 101)


def test_both_of_two_sizes() -> None:
    def arrangement(x: Any, output: Any) -> Any:
        assert x.shape[0] + output.shape[0] <= 16
        return x.tile((4,)), output.tile((4,))

    kernel = made(arrangement, UP_TO_8, UP_TO_8)
    called(kernel, 8)
    with pytest.raises(ArgumentError, match=r"the two are \(18, 16\)"):
        called(kernel, 9)


def test_a_size_and_a_constexpr() -> None:
    def arrangement(x: Any, output: Any, P: Any = Symbol("P", constexpr=True)) -> Any:
        assert x.shape[0] - P < 8
        return x.pad(((P, 0),)).tile((4,)), output.tile((4,))

    kernel = made(arrangement, UP_TO_8)
    x = torch.ones(9)
    kernel(x, torch.zeros(11), P=2)
    with pytest.raises(ArgumentError, match=r"the two are \(8, 8\)"):
        kernel(x, torch.zeros(10), P=1)


def test_baked_sizes() -> None:
    options = {"constexpr": True, "upper_bound": 8}
    kernel = made(few_or_half, options)
    assert called(kernel, 8).tolist() == [*range(1, 9)]
    with pytest.raises(ArgumentError, match="took x_size_0 <= 8 to be True"):
        called(kernel, 9)


def test_sizes_that_were_asked_before_the_arrangement() -> None:
    x = Tensor(1, shape_options=UP_TO_8, other=0)
    few = bool(x.shape[0] <= 8)

    def arrangement(x: Any, output: Any) -> Any:
        return (x if few else x[:4]).tile((4,)), output.tile((4,))

    kernel = ninetoothed.make(arrangement, copied, (x, Tensor(1)))
    with pytest.raises(ArgumentError, match="took x_size_0 <= 8 to be True"):
        called(kernel, 9)


def test_a_tensor_that_is_left_out() -> None:
    """No call gives its size."""

    def arrangement(x: Any, output: Any, other: Any) -> Any:
        assert other.shape[0] <= 8
        return x.tile((4,)), output.tile((4,))

    given = (Tensor(1), Tensor(1), Tensor(1, shape_options=UP_TO_8))
    kernel = ninetoothed.make(arrangement, copied, given)
    assert called(kernel, 9).tolist() == [*range(1, 10)]


def test_signs_of_bounds_of_slices() -> None:
    """A negative one counts from the end."""

    def of_size(x: Any, output: Any) -> Any:
        return x[x.shape[0] - 9 :].tile((4,)), output.tile((4,))

    kernel = made(of_size, UP_TO_8)
    with pytest.raises(ArgumentError, match="took x_size_0 - 9 < 0 to be True"):
        called(kernel, 9)

    low = Symbol("LOW", constexpr=True, lower_bound=-8, upper_bound=-1)

    def of_constexpr(x: Any, output: Any) -> Any:
        return x[low:].tile((4,)), output.tile((4,))

    kernel = ninetoothed.make(of_constexpr, copied, (Tensor(1), Tensor(1)))
    kernel(torch.arange(9.0), output := torch.zeros(2), LOW=-2)
    assert output.tolist() == [7, 8]
    with (
        pytest.warns(ninetoothed.BoundsWarning),
        pytest.raises(ninetoothed.NineToothedError, match="took LOW < 0 to be True"),
    ):
        kernel(torch.arange(9.0), torch.zeros(7), LOW=2)


def test_the_definition_tells_decisions_apart() -> None:
    def plain(x: Any, output: Any) -> Any:
        return x.tile((4,)), output.tile((4,))

    one, two = made(few_or_half, UP_TO_8).definition, made(plain, UP_TO_8).definition
    assert one.encoded() != two.encoded()
