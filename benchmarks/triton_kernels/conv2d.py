"""Convolution as an implicit matrix product: output pixels × filters, over channels and taps.

The channels of a pixel, and those of a tap of a filter, are first brought together, as tensor
cores want them: a call copies images and filters, unless the images have this layout already.
Output pixels of all images are the rows of one matrix.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.matmul import configurations, even_k, grid, tile_of
from benchmarks.triton_kernels.max_pool2d import pair
from benchmarks.triton_kernels.tuning import tuned


@tuned(
    configurations(2),
    key=["M", "N", "K", "H", "W", "KERNEL_H", "KERNEL_W", "STRIDE_H", "STRIDE_W"],
)
@triton.heuristics({"EVEN_K": even_k})
@triton.jit
def _conv2d(
    input,
    weight,
    output,
    M,
    N,
    K,
    H,
    W,
    OUTPUT_W,
    OUTPUT_PIXELS,
    stride_image,
    stride_channel,
    stride_row,
    stride_column,
    KERNEL_H: tl.constexpr,
    KERNEL_W: tl.constexpr,
    STRIDE_H: tl.constexpr,
    STRIDE_W: tl.constexpr,
    PADDING_H: tl.constexpr,
    PADDING_W: tl.constexpr,
    DILATION_H: tl.constexpr,
    DILATION_W: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    EVEN_K: tl.constexpr,
):
    tile_m, tile_n = tile_of(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    image = (m // OUTPUT_PIXELS).to(tl.int64)
    pixel = m % OUTPUT_PIXELS
    top = pixel // OUTPUT_W * STRIDE_H - PADDING_H
    left = pixel % OUTPUT_W * STRIDE_W - PADDING_W

    # Pixels outside are masked; filters beyond the end are others again.
    corners = image * stride_image + top.to(tl.int64) * stride_row
    corners += left.to(tl.int64) * stride_column
    pixels = input + corners[:, None] + k.to(tl.int64)[None, :] * stride_channel
    taps = weight + (n % N).to(tl.int64)[None, :] * K + k[:, None]
    parts = tl.cdiv(K, BLOCK_K)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for step in range(0, KERNEL_H * KERNEL_W * parts):
        tap = step // parts
        channel = step % parts * BLOCK_K
        down = tap // KERNEL_W * DILATION_H
        right = tap % KERNEL_W * DILATION_W
        row = top + down
        column = left + right
        inside = (m < M) & (row >= 0) & (row < H) & (column >= 0) & (column < W)
        a_block = pixels + (
            down.to(tl.int64) * stride_row
            + right.to(tl.int64) * stride_column
            + channel.to(tl.int64) * stride_channel
        )
        b_block = taps + tap.to(tl.int64) * N * K + channel
        if EVEN_K:
            a_part = tl.load(a_block, inside[:, None], other=0.0)
            b_part = tl.load(b_block)
        else:
            within = k < K - channel
            a_part = tl.load(a_block, inside[:, None] & within[None, :], other=0.0)
            b_part = tl.load(b_block, within[:, None], other=0.0)
        accumulator = tl.dot(a_part, b_part, accumulator, input_precision="ieee")

    filters = output + image * N * OUTPUT_PIXELS + pixel
    pointers = filters[:, None] + n.to(tl.int64)[None, :] * OUTPUT_PIXELS
    tl.store(pointers, accumulator, (m < M)[:, None] & (n < N)[None, :])


def conv2d(
    input: torch.Tensor,
    weight: torch.Tensor,
    stride: int | tuple[int, int] = 1,
    padding: int | tuple[int, int] = 0,
    dilation: int | tuple[int, int] = 1,
) -> torch.Tensor:
    """The convolution of images (n, c, h, w) with filters (k, c, r, s)."""
    images, channels, *size = input.shape
    filters, _, *kernel = weight.shape
    stride, padding, dilation = pair(stride), pair(padding), pair(dilation)
    height, width = (
        (size[dim] + 2 * padding[dim] - dilation[dim] * (kernel[dim] - 1) - 1) // stride[dim] + 1
        for dim in (0, 1)
    )
    output = torch.empty((images, filters, height, width), dtype=input.dtype, device=input.device)
    input = input.contiguous(memory_format=torch.channels_last)
    _conv2d[grid](
        input,
        weight.permute(2, 3, 0, 1).contiguous(),
        output,
        images * height * width,
        filters,
        channels,
        *size,
        width,
        height * width,
        *input.stride(),
        *kernel,
        *stride,
        *padding,
        *dilation,
    )
    return output
