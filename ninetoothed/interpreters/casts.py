"""Handlers of constants, conversions and bitcasts."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation

from ninetoothed.interpreters.element_types import (
    attribute_value,
    bitcast,
    convert,
    element_of,
    truncate,
)
from ninetoothed.interpreters.machine import HANDLERS, Block, Machine
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


@HANDLERS.register(nt.BitcastOp, tt.BitcastOp, arith.BitcastOp)
def _bitcast(machine: Machine, op: Operation) -> None:
    value, source, target = machine.value(op.operands[0]), op.operands[0].type, op.results[0].type
    if isinstance(value, Block):
        data = bitcast(value.data, element_of(source), element_of(target))
        value = Block(data, value.guard)
    machine.values[op.results[0]] = value
