"""Depthwise convolution: each channel of an image has one filter of its own.

channel 0, in windows        windows, one a row        output, one pixel a row
  0 1 2   (0) 0 1 3 4        [ 0 1 3 4 ]   × [ w ]     [ 0w + 1x + 3y + 4z ]   BLOCK_SIZE rows
  3 4 5   (1) 1 2 4 5        [ 1 2 4 5 ]     [ x ]     [ …                 ]   of one channel
  6 7 8   …                  [ …       ]     [ y ]     [ …                 ]   a program
                                             [ z ]

A filter's few numbers are multiplied lane by lane: unlike in examples/conv2d.py, there is no
product of matrices, as no two channels are added up.
"""

import functools

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.causal_conv1d import BLOCK_SIZE, blocks, of_channel
from examples.checks import check_floats
from examples.conv2d import output_sizes
from examples.max_pool2d import pair
from ninetoothed import Tensor


def arrangement(input, weight, output, stride, padding, dilation):
    top, left = padding
    windows = input.pad(((0, 0), (0, 0), (top, top), (left, left))).tile(
        (1, 1, *weight.shape[2:]),
        strides=(-1, -1, *stride),
        dilation=(1, 1, *dilation),
        floor_mode=True,
    )
    windows.dtype = windows.dtype.squeeze((0, 1))
    rows = windows.ravel().flatten(start_dim=4).flatten(start_dim=2, end_dim=4)
    windows_arranged = rows.tile((1, 1, BLOCK_SIZE, -1)).squeeze(3)
    windows_arranged.dtype = windows_arranged.dtype.squeeze((0, 1))
    output_arranged = blocks(output.flatten(start_dim=2))
    weight_arranged = of_channel(weight.squeeze(1).flatten(start_dim=1), output_arranged)
    return windows_arranged, weight_arranged, output_arranged


def application(windows, weight, output):
    output = ntl.sum(ntl.cast(windows, ntl.float32) * weight[None, :], axis=1)


@ninetoothed.factory
def make_kernel(stride, padding, dilation):
    """The kernel for these numbers, pairs of height and width."""
    constexpr = {"constexpr": True}
    weight = Tensor(4, shape_options=(None, None, constexpr, constexpr))

    return ninetoothed.make(
        functools.partial(arrangement, stride=stride, padding=padding, dilation=dilation),
        application,
        (Tensor(4), weight, Tensor(4)),
        kernel_name="depthwise_conv2d_kernel",
    )


def depthwise_conv2d(
    input: torch.Tensor,
    weight: torch.Tensor,
    stride: int | tuple[int, int] = 1,
    padding: int | tuple[int, int] = 0,
    dilation: int | tuple[int, int] = 1,
) -> torch.Tensor:
    """The convolution of each channel of images (n, c, h, w) with its filter (c, 1, r, s).

    ``stride``, ``padding`` and ``dilation`` are numbers or pairs of height and width.
    """
    check_floats(one_dtype=True, input=input, weight=weight)
    images, filters = input.shape, weight.shape
    if len(images) != 4 or len(filters) != 4 or filters[:2] != (images[1], 1):
        raise ValueError(
            f"the shapes of the input and the weight, {tuple(images)} and "
            f"{tuple(filters)}, must be (n, c, h, w) and (c, 1, r, s)"
        )
    stride, padding, dilation = pair(stride), pair(padding), pair(dilation)
    sizes = output_sizes(images[2:], filters[2:], stride, padding, dilation)
    output = input.new_empty(*images[:2], *sizes)
    make_kernel(stride, padding, dilation)(input, weight, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        depthwise_conv2d,
        lambda input, weight, stride, padding: torch.nn.functional.conv2d(
            input, weight, None, stride, padding, groups=input.shape[1]
        ),
        lambda draw, n, c, h, w: (draw(n, c, h, w), draw(c, 1, 3, 3), 1, 1),
        small=(2, 8, 29, 27),
        large=(32, 256, 112, 112),
    )
