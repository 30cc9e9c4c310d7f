"""Windows that slide over images: pooling."""

from __future__ import annotations

import functools
import math

import torch

import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed

BLOCK_SIZE = block_size(lower_bound=16, upper_bound=128)


# max_pool2d: a window a row; what a window lacks reads -inf.


def max_pool2d_arrangement(input, output, window, stride, floor_mode):
    windows = input.tile((1, 1, *window), strides=(-1, -1, *stride), floor_mode=floor_mode)
    rows = windows.ravel().flatten(end_dim=4).flatten(start_dim=1)
    pixels = output.tile((1, 1, 1, 1)).ravel().flatten(end_dim=4).flatten(start_dim=1)
    return rows.tile((BLOCK_SIZE, -1)), pixels.tile((BLOCK_SIZE, -1))


def max_pool2d_application(input, output):
    output = ntl.max(input, axis=1, keep_dims=True)


def pool_calls(window: tuple[int, int], stride: tuple[int, int], floor_mode: bool) -> list[Call]:
    def call(*shape: int) -> Call:
        input = randn(*shape)
        return input, nan(*pool(input, window, stride, floor_mode).shape)

    exact = call(1, 2, stride[0] * 7 + window[0], stride[1] * 7 + window[1])
    input, output = call(2, 3, 12, 9)
    return [
        exact,
        (input, output),
        (transposed(input), transposed(output)),
        (gapped(input), gapped(output)),
    ]


def pool(input, window, stride, floor_mode):
    return torch.nn.functional.max_pool2d(input, window, stride, ceil_mode=not floor_mode)


def max_pool2d(
    name: str, window: tuple[int, int], stride: tuple[int, int], floor_mode: bool
) -> Idiom:
    return Idiom(
        name,
        functools.partial(
            max_pool2d_arrangement, window=window, stride=stride, floor_mode=floor_mode
        ),
        max_pool2d_application,
        functools.partial(pool_calls, window, stride, floor_mode),
        lambda input, output: pool(input.double(), window, stride, floor_mode),
        tensors=(Tensor(4, other=-math.inf), Tensor(4)),
    )


HEIGHT = Symbol("HEIGHT", constexpr=True)
WIDTH = Symbol("WIDTH", constexpr=True)
STRIDE = Symbol("STRIDE", constexpr=True)


# sum_pool2d: the window is padded to a power of two by the arrangement, its lanes a second tile.


def sum_pool2d_arrangement(input, output, window, stride):
    lanes = 1 << (math.prod(window) - 1).bit_length()
    windows = input.tile((1, 1, *window), strides=(-1, -1, *stride), floor_mode=True)
    windows.dtype = windows.dtype.flatten().tile((lanes,))
    rows = windows.flatten().tile((BLOCK_SIZE,))
    rows.dtype = rows.dtype.ravel().squeeze(1)
    return rows, output.flatten().tile((BLOCK_SIZE,))


def sum_pool2d_application(input, output):
    output = ntl.sum(input, axis=1)


def sum_pool2d(name: str, window: tuple[int, int], stride: tuple[int, int]) -> Idiom:
    def reference(input, output):
        average = torch.nn.functional.avg_pool2d(input.double(), window, stride)
        return average * math.prod(window)

    return Idiom(
        name,
        functools.partial(sum_pool2d_arrangement, window=window, stride=stride),
        sum_pool2d_application,
        functools.partial(pool_calls, window, stride, True),
        reference,
        tensors=(Tensor(4, other=0), Tensor(4)),
    )


IDIOMS = (
    max_pool2d("max_pool2d", (3, 3), (2, 2), True),
    max_pool2d("max_pool2d_with_ceil_mode", (2, 3), (2, 3), False),
    Idiom(
        "max_pool2d_of_symbols",
        functools.partial(
            max_pool2d_arrangement, window=(HEIGHT, WIDTH), stride=(STRIDE, STRIDE), floor_mode=True
        ),
        max_pool2d_application,
        functools.partial(pool_calls, (3, 2), (2, 2), True),
        lambda input, output: pool(input.double(), (3, 2), (2, 2), True),
        tensors=(Tensor(4, other=-math.inf), Tensor(4)),
        keywords={"HEIGHT": 3, "WIDTH": 2, "STRIDE": 2},
    ),
    sum_pool2d("sum_of_windows_padded_to_a_power_of_two", (3, 3), (2, 2)),
    sum_pool2d("sum_of_windows_that_are_a_power_of_two", (2, 4), (1, 3)),
)
