"""Dropout: a program a block, four random numbers a call of the generator."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.elementwise import CONFIGS, as_rows, load, place
from benchmarks.triton_kernels.tuning import tuned


@tuned(CONFIGS, key=["columns", "input_row"])
@triton.jit(do_not_specialize=["seed"])
def _dropout(
    output,
    p,
    scale,
    seed,
    columns,
    input,
    input_row,
    input_column,
    BLOCK: tl.constexpr,
):
    row, start = place(columns, BLOCK)
    # One call of the generator for four neighbours: with one for each, it takes longer than memory.
    quad = row * tl.cdiv(columns, 4) + start // 4 + tl.arange(0, BLOCK // 4)
    r0, r1, r2, r3 = tl.rand4x(seed, quad)
    kept = tl.interleave(tl.interleave(r0, r2), tl.interleave(r1, r3)) >= p

    column = start + tl.arange(0, BLOCK)
    mask = column < columns
    x = load(input, input_row, input_column, row, column, mask).to(tl.float32)
    tl.store(output + row * columns + column, tl.where(kept, x * scale, 0.0), mask)


def dropout(input: torch.Tensor, p: float, seed: int) -> torch.Tensor:
    """Each element with probability ``p`` 0, else divided by ``1 - p``."""
    output = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    scale = 1 / (1 - p) if p < 1 else 0.0
    rows, columns, inputs = as_rows(input)
    _dropout[lambda meta: (rows * triton.cdiv(columns, meta["BLOCK"]),)](
        output, p, scale, seed, columns, *inputs
    )
    return output
