"""What is computed with blocks."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, Region, SSAValue

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.passes.lowering.casts import cast
from ninetoothed.passes.lowering.elementwise import COMBINE, ELEMENTWISE, constant
from ninetoothed.passes.lowering.function import Function, lowers
from ninetoothed.passes.lowering.identities import constant_value
from ninetoothed.passes.lowering.types import is_unsigned, lowered, numbers, signless


@lowers(nt.FullOp)
def _full(f: Function, op: nt.FullOp) -> None:
    assert isinstance(op.result.type, nt.TensorType)
    known = constant_value(op.value)
    if known is not None:
        f.define(op, constant(f.add, known, lowered(op.result.type)))
        return
    f.define(op, f.add(tt.SplatOp(f.value(op.value), numbers(op.result.type))))


@lowers(nt.ArangeOp)
def _arange(f: Function, op: nt.ArangeOp) -> None:
    assert isinstance(op.result.type, nt.TensorType)
    (length,) = numbers(op.result.type)
    start = op.start.data.value
    if start is None:
        raise fail(op, f"an arange starts at {op.start.data}, which is not known", CompilerError)
    # Triton's ranges end where a power of two is reached from their start.
    row = f.add(tt.MakeRangeOp(0, length))
    if start:
        row = f.add(arith.AddiOp(row, constant(f.add, start, row.type)))
    f.define(op, row)


@lowers(nt.MapOp)
def _map(f: Function, op: nt.MapOp) -> None:
    operands = [f.value(argument) for argument in op.arguments]
    unsigned = is_unsigned(op.arguments[-1].type)
    f.define(op, ELEMENTWISE[op.function.data](f.add, unsigned, operands))


@lowers(nt.CastOp)
def _cast(f: Function, op: nt.CastOp) -> None:
    source, target = op.value.type, op.result.type
    scalar = signless(nt.scalar_of(target))
    value = f.value(op.value)
    f.define(op, cast(f.add, value, scalar, is_unsigned(source), is_unsigned(target)))


@lowers(nt.ReduceOp)
def _reduce(f: Function, op: nt.ReduceOp) -> None:
    value = f.value(op.value)
    scalar = tt.scalar_of(value.type)
    block = Block(arg_types=[scalar, scalar])

    def insert(inner: Operation) -> SSAValue:
        inner.location = op.location
        block.add_op(inner)
        return inner.results[0]

    combine = ELEMENTWISE[COMBINE[op.function.data]]
    result = combine(insert, is_unsigned(op.value.type), list(block.args))
    terminator = tt.ReduceReturnOp([result])
    terminator.location = op.location
    block.add_op(terminator)
    f.define(op, f.add(tt.ReduceOp([value], op.dim, Region(block))))


@lowers(nt.DotOp)
def _dot(f: Function, op: nt.DotOp) -> None:
    a, b, acc = f.value(op.a), f.value(op.b), f.value(op.acc)
    f.define(op, f.add(tt.DotOp(a, b, acc, op.precision.data)))
