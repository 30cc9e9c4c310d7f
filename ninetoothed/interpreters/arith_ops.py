"""Handlers of ``arith``, ``math`` and Triton's own arithmetic, on scalars and blocks.

Integers are signless there: the op carries the sign.
"""

from __future__ import annotations

from collections.abc import Collection

import torch
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation

from ninetoothed.interpreters.element_types import (
    INDEX,
    Element,
    attribute_value,
    convert,
    element_of,
    reinterpret,
)
from ninetoothed.interpreters.elementwise import apply
from ninetoothed.interpreters.machine import HANDLERS, Machine, by_program, meet, select
from ninetoothed.ir import tt

_SAME: dict[str, str] = {
    "arith.addi": "add",
    "arith.subi": "sub",
    "arith.muli": "mul",
    "arith.divsi": "floordiv",
    "arith.remsi": "mod",
    "arith.floordivsi": "rounded_down",
    "arith.ceildivsi": "rounded_up",
    "arith.minsi": "minimum",
    "arith.maxsi": "maximum",
    "arith.andi": "and",
    "arith.ori": "or",
    "arith.xori": "xor",
    "arith.shli": "shl",
    "arith.shrsi": "shr",
    "arith.addf": "add",
    "arith.subf": "sub",
    "arith.mulf": "mul",
    "arith.divf": "truediv",
    "arith.remf": "mod",
    "arith.negf": "neg",
    "arith.maxnumf": "maximum",
    "arith.minnumf": "minimum",
    "arith.maximumf": "maximum_nan",
    "arith.minimumf": "minimum_nan",
    "math.absf": "abs",
    "math.absi": "abs",
    "math.ceil": "ceil",
    "math.cos": "cos",
    "math.erf": "erf",
    "math.exp2": "exp2",
    "math.exp": "exp",
    "math.floor": "floor",
    "math.log2": "log2",
    "math.log": "log",
    "math.rsqrt": "rsqrt",
    "math.sin": "sin",
    "math.sqrt": "sqrt",
    "math.fma": "fma",
    "tt.precise_sqrt": "sqrt_rn",
    "tt.precise_divf": "div_rn",
}
"""Functions of held values."""

_UNSIGNED: dict[str, str] = {
    "arith.divui": "floordiv",
    "arith.remui": "mod",
    "arith.minui": "minimum",
    "arith.maxui": "maximum",
    "arith.shrui": "shr",
}
"""Functions of unsigned integers."""

_CONVERSIONS = (
    "arith.extf",
    "arith.truncf",
    "arith.sitofp",
    "arith.fptosi",
    "arith.extsi",
    "arith.trunci",
    "arith.index_cast",
)

_ORDERED = {"oeq": "eq", "ogt": "gt", "oge": "ge", "olt": "lt", "ole": "le"}
_UNORDERED = {"ugt": "le", "uge": "lt", "ult": "ge", "ule": "gt"}
"""The ordered comparison of which it is the negation."""


def _ops(names: Collection[str]) -> list[type[Operation]]:
    """The classes of ops: some have two, xDSL's and ours that takes blocks."""
    dialects = (arith.Arith, tt.BLOCK_ARITH, math.Math, tt.TT)
    found = {op for dialect in dialects for op in dialect.operations}
    return [op for op in found if op.name in names]


@HANDLERS.register(arith.ConstantOp)
def _constant(machine: Machine, op: arith.ConstantOp) -> None:
    value, element = op.value, element_of(op.result.type)
    if not isinstance(value, DenseIntOrFPElementsAttr):
        machine.put(op.result, element.number(attribute_value(value)))
        return
    shape = (1, *tt.shape_of(op.result.type))
    # Tuples are complex numbers, which no block has.
    numbers = [found for found in value.get_values() if not isinstance(found, tuple)]
    if value.is_splat():
        data = element.number(numbers[0]).reshape([1] * len(shape))
    else:
        data = torch.cat([element.number(number) for number in numbers]).reshape(shape)
    machine.put(op.result, data)


@HANDLERS.register(*_ops(_SAME))
def _same(machine: Machine, op: Operation) -> None:
    arguments = [machine.block(operand) for operand in op.operands]
    element = element_of(op.results[0].type)
    data = apply(_SAME[op.name], element, *(argument.data for argument in arguments))
    machine.put(op.results[0], data, meet(arguments))


