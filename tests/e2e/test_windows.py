"""Windows longer than what they slide over: no programs, never a wrong result."""

from __future__ import annotations

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.errors import ArgumentError


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
