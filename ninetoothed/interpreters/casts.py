"""Handlers of constants and conversions of ``nt`` and ``tt``."""

from __future__ import annotations

from ninetoothed.interpreters.element_types import (
    attribute_value,
    bitcast,
    convert,
    element_of,
    truncate,
)
from ninetoothed.interpreters.machine import HANDLERS, Machine
from ninetoothed.ir import nt, tt


@HANDLERS.register(nt.ConstantOp)
def _constant(machine: Machine, op: nt.ConstantOp) -> None:
    machine.put(op.result, element_of(op.result.type).number(attribute_value(op.value)))


@HANDLERS.register(nt.CastOp, tt.FpToFpOp)
def _cast(machine: Machine, op: nt.CastOp | tt.FpToFpOp) -> None:
    block = machine.block(op.operands[0])
    source, target = element_of(op.operands[0].type), element_of(op.result.type)
    if op.truncates:
        machine.put(op.result, truncate(block.data, target), block.guard)
    else:
        machine.put(op.result, convert(block.data, source, target), block.guard)


@HANDLERS.register(nt.BitcastOp)
def _bitcast(machine: Machine, op: nt.BitcastOp) -> None:
    block = machine.block(op.value)
    source, target = element_of(op.value.type), element_of(op.result.type)
    machine.put(op.result, bitcast(block.data, source, target), block.guard)
