"""Matrix multiplication, and what is made of its parts: convolution, with a bias."""

from __future__ import annotations

import functools

import torch

from ninetoothed import Symbol, Tensor
from tests.support.idioms import matmul as mm
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed

BLOCK_SIZE_M = mm.BLOCK_SIZE_M
BLOCK_SIZE_N = mm.BLOCK_SIZE_N
BLOCK_SIZE_K = mm.BLOCK_SIZE_K


# mm.


def mm_arguments() -> list[Call]:
    return [
        (randn(64, 64), randn(64, 64), nan(64, 64)),
        (randn(33, 17), randn(17, 70), nan(33, 70)),
        (transposed(randn(65, 40)), gapped(randn(40, 31)), transposed(nan(65, 31))),
        (randn(1, 1), randn(1, 1), gapped(nan(1, 1))),
    ]


# addmm: the product's application writes the output, which is then read again.


def addmm_arrangement(input, mat1, mat2, beta, alpha, output):
    mat1, mat2, output = mm.arrangement(mat1, mat2, output)
    return input.tile((BLOCK_SIZE_M, BLOCK_SIZE_N)), mat1, mat2, beta, alpha, output


def addmm_application(input, mat1, mat2, beta, alpha, output):
    mm.application(mat1, mat2, output)
    output = beta * input + alpha * output


def addmm_arguments() -> list[Call]:
    bias = randn(70).expand(33, 70)
    return [
        (randn(64, 32), randn(64, 64), randn(64, 32), 1.0, 1.0, nan(64, 32)),
        (bias, randn(33, 17), randn(17, 70), 0.5, -2.0, nan(33, 70)),
        (gapped(randn(9, 5)), transposed(randn(9, 3)), randn(3, 5), 2, 3, gapped(nan(9, 5))),
    ]


def addmm_reference(input, mat1, mat2, beta, alpha, output):
    return torch.addmm(input.double(), mat1.double(), mat2.double(), beta=beta, alpha=alpha)


# bmm: one more dim, squeezed away below, so that mm's application runs as it is.


def bmm_arrangement(input, other, output):
    output_arranged = output.tile((1, BLOCK_SIZE_M, BLOCK_SIZE_N))
    output_arranged.dtype = output_arranged.dtype.squeeze(0)

    input_arranged = input.tile((1, BLOCK_SIZE_M, BLOCK_SIZE_K)).tile((1, 1, -1))
    input_arranged = input_arranged.expand((-1, -1, output_arranged.shape[-1]))
    input_arranged.dtype = input_arranged.dtype.squeeze((0, 1))
    input_arranged.dtype.dtype = input_arranged.dtype.dtype.squeeze(0)

    other_arranged = other.tile((1, BLOCK_SIZE_K, BLOCK_SIZE_N)).tile((1, -1, 1))
    other_arranged = other_arranged.expand((-1, output_arranged.shape[-2], -1))
    other_arranged.dtype = other_arranged.dtype.squeeze([0, 2])
    other_arranged.dtype.dtype = other_arranged.dtype.dtype.squeeze(0)

    return input_arranged, other_arranged, output_arranged


def bmm_arguments() -> list[Call]:
    return [
        (randn(2, 32, 32), randn(2, 32, 32), nan(2, 32, 32)),
        (randn(3, 17, 33), randn(3, 33, 20), nan(3, 17, 20)),
        (transposed(randn(2, 5, 40)), gapped(randn(2, 40, 35)), gapped(nan(2, 5, 35))),
    ]


def product(input, other, output):
    return input.double() @ other.double()


# conv2d: each window a row of a matrix that is never in memory.


