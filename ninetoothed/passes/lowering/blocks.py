"""Lowering of blocks: fill, ranges and elementwise functions."""

from __future__ import annotations

from xdsl.dialects import arith

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.language.table import ELEMENTWISE, Extern
from ninetoothed.passes.analysis.scalars import constant_value
from ninetoothed.passes.lowering.casts import computed
from ninetoothed.passes.lowering.elementwise import ELEMENTWISE_LOWERINGS, constant
from ninetoothed.passes.lowering.extern import lower_extern
from ninetoothed.passes.lowering.function import LOWERINGS, Function
from ninetoothed.passes.lowering.types import is_unsigned, lowered, numbers


@LOWERINGS.register(nt.FullOp)
def _full(f: Function, op: nt.FullOp) -> None:
    known = constant_value(op.value)
    if known is not None:
        f.define(op, constant(f.add, known, lowered(op.result.type)))
        return
    f.define(op, f.add(tt.SplatOp(f.value(op.value), numbers(op.result.type))))


@LOWERINGS.register(nt.ArangeOp)
def _arange(f: Function, op: nt.ArangeOp) -> None:
    (length,) = numbers(op.result.type)
    start = op.start.data.value
    if start is None:
        raise fail(op, f"an arange starts at {op.start.data}, which is not known", CompilerError)
    # The length of Triton's ranges is a power of two.
    if not 0 < length < 1 << 31 or length.bit_count() > 1:
        raise fail(op, f"an arange of {length} lanes is no range of Triton's", CompilerError)
    row = f.add(tt.MakeRangeOp(0, length))
    if start:
        row = f.add(arith.AddiOp(row, constant(f.add, start, row.type)))
    f.define(op, row)


@LOWERINGS.register(nt.ElementwiseOp)
def _elementwise(f: Function, op: nt.ElementwiseOp) -> None:
    row = ELEMENTWISE[op.function.data]
    if isinstance(row, Extern):
        lower_extern(f, op, row)
        return
    operands = [f.value(argument) for argument in op.arguments]
    unsigned = is_unsigned(op.arguments[-1].type)
    function = ELEMENTWISE_LOWERINGS[op.function.data]
    if op.function.data == "where":
        f.define(op, function(f.add, unsigned, operands))
    else:
        f.define(op, computed(f.add, function, unsigned, operands))
