"""SwiGLU and its gradients: a program a block."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.elementwise import CONFIGS, as_rows, block_of, load
from benchmarks.triton_kernels.tuning import tuned


@tuned(CONFIGS, key=["columns", "gate_row"])
@triton.jit
def _swiglu(
    output,
    columns,
    gate,
    gate_row,
    gate_column,
    up,
    up_row,
    up_column,
    BLOCK: tl.constexpr,
):
    row, column, mask = block_of(columns, BLOCK)
    x = load(gate, gate_row, gate_column, row, column, mask).to(tl.float32)
    y = load(up, up_row, up_column, row, column, mask).to(tl.float32)
    tl.store(output + row * columns + column, x * tl.sigmoid(x) * y, mask)


@tuned(CONFIGS, key=["columns", "gate_row"])
@triton.jit
def _swiglu_backward(
    gate_gradient,
    up_gradient,
    columns,
    gradient,
    gradient_row,
    gradient_column,
    gate,
    gate_row,
    gate_column,
    up,
    up_row,
    up_column,
    BLOCK: tl.constexpr,
):
    row, column, mask = block_of(columns, BLOCK)
    g = load(gradient, gradient_row, gradient_column, row, column, mask).to(tl.float32)
    x = load(gate, gate_row, gate_column, row, column, mask).to(tl.float32)
    y = load(up, up_row, up_column, row, column, mask).to(tl.float32)
    sigmoid = tl.sigmoid(x)
    silu = x * sigmoid
    offset = row * columns + column
    tl.store(gate_gradient + offset, g * y * (sigmoid + silu * (1 - sigmoid)), mask)
    tl.store(up_gradient + offset, g * silu, mask)


class _SwiGLU(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(ctx: Any, gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(gate, up)
        output = torch.empty(gate.shape, dtype=gate.dtype, device=gate.device)
        rows, columns, inputs = as_rows(gate, up)
        _swiglu[lambda meta: (rows * triton.cdiv(columns, meta["BLOCK"]),)](
            output, columns, *inputs
        )
        return output

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        gate, up = ctx.saved_tensors
        gate_gradient = torch.empty(gate.shape, dtype=gate.dtype, device=gate.device)
        up_gradient = torch.empty(up.shape, dtype=up.dtype, device=up.device)
        rows, columns, inputs = as_rows(gradient, gate, up)
        _swiglu_backward[lambda meta: (rows * triton.cdiv(columns, meta["BLOCK"]),)](
            gate_gradient, up_gradient, columns, *inputs
        )
        return gate_gradient, up_gradient


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """``silu(gate) * up`` of two tensors of one shape; differentiable."""
    return _SwiGLU.apply(gate, up)
