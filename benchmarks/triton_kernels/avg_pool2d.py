"""The mean of each window: a program a run of outputs, of all planes together."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.max_pool2d import (
    CONFIGS,
    KEY,
    grid,
    output_size,
    outputs_of,
    pair,
)
from benchmarks.triton_kernels.tuning import tuned


@tuned(CONFIGS, key=KEY)
@triton.jit
def _avg_pool2d(
    input,
    output,
    OUTPUTS,
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
    STRIDE_H: tl.constexpr,
    STRIDE_W: tl.constexpr,
    PADDING_H: tl.constexpr,
    PADDING_W: tl.constexpr,
    COUNT_INCLUDE_PAD: tl.constexpr,
    BLOCK: tl.constexpr,
):
    place, exists, begin, output_row, output_column = outputs_of(
        tl.program_id(0),
        OUTPUTS,
        CHANNELS,
        OUTPUT_W,
        OUTPUT_PIXELS,
        stride_image,
        stride_channel,
        BLOCK,
    )
    top = output_row * STRIDE_H - PADDING_H
    left = output_column * STRIDE_W - PADDING_W
    corner = input + begin + top.to(tl.int64) * stride_row + left.to(tl.int64) * stride_column
    total = tl.zeros((BLOCK,), tl.float32)
    for i in tl.static_range(KERNEL_H):
        row = top + i
        for j in tl.static_range(KERNEL_W):
            column = left + j
            inside = exists & (row >= 0) & (row < H) & (column >= 0) & (column < W)
            pointers = corner + (i * stride_row + j * stride_column)
            total += tl.load(pointers, inside, other=0.0).to(tl.float32)
    if COUNT_INCLUDE_PAD:
        # What ceil_mode lets a window reach beyond the padding does not count.
        rows = tl.minimum(top + KERNEL_H, H + PADDING_H) - top
        columns = tl.minimum(left + KERNEL_W, W + PADDING_W) - left
    else:
        rows = tl.minimum(top + KERNEL_H, H) - tl.maximum(top, 0)
        columns = tl.minimum(left + KERNEL_W, W) - tl.maximum(left, 0)
    tl.store(output + place, total / (rows * columns).to(tl.float32), exists)


def avg_pool2d(
    input: torch.Tensor,
    kernel_size: int | tuple[int, int],
    stride: int | tuple[int, int] | None = None,
    padding: int | tuple[int, int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> torch.Tensor:
    """The mean of each window of images (n, c, h, w)."""
    kernel, padding = pair(kernel_size), pair(padding)
    stride = kernel if stride is None else pair(stride)
    images, channels, *size = input.shape
    height, width = (
        output_size(size[dim], kernel[dim], stride[dim], padding[dim], ceil_mode) for dim in (0, 1)
    )
    output = torch.empty((images, channels, height, width), dtype=input.dtype, device=input.device)
    _avg_pool2d[grid](
        input,
        output,
        output.numel(),
        channels,
        *size,
        width,
        height * width,
        *input.stride(),
        *kernel,
        *stride,
        *padding,
        count_include_pad,
    )
    return output
