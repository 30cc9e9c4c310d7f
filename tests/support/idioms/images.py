"""Windows and rearrangements of images and signals."""

from __future__ import annotations

import functools

import numpy as np
import torch
import torch.nn.functional as F

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms.arranged import BLOCK_SIZE
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed


def copy(input, output):
    output = input


def strided(*calls: Call) -> list[Call]:
    """The calls, and the last of them with other strides."""
    *others, last = calls
    arranged = [transposed(t) if i % 2 else gapped(t) for i, t in enumerate(last)]
    return [*others, last, tuple(arranged)]


# Signals: pooling and convolution along the last dim.


def pool1d_arrangement(input, output, size, stride):
    windows = input.tile((1, 1, size), strides=(-1, -1, stride), floor_mode=True)
    windows.dtype = windows.dtype.squeeze((0, 1))
    rows = windows.ravel().flatten(end_dim=3)
    return rows.tile((BLOCK_SIZE, -1)).squeeze(1), output.flatten().tile((BLOCK_SIZE,))


def average(input, output):
    output = ntl.sum(input, axis=1) / input.shape[1]


def pool1d_arguments() -> list[Call]:
    return strided(
        (randn(2, 4, 19), nan(2, 4, 9)),
        (randn(2, 3, 23), nan(2, 3, 11)),
    )


def conv1d_arrangement(input, filter, output, padding):
    """A program has a block of positions of one channel; all filters' taps, of all channels."""
    _, channels, taps = filter.shape
    windows = input.pad(((0, 0), (0, 0), (padding, padding)))
    windows = windows.tile((1, channels, taps), strides=(-1, -1, 1), floor_mode=True).squeeze(1)
    windows.dtype = windows.dtype.squeeze(0)
    windows = windows.ravel().flatten(start_dim=2).tile((1, BLOCK_SIZE, -1))
    windows = windows.expand((-1, -1, filter.shape[0]))
    windows.dtype = windows.dtype.squeeze(0)

    filters = filter.flatten(start_dim=1)[None, None].tile((1, 1, 1, -1)).squeeze(3)
    filters = filters.expand((*windows.shape[:2], -1))
    filters.dtype = filters.dtype.squeeze((0, 1, 2))

    pixels = output.permute((0, 2, 1)).tile((1, BLOCK_SIZE, 1))
    pixels.dtype = pixels.dtype.squeeze((0, 2))
    return windows, filters, pixels


def conv1d(input, filter, output):
    output = ntl.sum(input * filter[None, :], axis=1)


def conv1d_arguments() -> list[Call]:
    return strided(
        (randn(1, 2, 16), randn(2, 2, 3), nan(1, 2, 16)),
        (randn(2, 3, 21), randn(4, 3, 3), nan(2, 4, 21)),
    )


def conv1d_reference(input, filter, output):
    x, w = input.double().numpy(), filter.double().numpy()
    x = np.pad(x, ((0, 0), (0, 0), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2], axis=2)
    return torch.from_numpy(np.einsum("nclt,kct->nkl", windows, w))


# Depthwise: each channel has a filter of its own.


def depthwise_arrangement(input, filter, output):
    height, width = filter.shape[1:]
    windows = input.tile((1, 1, height, width), strides=(-1, -1, 1, 1), floor_mode=True)
    windows.dtype = windows.dtype.squeeze((0, 1))
    windows = windows.ravel().flatten(start_dim=4).flatten(start_dim=2, end_dim=4)
    windows = windows.tile((1, 1, BLOCK_SIZE, -1)).squeeze(3)
    windows.dtype = windows.dtype.squeeze((0, 1))

    filters = filter.flatten(start_dim=1).tile((1, -1))[None]
    filters = filters.expand((windows.shape[0], -1, windows.shape[2]))
    filters.dtype = filters.dtype.squeeze(0)

    pixels = output.flatten(start_dim=2).tile((1, 1, BLOCK_SIZE))
    pixels.dtype = pixels.dtype.squeeze((0, 1))
    return windows, filters, pixels


def depthwise_arguments() -> list[Call]:
    return strided(
        (randn(1, 2, 6, 6), randn(2, 3, 3), nan(1, 2, 4, 4)),
        (randn(2, 3, 7, 5), randn(3, 3, 2), nan(2, 3, 5, 4)),
    )


def depthwise_reference(input, filter, output):
    return F.conv2d(input.double(), filter.double()[:, None], groups=input.shape[1])


# Upsampling: every pixel is the block of its program.


def upsample_arrangement(input, output, scale):
    pixels = input.tile((1, 1, 1, 8))
    pixels.dtype = pixels.dtype.squeeze((0, 1, 2))
    blocks = output.tile((1, 1, scale, 8 * scale))
    blocks.dtype = blocks.dtype.squeeze((0, 1))
    return pixels, blocks


def upsample(input, output):
    """Each number twice along both dims."""
    twice = ntl.interleave(input, input)
    output = ntl.broadcast_to(twice[None, :], output.shape)


