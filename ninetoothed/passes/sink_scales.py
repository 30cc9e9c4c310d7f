"""Sink scales: the largest of scaled lanes is the largest lane, scaled.

Attention scales its scores, takes the largest of each row, and subtracts it before the exponential.
Where the largest is taken of the scores as they are, the product of each score and the scale has one
use left, the difference, and both are one instruction. Rounding keeps the order of numbers, so the
result is the same, bit for bit, for a scale that is above 0 and far from the ends of its type (see
``analysis.scales``). Lanes that a mask makes infinite are so before they are scaled, too.

Why here: numbers that calls pass are known to be such scales by a call's signature, which stage
``specialized`` is for; lanes are not padded yet. It requires stage ``composed`` and leaves it.

Before:

```mlir
// nt-opt -p 'nt-sink-scales{moderate=c}'
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %c = nt.source "c" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %2 = nt.access %c <[[]] -> []> : !nt.tensor<[] x f32> -> !nt.tensor<[] x f32>
  nt.arranged %0, %1, %2 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
                           !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>, %s : !nt.tensor<[] x f32>):
  %c = nt.load %s[] : !nt.tensor<[] x f32>[] -> f32
  %1 = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.full %c : f32 -> !nt.tensor<[64] x f32>
  %3 = nt.elementwise "mul"(%1, %2)
      : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %4 = nt.reduce "max" %3 axis 0 : !nt.tensor<[64] x f32> -> f32
  %5 = nt.full %4 : f32 -> !nt.tensor<[64] x f32>
  %6 = nt.elementwise "sub"(%3, %5)
      : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %6, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %c = nt.source "c" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %2 = nt.access %c <[[]] -> []> : !nt.tensor<[] x f32> -> !nt.tensor<[] x f32>
  nt.arranged %0, %1, %2 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
                           !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>, %s : !nt.tensor<[] x f32>):
  %c = nt.load %s[] : !nt.tensor<[] x f32>[] -> f32
  %1 = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.full %c : f32 -> !nt.tensor<[64] x f32>
  %3 = nt.elementwise "mul"(%1, %2)
      : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %4 = nt.reduce "max" %1 axis 0 : !nt.tensor<[64] x f32> -> f32
  %5 = nt.elementwise "mul"(%4, %c) : (f32, f32) -> f32
  %6 = nt.full %5 : f32 -> !nt.tensor<[64] x f32>
  %7 = nt.elementwise "sub"(%3, %6)
      : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %7, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.passes.analysis.scales import Scaled, scalars_of, scaled
from ninetoothed.passes.lowering import masks


@dataclass(frozen=True)
class SinkScalesPass(KernelPass):
    """Reduce blocks before they are scaled."""

    name: ClassVar[str] = "nt-sink-scales"

    enabled: bool = True
    """False: the kernel stays as it is."""

    moderate: tuple[str, ...] = ()
    """Scalar parameters that are above 0 and far from the ends of fp32."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        if not self.enabled:
            return
        remarks = nt.RemarkEmitter(kernel, self.name)
        for op in list(kernel.apply.walk()):
            found = scaled(op) if isinstance(op, nt.ReduceOp) else None
            if found is None:
                continue
            assert isinstance(op, nt.ReduceOp)
            names = scalars_of(kernel, found.factor)
            if names is None:
                remarks.missed(op, "scale kept: it may be 0, negative or infinite")
            elif missing := [name for name in names if name not in self.moderate]:
                remarks.missed(
                    op, f"scale kept: `{missing[0]}` may be 0, negative or infinite in such calls"
                )
            else:
                remarks.passed(op, f"the {op.function.data} is taken before lanes are scaled")
                _sink(op, found)


def _sink(reduce: nt.ReduceOp, found: Scaled) -> None:
    block = found.block
    if found.where is not None:
        block = _select_first(found.where, found)
    inserter = Inserter.before(reduce)
    reduced = inserter.add(nt.ReduceOp(reduce.function.data, block, reduce.dim))
    factor = masks.everywhere(inserter, found.factor, reduced.type)
    result = inserter.add(nt.ElementwiseOp("mul", [reduced, factor], reduced.type))
    result.name_hint = reduce.result.name_hint
    replace(reduce, [result])


def _select_first(where: nt.ElementwiseOp, found: Scaled) -> SSAValue:
    """Scale what ``where`` selects, in the place of selecting what is scaled; what it selects."""
    inserter = Inserter.before(where)
    condition, product, other = where.arguments
    selected = inserter.add(
        nt.ElementwiseOp("where", [condition, found.block, other], where.result.type)
    )
    factor = inserter.add(nt.FullOp(found.factor, where.result.type))
    new = inserter.add(nt.ElementwiseOp("mul", [selected, factor], where.result.type))
    new.name_hint = where.result.name_hint
    replace(where, [new])
    if isinstance(product.owner, nt.ElementwiseOp) and not product.uses:
        Rewriter.erase_op(product.owner)
    return selected
