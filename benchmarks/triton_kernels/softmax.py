"""Softmax over rows: a program a row, which it holds."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.tuning import tuned


@tuned([triton.Config({}, num_warps=warps) for warps in (1, 2, 4, 8, 16)], key=["columns"])
@triton.jit
def _softmax(
    input,
    output,
    columns,
    input_stride,
    output_stride,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    x = tl.load(input + row * input_stride + column, mask, other=float("-inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(output + row * output_stride + column, numerator / tl.sum(numerator, axis=0), mask)


def softmax(input: torch.Tensor) -> torch.Tensor:
    """The softmax of each row of a matrix."""
    rows, columns = input.shape
    output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    _softmax[(rows,)](
        input,
        output,
        columns,
        input.stride(0),
        output.stride(0),
        BLOCK=triton.next_power_of_2(columns),
    )
    return output
