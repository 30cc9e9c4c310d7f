"""SiLU: a program a block."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.elementwise import CONFIGS, as_rows, block_of, load
from benchmarks.triton_kernels.tuning import tuned


@tuned(CONFIGS, key=["columns", "input_row"])
@triton.jit
def _silu(output, columns, input, input_row, input_column, BLOCK: tl.constexpr):
    row, column, mask = block_of(columns, BLOCK)
    x = load(input, input_row, input_column, row, column, mask).to(tl.float32)
    tl.store(output + row * columns + column, x * tl.sigmoid(x), mask)


def silu(input: torch.Tensor) -> torch.Tensor:
    """``input * sigmoid(input)`` of a tensor of any shape."""
    output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    rows, columns, inputs = as_rows(input)
    _silu[lambda meta: (rows * triton.cdiv(columns, meta["BLOCK"]),)](output, columns, *inputs)
    return output
