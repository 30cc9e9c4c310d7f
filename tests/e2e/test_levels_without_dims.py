"""A level of shape ``()`` above the block: it has one element, and takes no index."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.everywhere import everywhere

COUNT = 10


def one_above(y: Tensor) -> tuple[Tensor]:
    """Blocks of 4, below a level of shape ()."""
    y = y.tile((4,)).tile((1,))
    y.dtype = y.dtype.squeeze(0)
    return (y,)


def below_a_level(y: Tensor) -> tuple[Tensor]:
    """Two levels of one element each, without dims, below one of two elements."""
    y = y.tile((2,)).tile((1,)).tile((1,)).tile((2,))
    y.dtype.dtype = y.dtype.dtype.squeeze(0)
    y.dtype.dtype.dtype = y.dtype.dtype.dtype.squeeze(0)
    return (y,)


def the_first(y):
    y[0] = 1.0


def the_first_after_an_ellipsis(y):
    y[..., 0] = 1.0


def the_block_by_no_index(y):
    y[()] = 1.0


def the_block_by_an_ellipsis(y):
    y[...] = 1.0


def the_block_by_a_slice(y):
    y[:] = 1.0


def updated(y):
    y[()] += 1
    y[...] += 2
    y[0] += 4


def read(y):
    y[...] = y[()] + y[...] + y[:] + y[:, None][:, 0] + y[None, ...][0, :]


def what_is_computed(y):
    y[()] = (y[...] * 2)[()] + (y[...] * 2)[...]


BASE = torch.arange(float(COUNT))
FIRST = torch.where(BASE % 4 == 0, 1.0, BASE)
PROGRAMS: list[tuple[Any, torch.Tensor]] = [
    (the_first, FIRST),
    (the_first_after_an_ellipsis, FIRST),
    (the_block_by_no_index, torch.ones(COUNT)),
    (the_block_by_an_ellipsis, torch.ones(COUNT)),
    (the_block_by_a_slice, torch.ones(COUNT)),
    (updated, BASE + 3 + 4 * (BASE % 4 == 0)),
    (read, 5 * BASE),
    (what_is_computed, 4 * BASE),
]


@pytest.mark.parametrize(
    ("application", "wanted"), PROGRAMS, ids=[program.__name__ for program, _ in PROGRAMS]
)
def test_a_level_without_dims(application: Any, wanted: torch.Tensor, device: str) -> None:
    def right(y: torch.Tensor) -> None:
        assert y.tolist() == wanted.tolist()

    everywhere(device, one_above, application, [BASE], right, (Tensor(1, allow_races=True),))


def test_levels_without_dims_below_another(device: str) -> None:
    def application(y):
        for i in range(2):
            y[i] += 1
            y[i, 1] += 1
            y[i, ...] += 1
            y[i][...] += 1
            y[i][()] += 1

    def right(y: torch.Tensor) -> None:
        assert y.tolist() == (BASE + 4 + BASE % 2).tolist()

    everywhere(device, below_a_level, application, [BASE], right, (Tensor(1, allow_races=True),))


def test_an_ellipsis_stands_for_whole_dims(device: str) -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((2, 4)), output.tile((2, 4))

    def application(x, output):
        output = x[...] + 0
        output[0, ...] = x[..., 1, :] + (x + 0)[1, ...]
        output[..., 3] += (x[..., None] + 0)[:, 3, 0]

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        wanted = x.clone()
        wanted[0] = 2 * x[1]
        wanted[:, 3] += x[:, 3]
        assert output.tolist() == wanted.tolist()

    values = [torch.arange(8.0).reshape(2, 4), torch.zeros(2, 4)]
    tensors = (Tensor(2), Tensor(2, allow_races=True))
    everywhere(device, arrangement, application, values, right, tensors)


def test_a_source_without_dims(device: str) -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.unsqueeze(0).tile((1,)), output.tile((1,))

    def application(x, output):
        output = x.source[()] + x.source[...]
        x.source[()] = 5.0

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert (x.item(), output.item()) == (5, 6)

    values = [torch.tensor(3.0), torch.zeros(1)]
    everywhere(device, arrangement, application, values, right)


def test_what_it_holds(device: str) -> None:
    def application(y):
        ntl.static_assert(y.shape == () and y.ndim == 0 and y.dtype.shape == (4,))
        ntl.static_assert(y[()].shape == (4,) and y[...].dtype == "float32")
        y[()] = ntl.sum(y[()])

    def right(y: torch.Tensor) -> None:
        assert y.tolist() == [6.0] * 4 + [22.0] * 4 + [17.0] * 2

    everywhere(device, one_above, application, [BASE], right, (Tensor(1),))
