"""The pictures of the page of that name: every meta-operation, a tensor before it and after it."""

from __future__ import annotations

import copy
from collections.abc import Callable

from ninetoothed import Tensor


def tile():
    before = Tensor(shape=(4, 6), name="x")
    return before, before.tile((2, 3))


def tile_partial():
    before = Tensor(shape=(7,), name="x")
    return before, before.tile((3,))


def tile_whole():
    before = Tensor(shape=(3, 4), name="x")
    return before, before.tile((1, -1))


def tile_tiles():
    before = Tensor(shape=(4, 6), name="x").tile((2, 3))
    return before, before.tile((1, -1))


def tile_strides():
    before = Tensor(shape=(6,), name="x")
    return before, before.tile((3,), strides=(2,))


def tile_floor_mode():
    before = Tensor(shape=(6,), name="x")
    return before, before.tile((3,), strides=(2,), floor_mode=True)


def tile_dilation():
    before = Tensor(shape=(8,), name="x")
    return before, before.tile((4,), strides=(1,), dilation=(2,))


def tile_strides_of_0():
    before = Tensor(shape=(6,), name="x")
    return before, before.tile((3,), strides=(0,))


def expand():
    before = Tensor(shape=(2, 4), name="x").tile((1, -1))
    return before, before.expand((-1, 3))


def squeeze():
    before = Tensor(shape=(3, 4), name="x").tile((1, -1))
    return before, before.squeeze(1)


def unsqueeze():
    before = Tensor(shape=(6,), name="x").tile((2,))
    return before, before.unsqueeze(-1)


def permute():
    before = Tensor(shape=(2, 4), name="x")
    return before, before.permute((1, 0))


def flatten():
    before = Tensor(shape=(2, 3), name="x")
    return before, before.flatten()


def flatten_some():
    before = Tensor(shape=(2, 2, 3, 2), name="x")
    return before, before.flatten(start_dim=1, end_dim=3)


def ravel():
    before = Tensor(shape=(4, 6), name="x").tile((2, 3))
    return before, before.ravel()


def pad():
    before = Tensor(shape=(2, 3), name="x")
    return before, before.pad(((1, 0), (1, 2)))


def pad_less():
    before = Tensor(shape=(3, 5), name="x")
    return before, before.pad(((0, -1), (-2, 0)))


def slice_range():
    before = Tensor(shape=(3, 5), name="x")
    return before, before[1:, 1:-1]


def slice_step():
    before = Tensor(shape=(3, 5), name="x")
    return before, before[:, ::2]


def slice_backwards():
    before = Tensor(shape=(3, 5), name="x")
    return before, before[::-1]


def slice_number():
    before = Tensor(shape=(3, 5), name="x")
    return before, before[1]


def slice_ellipsis():
    before = Tensor(shape=(2, 3, 4), name="x")
    return before, before[..., -1]


def slice_none():
    before = Tensor(shape=(2, 3), name="x")
    return before, before[:, None]


def inner_squeeze():
    before = Tensor(shape=(3, 4), name="x").tile((1, -1))
    after = copy.copy(before)
    after.dtype = after.dtype.squeeze(0)
    return before, after


def inner_tile():
    before = Tensor(shape=(4, 6), name="x").tile((2, 6))
    after = copy.copy(before)
    after.dtype = after.dtype.tile((1, 3))
    return before, after


OPERATIONS: tuple[Callable[[], tuple[Tensor, Tensor]], ...] = (
    *(tile, tile_partial, tile_whole, tile_tiles),
    *(tile_strides, tile_floor_mode, tile_dilation, tile_strides_of_0),
    *(expand, squeeze, unsqueeze, permute, flatten, flatten_some, ravel, pad, pad_less),
    *(slice_range, slice_step, slice_backwards, slice_number, slice_ellipsis, slice_none),
    *(inner_squeeze, inner_tile),
)
"""All of them, in the page's order."""
