"""Lowering of prints, assertions, assumptions, hints and inline assembly."""

from __future__ import annotations

from pathlib import PurePath

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation

from ninetoothed.ir import nt, tt
from ninetoothed.ir.locations import loc_of
from ninetoothed.passes.lowering.elementwise import constant
from ninetoothed.passes.lowering.function import LOWERINGS, Function
from ninetoothed.passes.lowering.types import is_unsigned, lowered


@LOWERINGS.register(nt.PrintOp)
def _print(f: Function, op: nt.PrintOp) -> None:
    prefix = tt.print_prefix(op.prefix.data, bool(op.arguments))
    # Devices take the prefix for a part of a format.
    prefix = prefix.replace("%", "%%")
    signed = [not is_unsigned(value.type) for value in op.arguments]
    args = [f.value(value) for value in op.arguments]
    f.insert(tt.PrintOp(prefix, args, bool(op.hex.value.data), signed))


@LOWERINGS.register(nt.AssertOp)
def _assert(f: Function, op: nt.AssertOp) -> None:
    condition = f.value(op.condition)
    if op.mask is not None:
        ones = constant(f.add, 1, condition.type)
        unmasked = f.add(arith.XOrIOp(f.value(op.mask), ones))
        condition = f.add(arith.OrIOp(condition, unmasked))
    if f.traps:
        lanes = tt.ExtUIOp(condition, tt.block_of(tt.shape_of(condition.type), i32))
        f.insert(tt.trap_unless(f.add(lanes), _message(op)))
        return
    f.insert(tt.AssertOp(condition, _message(op)))


def _message(op: nt.AssertOp) -> str:
    """The message with the user's line, which not every backend adds by itself."""
    message = op.message.data or "the assertion does not hold"
    loc = loc_of(op.location)
    return message if loc is None else f"{PurePath(loc.file).name}:{loc.line}: {message}"


@LOWERINGS.register(nt.AssumeOp)
def _assume(f: Function, op: nt.AssumeOp) -> None:
    f.insert(tt.AssumeOp(f.value(op.condition)))


@LOWERINGS.register(nt.HintOp)
def _hint(f: Function, op: nt.HintOp) -> None:
    value = f.value(op.value)
    f.values[op.result] = value
    if isinstance(value.owner, Operation):
        value.owner.attributes[f"tt.{op.kind.data}"] = tt.hint_of(op.numbers)


@LOWERINGS.register(nt.InlineAsmOp)
def _assembly(f: Function, op: nt.InlineAsmOp) -> None:
    new = tt.ElementwiseInlineAsmOp(
        op.asm.data,
        op.constraints.data,
        [f.value(value) for value in op.arguments],
        [lowered(result.type) for result in op.results],
        bool(op.pure.value.data),
        op.pack.value.data,
    )
    f.insert(new)
    f.define(op, *new.results)
