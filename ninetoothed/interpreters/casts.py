"""Handlers of constants and conversions of ``nt`` and ``tt``."""

from __future__ import annotations

from xdsl.ir import Operation

from ninetoothed.interpreters.elements import (
    attribute_value,
    bitcast,
    convert,
    element_of,
    truncate,
)
from ninetoothed.interpreters.machine import Handler, Machine
from ninetoothed.ir import nt, tt


def _constant(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.ConstantOp)
    machine.put(op.result, element_of(op.result.type).number(attribute_value(op.value)))


def _cast(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.CastOp | tt.FpToFpOp)
    block = machine.block(op.operands[0])
    source, target = element_of(op.operands[0].type), element_of(op.result.type)
    if op.truncates:
        machine.put(op.result, truncate(block.data, target), block.guard)
    else:
        machine.put(op.result, convert(block.data, source, target), block.guard)


def _bitcast(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.BitcastOp)
    block = machine.block(op.value)
    source, target = element_of(op.value.type), element_of(op.result.type)
    machine.put(op.result, bitcast(block.data, source, target), block.guard)


HANDLERS: dict[type[Operation], Handler] = {
    nt.ConstantOp: _constant,
    nt.CastOp: _cast,
    nt.BitcastOp: _bitcast,
    tt.FpToFpOp: _cast,
}
