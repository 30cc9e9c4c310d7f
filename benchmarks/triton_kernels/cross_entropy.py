"""Mean cross entropy of rows: forward a program a row, in blocks; backward a program a block."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.elementwise import CONFIGS, place
from benchmarks.triton_kernels.rows import LOOPS, fitting, side_by_side
from benchmarks.triton_kernels.tuning import tuned


@tuned(LOOPS, key=["columns"], prune_configs_by={"early_config_prune": fitting})
@triton.jit
def _losses(
    input,
    target,
    losses,
    logsumexps,
    columns,
    input_stride,
    target_stride,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    input += row * input_stride
    lane = tl.arange(0, BLOCK)

    # The smallest number, not -inf: blocks of nothing but -inf add exp(-inf - largest) = 0.
    largest = -3.4028234663852886e38
    total = tl.zeros((BLOCK,), tl.float32)
    for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
        column = start + lane
        x = tl.load(input + column, column < columns, other=float("-inf")).to(tl.float32)
        larger = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(largest - larger) + tl.exp(x - larger)
        largest = larger

    logsumexp = largest + tl.log(tl.sum(total, axis=0))
    chosen = tl.load(input + tl.load(target + row * target_stride)).to(tl.float32)
    tl.store(logsumexps + row, logsumexp)
    tl.store(losses + row, logsumexp - chosen)


@tuned(CONFIGS, key=["columns"])
@triton.jit
def _gradients(
    gradient,
    input,
    target,
    logsumexps,
    output,
    rows,
    columns,
    input_stride,
    target_stride,
    BLOCK: tl.constexpr,
):
    row, start = place(columns, BLOCK)
    column = start + tl.arange(0, BLOCK)
    mask = column < columns
    scale = tl.load(gradient).to(tl.float32) / rows
    x = tl.load(input + row * input_stride + column, mask).to(tl.float32)
    probability = tl.exp(x - tl.load(logsumexps + row))
    chosen = column == tl.load(target + row * target_stride)
    tl.store(
        output + row * columns + column,
        tl.where(chosen, probability - 1, probability) * scale,
        mask,
    )


class _CrossEntropy(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(ctx: Any, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        input = side_by_side(input)
        rows, columns = input.shape
        losses = torch.empty(rows, dtype=torch.float32, device=input.device)
        logsumexps = torch.empty_like(losses)
        _losses[(rows,)](
            input, target, losses, logsumexps, columns, input.stride(0), target.stride(0)
        )
        ctx.save_for_backward(input, target, logsumexps)
        return losses.mean().to(input.dtype)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        input, target, logsumexps = ctx.saved_tensors
        rows, columns = input.shape
        output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
        _gradients[lambda meta: (rows * triton.cdiv(columns, meta["BLOCK"]),)](
            gradient,
            input,
            target,
            logsumexps,
            output,
            rows,
            columns,
            input.stride(0),
            target.stride(0),
        )
        return output, None


def cross_entropy(input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The mean cross entropy of (rows, classes) and the rows' classes; differentiable."""
    return _CrossEntropy.apply(input, target)
