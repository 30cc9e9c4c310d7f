"""Reads, writes and updates through pointers."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    i1,
)

from ninetoothed.ir import nt, tt
from ninetoothed.passes.lowering import pointers
from ninetoothed.passes.lowering.function import Function, lowers
from ninetoothed.passes.lowering.types import is_unsigned


@lowers(nt.AddPtrOp)
def _add_pointer(f: Function, op: nt.AddPtrOp) -> None:
    f.define(op, f.add(tt.AddPtrOp(f.value(op.ptr), f.value(op.offset))))


@lowers(nt.PointerLoadOp)
def _pointer_load(f: Function, op: nt.PointerLoadOp) -> None:
    bits = nt.scalar_of(op.result.type) == i1
    mask, other = f.optional(op.mask), f.optional(op.other)
    f.define(op, pointers.load(f.add, f.value(op.ptr), mask, other, bits))


@lowers(nt.PointerStoreOp)
def _pointer_store(f: Function, op: nt.PointerStoreOp) -> None:
    f.insert(pointers.store(f.add, f.value(op.ptr), f.value(op.value), f.optional(op.mask)))


@lowers(nt.AtomicOp)
def _atomic(f: Function, op: nt.AtomicOp) -> None:
    order = (op.sem.data, op.scope.data)
    unsigned = is_unsigned(op.value.type)
    ptr, value, mask = f.value(op.ptr), f.value(op.value), f.optional(op.mask)
    f.define(op, pointers.atomic(f.add, op.function.data, unsigned, ptr, value, mask, order))


@lowers(nt.AtomicCasOp)
def _atomic_cas(f: Function, op: nt.AtomicCasOp) -> None:
    order = (op.sem.data, op.scope.data)
    ptr, compare, value = (f.value(operand) for operand in op.operands)
    f.define(op, pointers.compare_and_swap(f.add, ptr, compare, value, order))
