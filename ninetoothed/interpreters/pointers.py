"""Handlers of pointers and atomics, of ``nt`` and of ``tt``.

Lanes are updated in ascending order, those of a program before those of the next, so that each sees
the update of the one before it. Lanes of different elements are updated at once.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from xdsl.ir import Operation, SSAValue

from ninetoothed.errors import ArgumentError, CompilerError
from ninetoothed.interpreters.element_types import Element, bitcast, element_of
from ninetoothed.interpreters.elementwise import apply
from ninetoothed.interpreters.machine import HANDLERS, Machine, Pointer, Value, both, by_program
from ninetoothed.interpreters.memory import Update
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail

_ROWS = {
    "add": "add",
    "fadd": "add",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "max": "maximum",
    "min": "minimum",
    "umax": "maximum",
    "umin": "minimum",
}
"""The elementwise function that each atomic function applies."""


def pointer_of(value: Value, op: Operation) -> Pointer:
    """Check that a value is pointers.

    Raises:
        CompilerError: it is numbers.
    """
    if not isinstance(value, Pointer):
        raise fail(op, f"{op.name}: the address is no pointer", CompilerError)
    return value


def masked(
    machine: Machine, mask: torch.Tensor | None, offsets: torch.Tensor
) -> torch.Tensor | None:
    """``mask`` in active programs; None: everywhere."""
    if mask is not None and bool(mask.all()):
        mask = None
    return both(mask, None if machine.active is None else by_program(machine.active, offsets))


def _wanted(machine: Machine, ptr: SSAValue, mask: SSAValue | None) -> torch.Tensor | None:
    """A mask of ``nt``: false outside its own guard, and behind the program's own sequence, where a
    block of pointers has no lanes.
    """
    inside = machine.inside(ptr.type)
    if mask is None:
        return inside
    block = machine.block(mask)
    return both(both(block.data, block.guard), inside)


def _within(op: Operation, access: Callable[[], torch.Tensor | None]) -> torch.Tensor | None:
    """The result of ``access``; out of bounds is an error of the user's masks."""
    try:
        return access()
    except CompilerError as error:
        raise fail(op, f"{error.message}; mask the lanes outside", ArgumentError) from None


@HANDLERS.register(nt.AddPtrOp, tt.AddPtrOp)
def _add_pointer(machine: Machine, op: nt.AddPtrOp | tt.AddPtrOp) -> None:
    pointer = pointer_of(machine.value(op.ptr), op)
    offsets = pointer.offsets + machine.data(op.offset).to(torch.int64)
    machine.values[op.result] = Pointer(pointer.memory, offsets)


@HANDLERS.register(nt.PointerLoadOp)
def _load(machine: Machine, op: nt.PointerLoadOp) -> None:
    pointer = pointer_of(machine.value(op.ptr), op)
    wanted = _wanted(machine, op.ptr, op.mask)
    mask = masked(machine, wanted, pointer.offsets)
    element = element_of(op.result.type)
    machine.touch("read", pointer.memory, pointer.offsets, mask, machine.sizes(op.ptr.type))
    data = _within(op, lambda: pointer.memory.gather(element, pointer.offsets, None, mask))
    assert data is not None
    if op.other is not None and wanted is not None:
        data, wanted = torch.where(wanted, data, machine.data(op.other)), None
    machine.put(op.result, data, wanted)


@HANDLERS.register(nt.PointerStoreOp)
def _store(machine: Machine, op: nt.PointerStoreOp) -> None:
    pointer = pointer_of(machine.value(op.ptr), op)
    mask = masked(machine, _wanted(machine, op.ptr, op.mask), pointer.offsets)
    element, data = element_of(op.value.type), machine.data(op.value)
    machine.touch("write", pointer.memory, pointer.offsets, mask, machine.sizes(op.ptr.type))
    _within(op, lambda: pointer.memory.scatter(element, pointer.offsets, data, mask))


