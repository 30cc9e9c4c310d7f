"""Vector addition."""

import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_kernel(lhs, rhs, output, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < size
    values = tl.load(lhs + offsets, mask) + tl.load(rhs + offsets, mask)
    tl.store(output + offsets, values, mask)


def add(lhs, rhs, output):
    """``output = lhs + rhs``; returns the compiled kernel."""
    size = output.numel()
    return add_kernel[(triton.cdiv(size, BLOCK),)](lhs, rhs, output, size, BLOCK, num_warps=4)


def fixed():
    """The function above."""
    return add
