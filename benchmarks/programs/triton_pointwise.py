"""Kernels of one tensor and of eight."""

import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def scale_kernel(values, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < size
    tl.store(values + offsets, tl.load(values + offsets, mask) * 2, mask)


@triton.jit
def total_kernel(a, b, c, d, e, f, g, output, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < size
    result = tl.load(a + offsets, mask) + tl.load(b + offsets, mask) + tl.load(c + offsets, mask)
    result += tl.load(d + offsets, mask) + tl.load(e + offsets, mask)
    result += tl.load(f + offsets, mask) + tl.load(g + offsets, mask)
    tl.store(output + offsets, result, mask)


def scale(values):
    """``values *= 2``; returns the compiled kernel."""
    size = values.numel()
    return scale_kernel[(triton.cdiv(size, BLOCK),)](values, size, BLOCK, num_warps=4)


def total(a, b, c, d, e, f, g, output):
    """``output = a + b + c + d + e + f + g``; returns the compiled kernel."""
    size = output.numel()
    return total_kernel[(triton.cdiv(size, BLOCK),)](
        a, b, c, d, e, f, g, output, size, BLOCK, num_warps=4
    )
