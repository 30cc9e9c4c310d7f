"""Gradients of weights: each program sums up its rows' part, and a second kernel the programs'.

Nothing depends on the order in which programs run, as it would with atomic additions.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.tuning import tuned

CONFIGS = [
    triton.Config({"PROGRAMS": programs, "STAGES": stages}, num_warps=warps)
    for programs, warps in ((1, 8), (1, 16), (1, 32), (2, 4), (2, 8), (2, 16), (4, 4), (4, 8))
    for stages in (1, 2, 3)
]
"""Programs a multiprocessor, and how far a program reads ahead in its rows."""
MOST_PROGRAMS = 4


def multiprocessors(tensor: torch.Tensor) -> int:
    """Of the tensor's device; 2 for a CPU, where kernels are interpreted."""
    if not tensor.is_cuda:
        return 2
    return torch.cuda.get_device_properties(tensor.device).multi_processor_count


@tuned(
    [
        triton.Config({"ROWS": rows, "COLUMNS": columns}, num_warps=warps)
        for rows in (16, 32, 64)
        for columns in (16, 32, 64)
        for warps in (2, 4)
    ],
    key=["rows", "columns"],
)
@triton.jit
def _sums(
    partial,
    output,
    rows,
    columns,
    partial_stride,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    partial += tl.program_id(1).to(tl.int64) * partial_stride
    row = tl.arange(0, ROWS)[:, None]
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, rows, ROWS):
        mask = (start + row < rows) & (column < columns)[None, :]
        total += tl.load(partial + (start + row) * columns + column[None, :], mask, other=0.0)
    sums = tl.sum(total, axis=0)
    tl.store(output + tl.program_id(1) * columns + column, sums, column < columns)


def summed(partial: torch.Tensor, programs: int, dtype: torch.dtype) -> torch.Tensor:
    """Of (weights, rows, columns), the sums over the first ``programs`` rows."""
    weights, _, columns = partial.shape
    output = torch.empty(weights, columns, dtype=dtype, device=partial.device)
    _sums[lambda meta: (triton.cdiv(columns, meta["COLUMNS"]), weights)](
        partial, output, programs, columns, partial.stride(0)
    )
    return output
