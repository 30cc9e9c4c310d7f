"""Unroll reductions: a window's lanes are read and combined one after the other.

In the place of a reduction of a few lanes, as of a pooling window, stand for each lane of the dim
one load of a block that has the other dims alone, and one elementwise op. No lanes
are padded, no threads exchange what they have read, and each load's index is computed with the
number of its lane: of flattened windows, no divisions are left.

It is done where nothing else needs what is read, and not along rows that memory holds one behind
the other, which are read in vectors. What has the window's dim alone, as a filter that every window
is multiplied by, is read number by number. A lane that is chosen where a condition holds, and is the
identity elsewhere, is combined first and chosen then: so a product and a sum are one instruction.

Why here: block sizes are known, and lanes are not padded yet. It completes stage ``specialized``.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64, 3]] -> [g0 * 64 + b0 + b1] if [[g0 * 64 + b0 + b1, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 3] x f32>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64, 3] x f32>>,
                       !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64, 3] x f32>, %b : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64, 3] x f32>[] -> !nt.tensor<[64, 3] x f32>
  %2 = nt.reduce "sum" %1 axis 1 : !nt.tensor<[64, 3] x f32> -> !nt.tensor<[64] x f32>
  nt.store %2, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [3], [64]] -> [b0 + g0 * 64 + k1_0]
      if [[b0 + g0 * 64 + k1_0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[3] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[3] x !nt.tensor<[64] x f32>>>,
                       !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[3] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[64] x f32>):
  %7 = arith.constant 0 : i32
  %8 = arith.constant 1 : i32
  %9 = arith.constant 2 : i32
  %2 = nt.load %a[%7] other 0.0 : f32
      : !nt.tensor<[3] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %3 = nt.load %a[%8] other 0.0 : f32
      : !nt.tensor<[3] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %4 = nt.load %a[%9] other 0.0 : f32
      : !nt.tensor<[3] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %5 = nt.elementwise "add"(%2, %3)
      : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %6 = nt.elementwise "add"(%5, %4)
      : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %6, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, UnrealizedConversionCastOp, i32
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import JoinedLanes, KernelPass
from ninetoothed.ir.rewriting import Inserter, set_type
from ninetoothed.language.table import REDUCTIONS
from ninetoothed.layout.access import Access, index_names
from ninetoothed.passes.analysis.float_facts import filled_constant
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.passes.analysis.windows import (
    Read,
    Reduction,
    Window,
    find_window,
    is_row,
)
from ninetoothed.passes.lowering.arranged import rearrange
from ninetoothed.passes.lowering.elementwise import COMBINE
from ninetoothed.passes.lowering.identities import fill, select
from ninetoothed.symbolic.expr import sym

_OF_COMBINE = {
    **{combine: name for name, combine in COMBINE.items() if name in REDUCTIONS},
    "maximum_nan": "max",
    "minimum_nan": "min",
}
"""Of an elementwise function, the reduction with the same identity."""


def _split_off(access: Access, dim: int) -> Access:
    """The access with a dim of its block as a level of its own, in front of the block."""
    *outer, block = access.levels
    rest = (*block[:dim], *block[dim + 1 :])
    levels = (*outer, (block[dim],), rest)
    old, new = index_names(access.levels)[-1], index_names(levels)
    names = [*new[-1][:dim], *new[-2], *new[-1][dim:]]
    return Access(levels, access.indices, access.guards).substitute(
        {one: sym(two) for one, two in zip(old, names, strict=True)}
    )


class _Unrolling:
    """The unrolling of one window."""

    def __init__(self, kernel: nt.KernelOp, window: Window) -> None:
        self.kernel = kernel
        self.window = window
        self.lanes: dict[SSAValue, list[SSAValue]] = {}
        inserter = Inserter.before(window.ops[0])
        self.numbers = [
            inserter.add(arith.ConstantOp(IntegerAttr(lane, i32))) for lane in range(window.count)
        ]

    def run(self) -> None:
        """Unroll it."""
        for tile in self.window.tiles:
            arranged = self.kernel.arranged.values[tile.index]
            access = arranged.owner
            assert isinstance(access, nt.AccessOp)
            found = _split_off(access.access.data, self.window.dims[tile])
            set_type(tile, rearrange(self.kernel, tile.index, found).element_type)
        for op in self.window.ops:
            if isinstance(op, Reduction):
                self._reduce(op)
            else:
                self.lanes[op.results[0]] = [self._lane(op, n) for n in range(self.window.count)]
        whole = {operand.owner for op in self.window.ops for operand in op.operands}
        for op in reversed(self.window.ops):
            if not isinstance(op, Reduction):
                Rewriter.erase_op(op)
        for owner in whole:
            if isinstance(owner, nt.FullOp) and not owner.result.uses:
                Rewriter.erase_op(owner)
        # Of masks that the identity stands for, and of what is chosen where lanes are combined,
        # nothing is left.
        for lane in itertools.chain.from_iterable(self.lanes.values()):
            if isinstance(lane.owner, nt.GuardOp | nt.ElementwiseOp) and not lane.uses:
                Rewriter.erase_op(lane.owner)

    def _lane(self, op: Operation, lane: int) -> SSAValue:
        """Lane ``lane`` of an op's result."""
        inserter = Inserter.before(op)
        operands = [self._operand(inserter, operand, lane) for operand in op.operands]
        dim = self.window.dims[op.results[0]]
        if isinstance(op, UnrealizedConversionCastOp):
            return operands[0]
        if isinstance(op, nt.ExpandDimsOp):
            return inserter.add(nt.ExpandDimsOp(operands[0], op.dim - (dim < op.dim)))
        if isinstance(op, Read):
            operands.append(self.numbers[lane])
        result = nt.without_dim(op.results[0].type, dim)
        return inserter.insert(_copied(op, operands, result)).results[0]

    def _operand(self, inserter: Inserter, operand: SSAValue, lane: int) -> SSAValue:
        if operand in self.lanes:
            return self.lanes[operand][lane]
        owner = operand.owner
        if isinstance(owner, nt.FullOp):
            return inserter.add(
                nt.FullOp(owner.value, nt.without_dim(operand.type, self.window.dim))
            )
        return operand

    def _reduce(self, op: Reduction) -> None:
        inserter = Inserter.before(op)
        rows = [
            [self._operand(inserter, operand, lane) for operand in op.operands]
            for lane in range(self.window.count)
        ]
        if isinstance(op, nt.ReduceOp):
            combine = _Combine(inserter, function=COMBINE[op.function.data])
            results = functools.reduce(combine, rows)
        else:
            if op.valid is not None and not op.results[-1].uses:
                rows = _without_mask(inserter, op, rows)
            combine = _Combine(inserter, op=op, is_masked=len(rows[0]) > len(op.values))
            results = functools.reduce(combine, rows)
        # A mask that nothing uses may have none.
        for old, new in zip(op.results, results, strict=False):
            new.name_hint = new.name_hint or old.name_hint
            old.replace_all_uses_with(new)
        Rewriter.erase_op(op)


