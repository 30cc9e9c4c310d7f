"""Layer norm of rows: a program a row; backward a few rows a program."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.partial_sums import (
    CONFIGS,
    MOST_PROGRAMS,
    multiprocessors,
    summed,
)
from benchmarks.triton_kernels.rows import WHOLE, row_block, side_by_side
from benchmarks.triton_kernels.tuning import tuned


@tuned(WHOLE, key=["columns"])
@triton.jit
def _layer_norm(
    input,
    weight,
    bias,
    output,
    means,
    scales,
    columns,
    eps,
    input_stride,
    weight_stride,
    bias_stride,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    x = tl.load(input + row * input_stride + column, mask, other=0.0).to(tl.float32)
    w = tl.load(weight + column * weight_stride, mask).to(tl.float32)
    b = tl.load(bias + column * bias_stride, mask).to(tl.float32)
    mean = tl.sum(x, axis=0) / columns
    centered = tl.where(mask, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centered * centered, axis=0) / columns + eps)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)
    tl.store(output + row * columns + column, centered * scale * w + b, mask)


@tuned(CONFIGS, key=["rows", "columns"])
@triton.jit
def _layer_norm_backward(
    gradient,
    input,
    weight,
    means,
    scales,
    output,
    partial,
    rows,
    columns,
    gradient_stride,
    input_stride,
    weight_stride,
    partial_stride,
    BLOCK: tl.constexpr,
    PROGRAMS: tl.constexpr,
    STAGES: tl.constexpr,
):
    program = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    w = tl.load(weight + column * weight_stride, mask, other=0.0).to(tl.float32)
    weight_total = tl.zeros((BLOCK,), tl.float32)
    bias_total = tl.zeros((BLOCK,), tl.float32)

    for i in tl.range(program, rows, tl.num_programs(0), num_stages=STAGES):
        row = tl.cast(i, tl.int64)
        x = tl.load(input + row * input_stride + column, mask, other=0.0).to(tl.float32)
        # Behind the row's end this is 0, and so is what is summed.
        g = tl.load(gradient + row * gradient_stride + column, mask, other=0.0).to(tl.float32)
        mean = tl.load(means + row)
        scale = tl.load(scales + row)
        normalized = (x - mean) * scale
        weighted = g * w
        weight_total += g * normalized
        bias_total += g
        along = tl.sum(weighted * normalized, axis=0) / columns
        shift = tl.sum(weighted, axis=0) / columns
        result = (weighted - normalized * along - shift) * scale
        tl.store(output + row * columns + column, result, mask)

    partial += program * columns + column
    tl.store(partial, weight_total, mask)
    tl.store(partial + partial_stride, bias_total, mask)


class _LayerNorm(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(
        ctx: Any, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
    ) -> torch.Tensor:
        input = side_by_side(input)
        rows, columns = input.shape
        output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
        means = torch.empty(rows, dtype=torch.float32, device=input.device)
        scales = torch.empty_like(means)
        _layer_norm[(rows,)](
            input,
            weight,
            bias,
            output,
            means,
            scales,
            columns,
            eps,
            input.stride(0),
            weight.stride(0),
            bias.stride(0),
            BLOCK=row_block(columns),
        )
        ctx.save_for_backward(input, weight, means, scales)
        return output

    @staticmethod
    def backward(
        ctx: Any, gradient: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None]:
        input, weight, means, scales = ctx.saved_tensors
        gradient = side_by_side(gradient)
        rows, columns = input.shape
        output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
        most = multiprocessors(input)
        partial = torch.empty(
            2, most * MOST_PROGRAMS, columns, dtype=torch.float32, device=input.device
        )
        programs = 0

        def grid(meta: dict[str, int]) -> tuple[int]:
            nonlocal programs
            programs = min(rows, most * meta["PROGRAMS"])
            return (programs,)

        _layer_norm_backward[grid](
            gradient,
            input,
            weight,
            means,
            scales,
            output,
            partial,
            rows,
            columns,
            gradient.stride(0),
            input.stride(0),
            weight.stride(0),
            partial.stride(0),
            BLOCK=row_block(columns),
        )
        return output, *summed(partial, programs, weight.dtype), None


def layer_norm(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """Each row of a matrix, less its mean and over its deviation; differentiable."""
    return _LayerNorm.apply(input, weight, bias, eps)
