"""A filter for each channel: a program a run of outputs of one plane."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.max_pool2d import CONFIGS
from benchmarks.triton_kernels.tuning import tuned


@tuned(CONFIGS, key=["OUTPUT_PIXELS", "H", "W", "KERNEL_H", "KERNEL_W", "STRIDE"])
@triton.jit
def _depthwise_conv2d(
    input,
    weight,
    output,
    CHANNELS,
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
    STRIDE: tl.constexpr,
    PADDING: tl.constexpr,
    BLOCK: tl.constexpr,
):
    plane = tl.program_id(1)
    channel = plane % CHANNELS
    pixel = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    exists = pixel < OUTPUT_PIXELS
    top = pixel // OUTPUT_W * STRIDE - PADDING
    left = pixel % OUTPUT_W * STRIDE - PADDING
    begin = input + (plane // CHANNELS).to(tl.int64) * stride_image
    corner = begin + channel.to(tl.int64) * stride_channel + top * stride_row + left * stride_column
    numbers = weight + channel * (KERNEL_H * KERNEL_W)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in tl.static_range(KERNEL_H):
        row = top + i
        for j in tl.static_range(KERNEL_W):
            column = left + j
            inside = exists & (row >= 0) & (row < H) & (column >= 0) & (column < W)
            values = tl.load(corner + (i * stride_row + j * stride_column), inside, other=0.0)
            total += values.to(tl.float32) * tl.load(numbers + (i * KERNEL_W + j)).to(tl.float32)
    tl.store(output + plane.to(tl.int64) * OUTPUT_PIXELS + pixel, total, exists)


def depthwise_conv2d(
    input: torch.Tensor, weight: torch.Tensor, stride: int, padding: int
) -> torch.Tensor:
    """The convolution of each channel of images with its filter (c, 1, r, s)."""
    images, channels, height, width = input.shape
    kernel = weight.shape[2:]
    rows, columns = (
        (size + 2 * padding - window) // stride + 1
        for size, window in zip((height, width), kernel, strict=True)
    )
    weight = weight.contiguous()
    output = torch.empty(images, channels, rows, columns, dtype=input.dtype, device=input.device)
    pixels = rows * columns
    _depthwise_conv2d[lambda meta: (triton.cdiv(pixels, meta["BLOCK"]), images * channels)](
        input,
        weight,
        output,
        channels,
        height,
        width,
        columns,
        pixels,
        *input.stride(),
        *kernel,
        stride,
        padding,
    )
    return output
