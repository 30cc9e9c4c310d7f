"""Loads, stores and atomics through pointers, as in Triton.

Bits are bytes in memory. Triton has no atomic extremum of floats: they are compared as signed
integers where the sign is not set, and in reverse as unsigned ones where it is
(``triton.language.semantic.atomic_max``).
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, i1, i8
from xdsl.ir import Attribute, SSAValue

from ninetoothed.ir import tt
from ninetoothed.passes.lowering.elementwise import Insert, constant


def load(
    insert: Insert,
    ptr: SSAValue,
    mask: SSAValue | None,
    other: SSAValue | None,
    bits: bool,
    policy: tt.CachePolicy,
    volatile: bool,
) -> SSAValue:
    """Load through pointers; ``bits``: of ``i1``."""
    if other is not None and bits:
        other = insert(tt.ExtUIOp(other, tt.block_of(tt.shape_of(other.type), i8)))
    value = insert(tt.LoadOp(ptr, mask, other, policy, volatile))
    if not bits:
        return value
    return insert(tt.CmpiOp("ne", value, constant(insert, 0, value.type)))


def store(
    insert: Insert,
    ptr: SSAValue,
    value: SSAValue,
    mask: SSAValue | None,
    policy: tt.CachePolicy,
) -> tt.StoreOp:
    """Store through pointers; bits are widened first."""
    if tt.scalar_of(value.type) == i1:
        value = insert(tt.ExtUIOp(value, tt.block_of(tt.shape_of(value.type), i8)))
    return tt.StoreOp(ptr, value, mask, policy)


def atomic(
    insert: Insert,
    function: str,
    unsigned: bool,
    ptr: SSAValue,
    value: SSAValue,
    mask: SSAValue | None,
    order: tuple[str, str],
) -> SSAValue:
    """Atomic read-modify-write; gives the old value."""
    floats = isinstance(tt.scalar_of(value.type), AnyFloat)
    if function in ("max", "min") and floats:
        return _extremum(insert, function, ptr, value, mask, order)
    if mask is None:
        mask = constant(insert, 1, tt.block_of(tt.shape_of(value.type), i1))
    if function == "add" and floats:
        function = "fadd"
    elif function in ("max", "min") and unsigned:
        function = f"u{function}"
    elif function == "xchg":
        function = "exch"
    return insert(tt.AtomicRMWOp(function, ptr, value, mask, *order))


def _extremum(
    insert: Insert,
    function: str,
    ptr: SSAValue,
    value: SSAValue,
    mask: SSAValue | None,
    order: tuple[str, str],
) -> SSAValue:
    scalar = tt.scalar_of(value.type)
    ptr, bits = _as_integers(insert, ptr, value)
    zero = constant(insert, 0, bits.type)
    negative = insert(tt.CmpiOp("slt", bits, zero))
    positive = insert(tt.CmpiOp("sge", bits, zero))
    reverse = {"max": "umin", "min": "umax"}[function]
    before: list[SSAValue] = []
    for name, lanes in ((function, positive), (reverse, negative)):
        lanes = lanes if mask is None else insert(arith.AndIOp(mask, lanes))
        before.append(insert(tt.AtomicRMWOp(name, ptr, bits, lanes, *order)))
    return insert(tt.BitcastOp(insert(tt.SelectOp(positive, *before)), scalar))


def compare_and_swap(
    insert: Insert, ptr: SSAValue, compare: SSAValue, value: SSAValue, order: tuple[str, str]
) -> SSAValue:
    """Atomic compare-and-swap, of floats by their bits; gives the old value."""
    scalar = tt.scalar_of(value.type)
    if not isinstance(scalar, AnyFloat):
        return insert(tt.AtomicCASOp(ptr, compare, value, *order))
    _, compare = _as_integers(insert, ptr, compare)
    ptr, value = _as_integers(insert, ptr, value)
    return insert(tt.BitcastOp(insert(tt.AtomicCASOp(ptr, compare, value, *order)), scalar))


def _as_integers(insert: Insert, ptr: SSAValue, value: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Bitcast pointers to floats, and floats, to integers of the same width."""
    scalar: Attribute = tt.scalar_of(value.type)
    assert isinstance(scalar, AnyFloat)
    integer = IntegerType(scalar.bitwidth)
    ptr = insert(tt.BitcastOp(ptr, tt.PointerType(integer)))
    return ptr, insert(tt.BitcastOp(value, integer))
