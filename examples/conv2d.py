"""Convolution as one matrix multiplication: each window of the input is a row of a matrix.

input, in windows         windows, one a row (npq, crs)     weight, one filter a column (crs, k)
  0 1 2 3   (0) 0 1 4 5   [ 0 1 4 5 ]                        [ w … ]
  4 5 6 7   (1) 1 2 5 6   [ 1 2 5 6 ]        ×               [ x … ]
  8 9 a b   (2) 2 3 6 7   [ 2 3 6 7 ]                        [ y … ]
            …             [ …       ]                        [ z … ]

                          output, one pixel a row (npq, k)
                          [ 0w + 1x + 4y + 5z  … ]
                          [ …                    ]

No matrix of windows is ever in memory: the arrangement is a view of the input. What comes out of it
is three matrices, and the arrangement and application of examples/matmul.py do the rest.
"""

import functools

import torch

import ninetoothed
from examples import matmul as mm
from examples.checks import check_floats
from examples.max_pool2d import pair
from ninetoothed import Tensor


def arrangement(input, weight, output, stride, padding, dilation):
    top, left = padding
    padded = input.pad(((0, 0), (0, 0), (top, top), (left, left)))

    windows = padded.tile(
        (1, *weight.shape[1:]),
        strides=(-1, -1, *stride),
        dilation=(1, 1, *dilation),
        floor_mode=True,
    )
    # All channels are in one window: (n, 1, p, q) windows of (1, c, r, s).
    windows = windows.squeeze(1)
    windows.dtype = windows.dtype.squeeze(0)
    windows_flattened = windows.ravel().flatten(end_dim=3).flatten(start_dim=1)

    weight_flattened = weight.flatten(start_dim=1).permute((1, 0))
    output_flattened = output.permute((0, 2, 3, 1)).flatten(end_dim=3)

    return mm.arrangement(windows_flattened, weight_flattened, output_flattened)


@ninetoothed.factory
def make_kernel(stride, padding, dilation):
    """The kernel for these numbers, pairs of height and width."""
    # A kernel for each size of filters: an index is divided by it for every element.
    constexpr = {"constexpr": True}
    weight = Tensor(4, shape_options=(None, None, constexpr, constexpr))

    return ninetoothed.make(
        functools.partial(arrangement, stride=stride, padding=padding, dilation=dilation),
        mm.application,
        (Tensor(4), weight, Tensor(4)),
        kernel_name="conv2d_kernel",
    )


def output_size(size: int, window: int, stride: int, padding: int, dilation: int) -> int:
    """Number of windows along a dim of ``size`` elements."""
    if stride < 1 or dilation < 1 or padding < 0:
        raise ValueError(
            "stride and dilation must be 1 or more and padding 0 or more; they are "
            f"{stride}, {dilation} and {padding}"
        )
    reach = dilation * (window - 1) + 1
    if reach > size + 2 * padding:
        raise ValueError(
            f"a filter that reaches over {reach} elements does not fit into {size} elements "
            f"with a padding of {padding}"
        )
    return (size + 2 * padding - reach) // stride + 1


def output_sizes(sizes, windows, stride, padding, dilation):
    """Numbers of windows of images of these sizes."""
    numbers = zip(sizes, windows, stride, padding, dilation, strict=True)
    return tuple(output_size(*along) for along in numbers)


def conv2d(
    input: torch.Tensor,
    weight: torch.Tensor,
    stride: int | tuple[int, int] = 1,
    padding: int | tuple[int, int] = 0,
    dilation: int | tuple[int, int] = 1,
) -> torch.Tensor:
    """The convolution of images (n, c, h, w) with filters (k, c, r, s): (n, k, p, q).

    ``stride``, ``padding`` and ``dilation`` are numbers or pairs of height and width.
    """
    check_floats(one_dtype=True, input=input, weight=weight)
    images, filters = input.shape, weight.shape
    if len(images) != 4 or len(filters) != 4 or images[1] != filters[1]:
        raise ValueError(
            f"the shapes of the input and the weight, {tuple(images)} and "
            f"{tuple(filters)}, must be (n, c, h, w) and (k, c, r, s)"
        )
    stride, padding, dilation = pair(stride), pair(padding), pair(dilation)
    sizes = output_sizes(images[2:], filters[2:], stride, padding, dilation)
    output = input.new_empty(images[0], filters[0], *sizes)
    make_kernel(stride, padding, dilation)(input, weight, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        conv2d,
        lambda input, weight, stride, padding: torch.nn.functional.conv2d(
            input, weight, None, stride, padding
        ),
        lambda draw, n, c, h, w, k: (draw(n, c, h, w), draw(k, c, 3, 3), 1, 1),
        small=(2, 16, 28, 28, 32),
        large=(32, 256, 56, 56, 256),
    )