def conv2d_arrangement(input, filter, output, stride=1, padding=0, dilation=1):
    padded = input.pad(((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = padded.tile(
        (1, *filter.shape[1:]),
        strides=(-1, -1, stride, stride),
        dilation=(1, 1, dilation, dilation),
        floor_mode=True,
    )
    windows = windows.squeeze(1)
    windows.dtype = windows.dtype.squeeze(0)
    rows = windows.ravel().flatten(end_dim=3).flatten(start_dim=1)

    columns = filter.flatten(start_dim=1).permute((1, 0))
    pixels = output.permute((0, 2, 3, 1)).flatten(end_dim=3)
    return mm.arrangement(rows, columns, pixels)


def conv2d_sizes(height: int, width: int, stride: int, padding: int, dilation: int):
    return tuple((size + 2 * padding - dilation * 2 - 1) // stride + 1 for size in (height, width))


def conv2d_call(n: int, c: int, h: int, w: int, k: int, **options: int) -> Call:
    """With a window of 3 × 3."""
    options = {"stride": 1, "padding": 0, "dilation": 1, **options}
    p, q = conv2d_sizes(h, w, **options)
    return randn(n, c, h, w), randn(k, c, 3, 3), nan(n, k, p, q)


def conv2d_calls(**options: int) -> list[Call]:
    input, filter, output = conv2d_call(2, 3, 11, 8, 5, **options)
    channels_last = torch.channels_last
    return [
        conv2d_call(1, 4, 8, 8, 16, **options),
        (input, filter, output),
        (
            input.contiguous(memory_format=channels_last),
            filter.contiguous(memory_format=channels_last),
            output.contiguous(memory_format=channels_last),
        ),
        (gapped(input), transposed(filter), gapped(output)),
    ]


def conv2d_reference(input, filter, output, **options: int) -> torch.Tensor:
    return torch.nn.functional.conv2d(input.double(), filter.double(), **options)


def conv2d(name: str, tensors: tuple[Tensor, ...] | None = None, **options: int) -> Idiom:
    """With plain numbers."""
    return Idiom(
        name,
        functools.partial(conv2d_arrangement, **options),
        mm.application,
        functools.partial(conv2d_calls, **options),
        functools.partial(conv2d_reference, **options),
        tensors=tensors,
    )


STRIDE = Symbol("STRIDE", constexpr=True)
PADDING = Symbol("PADDING", constexpr=True, lower_bound=0)
DILATION = Symbol("DILATION", constexpr=True)


def conv2d_of_symbols(stride: int, padding: int, dilation: int) -> Idiom:
    """With numbers that each call gives."""
    options = {"stride": stride, "padding": padding, "dilation": dilation}
    return Idiom(
        f"conv2d_of_symbols_{stride}_{padding}_{dilation}",
        functools.partial(conv2d_arrangement, stride=STRIDE, padding=PADDING, dilation=DILATION),
        mm.application,
        functools.partial(conv2d_calls, **options),
        functools.partial(conv2d_reference, **options),
        keywords={"STRIDE": stride, "PADDING": padding, "DILATION": dilation},
    )


# conv2d with a bias a channel.


def biased_arrangement(input, filter, bias, output):
    input_arranged, filter_arranged, output_arranged = conv2d_arrangement(input, filter, output)
    n, _, p, q = output.shape
    bias_arranged = bias[None, :, None, None].expand((n, -1, p, q))
    bias_arranged = bias_arranged.permute((0, 2, 3, 1)).flatten(end_dim=3)
    bias_arranged = bias_arranged.tile((BLOCK_SIZE_M, BLOCK_SIZE_N))
    return input_arranged, filter_arranged, bias_arranged, output_arranged


def biased_application(input, filter, bias, output):
    mm.application(input, filter, output)
    output += bias


def biased_arguments() -> list[Call]:
    return [
        (input, filter, gapped(randn(filter.shape[0])), output)
        for input, filter, output in conv2d_calls()
    ]


def biased_reference(input, filter, bias, output):
    return torch.nn.functional.conv2d(input.double(), filter.double(), bias.double())


IDIOMS = (
    Idiom("mm", mm.arrangement, mm.application, mm_arguments, product),
    Idiom("addmm", addmm_arrangement, addmm_application, addmm_arguments, addmm_reference),
    Idiom("bmm", bmm_arrangement, mm.application, bmm_arguments, product),
    conv2d("conv2d"),
    conv2d("conv2d_strided_padded_dilated", stride=2, padding=3, dilation=2),
    conv2d(
        "conv2d_of_constexpr_filters",
        (Tensor(4), Tensor(4, shape_options={"constexpr": True}), Tensor(4)),
        stride=2,
        padding=1,
    ),
    conv2d_of_symbols(1, 0, 1),
    conv2d_of_symbols(3, 2, 2),
    Idiom(
        "conv2d_with_bias",
        biased_arrangement,
        biased_application,
        biased_arguments,
        biased_reference,
    ),
)
