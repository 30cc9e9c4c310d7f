"""Max pooling: each program computes some pixels of the output, each from one window.

input, padded, in windows        windows, one a row       output, one pixel a row
. . . . . .
. 0 1 2 3 .   (0) . . . 0        [ . . . 0 ]    max       [ 0 ]
. 4 5 6 7 .   (1) . . 1 2        [ . . 1 2 ]    ───▶      [ 2 ]     BLOCK_SIZE rows a program
. 8 9 a b .   (2) . . 3 .        [ . . 3 . ]              [ 3 ]
. . . . . .   …                  [ …       ]              [ … ]

Elements of the padding (.) do not exist, and so they are in no maximum.
"""

import functools

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_no_gradients
from ninetoothed import Tensor, block_size

BLOCK_SIZE = block_size()


def arrangement(input, output, kernel_size, stride, padding, ceil_mode):
    top, left = padding
    padded = input.pad(((0, 0), (0, 0), (top, top), (left, left)))

    # In ceil mode the last windows may reach beyond the padding, but they do not start there.
    windows = padded.tile((1, 1, *kernel_size), strides=(-1, -1, *stride), floor_mode=not ceil_mode)
    windows = windows[:, :, : output.shape[2], : output.shape[3]]
    rows = windows.ravel().flatten(end_dim=4).flatten(start_dim=1)

    return rows.tile((BLOCK_SIZE, -1)).squeeze(1), output.flatten().tile((BLOCK_SIZE,))


def larger(lhs, rhs):
    return ntl.maximum(lhs, rhs, propagate_nan=ntl.PropagateNan.ALL)


def application(windows, output):
    output = ntl.reduce(windows, 1, larger)


@ninetoothed.factory
def make_kernel(kernel_size, stride, padding, ceil_mode):
    """The kernel for windows of these sizes, pairs of height and width."""
    return ninetoothed.make(
        functools.partial(
            arrangement,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
        ),
        application,
        (Tensor(4), Tensor(4)),
        kernel_name="max_pool2d_kernel",
    )


def pair(value: int | tuple[int, int]) -> tuple[int, int]:
    """A height and a width; of one number, both of it."""
    height, width = (value, value) if isinstance(value, int) else value
    return height, width


def windows_of(input, kernel_size, stride, padding, ceil_mode):
    """The size, stride and padding of the windows, as pairs, and an output with room for them."""
    check_no_gradients(input=input)
    shape = input.shape
    if len(shape) != 4 or not input.is_floating_point():
        raise ValueError(
            "the input must have shape (n, c, h, w) and hold floating-point numbers; "
            f"it has shape {tuple(shape)} and holds {input.dtype}"
        )
    kernel_size, padding = pair(kernel_size), pair(padding)
    windows = kernel_size, kernel_size if stride is None else pair(stride), padding
    return windows, input.new_empty(*shape[:2], *counts_of_windows(shape[2:], *windows, ceil_mode))


def counts_of_windows(sizes, kernel_size, stride, padding, ceil_mode):
    """Numbers of windows of images of these sizes."""
    numbers = zip(sizes, kernel_size, stride, padding, strict=True)
    return tuple(count_of_windows(*along, ceil_mode) for along in numbers)


def count_of_windows(size: int, window: int, stride: int, padding: int, ceil_mode: bool) -> int:
    """Number of windows along a dim of ``size`` elements."""
    if window < 1 or stride < 1:
        raise ValueError(f"kernel_size and stride must be 1 or more, not {window} and {stride}")
    if not 0 <= 2 * padding <= window:
        raise ValueError(f"padding must be 0 to {window // 2}, half of kernel_size, not {padding}")
    steps = size + 2 * padding - window
    count = (-(-steps // stride) if ceil_mode else steps // stride) + 1
    # A last window that starts in the padding, or beyond it, is left out.
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    if count < 1:
        raise ValueError(f"a window of {window} does not fit into {size} elements with the padding")
    return count


def max_pool2d(
    input: torch.Tensor,
    kernel_size: int | tuple[int, int],
    stride: int | tuple[int, int] | None = None,
    padding: int | tuple[int, int] = 0,
    ceil_mode: bool = False,
) -> torch.Tensor:
    """The largest element of each window of images (n, c, h, w); NaN where the window has one.

    ``kernel_size``, ``stride`` (by default the same) and ``padding`` are numbers or pairs. With
    ``ceil_mode`` there are windows at the ends that are not whole.
    """
    windows, output = windows_of(input, kernel_size, stride, padding, ceil_mode)
    make_kernel(*windows, ceil_mode)(input, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        max_pool2d,
        torch.nn.functional.max_pool2d,
        lambda draw, n, c, h, w: (draw(n, c, h, w), 3, 2, 1),
        small=(2, 8, 57, 57),
        large=(64, 64, 112, 112),
    )
