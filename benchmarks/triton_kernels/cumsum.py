"""Cumulative sums of rows: a program a row, in blocks, with a carry."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.rows import LOOPS, fitting, side_by_side
from benchmarks.triton_kernels.tuning import tuned


@tuned(LOOPS, key=["columns"], prune_configs_by={"early_config_prune": fitting})
@triton.jit
def _cumsum(
    input,
    output,
    columns,
    input_stride,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    input += row * input_stride
    output += row * columns
    lane = tl.arange(0, BLOCK)

    carry = 0.0
    for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
        column = start + lane
        x = tl.load(input + column, column < columns, other=0.0).to(tl.float32)
        tl.store(output + column, carry + tl.cumsum(x, axis=0), column < columns)
        carry += tl.sum(x, axis=0)


def cumsum(input: torch.Tensor) -> torch.Tensor:
    """The sums of each row up to each element, in fp32."""
    input = side_by_side(input)
    rows, columns = input.shape
    output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    _cumsum[(rows,)](input, output, columns, input.stride(0))
    return output
