"""Vectorization of accesses: how many lanes one pointer serves."""

from __future__ import annotations

from ninetoothed.dtype import DTYPES
from ninetoothed.ir import nt
from ninetoothed.symbolic.divisibility import known_divisor

_BITS = 128
"""What a thread moves at once, at most."""


def lanes_at_once(kernel: nt.KernelOp, source: nt.SourceOp) -> int:
    """Lanes of a source that a thread may move at once, as far as its strides say.

    Rows start at multiples of 16 bytes where each stride is 1 or divides as much.
    """
    lanes = _BITS // DTYPES[nt.dtype_of(source.result.type)].bits
    divisors = {decl.name: decl.divisor for decl in kernel.declarations}
    strides = source.strides.data
    if any(stride.value == 1 for stride in strides) and all(
        stride.value == 1 or known_divisor(stride, divisors) >= lanes for stride in strides
    ):
        return lanes
    return 1
