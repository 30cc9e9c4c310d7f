"""Handlers of the device libraries, and of inline assembly, which is not interpreted."""

from __future__ import annotations

from typing import NoReturn

import torch
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute, Operation

from ninetoothed.errors import CompilerError, DeviceError, NineToothedError
from ninetoothed.interpreters.debug import check
from ninetoothed.interpreters.element_types import ELEMENTS, Element, element_of, reinterpret
from ninetoothed.interpreters.libdevice import call
from ninetoothed.interpreters.machine import HANDLERS, Machine, meet
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.language.table import Extern
from ninetoothed.language.table.libdevice import SYMBOLS, Form


def elementwise_extern(machine: Machine, op: nt.ElementwiseOp, row: Extern) -> None:
    """``nt.elementwise`` of a function of the device libraries."""
    form = row.form([nt.dtype_of(argument.type) for argument in op.arguments])
    assert form is not None
    arguments = [machine.block(argument) for argument in op.arguments]
    data = call(_name(row), form, *(argument.data for argument in arguments))
    machine.put(op.result, data, meet(arguments))


def _name(row: Extern) -> str:
    return row.name.removeprefix("libdevice.")


def _width(type: Attribute) -> int:
    scalar = tt.scalar_of(type)
    assert isinstance(scalar, AnyFloat | IntegerType)
    return scalar.bitwidth


def _resolved(op: tt.ExternElementwiseOp) -> tuple[Extern, Form]:
    """The function of a symbol, by its operands' widths.

    Raises:
        CompilerError: it is unknown.
    """
    widths = [_width(operand.type) for operand in op.srcs]
    for row, form in SYMBOLS.get(op.symbol.data, ()):
        if [ELEMENTS[dtype].bits for dtype in form.operands] == widths:
            return row, form
    raise fail(op, f"{op.symbol.data} is no function of the device libraries", CompilerError)


def _signed(data: torch.Tensor, target: Element) -> torch.Tensor:
    """Integers as signed or unsigned ones; floats as they are."""
    return data if target.kind == "float" else reinterpret(data, target)


@HANDLERS.register(tt.ExternElementwiseOp)
def _extern(machine: Machine, op: tt.ExternElementwiseOp) -> None:
    row, form = _resolved(op)
    arguments = [machine.block(operand) for operand in op.srcs]
    operands = [
        _signed(argument.data, ELEMENTS[dtype])
        for argument, dtype in zip(arguments, form.operands, strict=True)
    ]
    data = _signed(call(_name(row), form, *operands), element_of(op.result.type))
    machine.put(op.result, data, meet(arguments))


@HANDLERS.register(tt.ElementwiseInlineAsmOp)
def _lowered_assembly(machine: Machine, op: tt.ElementwiseInlineAsmOp) -> None:
    message = tt.trap_message(op)
    if message is None:
        raise _not_interpreted(op)
    check(machine, op, op.args[0], message)
    machine.values[op.results[0]] = machine.value(op.args[0])


@HANDLERS.register(nt.InlineAsmOp)
def _assembly(machine: Machine, op: nt.InlineAsmOp) -> NoReturn:
    raise _not_interpreted(op)


def _not_interpreted(op: Operation) -> NineToothedError:
    return fail(
        op,
        "ntl.inline_asm_elementwise runs on a GPU only; pass GPU tensors, or write it with "
        "functions of ntl",
        DeviceError,
    )
