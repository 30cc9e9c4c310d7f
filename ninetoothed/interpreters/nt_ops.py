"""Handlers of the dialect ``nt``, loads and stores aside. Guards follow the data by the rules of
the design:

elementwise the conjunction, a choice the guard of what was chosen; reductions and ``nt.dot`` read
their identity where a guard is false and give lanes that are all real.
"""

from __future__ import annotations

import torch
from xdsl.ir import Operation, SSAValue

from ninetoothed.interpreters.elements import INDEX, convert, element_of
from ninetoothed.interpreters.functions import along, apply, dot, picked, reduce
from ninetoothed.interpreters.machine import (
    Block,
    Handler,
    Machine,
    both,
    by_program,
    meet,
    moved,
    select,
)
from ninetoothed.ir import nt
from ninetoothed.ir.index_expr import evaluate
from ninetoothed.language.table import REDUCTIONS


def _size(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.SizeOp)
    number, element = machine.number(op.expr.data), element_of(op.result.type)
    if isinstance(number, torch.Tensor):
        machine.put(op.result, convert(number, INDEX, element))
    else:
        machine.put(op.result, element.number(number))


def _full(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.FullOp)
    ones = [1] * len(nt.shape_of(op.result.type))
    value = moved(machine.value(op.value), lambda x: x.reshape(-1, *ones))
    # Lanes that are filled are real, whatever fills them.
    machine.values[op.result] = Block(value.data) if isinstance(value, Block) else value


def _arange(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.ArangeOp)
    start = evaluate(op.start.data, machine.symbols)
    (size,) = nt.shape_of(op.result.type)
    data = torch.arange(start, start + evaluate(size, machine.symbols)).unsqueeze(0)
    machine.put(op.result, convert(data, INDEX, element_of(op.result.type)))


def _map(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.MapOp)
    arguments = [machine.block(argument) for argument in op.arguments]
    if op.function.data == "where":
        condition, left, right = arguments
        chosen = select(condition.data, left, right)
        machine.put(op.result, chosen.data, meet([condition, chosen]))
        return
    element = element_of(op.arguments[0].type)
    data = apply(op.function.data, element, *(argument.data for argument in arguments))
    machine.put(op.result, data, meet(arguments))


def _cast(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.CastOp)
    block = machine.block(op.value)
    source, target = element_of(op.value.type), element_of(op.result.type)
    machine.put(op.result, convert(block.data, source, target), block.guard)


def _broadcast(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.BroadcastOp)
    machine.values[op.result] = machine.value(op.value)


def _expand_dims(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.ExpandDimsOp)
    dim = op.dim + 1
    machine.values[op.result] = moved(machine.value(op.value), lambda x: x.unsqueeze(dim))


def _trans(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.TransOp)
    dims = (0, *(dim + 1 for dim in op.dims))
    machine.values[op.result] = moved(machine.value(op.value), lambda x: x.permute(dims))


def _flip(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.FlipOp)
    dim = op.dim + 1
    block, size = machine.block(op.value), machine.number(nt.shape_of(op.value.type)[op.dim])
    if isinstance(size, int):
        machine.values[op.result] = moved(block, lambda x: x.flip(dim))
        return
    # Each program's own sequence; what lies behind it is no lane.
    ones = [1] * block.data.dim()
    ones[dim] = evaluate(nt.shape_of(op.value.type)[op.dim], machine.symbols)
    lanes = by_program(size, block.data) - 1 - torch.arange(ones[dim]).reshape(ones)
    machine.values[op.result] = moved(block, lambda x: picked(x, lanes, dim))


def _gather(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.GatherOp)
    block, indices = machine.block(op.value), machine.block(op.indices)
    dim = op.dim + 1
    guard = None if block.guard is None else picked(block.guard, indices.data, dim)
    machine.put(op.result, picked(block.data, indices.data, dim), both(guard, indices.guard))


def _filled(machine: Machine, value: SSAValue, identity: torch.Tensor) -> torch.Tensor:
    """The data, with ``identity`` in lanes that are not real."""
    block = machine.block(value)
    real = both(block.guard, machine.inside(value.type))
    return block.data if real is None else torch.where(real, block.data, identity)


def _reduce(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.ReduceOp)
    element = element_of(op.value.type)
    row = REDUCTIONS[op.function.data]
    assert row.identity is not None
    identity = row.identity(nt.dtype_of(op.value.type))
    data = _filled(machine, op.value, element.number(identity))
    size = evaluate(nt.shape_of(op.value.type)[op.dim], machine.symbols)
    data = along(data, op.dim + 1, size)
    machine.put(op.result, reduce(row.name, element, data, op.dim + 1, identity))


def _dot(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.DotOp)
    operand, result = element_of(op.a.type), element_of(op.result.type)
    zero = operand.number(0)
    depth = evaluate(nt.shape_of(op.a.type)[1], machine.symbols)
    left = along(_filled(machine, op.a, zero), 2, depth)
    right = along(_filled(machine, op.b, zero), 1, depth)
    machine.put(op.result, dot(left, right, machine.data(op.acc), operand, result))


def _program_id(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.ProgramIdOp)
    machine.put(op.result, machine.programs)


def unravel(program: torch.Tensor, sizes: list[int]) -> list[torch.Tensor]:
    """The outermost index of each program, row-major."""
    found: list[torch.Tensor] = []
    for size in reversed(sizes[1:]):
        # A size of 0 leaves no program, but a persistent one may still come by.
        found.append(program % max(size, 1))
        program = program // max(size, 1)
    return [program, *reversed(found)] if sizes else []


def _program_index(machine: Machine, op: Operation) -> None:
    assert isinstance(op, nt.ProgramIndexOp)
    sizes = [evaluate(size, machine.symbols) for size in op.sizes.data]
    machine.outer = unravel(machine.data(op.program), sizes)
    for result, index in zip(op.results, machine.outer, strict=True):
        machine.put(result, index)


HANDLERS: dict[type[Operation], Handler] = {
    nt.SizeOp: _size,
    nt.FullOp: _full,
    nt.ArangeOp: _arange,
    nt.MapOp: _map,
    nt.CastOp: _cast,
    nt.BroadcastOp: _broadcast,
    nt.ExpandDimsOp: _expand_dims,
    nt.TransOp: _trans,
    nt.FlipOp: _flip,
    nt.GatherOp: _gather,
    nt.ReduceOp: _reduce,
    nt.DotOp: _dot,
    nt.ProgramIdOp: _program_id,
    nt.ProgramIndexOp: _program_index,
}
