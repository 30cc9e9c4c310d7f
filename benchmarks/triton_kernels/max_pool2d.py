"""The largest value of each window: a program a run of outputs, of all planes together."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.tuning import tuned

CONFIGS = [
    triton.Config({"BLOCK": block}, num_warps=warps)
    for block in (64, 128, 256, 512, 1024, 2048)
    for warps in (1, 2, 4, 8)
    if 32 <= block // warps <= 512
]
"""What is tried for both kinds of pooling."""
KEY = ("OUTPUTS", "H", "W", "KERNEL_H", "KERNEL_W", "STRIDE_H", "STRIDE_W")


@triton.jit
def outputs_of(
    program,
    OUTPUTS,
    CHANNELS,
    OUTPUT_W,
    OUTPUT_PIXELS,
    stride_image,
    stride_channel,
    BLOCK: tl.constexpr,
):
    """A program's outputs, which of them exist, their planes of the input, and their rows and
    columns.
    """
    first = program.to(tl.int64) * BLOCK
    lane = tl.arange(0, BLOCK)
    # Only the program's first output is found in 64 bits.
    within = (first % OUTPUT_PIXELS).to(tl.int32) + lane
    plane = (first // OUTPUT_PIXELS).to(tl.int32) + within // OUTPUT_PIXELS
    pixel = within % OUTPUT_PIXELS
    begin = (plane // CHANNELS).to(tl.int64) * stride_image + (plane % CHANNELS).to(
        tl.int64
    ) * stride_channel
    return first + lane, first + lane < OUTPUTS, begin, pixel // OUTPUT_W, pixel % OUTPUT_W


@tuned(CONFIGS, key=KEY)
@triton.jit
def _max_pool2d(
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
    largest = tl.full((BLOCK,), float("-inf"), tl.float32)
    for i in tl.static_range(KERNEL_H):
        row = top + i
        for j in tl.static_range(KERNEL_W):
            column = left + j
            inside = exists & (row >= 0) & (row < H) & (column >= 0) & (column < W)
            pointers = corner + (i * stride_row + j * stride_column)
            value = tl.load(pointers, inside, other=float("-inf")).to(tl.float32)
            largest = tl.maximum(largest, value, propagate_nan=tl.PropagateNan.ALL)
    tl.store(output + place, largest, exists)


def pair(value: int | tuple[int, int]) -> tuple[int, int]:
    """A number of rows and one of columns, where one number stands for both."""
    return (value, value) if isinstance(value, int) else tuple(value)


def output_size(size: int, kernel: int, stride: int, padding: int, ceil_mode: bool) -> int:
    """How many windows there are along a dim, as torch counts them."""
    spare = size + 2 * padding - kernel
    if not ceil_mode:
        return spare // stride + 1
    windows = -(-spare // stride) + 1
    # A window begins inside, or in the padding before.
    return windows - ((windows - 1) * stride >= size + padding)


def grid(arguments: dict[str, Any]) -> tuple[int]:
    """A program a block of outputs."""
    return (triton.cdiv(arguments["OUTPUTS"], arguments["BLOCK"]),)


def max_pool2d(
    input: torch.Tensor,
    kernel_size: int | tuple[int, int],
    stride: int | tuple[int, int] | None = None,
    padding: int | tuple[int, int] = 0,
    ceil_mode: bool = False,
) -> torch.Tensor:
    """The largest value of each window of images (n, c, h, w)."""
    kernel, padding = pair(kernel_size), pair(padding)
    stride = kernel if stride is None else pair(stride)
    images, channels, *size = input.shape
    height, width = (
        output_size(size[dim], kernel[dim], stride[dim], padding[dim], ceil_mode) for dim in (0, 1)
    )
    output = torch.empty((images, channels, height, width), dtype=input.dtype, device=input.device)
    _max_pool2d[grid](
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
    )
    return output
