"""Lowering of loads, stores and atomics through pointers, and of barriers."""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation

from ninetoothed.errors import DeviceError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.passes.lowering import pointers
from ninetoothed.passes.lowering.function import LOWERINGS, Function
from ninetoothed.passes.lowering.types import is_unsigned


@LOWERINGS.register(nt.AddPtrOp)
def _add_pointer(f: Function, op: nt.AddPtrOp) -> None:
    f.define(op, f.add(tt.AddPtrOp(f.value(op.ptr), f.value(op.offset))))


@LOWERINGS.register(nt.PointerLoadOp)
def _pointer_load(f: Function, op: nt.PointerLoadOp) -> None:
    bits = nt.scalar_of(op.result.type) == i1
    mask, other = f.optional(op.mask), f.optional(op.other)
    volatile = op.volatile is not None
    _check_policy(f, op, [op.policy.modifier, op.policy.eviction, "volatile" if volatile else ""])
    ptr = f.value(op.ptr)
    f.define(op, pointers.load(f.add, ptr, mask, other, bits, op.policy, volatile))


@LOWERINGS.register(nt.PointerStoreOp)
def _pointer_store(f: Function, op: nt.PointerStoreOp) -> None:
    _check_policy(f, op, [op.policy.modifier, op.policy.eviction])
    ptr, value, mask = f.value(op.ptr), f.value(op.value), f.optional(op.mask)
    f.insert(pointers.store(f.add, ptr, value, mask, op.policy))


def _check_policy(f: Function, op: Operation, asked: list[str]) -> None:
    """Check the cache policy of an access against the target.

    Raises:
        DeviceError: it has more than one option, and the target takes one.
    """
    words = [repr(word) for word in asked if word]
    if len(words) > 1 and not f.target.combines_cache_hints:
        raise fail(
            op,
            f"an access of an {f.target.vendor} GPU takes one of cache_modifier, eviction_policy "
            f"and volatile, not {' and '.join(words)}; leave the others out",
            DeviceError,
        )


@LOWERINGS.register(nt.BarrierOp)
def _barrier(f: Function, op: nt.BarrierOp) -> None:
    f.insert(tt.BarrierOp())


@LOWERINGS.register(nt.AtomicOp)
def _atomic(f: Function, op: nt.AtomicOp) -> None:
    order = (op.sem.data, op.scope.data)
    unsigned = is_unsigned(op.value.type)
    ptr, value, mask = f.value(op.ptr), f.value(op.value), f.optional(op.mask)
    f.define(op, pointers.atomic(f.add, op.function.data, unsigned, ptr, value, mask, order))


@LOWERINGS.register(nt.AtomicCasOp)
def _atomic_cas(f: Function, op: nt.AtomicCasOp) -> None:
    order = (op.sem.data, op.scope.data)
    ptr, compare, value = (f.value(operand) for operand in op.operands)
    f.define(op, pointers.compare_and_swap(f.add, ptr, compare, value, order))