@HANDLERS.register(tt.ClampfOp)
def _clamp(machine: Machine, op: tt.ClampfOp) -> None:
    arguments = [machine.block(operand) for operand in op.operands]
    name = "clamp_nan" if op.propagates else "clamp"
    data = apply(name, element_of(op.result.type), *(argument.data for argument in arguments))
    machine.put(op.result, data, meet(arguments))


@HANDLERS.register(*_ops(_UNSIGNED))
def _unsigned(machine: Machine, op: Operation) -> None:
    arguments = [machine.block(operand) for operand in op.operands]
    element = element_of(op.results[0].type)
    bits = [reinterpret(argument.data, element.unsigned) for argument in arguments]
    data = apply(_UNSIGNED[op.name], element.unsigned, *bits)
    machine.put(op.results[0], reinterpret(data, element), meet(arguments))


@HANDLERS.register(tt.CmpiOp, arith.CmpiOp)
def _compare_integers(machine: Machine, op: tt.CmpiOp | arith.CmpiOp) -> None:
    left, right = machine.block(op.lhs), machine.block(op.rhs)
    name = tt.CmpiOp.PREDICATES[op.predicate.value.data]
    element = element_of(op.lhs.type)
    operands = [left.data, right.data]
    if name[0] in "su":
        # A signed bit is -1.
        if element.kind == "bool" and name[0] == "s":
            operands.reverse()
        elif name[0] == "u":
            element = element.unsigned
            operands = [reinterpret(data, element) for data in operands]
        name = name[1:]
    machine.put(op.result, apply(name, element, *operands), meet([left, right]))


@HANDLERS.register(tt.CmpfOp, arith.CmpfOp)
def _compare_floats(machine: Machine, op: tt.CmpfOp | arith.CmpfOp) -> None:
    left, right = machine.block(op.lhs), machine.block(op.rhs)
    name = tt.CmpfOp.PREDICATES[op.predicate.value.data]
    data = _floats_compare(name, element_of(op.lhs.type), left.data, right.data)
    machine.put(op.result, data, meet([left, right]))


def _floats_compare(
    name: str, element: Element, left: torch.Tensor, right: torch.Tensor
) -> torch.Tensor:
    if name in _ORDERED:
        return apply(_ORDERED[name], element, left, right)
    unordered = torch.isnan(left) | torch.isnan(right)
    match name:
        case "one":
            return (left != right) & ~unordered
        case "ueq":
            return (left == right) | unordered
        case "une":
            return left != right
        case "uno":
            return unordered
        case "ord":
            return ~unordered
        case "true" | "false":
            return torch.full_like(unordered, name == "true")
        case _:
            return ~apply(_UNORDERED[name], element, left, right)


@HANDLERS.register(tt.SelectOp, arith.SelectOp)
def _select(machine: Machine, op: tt.SelectOp | arith.SelectOp) -> None:
    condition = machine.block(op.cond)
    left, right = machine.block(op.lhs), machine.block(op.rhs)
    bits = condition.data
    if bits.dim() < left.data.dim():
        bits = by_program(bits, left.data)
    chosen = select(bits, left, right)
    guards = [chosen] if condition.data.dim() < left.data.dim() else [condition, chosen]
    machine.put(op.result, chosen.data, meet(guards))


@HANDLERS.register(*_ops(_CONVERSIONS))
def _convert(machine: Machine, op: Operation) -> None:
    block = machine.block(op.operands[0])
    source, target = element_of(op.operands[0].type), element_of(op.results[0].type)
    data = block.data
    if source.kind == "bool":
        # As a signed number, a set bit is -1.
        data, source = -data.to(torch.int64), INDEX
    if target.kind == "bool" and source.kind != "float":
        data = reinterpret(data, target)
    else:
        data = convert(data, source, target)
    machine.put(op.results[0], data, block.guard)


@HANDLERS.register(*_ops(("arith.extui", "arith.uitofp", "arith.fptoui")))
def _convert_unsigned(machine: Machine, op: Operation) -> None:
    block = machine.block(op.operands[0])
    source, target = element_of(op.operands[0].type), element_of(op.results[0].type)
    if source.kind == "float":
        data = reinterpret(convert(block.data, source, target.unsigned), target)
    else:
        data = reinterpret(block.data, source.unsigned)
        data = (
            convert(data, source.unsigned, target)
            if target.kind == "float"
            else reinterpret(data, target)
        )
    machine.put(op.results[0], data, block.guard)