@dataclass(frozen=True)
class _Combine:
    """Combines two rows of blocks, as a reduction combines two lanes: by a function of the
    language's table, or by the region of ``op``, with a mask behind the values if ``is_masked``.
    """

    inserter: Inserter
    function: str = ""
    op: nt.ReduceByOp | None = None
    is_masked: bool = False

    def __call__(self, left: Sequence[SSAValue], right: Sequence[SSAValue]) -> list[SSAValue]:
        if self.op is None:
            (one,), (two,) = left, right
            chosen = _chosen(two, self.function)
            if chosen is None:
                return [self._apply(self.function, one, two)]
            # So a product and a sum stay side by side, and are one instruction.
            condition, value = chosen
            return [self._apply("where", condition, self._apply(self.function, one, value), one)]
        count = len(self.op.values)
        found = self._region(self.op, [*left[:count], *right[:count]])
        if not self.is_masked:
            return found
        # Where one side is not valid, the other one is the result.
        some, more = left[-1], right[-1]
        for place, both in enumerate(found):
            one = self._apply("where", more, both, left[place])
            found[place] = self._apply("where", some, one, right[place])
        return [*found, self._apply("or", some, more)]

    def _apply(self, function: str, *operands: SSAValue) -> SSAValue:
        return self.inserter.add(nt.ElementwiseOp(function, operands, operands[-1].type))

    def _region(self, op: nt.ReduceByOp, given: Sequence[SSAValue]) -> list[SSAValue]:
        block = op.combine.block
        sizes = nt.shape_of(given[0].type)
        values: dict[SSAValue, SSAValue] = dict(zip(block.args, given, strict=True))
        *inner, end = block.ops
        for one in inner:
            operands = [values[operand] for operand in one.operands]
            if isinstance(one, arith.ConstantOp):
                number = self.inserter.insert(one.clone()).results[0]
                values[one.result] = self.inserter.add(
                    nt.FullOp(number, nt.block_type(sizes, number.type))
                )
            else:
                (result,) = one.results
                block_type = nt.block_type(sizes, result.type)
                values[result] = self.inserter.insert(_copied(one, operands, block_type)).results[0]
        return [values[operand] for operand in end.operands]


