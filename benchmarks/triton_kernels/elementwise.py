"""What kernels share that go through elements: their configurations, and where a program works.

Tensors of one shape are rows of elements. Where all are contiguous there is one row; else a row is
the last dim. A program has a block of one row.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"BLOCK": block}, num_warps=warps)
    for block in (256, 512, 1024, 2048, 4096, 8192)
    for warps in (1, 2, 4, 8, 16)
    # Elements a thread: less leaves loads narrow, more spills.
    if 4 <= block // (32 * warps) <= 32
]


def as_rows(*tensors: torch.Tensor) -> tuple[int, int, list[torch.Tensor | int]]:
    """Rows, columns, and behind one another each tensor, its rows' stride and its columns'.

    Tensors whose outer dims are no one dim in memory are copied.
    """
    if all(tensor.is_contiguous() for tensor in tensors):
        size = tensors[0].numel()
        return 1, size, [part for tensor in tensors for part in (tensor, 0, 1)]
    views = [tensor.reshape(-1, tensor.shape[-1]) for tensor in tensors]
    return *views[0].shape, [part for view in views for part in (view, *view.stride())]


@triton.jit
def place(columns, BLOCK: tl.constexpr):
    """The program's row, and the first of its columns."""
    program = tl.program_id(0)
    blocks = tl.cdiv(columns, BLOCK)
    return (program // blocks).to(tl.int64), (program % blocks).to(tl.int64) * BLOCK


@triton.jit
def block_of(columns, BLOCK: tl.constexpr):
    """The program's row, its columns and which of them there are."""
    row, start = place(columns, BLOCK)
    column = start + tl.arange(0, BLOCK)
    return row, column, column < columns


@triton.jit
def load(tensor, row_stride, column_stride, row, column, mask):
    """Elements of one row."""
    return tl.load(tensor + row * row_stride + column * column_stride, mask)
