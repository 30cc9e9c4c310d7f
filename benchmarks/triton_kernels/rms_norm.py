"""RMS norm of rows, alone or of a sum: a program a row; backward a few rows a program."""

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
def _rms_norm(
    input,
    residual,
    weight,
    output,
    sums,
    scales,
    columns,
    eps,
    input_stride,
    residual_stride,
    weight_stride,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    x = tl.load(input + row * input_stride + column, mask, other=0.0)
    if residual is not None:
        x += tl.load(residual + row * residual_stride + column, mask, other=0.0)
        tl.store(sums + row * columns + column, x, mask)
    x = x.to(tl.float32)
    w = tl.load(weight + column * weight_stride, mask).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / columns + eps)
    tl.store(scales + row, scale)
    tl.store(output + row * columns + column, x * scale * w, mask)


@tuned(CONFIGS, key=["rows", "columns"])
@triton.jit
def _rms_norm_backward(
    gradient,
    sums_gradient,
    input,
    weight,
    scales,
    output,
    partial,
    rows,
    columns,
    gradient_stride,
    sums_gradient_stride,
    input_stride,
    weight_stride,
    BLOCK: tl.constexpr,
    PROGRAMS: tl.constexpr,
    STAGES: tl.constexpr,
):
    program = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    w = tl.load(weight + column * weight_stride, mask, other=0.0).to(tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)

    for i in tl.range(program, rows, tl.num_programs(0), num_stages=STAGES):
        row = tl.cast(i, tl.int64)
        x = tl.load(input + row * input_stride + column, mask, other=0.0).to(tl.float32)
        g = tl.load(gradient + row * gradient_stride + column, mask, other=0.0).to(tl.float32)
        scale = tl.load(scales + row)
        normalized = x * scale
        weighted = g * w
        total += g * normalized
        mean = tl.sum(weighted * normalized, axis=0) / columns
        result = (weighted - normalized * mean) * scale
        if sums_gradient is not None:
            offset = row * sums_gradient_stride + column
            result += tl.load(sums_gradient + offset, mask, other=0.0).to(tl.float32)
        tl.store(output + row * columns + column, result, mask)

    tl.store(partial + program * columns + column, total, mask)


def _forward(
    input: torch.Tensor, residual: torch.Tensor | None, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, ...]:
    """The normalized rows, the sums (the input where there is no residual) and 1 / RMS."""
    rows, columns = input.shape
    output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    scales = torch.empty(rows, dtype=torch.float32, device=input.device)
    sums = input if residual is None else torch.empty_like(output)
    _rms_norm[(rows,)](
        input,
        residual,
        weight,
        output,
        sums,
        scales,
        columns,
        eps,
        input.stride(0),
        0 if residual is None else residual.stride(0),
        weight.stride(0),
        BLOCK=row_block(columns),
    )
    return output, sums, scales


def _backward(
    gradient: torch.Tensor,
    sums_gradient: torch.Tensor | None,
    input: torch.Tensor,
    weight: torch.Tensor,
    scales: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of what was normalized and of the weight."""
    rows, columns = input.shape
    output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    most = multiprocessors(input)
    partial = torch.empty(
        1, most * MOST_PROGRAMS, columns, dtype=torch.float32, device=input.device
    )
    programs = 0

    def grid(meta: dict[str, int]) -> tuple[int]:
        nonlocal programs
        programs = min(rows, most * meta["PROGRAMS"])
        return (programs,)

    gradient = side_by_side(gradient)
    if sums_gradient is not None:
        sums_gradient = side_by_side(sums_gradient)
    _rms_norm_backward[grid](
        gradient,
        sums_gradient,
        input,
        weight,
        scales,
        output,
        partial,
        rows,
        columns,
        gradient.stride(0),
        0 if sums_gradient is None else sums_gradient.stride(0),
        input.stride(0),
        weight.stride(0),
        BLOCK=row_block(columns),
    )
    return output, summed(partial, programs, weight.dtype)[0]


class _RMSNorm(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(ctx: Any, input: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
        input = side_by_side(input)
        output, _, scales = _forward(input, None, weight, eps)
        ctx.save_for_backward(input, weight, scales)
        return output

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        return *_backward(gradient, None, *ctx.saved_tensors), None


class _AddRMSNorm(torch.autograd.Function):
    """The kernels with a residual, as torch differentiates them."""

    @staticmethod
    def forward(
        ctx: Any, input: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        input, residual = side_by_side(input), side_by_side(residual)
        output, sums, scales = _forward(input, residual, weight, eps)
        ctx.save_for_backward(sums, weight, scales)
        return output, sums

    @staticmethod
    def backward(
        ctx: Any, gradient: torch.Tensor, sums_gradient: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None]:
        both, weight = _backward(gradient, sums_gradient, *ctx.saved_tensors)
        return both, both, weight, None


def rms_norm(input: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """Each row of a matrix over the root of the mean of its squares; differentiable."""
    return _RMSNorm.apply(input, weight, eps)


def add_rms_norm(
    input: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor]:
    """The RMS norm of ``input + residual``, and the sum; differentiable."""
    return _AddRMSNorm.apply(input, residual, weight, eps)