def _chosen(value: SSAValue, function: str) -> tuple[SSAValue, SSAValue] | None:
    """The condition and the value of lanes that are chosen where it holds, and are elsewhere the
    identity of a function; None of others.
    """
    op, name = value.owner, _OF_COMBINE.get(function)
    if not isinstance(op, nt.ElementwiseOp) or op.function.data != "where" or name is None:
        return None
    condition, chosen, other = op.arguments
    identity = REDUCTIONS[name].identity
    assert identity is not None
    if filled_constant(other) != identity(nt.dtype_of(value.type)):
        return None
    return condition, chosen


def _copied(op: Operation, operands: Sequence[SSAValue], result: Attribute) -> Operation:
    """An op of one result with other operands, and a result of another type."""
    return type(op).create(
        operands=operands,
        result_types=[result],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )


def _without_mask(
    inserter: Inserter, op: nt.ReduceByOp, rows: list[list[SSAValue]]
) -> list[list[SSAValue]]:
    """The rows without their masks, where lanes that are not valid can have the identity of the
    function; else as they are.
    """
    *inner, end = op.combine.block.ops
    if len(inner) != 1 or not isinstance(inner[0], nt.ElementwiseOp):
        return rows
    name = _OF_COMBINE.get(inner[0].function.data)
    operands = {*inner[0].arguments}
    if (
        name is None
        or operands != {*op.combine.block.args}
        or end.operands[0] is not inner[0].result
    ):
        return rows
    identity_of = REDUCTIONS[name].identity
    assert identity_of is not None
    identity = identity_of(nt.dtype_of(inner[0].result.type))
    found: list[list[SSAValue]] = []
    for value, valid in rows:
        is_filled = _is_guard_of(valid, value) and fill(value, identity)
        found.append([value if is_filled else select(inserter, valid, value, identity)])
    return found


def _is_guard_of(valid: SSAValue, value: SSAValue) -> bool:
    """True if ``valid`` says which lanes of a load are inside of its source."""
    load, guard = value.owner, valid.owner
    return (
        isinstance(load, nt.LoadOp)
        and isinstance(guard, nt.GuardOp)
        and load.guards is None
        and load.ref is guard.ref
        and [*load.indices] == [*guard.indices]
    )


def _source(kernel: nt.KernelOp, tile: BlockArgument) -> tuple[nt.SourceOp, Access]:
    """The source of a tile, and the access."""
    source, access = nt.access_of(kernel.arranged.values[tile.index], kernel.assumptions)
    return source, access.data


@dataclass(frozen=True)
class UnrollReductionsPass(KernelPass):
    """Unroll reductions of short dims."""

    name: ClassVar[str] = "nt-unroll-reductions"

    enabled: bool = True
    """False: the lanes of a window are those of a block."""

    def joined_lanes(self, kernel: nt.KernelOp) -> list[JoinedLanes]:
        return [
            JoinedLanes(source.param.data, len(access.levels[-1]), window.dims[tile])
            for window in self._windows(kernel, nt.RemarkEmitter(kernel, self.name))
            for tile in window.tiles
            for source, access in [_source(kernel, tile)]
        ]

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        for window in self._windows(kernel, remarks):
            for op in window.reductions:
                remarks.passed(op, f"reduction of {window.count} lanes unrolled")
            _Unrolling(kernel, window).run()

    def _windows(self, kernel: nt.KernelOp, remarks: nt.RemarkEmitter) -> list[Window]:
        """The windows that are unrolled."""
        found: list[Window] = []
        seen: set[Operation] = set()
        for op in kernel.apply.walk() if self.enabled else ():
            # It may belong to the window of another one.
            if not isinstance(op, Reduction) or op in seen:
                continue
            try:
                window = find_window(kernel, op)
            except Refusal as refusal:
                remarks.missed(refusal.op, f"reduction kept: {refusal.reason}")
                continue
            if window is None:
                continue
            row = next(
                (
                    tile
                    for tile in window.tiles
                    if is_row(*_source(kernel, tile), window.dims[tile])
                ),
                None,
            )
            if row is None:
                found.append(window)
                seen.update(window.reductions)
            else:
                name = _source(kernel, row)[0].param.data
                remarks.missed(op, f"reduction kept: lanes of `{name}` lie one behind the other")
        return found
