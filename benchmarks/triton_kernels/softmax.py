"""Softmax over rows: a program a row, which it holds, or goes through twice where it is long."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.rows import LOOPS, MAX_ROW, WHOLE, fitting, side_by_side
from benchmarks.triton_kernels.tuning import tuned


@tuned(WHOLE, key=["columns"])
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


@tuned(LOOPS, key=["columns"], prune_configs_by={"early_config_prune": fitting})
@triton.jit
def _softmax_of_long_rows(
    input,
    output,
    columns,
    input_stride,
    output_stride,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    input += row * input_stride
    output += row * output_stride
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
    scale = 1 / tl.sum(total, axis=0)

    for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
        column = start + lane
        x = tl.load(input + column, column < columns).to(tl.float32)
        tl.store(output + column, tl.exp(x - largest) * scale, column < columns)


def softmax(input: torch.Tensor) -> torch.Tensor:
    """The softmax of each row of a matrix."""
    input = side_by_side(input)
    rows, columns = input.shape
    output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    arguments = (input, output, columns, input.stride(0), output.stride(0))
    if columns > MAX_ROW:
        _softmax_of_long_rows[(rows,)](*arguments)
    else:
        _softmax[(rows,)](*arguments, BLOCK=triton.next_power_of_2(columns))
    return output
