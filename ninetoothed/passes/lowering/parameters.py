"""Lowering of parameters, sizes and constants."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    UnrealizedConversionCastOp,
)
from xdsl.ir import BlockArgument, Operation
from xdsl.irdl import IRDLOperation

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.passes.analysis.scalars import constant_value
from ninetoothed.passes.lowering.function import LOWERINGS, Function
from ninetoothed.passes.lowering.types import lowered, signless


@LOWERINGS.register(nt.PointerOp)
def _pointer(f: Function, op: nt.PointerOp) -> None:
    f.values[op.result] = f.value(op.ref)


@LOWERINGS.register(nt.HostDescriptorOp)
def _host_descriptor(f: Function, op: nt.HostDescriptorOp) -> None:
    f.values[op.result] = f.descriptors[f.made_of(op)]


@LOWERINGS.register(nt.ScratchOp)
def _scratch(f: Function, op: nt.ScratchOp) -> None:
    f.values[op.result] = f.scratch[op.memory.data]


@LOWERINGS.register(nt.ProgramIdOp)
def _program_id(f: Function, op: nt.ProgramIdOp) -> None:
    f.define(op, f.add(tt.GetProgramIdOp(0)))


@LOWERINGS.register(nt.ProgramCountOp)
def _program_count(f: Function, op: nt.ProgramCountOp) -> None:
    f.define(op, f.add(tt.GetNumProgramsOp(0)))


@LOWERINGS.register(nt.SequencesOp)
def _sequences(f: Function, op: nt.SequencesOp) -> None:
    """Its argument was declared with the tensor's."""


@LOWERINGS.register(nt.SizeOp)
def _size(f: Function, op: nt.SizeOp) -> None:
    expr = op.expr.data
    argument = f.symbols.get(expr.args[0]) if expr.op == "sym" else None
    if argument is None:
        name = f.kernel.sym_name.data
        raise fail(op, f"{expr} is none of the symbols that kernel {name} declares", CompilerError)
    f.values[op.result] = argument


@LOWERINGS.register(nt.QuotientOp)
def _quotient(f: Function, op: nt.QuotientOp) -> None:
    value, shape = f.value(op.value), tt.shape_of(op.value.type)
    multiplier, shift = (
        f.add(tt.SplatOp(argument, shape)) if shape else argument
        for argument in f.reciprocals[op.divisor.data]
    )
    high = f.add(tt.MulhiuiOp(value, multiplier))
    found = f.add(arith.ShRUIOp(f.add(arith.AddiOp(high, value)), shift))
    assert isinstance(found.owner, Operation)
    found.owner.attributes |= op.attributes
    f.define(op, found)


@LOWERINGS.register(nt.LoadOp)
def _load(f: Function, op: nt.LoadOp) -> None:
    """Numbers, passed by value or baked in: ``nt-lower-accesses`` has lowered loads of tensors."""
    assert isinstance(op.ref, BlockArgument)
    source = f.kernel.sources[op.ref.index]
    if source.value is None:
        f.values[op.result] = f.value(op.ref)
    else:
        attribute = nt.number(source.value.value.data, signless(op.result.type))
        f.define(op, f.add(arith.ConstantOp(attribute)))


@LOWERINGS.register(UnrealizedConversionCastOp)
def _bridge(f: Function, op: UnrealizedConversionCastOp) -> None:
    f.values[op.results[0]] = f.value(op.inputs[0])


@LOWERINGS.register(nt.ReturnOp)
def _return(f: Function, op: nt.ReturnOp) -> None:
    return None


@LOWERINGS.register(arith.ConstantOp, nt.ConstantOp)
def _constant(f: Function, op: arith.ConstantOp | nt.ConstantOp) -> None:
    type = op.result.type
    if lowered(type) == type:
        f.copy(op)
        return
    known = constant_value(op.result)
    assert known is not None
    f.define(op, f.add(arith.ConstantOp(nt.number(known, lowered(type)))))


def _lowered() -> set[type[IRDLOperation]]:
    """The ops that earlier passes lowered."""
    found = {op for dialect in (tt.TT, tt.BLOCK_ARITH, arith.Arith) for op in dialect.operations}
    plain = (op for op in found if issubclass(op, IRDLOperation))
    return {op for op in plain if not op.get_irdl_definition().regions} - {arith.ConstantOp}


@LOWERINGS.register(*_lowered())
def _copy(f: Function, op: Operation) -> None:
    f.copy(op)