def upsample_arguments() -> list[Call]:
    return strided(
        (randn(1, 2, 4, 8), nan(1, 2, 8, 16)),
        (randn(2, 2, 3, 5), nan(2, 2, 6, 10)),
    )


def upsample_reference(input, output):
    return torch.from_numpy(np.kron(input.numpy(), np.ones((1, 1, 2, 2))))


def upsample_any_arrangement(input, output):
    """By any factor: the tile is of the two tensors' sizes."""
    vertical = output.shape[2] // input.shape[2]
    horizontal = output.shape[3] // input.shape[3]
    return input.tile((1, 1, 1, 1)), output.tile((1, 1, vertical, horizontal))


def upsample_any_arguments() -> list[Call]:
    return strided(
        (randn(1, 2, 4, 4), nan(1, 2, 8, 8)),
        (randn(1, 2, 3, 2), nan(1, 2, 9, 10)),
    )


def upsample_any_reference(input, output):
    factors = [new // old for new, old in zip(output.shape, input.shape, strict=True)]
    return torch.from_numpy(np.kron(input.numpy(), np.ones(factors)))


# Pixel shuffle: (n, c r r, h, w) to (n, c, h r, w r), by strides alone.

RADIUS = 2


def shuffle_arrangement(input, output):
    r = RADIUS
    channels = input.tile((1, r * r, 1, 1))
    channels.dtype = channels.dtype.squeeze((0, 2, 3))
    pixels = output.tile((1, 1, r, r))
    pixels.dtype = pixels.dtype.flatten(start_dim=2).squeeze((0, 1))
    return channels, pixels


def shuffle_arguments() -> list[Call]:
    return strided(
        (randn(1, 8, 2, 4), nan(1, 2, 4, 8)),
        (randn(2, 4, 3, 5), nan(2, 1, 6, 10)),
    )


# Columns of windows in memory: im2col.


def im2col_arrangement(input, output, size, dilation):
    windows = input.tile(
        (1, -1, size, size),
        strides=(-1, -1, 1, 1),
        dilation=(1, 1, dilation, dilation),
        floor_mode=True,
    )
    windows.dtype = windows.dtype.squeeze(0)
    windows = windows.squeeze(1).ravel().flatten(start_dim=3).flatten(start_dim=1, end_dim=3)
    columns = output.permute((0, 2, 1))
    return tuple(tensor.tile((1, 4, BLOCK_SIZE)) for tensor in (windows, columns))


def im2col_arguments() -> list[Call]:
    return strided(
        (randn(1, 4, 6, 6), nan(1, 16, 16)),
        (randn(2, 3, 7, 5), nan(2, 12, 15)),
    )


def im2col_reference(input, output):
    return F.unfold(input.double(), 2, dilation=2)


# Transpose, flip and roll.


def transpose_arrangement(input, output):
    blocks = input.tile((16, BLOCK_SIZE)).permute((1, 0))
    blocks.dtype = blocks.dtype.permute((1, 0))
    return blocks, output.tile((BLOCK_SIZE, 16))


def transpose_arguments() -> list[Call]:
    return strided((randn(32, 16), nan(16, 32)), (randn(21, 37), nan(37, 21)))


def roll_arrangement(output, input, shift):
    return output.tile((BLOCK_SIZE,)), input, shift


def roll(output, input, shift):
    """The input is not arranged: it is indexed by what follows from the output's coordinates."""
    n = output.source.shape[0]
    place = output.offsets(0) + shift
    output = input[ntl.where(place < n, place, place - n)]


def roll_arguments() -> list[Call]:
    return [(nan(64), randn(64), 3), (gapped(nan(77)), gapped(randn(77)), 70)]


def flip_arrangement(input, output):
    return input[::-1, ::-1].tile((4, BLOCK_SIZE)), output.tile((4, BLOCK_SIZE))


def matrices() -> list[Call]:
    return strided((randn(4, 32), nan(4, 32)), (randn(3, 37), nan(3, 37)))


# Concatenation: each input has its part of the output, which the launch gives twice.


def concat_arrangement(first, second, output):
    size = first.shape[0]
    parts = (first, output[:size]), (second, output[size:])
    (a, a_out), (b, b_out) = ([t.tile((4, BLOCK_SIZE)) for t in part] for part in parts)
    return a, a_out, b, b_out


def concat(first, first_out, second, second_out):
    first_out = first
    second_out = second


def concat_arguments() -> list[Call]:
    def call(m: int, n: int) -> Call:
        output = nan(2 * m, n)
        return randn(m, n), output, randn(m, n) + 1, output

    return [call(4, 32), call(3, 37)]


def concat_reference(first, output, second, same):
    result = torch.cat([first, second]).double()
    return result, result


# A border that repeats the edge: coordinates are clamped, and read from the source.


def replicate_arrangement(input, output):
    blocks = output.tile((1, BLOCK_SIZE))
    blocks.dtype = blocks.dtype.squeeze(0)
    return input.tile((-1, -1)).expand(blocks.shape), blocks


def replicate(input, output):
    border = (output.source.shape[1] - input.source.shape[1]) // 2
    column = output.offsets(1) - border
    last = input.source.shape[1] - 1
    output = input.source[output.offsets(0), ntl.minimum(ntl.maximum(column, 0), last)]


def replicate_arguments() -> list[Call]:
    return strided((randn(4, 32), nan(4, 36)), (randn(3, 37), nan(3, 43)))


def replicate_reference(input, output):
    border = (output.shape[1] - input.shape[1]) // 2
    return torch.from_numpy(np.pad(input.numpy(), ((0, 0), (border, border)), mode="edge"))


# Global average pooling, and blending between two pixels.


def global_arrangement(input, output):
    planes = input.flatten(start_dim=2).tile((1, 1, -1)).squeeze(2)
    planes.dtype = planes.dtype.squeeze((0, 1))
    numbers = output.tile((1, 1))
    numbers.dtype = numbers.dtype.squeeze((0, 1))
    return planes, numbers


def global_average(input, output):
    output = ntl.sum(input) / input.shape[0]


def global_arguments() -> list[Call]:
    return strided((randn(2, 2, 4, 4), nan(2, 2)), (randn(2, 3, 5, 3), nan(2, 3)))


def resize_arrangement(input, output):
    blocks = output.tile((BLOCK_SIZE,))
    return input.tile((-1,)).expand(blocks.shape), blocks


def resize(input, output):
    """Linear between centers of pixels."""
    n = input.source.shape[0]
    place = (output.offsets(0) + 0.5) * n / output.source.shape[0] - 0.5
    place = ntl.clamp(place, 0.0, n - 1.0)
    left = ntl.floor(place)
    weight = place - left
    i = left.to(ntl.int32)
    right = ntl.minimum(i + 1, n - 1)
    output = input.source[i] * (1 - weight) + input.source[right] * weight


def resize_arguments() -> list[Call]:
    return strided((randn(16), nan(64)), (randn(21), nan(77)))


def resize_reference(input, output):
    resized = F.interpolate(input.double()[None, None], len(output), mode="linear")
    return resized[0, 0]


IDIOMS = (
    Idiom(
        "avg_pool1d",
        functools.partial(pool1d_arrangement, size=3, stride=2),
        average,
        pool1d_arguments,
        lambda input, output: F.avg_pool1d(input.double(), 3, 2),
        tensors=(Tensor(3, other=0), Tensor(3)),
    ),
    Idiom(
        "conv1d",
        functools.partial(conv1d_arrangement, padding=1),
        conv1d,
        conv1d_arguments,
        conv1d_reference,
        tensors=(Tensor(3, other=0), Tensor(3, other=0), Tensor(3)),
    ),
    Idiom(
        "depthwise_conv2d",
        depthwise_arrangement,
        conv1d,
        depthwise_arguments,
        depthwise_reference,
        tensors=(Tensor(4, other=0), Tensor(3, other=0), Tensor(4)),
    ),
    Idiom(
        "upsampling_by_two",
        functools.partial(upsample_arrangement, scale=2),
        upsample,
        upsample_arguments,
        upsample_reference,
    ),
    Idiom(
        "upsampling_by_the_sizes",
        upsample_any_arrangement,
        copy,
        upsample_any_arguments,
        upsample_any_reference,
    ),
    Idiom(
        "pixel_shuffle",
        shuffle_arrangement,
        copy,
        shuffle_arguments,
        lambda input, output: F.pixel_shuffle(input.double(), RADIUS),
    ),
    Idiom(
        "im2col",
        functools.partial(im2col_arrangement, size=2, dilation=2),
        copy,
        im2col_arguments,
        im2col_reference,
    ),
    Idiom(
        "transpose",
        transpose_arrangement,
        copy,
        transpose_arguments,
        lambda input, output: torch.from_numpy(input.numpy().T.copy()),
    ),
    Idiom(
        "flip_of_both_dims",
        flip_arrangement,
        copy,
        matrices,
        lambda input, output: torch.from_numpy(np.flip(input.numpy()).copy()),
    ),
    Idiom(
        "roll",
        roll_arrangement,
        roll,
        roll_arguments,
        lambda output, input, shift: torch.from_numpy(np.roll(input.numpy(), -shift)),
        tensors=(Tensor(1), Tensor(1), Tensor(0, dtype="i32")),
        outputs=(0,),
    ),
    Idiom(
        "concatenation",
        concat_arrangement,
        concat,
        concat_arguments,
        concat_reference,
        tensors=(Tensor(2), Tensor(2), Tensor(2)),
        outputs=(1, 3),
    ),
    Idiom(
        "a_border_that_repeats_the_edge",
        replicate_arrangement,
        replicate,
        replicate_arguments,
        replicate_reference,
    ),
    Idiom(
        "global_average_pooling",
        global_arrangement,
        global_average,
        global_arguments,
        lambda input, output: input.double().mean((2, 3)),
    ),
    Idiom(
        "linear_resize",
        resize_arrangement,
        resize,
        resize_arguments,
        resize_reference,
        data_dependent=True,
        tolerance=1e-4,
    ),
)
