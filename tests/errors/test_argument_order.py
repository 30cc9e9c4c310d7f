"""The order of arguments is the arrangement's results': a warning where names tell another."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
from ninetoothed import ArgumentOrderWarning, Tensor
from ninetoothed.errors import ArgumentError
from ninetoothed.kernel.kernel import Kernel


def tiled(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((16,)) for tensor in tensors)


def output_first(input, other, output):
    return tiled(output, input, other)


def stores_first(input, other, output):
    input = other * output


def made(arrangement: Callable[..., Any], application: Any, count: int = 3) -> Kernel:
    return ninetoothed.make(arrangement, application, tuple(Tensor(1) for _ in range(count)))


def test_names_that_tell_another_order() -> None:
    with pytest.warns(ArgumentOrderWarning) as caught:
        made(output_first, stores_first)
    (warning,) = caught
    assert warning.filename == __file__
    text, place, line, _ = str(warning.message).split("\n")
    assert text == (
        "the arrangement returns output, input, other, and stores_first(input, other, output) "
        "takes them in that order, as a call does: input is the arrangement's output, other is its "
        "input, output is its other; return input, other, output, or rename the parameters of "
        "stores_first"
    )
    assert place.startswith(f'  File "{__file__}", line ')
    assert line.strip().startswith("return ninetoothed.make(arrangement, application")


def test_the_order_stays_that_of_the_results() -> None:
    with pytest.warns(ArgumentOrderWarning):
        kernel = made(output_first, stores_first)
    x, y = torch.randn(2, 20)
    for args, keywords in (
        ((torch.zeros(20), x, y), {}),
        ((), {"output": y, "other": x, "input": torch.zeros(20)}),
    ):
        kernel(*args, **keywords)
        stored = args[0] if args else keywords["input"]
        assert torch.equal(stored, x * y)


def with_block_size(x, y, block=16):
    return y.tile((block,)), x.tile((block,))


def swapped(x, y):
    x = y * 2


def test_other_parameters_do_not_matter() -> None:
    with pytest.warns(ArgumentOrderWarning, match="returns y, x, and swapped"):
        made(with_block_size, swapped, 2)


def dropped(x, unused, y):
    return tiled(y, x)


def test_dropped_tensors_do_not_matter() -> None:
    with pytest.warns(ArgumentOrderWarning, match="returns y, x, and swapped"):
        made(dropped, swapped)


def renamed(input, scale, output):
    return tiled(output, scale, input)


def partly_swapped(input, factor, output):
    input = output * factor


def test_other_names_may_differ() -> None:
    """Two names stand for one another's tensors, whatever the others are called."""
    with pytest.warns(ArgumentOrderWarning) as caught:
        made(renamed, partly_swapped)
    text = str(caught[0].message).split("\n")[0]
    assert text == (
        "the arrangement returns output, scale, input, and partly_swapped(input, factor, output) "
        "takes them in that order, as a call does: input is the arrangement's output, output is "
        "its input; return input, scale, output, or rename the parameters of partly_swapped"
    )


def shifted(x, y, z):
    return tiled(y, z, x)


def of_others(x, y, w):
    w = x + y


def test_a_name_that_is_used_again_tells_nothing() -> None:
    """It may be another tensor's, where its own has another name."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(shifted, of_others)


def lhs_rhs(lhs, rhs, output):
    return tiled(output, lhs, rhs)


def same_order(input, other, output):
    return tiled(input, other, output)


def reordered(output, input, other):
    output = input * other


def partly(x, other):
    x = other * 2


def any_order(*tensors):
    return tiled(*reversed(tensors))


def one_of_two(x, y):
    return tiled(y, x)


@pytest.mark.parametrize(
    ("arrangement", "application"),
    [
        (same_order, stores_first),
        # An order of the arrangement's own.
        (output_first, reordered),
        # Names that say nothing of one another.
        (lhs_rhs, stores_first),
        (lambda a, b, c: tiled(c, a, b), stores_first),
        (any_order, stores_first),
    ],
)
def test_what_is_silent(arrangement: Callable[..., Any], application: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(arrangement, application)


def test_names_of_which_one_is_the_same() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(one_of_two, partly, 2)


def test_one_tensor_for_two_parameters() -> None:
    x = Tensor(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ninetoothed.make(one_of_two, swapped, (x, x))


def test_the_error_counts_what_was_given() -> None:
    kernel = made(same_order, stores_first)
    x = torch.zeros(20)
    with pytest.raises(ArgumentError, match=r"takes 3 arguments, but 2 were given; output is mi"):
        kernel(x, other=x)
    with pytest.raises(ArgumentError, match=r"takes 3 arguments, but 5 were given; leave the oth"):
        kernel(x, x, x, x, other=x)
