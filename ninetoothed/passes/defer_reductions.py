"""Defer reductions: a loop that adds up reductions of its tiles reduces once, behind it.

A reduction in each iteration makes all threads of a program exchange what they have, and wait for
it. Where a loop carries a number that each iteration only adds such a reduction to, maybe after a
multiplication of the number by a finite one, or combines it with by the same function, it can carry
the block instead, of which every thread has its own lanes: ``t = t * c + sum(v)`` becomes
``T = T * c + v``, and ``sum(T)`` follows the loop. Sums are those of the same numbers in another
order, as with other block sizes. The block takes registers as long as the loop lasts, which may
cost more than to meet does: that is for the clock to say, and so it is a choice of the tuner's (see
``compiler.optimizations``). Loops with dots have no registers to spare.

Why here: block sizes are known, and lanes are not padded yet. It requires stage ``specialized``
and leaves it.

Before:

```mlir
// nt-opt -p 'nt-defer-reductions{deferred=1}'
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f32
        : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %2 = nt.reduce "sum" %1 axis 0 : !nt.tensor<[64] x f32> -> f32
    %3 = nt.elementwise "add"(%t, %2) : (f32, f32) -> f32
    scf.yield %3 : f32
  }
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %1 = arith.constant -0.0 : f32
  %2 = nt.full %1 : f32 -> !nt.tensor<[64] x f32>
  %total = scf.for %i = %c0 to %n step %c1
      iter_args(%t = %2) -> (!nt.tensor<[64] x f32>) : i32 {
    %3 = nt.load %a[%i] other 0.0 : f32
        : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %4 = nt.elementwise "add"(%t, %3)
        : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    scf.yield %4 : !nt.tensor<[64] x f32>
  }
  %5 = nt.reduce "sum" %total axis 0 : !nt.tensor<[64] x f32> -> f32
  %6 = nt.elementwise "add"(%zero, %5) : (f32, f32) -> f32
  nt.return
}
```
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ninetoothed.artifacts.occupancy import Legality
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter, set_type
from ninetoothed.passes.analysis.accumulators import identity, rounds
from ninetoothed.passes.analysis.float_facts import filled_constant, is_finite
from ninetoothed.passes.lowering.elementwise import COMBINE
from ninetoothed.passes.option_values import everywhere, require_among
from ninetoothed.symbolic.normal_form import always_less

_REDUCTIONS = frozenset({"sum", "max", "min"})
_POSSIBLE = "reduction kept: deferred_reductions is 0, and may be 1"


@dataclass(frozen=True)
class _Accumulation:
    """What a loop carries at ``place``: ``combine`` of the carried number, times ``factor`` where
    there is one, and of ``reduce``, with a dim of size 1 from ``expand``.
    """

    loop: scf.ForOp
    place: int
    combine: nt.ElementwiseOp
    scale: nt.ElementwiseOp | None
    factor: SSAValue | None
    reduce: nt.ReduceOp
    expand: nt.ExpandDimsOp | None


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of deferred reductions (see ``compiler.optimizations``)."""
    remarks = nt.RemarkEmitter(kernel, DeferReductionsPass.name)
    found = (one for loop in _loops(kernel) for one in _accumulations(kernel, loop, remarks))
    return everywhere if any(True for _ in found) else None


def _loops(kernel: nt.KernelOp) -> list[scf.ForOp]:
    return [op for op in kernel.apply.walk() if isinstance(op, scf.ForOp)]


def _accumulations(
    kernel: nt.KernelOp, loop: scf.ForOp, remarks: nt.RemarkEmitter
) -> Iterator[_Accumulation]:
    """Those of a loop that can be deferred; ``remarks`` are told why others cannot."""
    has_dot = nt.has_dot(loop.body)
    end = loop.body.block.last_op
    assert end is not None
    for place, combined in enumerate(end.operands):
        found = _reduction(combined, loop)
        if found is None:
            continue
        combine, reduce, expand, other = found
        carried = loop.body.block.args[1 + place]
        scale, factor = _scaling(other, carried)
        if (carried if scale is None else scale.result) is not other:
            continue
        init = loop.iter_args[place]
        if has_dot:
            remarks.analysis(reduce, "reduction kept: the loop has a dot")
        elif not _once(combine.result, other, carried, reduce.result):
            remarks.missed(reduce, "reduction kept: the loop uses what it has combined so far")
        elif reason := _inexact(reduce, init) or (
            factor is not None and _inexact_scale(kernel, reduce, init, factor)
        ):
            remarks.missed(reduce, f"reduction kept: {reason}")
        else:
            yield _Accumulation(loop, place, combine, scale, factor, reduce, expand)


def _inexact(reduce: nt.ReduceOp, init: SSAValue) -> str:
    """Why the block would hold less than the number does; empty: it does not."""
    scalar = nt.scalar_of(reduce.value.type)
    if not isinstance(scalar, AnyFloat):
        return ""
    if rounds(scalar):
        return f"lanes of {nt.dtype_of(scalar)} would be rounded in each iteration"
    number = filled_constant(init)
    # Beside a number, a NaN is no maximum.
    if reduce.function.data != "sum" and (number is None or math.isnan(number)):
        return "what it is combined with at first may be NaN"
    return ""