def _updated(name: str, element: Element) -> Update:
    """The update by the atomic function ``name``."""

    def update(*operands: torch.Tensor) -> torch.Tensor:
        before, value = operands
        if name in ("xchg", "exch"):
            return value
        if element.kind == "float" and name in ("max", "min"):
            return _extremum(name, element, before, value)
        if not name.startswith("u"):
            return apply(_ROWS[name], element, before, value)
        unsigned = element.unsigned
        one, two = (bitcast(side, element, unsigned) for side in operands)
        return bitcast(apply(_ROWS[name], unsigned, one, two), unsigned, element)

    return update


def _extremum(
    name: str, element: Element, before: torch.Tensor, value: torch.Tensor
) -> torch.Tensor:
    """Extremum by bits, as in Triton: NaNs lie beyond the infinities of their sign."""
    keys: list[torch.Tensor] = []
    for side in (before, value):
        bits = bitcast(side, element, element.signed)
        # Negative floats ascend where their bits descend.
        keys.append(torch.where(bits < 0, bits ^ torch.iinfo(bits.dtype).max, bits))
    later = keys[1] > keys[0] if name == "max" else keys[1] < keys[0]
    return torch.where(later, value, before)


def _update(
    machine: Machine,
    op: nt.AtomicOp | nt.AtomicCasOp | tt.AtomicRMWOp | tt.AtomicCASOp,
    pointer: Pointer,
    mask: torch.Tensor | None,
    operands: list[torch.Tensor],
    update: Update,
) -> torch.Tensor:
    sizes = machine.sizes(op.ptr.type)
    machine.touch("update", pointer.memory, pointer.offsets, mask, sizes)
    element, shape = element_of(op.result.type), [machine.programs.shape[0], *sizes]
    return pointer.memory.update(element, shape, pointer.offsets, operands, mask, update)


@HANDLERS.register(nt.AtomicOp)
def _atomic(machine: Machine, op: nt.AtomicOp) -> None:
    pointer = pointer_of(machine.value(op.ptr), op)
    wanted = _wanted(machine, op.ptr, op.mask)
    mask = masked(machine, wanted, pointer.offsets)
    element, operands = element_of(op.value.type), [machine.data(op.value)]
    update = _updated(op.function.data, element)
    before = _within(op, lambda: _update(machine, op, pointer, mask, operands, update))
    assert before is not None
    machine.put(op.result, before, wanted)


def _swap(element: Element) -> Update:
    def update(*operands: torch.Tensor) -> torch.Tensor:
        before, compare, value = operands
        one, two = (bitcast(side, element, element.signed) for side in (before, compare))
        return torch.where(one == two, value, before)

    return update


@HANDLERS.register(nt.AtomicCasOp)
def _atomic_cas(machine: Machine, op: nt.AtomicCasOp) -> None:
    pointer = pointer_of(machine.value(op.ptr), op)
    mask = masked(machine, None, pointer.offsets)
    operands = [machine.data(op.compare), machine.data(op.value)]
    update = _swap(element_of(op.value.type))
    before = _within(op, lambda: _update(machine, op, pointer, mask, operands, update))
    assert before is not None
    machine.put(op.result, before)


@HANDLERS.register(tt.AtomicRMWOp)
def _atomic_rmw(machine: Machine, op: tt.AtomicRMWOp) -> None:
    pointer = pointer_of(machine.value(op.ptr), op)
    mask = masked(machine, machine.data(op.mask), pointer.offsets)
    update = _updated(op.function, element_of(op.val.type))
    operands = [machine.data(op.val)]
    machine.put(op.result, _update(machine, op, pointer, mask, operands, update))


@HANDLERS.register(tt.AtomicCASOp)
def _lowered_cas(machine: Machine, op: tt.AtomicCASOp) -> None:
    pointer = pointer_of(machine.value(op.ptr), op)
    mask = masked(machine, None, pointer.offsets)
    operands = [machine.data(op.cmp), machine.data(op.val)]
    update = _swap(element_of(op.val.type))
    machine.put(op.result, _update(machine, op, pointer, mask, operands, update))
