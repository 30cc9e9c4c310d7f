"""Vector addition: a program a block."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.elementwise import CONFIGS
from benchmarks.triton_kernels.tuning import tuned


@tuned(CONFIGS, key=["size", "lhs_stride", "rhs_stride"])
@triton.jit
def _add(lhs, rhs, output, size, lhs_stride, rhs_stride, BLOCK: tl.constexpr):
    offset = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offset < size
    total = tl.load(lhs + offset * lhs_stride, mask) + tl.load(rhs + offset * rhs_stride, mask)
    tl.store(output + offset, total, mask)


def add(lhs: torch.Tensor, rhs: torch.Tensor) -> torch.Tensor:
    """``lhs + rhs`` of two vectors."""
    (size,) = lhs.shape
    output = torch.empty(lhs.shape, dtype=lhs.dtype, device=lhs.device)
    _add[lambda meta: (triton.cdiv(size, meta["BLOCK"]),)](
        lhs, rhs, output, size, lhs.stride(0), rhs.stride(0)
    )
    return output