def _inexact_scale(
    kernel: nt.KernelOp, reduce: nt.ReduceOp, init: SSAValue, factor: SSAValue
) -> str:
    """Why lanes cannot be scaled in the place of their sum; empty: they can."""
    size = nt.shape_of(reduce.value.type)[reduce.dim]
    if reduce.function.data != "sum":
        return "what it is combined with is scaled"
    if filled_constant(init) != 0:
        return "what it is added to does not begin with 0"
    # An infinite factor makes lanes that hold 0 NaN, where it makes their sum infinite.
    if not is_finite(factor):
        return "what scales the sum may be infinite"
    # Of no lanes, none holds the NaN.
    if filled_constant(factor) is None and not always_less(0, size, kernel.assumptions):
        return "what scales the sum may be NaN, and its blocks may have no lanes"
    return ""


def _reduction(
    value: SSAValue, loop: scf.ForOp
) -> tuple[nt.ElementwiseOp, nt.ReduceOp, nt.ExpandDimsOp | None, SSAValue] | None:
    """What combines a reduction with another value, in the body of a loop itself."""
    combine = value.owner
    if not isinstance(combine, nt.ElementwiseOp) or combine.parent is not loop.body.block:
        return None
    if len(combine.arguments) != 2:
        return None
    for one, other in (combine.arguments, reversed(combine.arguments)):
        owner = one.owner
        expand = owner if isinstance(owner, nt.ExpandDimsOp) else None
        reduce = expand.value.owner if expand else owner
        if (
            isinstance(reduce, nt.ReduceOp)
            and reduce.parent is loop.body.block
            and reduce.function.data in _REDUCTIONS
            and COMBINE[reduce.function.data] == combine.function.data
            and (expand is None or (expand.dim == reduce.dim and _once(expand.result)))
        ):
            return combine, reduce, expand, other
    return None


def _scaling(value: SSAValue, carried: SSAValue) -> tuple[nt.ElementwiseOp | None, SSAValue | None]:
    """The product that a value is, of what is carried, and its other factor."""
    scale = value.owner
    if isinstance(scale, nt.ElementwiseOp) and scale.function.data == "mul":
        for one, other in (scale.arguments, reversed(scale.arguments)):
            if one is carried:
                return scale, other
    return None, None


def _once(*values: SSAValue) -> bool:
    return all(len(list(value.uses)) == 1 for value in values)


@dataclass(frozen=True)
class DeferReductionsPass(KernelPass):
    """Defer reductions behind the loops that add them up."""

    name: ClassVar[str] = "nt-defer-reductions"

    deferred: int = 0
    """0: each iteration reduces its own tile; 1: what can be is deferred."""

    def __post_init__(self) -> None:
        require_among(self.name, "deferred", self.deferred, (0, 1))

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        if not self.deferred and not remarks:
            return
        for loop in _loops(kernel):
            for found in list(_accumulations(kernel, loop, remarks)):
                if self.deferred:
                    _defer(found)
                    remarks.passed(loop, "reduction deferred: it is made once, behind the loop")
                else:
                    remarks.analysis(found.reduce, _POSSIBLE)


def _defer(found: _Accumulation) -> None:
    """Let a loop carry the block, and reduce it behind."""
    loop, place, block = found.loop, found.place, found.reduce.value
    carried, init = loop.body.block.args[1 + place], loop.iter_args[place]
    first = len(loop.operands) - len(loop.iter_args)
    before = Inserter.before(loop)
    start = identity(found.reduce.function.data, nt.scalar_of(block.type))
    lane = before.add(nt.constant(start))
    loop.operands[first + place] = before.add(nt.FullOp(lane, block.type))
    set_type(carried, block.type)
    carried = loop.body.block.args[1 + place]

    inserter = Inserter.before(found.combine)
    other: SSAValue = carried
    if found.factor is not None:
        factor = _widened(inserter, found.factor, found)
        other = inserter.add(nt.ElementwiseOp("mul", [carried, factor], block.type))
    name = found.combine.function.data
    combined = inserter.add(nt.ElementwiseOp(name, [other, block], block.type))
    end = loop.body.block.last_op
    assert end is not None
    end.operands[place] = combined
    combined.name_hint = found.combine.result.name_hint
    for op in (found.combine, found.scale, found.expand, found.reduce):
        if op is not None:
            Rewriter.erase_op(op)

    old = loop.results[place].type
    set_type(loop.results[place], block.type)
    result = loop.results[place]
    uses = list(result.uses)
    behind = Inserter.behind(loop)
    reduce = nt.ReduceOp(found.reduce.function.data, result, found.reduce.dim)
    value = behind.insert(reduce).results[0]
    last: Operation = reduce
    if found.expand is not None:
        last = nt.ExpandDimsOp(value, found.expand.dim)
        value = Inserter.behind(reduce).insert(last).results[0]
    if repr(filled_constant(init)) != repr(start.value.data):
        combine = nt.ElementwiseOp(name, [init, value], old)
        value = Inserter.behind(last).insert(combine).results[0]
    for use in uses:
        use.operation.operands[use.index] = value


def _widened(inserter: Inserter, value: SSAValue, found: _Accumulation) -> SSAValue:
    """A value of the reduction's shape, in all lanes of the dim."""
    sizes = nt.shape_of(found.reduce.value.type)
    if not isinstance(value.type, nt.TensorType):
        return inserter.add(nt.FullOp(value, nt.block_type(sizes, value.type)))
    if found.expand is None:
        value = inserter.add(nt.ExpandDimsOp(value, found.reduce.dim))
    return inserter.add(nt.BroadcastOp(value, sizes))
