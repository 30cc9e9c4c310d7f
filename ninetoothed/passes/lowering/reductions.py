"""Lowering of reductions, scans, sorts and histograms.

A combine region with a mask combines a valid bit beside its operands: where one side is not valid,
the other side is the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Block, Operation, Region, SSAValue

from ninetoothed.ir import nt, tt
from ninetoothed.passes.lowering.casts import cast
from ninetoothed.passes.lowering.elementwise import COMBINE, ELEMENTWISE_LOWERINGS, constant
from ninetoothed.passes.lowering.function import LOWERINGS, Function
from ninetoothed.passes.lowering.sorting import Sort, sort
from ninetoothed.passes.lowering.types import is_unsigned, numbers

End = Callable[[Sequence[SSAValue]], Operation]


def _named(f: Function, op: nt.ReduceOp | nt.ScanOp, value: SSAValue, end: End) -> Region:
    """The combine region of a row of the language's table."""
    scalar = tt.scalar_of(value.type)
    outer, f.block = f.block, Block(arg_types=[scalar, scalar])
    combine = ELEMENTWISE_LOWERINGS[COMBINE[op.function.data]]
    f.insert(end([combine(f.add, is_unsigned(op.value.type), list(f.block.args))]))
    inner, f.block = f.block, outer
    return Region(inner)


@LOWERINGS.register(nt.ReduceOp)
def _reduce(f: Function, op: nt.ReduceOp) -> None:
    value = f.value(op.value)
    region = _named(f, op, value, tt.ReduceReturnOp)
    f.define(op, f.add(tt.ReduceOp([value], op.dim, region)))


@LOWERINGS.register(nt.ScanOp)
def _scan(f: Function, op: nt.ScanOp) -> None:
    value = f.value(op.value)
    region = _named(f, op, value, tt.ScanReturnOp)
    f.define(op, *_scanned(f, op, [value], region))


def _scanned(
    f: Function, op: nt.ScanOp | nt.ScanByOp, srcs: Sequence[SSAValue], region: Region
) -> Sequence[SSAValue]:
    """Scan without the other dims of size 1.

    With such a dim, Triton 3.6 gives wrong lanes on Hopper once they are broadcast along it.
    """
    shape = tt.shape_of(srcs[0].type)
    kept = [axis for axis, size in enumerate(shape) if axis == op.dim or size != 1]
    short = [shape[axis] for axis in kept]
    srcs = [f.add(tt.ReshapeOp(src, short)) for src in srcs]
    new = tt.ScanOp(srcs, kept.index(op.dim), op.reversed, region)
    f.insert(new)
    return [f.add(tt.ReshapeOp(result, shape)) for result in new.results]


def _combination(f: Function, op: nt.Combination, srcs: Sequence[SSAValue], end: End) -> Region:
    """The combine region of ``op``; with a valid bit if it has a mask."""
    count = len(op.values)
    scalars = [tt.scalar_of(src.type) for src in srcs]
    outer, f.block = f.block, Block(arg_types=scalars * 2)
    left, right = f.block.args[: len(srcs)], f.block.args[len(srcs) :]
    block = op.combine.block
    for old, new in zip(block.args, (*left[:count], *right[:count]), strict=True):
        new.name_hint = old.name_hint
        f.values[old] = new
    f.convert(block)
    f.origin = op
    last = block.last_op
    assert isinstance(last, nt.YieldOp)
    results = [f.value(value) for value in last.values]
    if op.valid is not None:
        some, more = left[-1], right[-1]
        for index, result in enumerate(results):
            one = f.add(tt.SelectOp(more, result, left[index]))
            results[index] = f.add(tt.SelectOp(some, one, right[index]))
        results.append(f.add(arith.OrIOp(some, more)))
    f.insert(end(results))
    inner, f.block = f.block, outer
    return Region(inner)


@LOWERINGS.register(nt.YieldOp)
def _combined(f: Function, op: nt.YieldOp) -> None:
    """The terminator, which the lowering of the region inserts."""


@LOWERINGS.register(nt.ReduceByOp)
def _reduce_by(f: Function, op: nt.ReduceByOp) -> None:
    srcs = [f.value(operand) for operand in op.operands]
    new = tt.ReduceOp(srcs, op.dim, _combination(f, op, srcs, tt.ReduceReturnOp))
    f.insert(new)
    f.define(op, *new.results)


@LOWERINGS.register(nt.ScanByOp)
def _scan_by(f: Function, op: nt.ScanByOp) -> None:
    srcs = [f.value(operand) for operand in op.operands]
    f.define(op, *_scanned(f, op, srcs, _combination(f, op, srcs, tt.ScanReturnOp)))


@LOWERINGS.register(nt.SortOp)
def _sort(f: Function, op: nt.SortOp) -> None:
    wanted = Sort(
        op.dim,
        numbers(op.result.type)[op.dim],
        descending=op.falls,
        unsigned=is_unsigned(op.value.type),
        bitonic=op.bitonic is not None,
        reversed=op.reversed is not None,
    )
    f.define(op, sort(f.add, f.value(op.value), wanted))


@LOWERINGS.register(nt.HistogramOp)
def _histogram(f: Function, op: nt.HistogramOp) -> None:
    """Histogram of the lanes in range: for others, Triton writes out of bounds."""
    value, mask = f.value(op.value), f.optional(op.mask)
    unsigned = is_unsigned(op.value.type)
    (bins,) = numbers(op.result.type)
    scalar = tt.scalar_of(value.type)
    assert isinstance(scalar, IntegerType)
    if scalar.bitwidth < 32:
        value = cast(f.add, value, i32, unsigned, unsigned)
    # As unsigned integers, negative lanes are larger than any number of bins.
    limit = constant(f.add, bins, value.type)
    inside = f.add(tt.CmpiOp("ult", value, limit))
    mask = inside if mask is None else f.add(arith.AndIOp(mask, inside))
    if scalar.bitwidth > 32:
        value = cast(f.add, value, i32, unsigned, unsigned)
    f.define(op, f.add(tt.HistogramOp(value, bins, mask)))
