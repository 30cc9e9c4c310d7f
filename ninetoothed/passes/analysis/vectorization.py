"""Vectorization of accesses: how many lanes one pointer serves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ninetoothed.dtype import DTYPES
from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.alignment import alignment
from ninetoothed.symbolic.divisibility import known_divisor
from ninetoothed.symbolic.expr import IndexExpr, ir_text, symbol_names
from ninetoothed.symbolic.polynomials import expression_of, polynomial_of

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


@dataclass(frozen=True)
class VectorWidth:
    """``lanes`` of an access that a thread may move at once, neighbours along the index ``lane``;
    ``missing``: the fact for want of which they are not more, if one is.
    """

    lane: str
    lanes: int
    missing: str = ""


def vector_width(
    kernel: nt.KernelOp,
    source: nt.SourceOp,
    offset: IndexExpr,
    block: Mapping[str, int],
    masks: Collection[Guard],
) -> VectorWidth:
    """How many lanes of an access Triton can prove to be neighbours from an aligned place on, all of
    them valid or none.

    ``offset``: that of a lane, in elements, in normal form. ``block``: dims of the block, by the
    names of their indices, with their sizes, powers of two. ``masks``: guards that are tested.
    """
    most = vector_lanes(nt.dtype_of(source.result.type))
    divisors = kernel.divisors
    contiguity, lane = max(
        (alignment(offset, name, lanes, divisors).contiguity, name) for name, lanes in block.items()
    )
    most = min(most, block[lane])
    if contiguity < most:
        if all(stride.value != 1 for stride in source.strides.data):
            return VectorWidth(lane, 1, "no stride is 1")
        lanes, missing = contiguity, "more lanes are not known to be neighbours in memory"
    else:
        lanes, missing = most, ""
    at_groups = {**divisors, lane: lanes}
    if not source.aligned.value.data:
        lanes, missing = 1, f"`{source.param.data}` is not known to begin at a multiple of 16 bytes"
    for monomial, coefficient in polynomial_of(offset).items():
        term = expression_of({monomial: coefficient})
        if (known := known_divisor(term, at_groups)) < lanes:
            no = "is not known to be a" if monomial else "is no"
            lanes, missing = known, f"`{ir_text(term)}` {no} multiple of {most}"
    for guard in masks:
        facts = alignment(guard.index, lane, block[lane], divisors)
        known = min(facts.divisibility, facts.contiguity, known_divisor(guard.size, divisors))
        if max(known, facts.constancy) < lanes:
            text = f"{ir_text(guard.index)} < {ir_text(guard.size)}"
            lanes, missing = known, f"`{text}` may change within {most} lanes"
    return VectorWidth(lane, lanes, missing)


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
