"""Argmax of rows: each lane keeps its largest element; behind the last block, lanes are reduced."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.rows import LOOPS, fitting, side_by_side
from benchmarks.triton_kernels.tuning import tuned


@triton.jit
def _is_larger(x, y):
    """As torch orders numbers: NaN above all others."""
    return (x > y) | ((x != x) & (y == y))


@triton.jit
def _larger(x, x_index, y, y_index):
    """The larger one and its index; of equal ones the first."""
    tied = (x == y) | ((x != x) & (y != y))
    is_x = _is_larger(x, y) | (tied & (x_index < y_index))
    return tl.where(is_x, x, y), tl.where(is_x, x_index, y_index)


@tuned(LOOPS, key=["columns"], prune_configs_by={"early_config_prune": fitting})
@triton.jit
def _argmax(
    input,
    output,
    columns,
    input_stride,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    input += row * input_stride
    lane = tl.arange(0, BLOCK)

    largest = tl.full((BLOCK,), float("-inf"), tl.float32)
    index = lane
    for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
        column = start + lane
        x = tl.load(input + column, column < columns, other=float("-inf")).to(tl.float32)
        found = _is_larger(x, largest)
        largest = tl.where(found, x, largest)
        index = tl.where(found, column, index)
    _, first = tl.reduce((largest, index), 0, _larger)
    tl.store(output + row, first)


def argmax(input: torch.Tensor) -> torch.Tensor:
    """The index of the largest number of each row of a matrix; of equal ones the first."""
    input = side_by_side(input)
    rows, columns = input.shape
    output = torch.empty(rows, dtype=torch.int64, device=input.device)
    _argmax[(rows,)](input, output, columns, input.stride(0))
    return output
