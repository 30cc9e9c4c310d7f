"""Average pooling: the windows of examples/max_pool2d.py, summed and divided by their size.

input, padded, in windows        windows, one a row       output, one pixel a row
. . . . . .
. 0 1 2 3 .   (0) . . . 0        [ . . . 0 ]   sum / 4    [ 0    ]
. 4 5 6 7 .   (1) . . 1 2        [ . . 1 2 ]    ───▶      [ 0.75 ]     BLOCK_SIZE rows a program
. 8 9 a b .   (2) . . 3 .        [ . . 3 . ]              [ 0.75 ]
. . . . . .   …                  [ …       ]              [ …    ]

Elements of the padding (.) do not exist, and so they add nothing; whether they count in the size is
the caller's choice. What a window of ceil mode has beyond the padding never counts.
"""

import functools

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import max_pool2d as pool
from examples.checks import check_floats
from ninetoothed import Tensor


def length(index, size, window, stride, padding, count_include_pad):
    """Number of valid elements in the window at ``index``, along a dim of ``size`` elements."""
    start = index * stride - padding
    end = start + window

    if count_include_pad:
        return ntl.minimum(end, size + padding) - start

    return ntl.minimum(end, size) - ntl.maximum(start, 0)


@ninetoothed.factory
def make_kernel(kernel_size, stride, padding, ceil_mode, count_include_pad):
    """The kernel for windows of these sizes, pairs of height and width."""
    numbers = tuple(zip(kernel_size, stride, padding, strict=True))

    def application(windows, output):
        sizes = windows.source.shape
        height = length(output.offsets(2), sizes[2], *numbers[0], count_include_pad)
        width = length(output.offsets(3), sizes[3], *numbers[1], count_include_pad)

        total = ntl.sum(ntl.cast(windows, ntl.float32), axis=1)
        output = total / (height * width)

    return ninetoothed.make(
        functools.partial(
            pool.arrangement,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
        ),
        application,
        (Tensor(4), Tensor(4)),
        kernel_name="avg_pool2d_kernel",
    )


def avg_pool2d(
    input: torch.Tensor,
    kernel_size: int | tuple[int, int],
    stride: int | tuple[int, int] | None = None,
    padding: int | tuple[int, int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> torch.Tensor:
    """The mean of each window of images (n, c, h, w).

    ``kernel_size``, ``stride`` (by default the same) and ``padding`` are numbers or pairs. With
    ``ceil_mode`` there are windows at the ends that are not whole; with ``count_include_pad`` the
    padding counts as zeros.
    """
    check_floats(input=input)
    windows, output = pool.windows_of(input, kernel_size, stride, padding, ceil_mode)
    make_kernel(*windows, ceil_mode, count_include_pad)(input, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        avg_pool2d,
        torch.nn.functional.avg_pool2d,
        lambda draw, n, c, h, w: (draw(n, c, h, w), 3, 2, 1),
        small=(2, 8, 57, 57),
        large=(64, 64, 112, 112),
    )
