"""Windows longer than what they slide over: no programs, never a wrong result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.errors import ArgumentError, ArrangementError
from tests.support.everywhere import everywhere


def sums(x, y):
    y = ntl.sum(x)


def one_dim(x, y):
    return x.tile((5,), strides=(1,)), y.tile((1,))


def two_dims(x, y):
    return x.tile((5, 5), strides=(1, 1)).flatten(), y.tile((1,))


def test_a_window_slides() -> None:
    kernel = ninetoothed.make(one_dim, sums, (Tensor(1), Tensor(1)))
    x, y = torch.arange(9.0), torch.empty(5)
    kernel(x, y)
    assert y.tolist() == [10.0, 15.0, 20.0, 25.0, 30.0]


def test_two_windows_that_do_not_fit_are_no_programs() -> None:
    kernel = ninetoothed.make(two_dims, sums, (Tensor(2), Tensor(1)))
    x, y = torch.ones(6, 5), torch.empty(2)
    kernel(x, y)
    assert y.tolist() == [25.0, 25.0]
    # Two counts of -2 make no product of 4.
    kernel(torch.ones(2, 2), torch.empty(0))
    with pytest.raises(ArgumentError, match=r"than there are programs, .* \(4,\) and \(0,\)"):
        kernel(torch.ones(2, 2), torch.empty(4))


def test_windows_that_do_not_fit_are_flattened_padded_and_tiled_as_none() -> None:
    def arrangement(x, y):
        windows = x.tile((5, 5), strides=(1, 1)).flatten().pad(((1, 1),)).tile((1,), strides=(3,))
        windows.dtype = windows.dtype.ravel()
        return windows, y.tile((1,))

    def application(x, y):
        y = ntl.sum(x)

    kernel = ninetoothed.make(arrangement, application, (Tensor(2, other=1), Tensor(1)))
    # The first and the last window lie in the padding.
    for shape, expected in (
        ((2, 2), [25.0, 25.0]),
        ((2, 9), [25.0, 25.0]),
        ((6, 6), [25.0, 50.0, 25.0]),
    ):
        y = torch.zeros(len(expected))
        kernel(torch.full(shape, 2.0), y)
        assert y.tolist() == expected


def test_a_number_of_windows_below_zero_is_zero() -> None:
    assert Tensor(shape=(2,)).tile((5,), strides=(1,)).shape == (0,)


def test_the_first_window_where_none_fits_is_no_element() -> None:
    def arrangement(x, y):
        windows = x.tile((1, 2), floor_mode=True).tile((-1, -1))
        windows.dtype = windows.dtype.flatten()
        return windows, y.tile((1, 1))

    def application(x, y):
        y = ntl.zeros(y.shape, dtype=ntl.float32) + ntl.sum(x[0])

    kernel = ninetoothed.make(arrangement, application, (Tensor(2), Tensor(2)))
    for width, expected in ((1, 0.0), (2, 10.0), (5, 10.0)):
        y = torch.zeros(1, 1)
        kernel(torch.full((1, width), 5.0), y)
        assert y.item() == expected


C = Symbol("C", constexpr=True)
BLOCK = block_size(lower_bound=32, upper_bound=64)


def below(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """Ten elements a program, the level of which is changed."""

    def arrangement(x, y):
        t = x.tile((10,))
        t.dtype = change(t.dtype)
        return t, y.tile((1,))

    return arrangement


def loop(x, y):
    total = ntl.zeros(y.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        total += ntl.sum(x[i])
    y = total


NONE_FITS = {
    "a number": (lambda t: t.tile((20,), strides=(1,), dilation=(4,)), {}),
    "a value": (lambda t: t.tile((C,), strides=(1,), dilation=(4,)), {"C": 20}),
    "a block size": (lambda t: t.tile((BLOCK,), strides=(1,), dilation=(4,)), {}),
    "a value in an empty slice": (lambda t: t[2:2].tile((C,), strides=(1,)), {"C": 3}),
    "a block size in an empty slice": (lambda t: t[2:2].tile((BLOCK,), strides=(1,)), {}),
    "the whole of an empty slice": (lambda t: t[2:2].tile((-1,)), {}),
}


@pytest.mark.parametrize("case", NONE_FITS)
def test_a_level_of_windows_that_do_not_fit_has_no_elements(case: str, device: str) -> None:
    change, values = NONE_FITS[case]
    x, y = torch.ones(30), torch.full((3,), -1.0)

    def check(x: torch.Tensor, y: torch.Tensor) -> None:
        assert y.tolist() == [0.0] * 3

    everywhere(device, below(change), loop, (x, y), check, **values)
    # The same as a block, whose shape is made of the count.
    everywhere(device, below(lambda t: change(t).ravel()), sums, (x, y), check, **values)


def test_a_block_of_windows_that_a_call_shows_not_to_fit_has_no_elements(device: str) -> None:
    def arrangement(x, y):
        t = x.tile((1, -1)).squeeze(1)
        t.dtype = t.dtype.squeeze(0).tile((3,), strides=(1,)).ravel()
        return t, y.tile((1,))

    for width, expected in ((1, 0.0), (2, 0.0), (3, 3.0), (4, 6.0)):

        def check(x: torch.Tensor, y: torch.Tensor, expected: float = expected) -> None:
            assert y.tolist() == [expected] * 2

        everywhere(device, arrangement, sums, (torch.ones(2, width), torch.zeros(2)), check)


def test_a_block_that_repeats_windows_that_do_not_fit_has_no_elements(device: str) -> None:
    def arrangement(x, y):
        t = x.tile((10,))
        t.dtype = t.dtype[:1].expand((Tensor(shape=(10,)).tile((C,), strides=(1,)).shape[0],))
        return t, y.tile((1,))

    for window, expected in ((20, 0.0), (5, 6.0)):

        def check(x: torch.Tensor, y: torch.Tensor, expected: float = expected) -> None:
            assert y.tolist() == [expected] * 3

        values = (torch.ones(30), torch.zeros(3))
        everywhere(device, arrangement, sums, values, check, C=window)


def test_a_dilated_window_of_no_elements_has_as_many_programs_as_eval_shows() -> None:
    def arrangement(x, y):
        return x.tile((-1,), strides=(7,), dilation=(2,)), y.tile((1,))

    x = Tensor(1)
    assert arrangement(x, Tensor(1))[0].eval({x: {"shape": (0,)}}).shape == (2, 0)
    y = torch.ones(2)
    ninetoothed.make(arrangement, sums, (x, Tensor(1)))(torch.ones(0), y)
    assert y.tolist() == [0.0, 0.0]


def test_windows_that_are_no_elements_apart_are_refused_by_calls_and_eval() -> None:
    def arrangement(x, y):
        return x.tile((-1,), dilation=(2,)), y.tile((1,))

    x = Tensor(1, name="x")
    with pytest.raises(ArrangementError, match=r"tile: needs 1 <= x_size_0, but they are \(1, 0\)"):
        arrangement(x, Tensor(1))[0].eval({x: {"shape": (0,)}})
    kernel = ninetoothed.make(arrangement, sums, (x, Tensor(1)))
    with pytest.raises(ArgumentError, match=r"needs 1 <= x_size_0, but they are \(1, 0\)"):
        kernel(torch.ones(0), torch.ones(1))
