"""Handlers of the dialect ``nt``: sizes, creation, elementwise ops and program ids.

Guards follow the data: the guard of an elementwise result is the conjunction, that of a select the
selected one; reductions and ``nt.dot`` read their identity where a guard is false.
"""

from __future__ import annotations

import torch

from ninetoothed.interpreters.element_types import INDEX, convert, element_of
from ninetoothed.interpreters.elementwise import apply
from ninetoothed.interpreters.extern import elementwise_extern
from ninetoothed.interpreters.jagged import TENSORS
from ninetoothed.interpreters.machine import HANDLERS, Block, Machine, meet, moved, select
from ninetoothed.ir import nt
from ninetoothed.language.table import ELEMENTWISE, Extern
from ninetoothed.symbolic.expr import evaluate


@HANDLERS.register(nt.SizeOp)
def _size(machine: Machine, op: nt.SizeOp) -> None:
    number, element = machine.number(op.expr.data), element_of(op.result.type)
    if isinstance(number, torch.Tensor):
        machine.put(op.result, convert(number, INDEX, element))
    else:
        machine.put(op.result, element.number(number))


@HANDLERS.register(nt.QuotientOp)
def _quotient(machine: Machine, op: nt.QuotientOp) -> None:
    divisor = max(machine.number(op.divisor.data), 1)
    machine.put(op.result, machine.data(op.value) // divisor)


@HANDLERS.register(nt.FullOp)
def _full(machine: Machine, op: nt.FullOp) -> None:
    ones = [1] * len(nt.shape_of(op.result.type))
    value = moved(machine.value(op.value), lambda x: x.reshape(-1, *ones))
    # Filled lanes are valid, whatever fills them.
    machine.values[op.result] = Block(value.data) if isinstance(value, Block) else value


@HANDLERS.register(nt.ArangeOp)
def _arange(machine: Machine, op: nt.ArangeOp) -> None:
    start = evaluate(op.start.data, machine.symbols)
    (size,) = nt.shape_of(op.result.type)
    data = torch.arange(start, start + evaluate(size, machine.symbols)).unsqueeze(0)
    machine.put(op.result, convert(data, INDEX, element_of(op.result.type)))


@HANDLERS.register(nt.ElementwiseOp)
def _elementwise(machine: Machine, op: nt.ElementwiseOp) -> None:
    row = ELEMENTWISE[op.function.data]
    if isinstance(row, Extern):
        elementwise_extern(machine, op, row)
        return
    arguments = [machine.block(argument) for argument in op.arguments]
    if op.function.data == "where":
        condition, left, right = arguments
        chosen = select(condition.data, left, right)
        machine.put(op.result, chosen.data, meet([condition, chosen]))
        return
    element = element_of(op.arguments[0].type)
    data = apply(op.function.data, element, *(argument.data for argument in arguments))
    machine.put(op.result, data, meet(arguments))


@HANDLERS.register(nt.ProgramNumberOp, nt.ProgramIdOp)
def _program_id(machine: Machine, op: nt.ProgramNumberOp | nt.ProgramIdOp) -> None:
    programs = machine.programs
    if isinstance(op, nt.ProgramIdOp) and op.last is not None:
        programs = machine.number(op.last.data) - programs
    machine.put(op.results[0], convert(programs, INDEX, element_of(op.results[0].type)))


@HANDLERS.register(nt.ProgramCountOp)
def _program_count(machine: Machine, op: nt.ProgramCountOp) -> None:
    machine.put(op.results[0], element_of(op.results[0].type).number(machine.count))


def unravel(program: torch.Tensor, sizes: list[int]) -> list[torch.Tensor]:
    """The outermost index of each program, row-major."""
    found: list[torch.Tensor] = []
    for size in reversed(sizes[1:]):
        # Persistent programs exist even where a size is 0.
        found.append(program % max(size, 1))
        program = program // max(size, 1)
    return [program, *reversed(found)] if sizes else []


def unravel_groups(program: torch.Tensor, sizes: list[int], height: int) -> list[torch.Tensor]:
    """The same, where programs go down the columns of groups of ``height`` rows."""
    *outer, row, column = unravel(program, sizes)
    rows, columns = sizes[-2:]
    inner = row * columns + column
    first = inner // (height * columns) * height
    least = (rows - first).clamp(max=height)
    inner = inner - first * columns
    return [*outer, first + inner % least, inner // least]


@HANDLERS.register(nt.ProgramIndexOp)
def _program_index(machine: Machine, op: nt.ProgramIndexOp) -> None:
    program = machine.data(op.program)
    sizes = [evaluate(size, machine.symbols) for size in op.sizes.data]
    if op.rows_of_group == 1:
        machine.outer = unravel(program, sizes)
    else:
        machine.outer = unravel_groups(program, sizes, op.rows_of_group)
    for result, index in zip(op.results, machine.outer, strict=True):
        machine.put(result, index)


@HANDLERS.register(nt.HoldsOp)
def _holds(machine: Machine, op: nt.HoldsOp) -> None:
    found = torch.ones(1, dtype=torch.bool)
    outer = {f"g{dim}": index.reshape(-1) for dim, index in enumerate(machine.outer)}
    values = {**machine.symbols, **machine.own, **outer}
    for guard in op.guards.data:
        index, size = (
            torch.as_tensor(evaluate(expr, values, TENSORS)) for expr in (guard.index, guard.size)
        )
        found = found & (index >= 0) & (index < size)
    machine.put(op.result, found)
