"""Vectorization of accesses: how many lanes one pointer serves."""

from __future__ import annotations

from ninetoothed.dtype import DTYPES
from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import Guard
from ninetoothed.symbolic.divisibility import known_divisor
from ninetoothed.symbolic.expr import symbol_names

_BITS = 128
"""What a thread moves at once, at most."""


def vector_lanes(dtype: str) -> int:
    """Elements that a thread may move at once, at most."""
    return _BITS // DTYPES[dtype].bits


def lanes_at_once(kernel: nt.KernelOp, source: nt.SourceOp) -> int:
    """Lanes of a source that a thread may move at once, as far as its strides say.

    Rows start at multiples of 16 bytes where each stride is 1 or divides as much.
    """
    lanes = vector_lanes(nt.dtype_of(source.result.type))
    divisors = kernel.divisors
    strides = source.strides.data
    if any(stride.value == 1 for stride in strides) and all(
        stride.value == 1 or known_divisor(stride, divisors) >= lanes for stride in strides
    ):
        return lanes
    return 1


def splits_vectors(
    kernel: nt.KernelOp,
    source: nt.SourceOp,
    access: nt.AccessAttr,
    guard: Guard,
    instead_of: Guard | None,
) -> bool:
    """True if ``guard`` may end within lanes of an access that a thread moves at once, where
    ``instead_of``, or no guard, does not.
    """
    lanes = lanes_at_once(kernel, source)
    strides = source.strides.data
    contiguous = {
        name
        for index, stride in zip(access.data.indices, strides, strict=True)
        if stride.value == 1
        for name in symbol_names(index)
    }
    if contiguous.isdisjoint({*access.names[-1]}.intersection(symbol_names(guard.index))):
        return False
    divisors = kernel.divisors
    known = lanes if instead_of is None else known_divisor(instead_of.size, divisors)
    return known_divisor(guard.size, divisors) < min(lanes, known)
