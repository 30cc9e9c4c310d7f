"""Rows of a table, gathered: a program a part of a row; backward, the rows are added up."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.tuning import tuned

_CONFIGS = [
    triton.Config({"BLOCK": block}, num_warps=warps)
    for block in (256, 512, 1024, 2048, 4096)
    for warps in (1, 2, 4, 8)
    if 128 <= block // warps <= 1024
]


@tuned(_CONFIGS, key=["TOKENS", "DIM"])
@triton.jit
def _embedding(
    index,
    weight,
    output,
    TOKENS,
    DIM,
    weight_stride_row,
    weight_stride_column,
    BLOCK: tl.constexpr,
):
    token = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(index + token).to(tl.int64)
    pointers = weight + row * weight_stride_row + column.to(tl.int64) * weight_stride_column
    tl.store(output + token * DIM + column, tl.load(pointers, column < DIM), column < DIM)


@tuned(_CONFIGS, key=["TOKENS", "DIM"], reset_to_zero=["weight_gradient"])
@triton.jit
def _embedding_backward(
    gradient,
    index,
    weight_gradient,
    TOKENS,
    DIM,
    gradient_stride_row,
    gradient_stride_column,
    BLOCK: tl.constexpr,
):
    token = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(index + token).to(tl.int64)
    pointers = gradient + token * gradient_stride_row + column.to(tl.int64) * gradient_stride_column
    part = tl.load(pointers, column < DIM, other=0.0).to(tl.float32)
    # No program waits for what another one adds.
    tl.atomic_add(weight_gradient + row * DIM + column, part, column < DIM, sem="relaxed")


def _grid(arguments: dict[str, Any]) -> tuple[int, int]:
    return (arguments["TOKENS"], triton.cdiv(arguments["DIM"], arguments["BLOCK"]))


class _Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, index: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        index = index.contiguous()
        rows, dim = weight.shape
        ctx.save_for_backward(index)
        ctx.rows, ctx.dtype = rows, weight.dtype
        output = torch.empty((*index.shape, dim), dtype=weight.dtype, device=weight.device)
        _embedding[_grid](index, weight, output, index.numel(), dim, *weight.stride())
        return output

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[None, torch.Tensor]:
        (index,) = ctx.saved_tensors
        gradient = gradient.flatten(0, -2)
        tokens, dim = gradient.shape
        # Summed in float32, whatever the weight is stored in, and rounded once.
        weight_gradient = torch.zeros((ctx.rows, dim), dtype=torch.float32, device=gradient.device)
        _embedding_backward[_grid](
            gradient, index, weight_gradient, tokens, dim, *gradient.stride()
        )
        return None, weight_gradient.to(ctx.dtype)


def embedding(index: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The rows ``weight[index]``, of an index of any shape; differentiable."""
    return _Embedding.apply(index, weight)
