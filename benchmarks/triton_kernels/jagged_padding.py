"""Sequences of different lengths, to and from one dense tensor: a program a block of a sequence."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.tuning import tuned

_CONFIGS = [
    triton.Config({"BLOCK_ROWS": rows, "BLOCK_COLUMNS": columns}, num_warps=warps)
    for rows in (1, 4, 16, 32)
    for columns in (128, 512, 1024)
    for warps in (2, 4, 8)
    if 128 <= rows * columns // warps <= 2048
]


@triton.jit
def _block(
    offsets,
    LENGTH,
    DIM,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
):
    """A program's sequence, where it begins, how long it is, and a block's rows and columns."""
    blocks = tl.cdiv(LENGTH, BLOCK_ROWS)
    sequence = (tl.program_id(0) // blocks).to(tl.int64)
    begin = tl.load(offsets + sequence).to(tl.int64)
    end = tl.load(offsets + sequence + 1).to(tl.int64)
    row = tl.program_id(0) % blocks * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    column = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    return sequence, begin, end - begin, row[:, None], column[None, :]


@tuned(_CONFIGS, key=["BATCH", "LENGTH", "DIM"])
@triton.jit
def _pad(
    values,
    offsets,
    output,
    padding,
    BATCH,
    LENGTH,
    DIM,
    stride_row,
    stride_column,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
):
    sequence, begin, length, row, column = _block(offsets, LENGTH, DIM, BLOCK_ROWS, BLOCK_COLUMNS)
    pointers = values + (begin + row) * stride_row + column.to(tl.int64) * stride_column
    block = tl.load(pointers, (row < length) & (column < DIM), other=padding)
    place = (sequence * LENGTH + row) * DIM + column
    tl.store(output + place, block, (row < LENGTH) & (column < DIM))


@tuned(_CONFIGS, key=["BATCH", "LENGTH", "DIM"])
@triton.jit
def _unpad(
    input,
    offsets,
    output,
    BATCH,
    LENGTH,
    DIM,
    stride_sequence,
    stride_row,
    stride_column,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
):
    sequence, begin, length, row, column = _block(offsets, LENGTH, DIM, BLOCK_ROWS, BLOCK_COLUMNS)
    mask = (row < tl.minimum(length, LENGTH)) & (column < DIM)
    pointers = (
        input
        + sequence * stride_sequence
        + row.to(tl.int64) * stride_row
        + column.to(tl.int64) * stride_column
    )
    tl.store(output + (begin + row) * DIM + column, tl.load(pointers, mask), mask)


def _grid(arguments: dict[str, Any]) -> tuple[int, int]:
    blocks = triton.cdiv(arguments["LENGTH"], arguments["BLOCK_ROWS"])
    return (
        arguments["BATCH"] * blocks,
        triton.cdiv(arguments["DIM"], arguments["BLOCK_COLUMNS"]),
    )


def pad(input: torch.Tensor, length: int, value: float = 0.0) -> torch.Tensor:
    """A jagged (batch, j, dim) as (batch, length, dim), with ``value`` behind each sequence."""
    values, offsets = input.values(), input.offsets()
    batch, dim = offsets.shape[0] - 1, values.shape[1]
    output = torch.empty((batch, length, dim), dtype=values.dtype, device=values.device)
    _pad[_grid](values, offsets, output, float(value), batch, length, dim, *values.stride())
    return output


def unpad(input: torch.Tensor, jagged_like: torch.Tensor) -> torch.Tensor:
    """The sequences of a (batch, length, dim), as long as those of ``jagged_like``, jagged.

    None of them is longer than ``length``.
    """
    offsets = jagged_like.offsets()
    batch, length, dim = input.shape
    output = torch.empty(
        (jagged_like.values().shape[0], dim), dtype=input.dtype, device=input.device
    )
    _unpad[_grid](input, offsets, output, batch, length, dim, *input.stride())
    return torch.nested.nested_tensor_from_jagged(output, offsets)
