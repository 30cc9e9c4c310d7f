"""Handlers of prints, assertions and hints: by program and lane, of ``nt`` in valid lanes only."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import torch
from xdsl.ir import Operation, SSAValue

from ninetoothed.errors import AssertionFailedError
from ninetoothed.interpreters.element_types import Element, element_of, reinterpret
from ninetoothed.interpreters.machine import HANDLERS, Block, Machine, both, by_program
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail


def _valid(machine: Machine, value: SSAValue) -> tuple[Block, torch.Tensor | None]:
    """A block, and its valid lanes in active programs; None: all."""
    block = machine.block(value)
    valid = both(block.guard, machine.inside(value.type))
    active = None if machine.active is None else by_program(machine.active, block.data)
    return block, both(valid, active)


def _rows(machine: Machine, data: torch.Tensor, sizes: list[int]) -> list[list[float]]:
    """The lanes of each program, row-major."""
    count = machine.programs.shape[0]
    rows = data.expand([count, *sizes]).reshape(count, -1)
    return cast("list[list[float]]", rows.tolist())


def _place(lane: int, sizes: list[int]) -> list[int]:
    """The indices of a lane, by its number in row-major order."""
    found: list[int] = []
    for size in reversed(sizes):
        lane, index = divmod(lane, size)
        found.append(index)
    return found[::-1]


def _number(element: Element, hexadecimal: bool) -> Callable[[float], str]:
    """The format in which a device prints numbers."""
    if element.kind == "float":
        return (lambda x: float(x).hex()) if hexadecimal else (lambda x: f"{x:f}")
    mask, digits = (1 << element.bits) - 1, math.ceil(element.bits / 4)
    if hexadecimal:
        return lambda x: f"0x{int(x) & mask:0{digits}x}"
    # Unsigned integers of 64 bits are held as signed ones.
    return (lambda x: str(int(x))) if element.kind == "int" else (lambda x: str(int(x) & mask))


def _print_lanes(
    machine: Machine, op: nt.PrintOp | tt.PrintOp, prefix: str, elements: list[Element]
) -> None:
    """One line a lane, as a device prints it."""
    rows: list[tuple[list[int], list[list[float]], list[list[float]] | None]] = []
    for value, element in zip(op.operands, elements, strict=True):
        sizes = machine.sizes(value.type)
        block, valid = _valid(machine, value)
        data = block.data if element.kind == "float" else reinterpret(block.data, element)
        chosen = None if valid is None else _rows(machine, valid, sizes)
        rows.append((sizes, _rows(machine, data, sizes), chosen))
    write = [_number(element, bool(op.hex.value.data)) for element in elements]
    programs = cast("list[int]", machine.programs.tolist())
    for row, program in enumerate(programs):
        if not rows and (machine.active is None or machine.active[row]):
            print(f"pid ({program}, 0, 0){prefix}")
        for position, (sizes, data, valid) in enumerate(rows):
            which = f"(operand {position}) " if len(rows) > 1 else ""
            for lane, number in enumerate(data[row]):
                if valid is None or valid[row][lane]:
                    index = ", ".join(map(str, _place(lane, sizes)))
                    text = write[position](number)
                    print(f"pid ({program}, 0, 0) idx ({index}){prefix}{which}{text}")


@HANDLERS.register(nt.PrintOp)
def _print(machine: Machine, op: nt.PrintOp) -> None:
    prefix = tt.print_prefix(op.prefix.data, bool(op.arguments))
    _print_lanes(machine, op, prefix, [element_of(value.type) for value in op.arguments])


@HANDLERS.register(tt.PrintOp)
def _print_lowered(machine: Machine, op: tt.PrintOp) -> None:
    elements = [element_of(value.type) for value in op.args]
    elements = [
        element if signed or element.kind == "float" else element.unsigned
        for element, signed in zip(elements, op.isSigned.get_values(), strict=True)
    ]
    _print_lanes(machine, op, op.prefix.data.replace("%%", "%"), elements)


def check(
    machine: Machine, op: Operation, condition: SSAValue, message: str, mask: SSAValue | None = None
) -> None:
    """Raise an error if a lane of bits, or of numbers, is 0; it names the first one."""
    block, wanted = _valid(machine, condition)
    if mask is not None:
        masks, valid = _valid(machine, mask)
        wanted = both(both(wanted, masks.data), valid)
    broken = block.data == 0
    if wanted is not None:
        broken = broken & wanted
    if not broken.any():
        return
    sizes = machine.sizes(condition.type)
    lanes = broken.expand([machine.programs.shape[0], *sizes])
    row, *place = cast("list[int]", torch.nonzero(lanes)[0].tolist())
    where = f"program {machine.programs[row].item()}"
    if place:
        where += f", lane {place[0] if len(place) == 1 else tuple(place)}"
    raise fail(op, f"{message} ({where})", AssertionFailedError)


@HANDLERS.register(nt.AssertOp)
def _assert(machine: Machine, op: nt.AssertOp) -> None:
    message = op.message.data or "the assertion does not hold"
    check(machine, op, op.condition, message, op.mask)


@HANDLERS.register(tt.AssertOp)
def _assert_lowered(machine: Machine, op: tt.AssertOp) -> None:
    check(machine, op, op.condition, op.message.data)


@HANDLERS.register(nt.AssumeOp, tt.AssumeOp)
def _assume(machine: Machine, op: nt.AssumeOp | tt.AssumeOp) -> None:
    """Nothing: assumptions change no value."""


@HANDLERS.register(nt.HintOp)
def _hint(machine: Machine, op: nt.HintOp) -> None:
    machine.values[op.result] = machine.value(op.value)
