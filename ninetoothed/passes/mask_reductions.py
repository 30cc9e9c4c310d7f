"""Lanes outside the guard take the identity where lanes are combined, unless the user chose
``other``.

A reduction, a scan and a sort along a dim, and a dot along K, must not see what an access did not
read. Where the operand is a load that has no ``other``, its unspecified lanes are free, and the
identity becomes its ``other``. Else the guard of the operand is computed beside it (elementwise:
the conjunction; ``where``: of the chosen side; a reduction: whether some lane was real; a loop
carries its guards), and the operand is selected by it. A combination that knows no identity is told
which lanes are real, and so are a histogram and an assertion. A mask of pointers is false where it
is outside its own guard: what it would say there is not known.

Why here: guards are facts of accesses, before lanes are padded. It requires and leaves stage
``composed``.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.reduce "max" %1 axis [0] : !nt.tensor<[64] x f32> -> f32
  %3 = nt.full %2 : f32 -> !nt.tensor<[64] x f32>
  nt.store %3, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.finish
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] other 0xFF800000 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.reduce "max" %1 axis [0] : !nt.tensor<[64] x f32> -> f32
  %3 = nt.full %2 : f32 -> !nt.tensor<[64] x f32>
  nt.store %3, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.finish
}
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter, op_pattern, rewrite_once
from ninetoothed.language.registry import Registry
from ninetoothed.passes.analysis.guards import Guards, guards
from ninetoothed.passes.analysis.turns import check_turns
from ninetoothed.passes.lowering.guard_bits import GuardBits, guard_patterns
from ninetoothed.passes.lowering.identities import combined_operands, fill, reads_identity, select
from ninetoothed.passes.lowering.lanes import both

Combines = nt.ReduceOp | nt.ScanOp | nt.SortOp | nt.DotOp | nt.DotScaledOp
"""What combines lanes and knows an identity."""


@dataclass(frozen=True)
class FillLoad(RewritePattern):
    """Let the unread lanes of a load be the identity of the first op that combines them."""

    known: Guards

    @op_pattern
    def match_and_rewrite(self, op: Combines, rewriter: PatternRewriter) -> None:
        for index, _, identity in combined_operands(op):
            if not self.known.all_active(op.operands[index]):
                fill(op.operands[index], identity)


@dataclass(frozen=True)
class MaskCombination(RewritePattern):
    """Tell a combination without an identity which lanes are active."""

    bits: GuardBits

    @op_pattern
    def match_and_rewrite(self, op: nt.ReduceByOp | nt.ScanByOp, rewriter: PatternRewriter) -> None:
        active = _conjunction(op, op.real, self.bits.all(op.values))
        if active is not None and active is not op.real:
            new = op.masked(active)
            self.bits.replace(rewriter, op, new)
            op = new
        # The lanes of a scan are those of its operands.
        guard = op.real if isinstance(op, nt.ScanByOp) else op.results[-1]
        if guard is not None and op.real is not None:
            for result in op.combined:
                self.bits.set(result, guard)


@dataclass(frozen=True)
class MaskPointers(RewritePattern):
    """Let the mask of pointers be false outside its own guard."""

    bits: GuardBits

    @op_pattern
    def match_and_rewrite(
        self,
        op: nt.PointerLoadOp | nt.PointerStoreOp | nt.AtomicOp,
        rewriter: PatternRewriter,
    ) -> None:
        if op.mask is None:
            return
        mask = _conjunction(op, op.mask, self.bits.all([op.mask]))
        if mask is not None:
            op.operands[op.operands.index(op.mask, 1)] = mask
        for result in op.results:
            if result in self.bits.needed:
                self.bits.set(result, op.mask)


@dataclass(frozen=True)
class SelectIdentity(RewritePattern):
    """Let lanes outside the guard of an operand take the identity, unless they read it."""

    bits: GuardBits

    @op_pattern
    def match_and_rewrite(self, op: Combines, rewriter: PatternRewriter) -> None:
        for index, _, identity in combined_operands(op):
            value = op.operands[index]
            guard = self.bits.find(value)
            if guard is not None and not reads_identity(value, identity):
                op.operands[index] = select(Inserter.before(op), guard, value, identity)


@dataclass(frozen=True)
class MaskLanes(RewritePattern):
    """Let a histogram count, and an assertion be about, active lanes only."""

    bits: GuardBits

    @op_pattern
    def match_and_rewrite(
        self, op: nt.HistogramOp | nt.AssertOp, rewriter: PatternRewriter
    ) -> None:
        mask = _conjunction(op, op.mask, self.bits.all(op.operands))
        if mask is not None and mask is not op.mask:
            rewriter.replace(op, op.masked(mask))


def _conjunction(
    op: Operation, mask: SSAValue | None, guards: Sequence[SSAValue]
) -> SSAValue | None:
    """The lanes in a mask and in all ``guards``, in front of ``op``; None: all."""
    for guard in guards:
        mask = both(Inserter.before(op), mask, guard)
    return mask


_GUARDED: Registry[type[Operation], Callable[[Any], Iterable[SSAValue | None]]] = Registry(
    "the operands whose guards are needed"
)
"""What an op combines, writes or counts only where it is active."""

_GUARDED.register(nt.ReduceByOp, nt.ScanByOp)(lambda op: op.values)
_GUARDED.register(nt.HistogramOp, nt.AssertOp)(lambda op: op.operands)
_GUARDED.register(nt.PointerLoadOp, nt.PointerStoreOp, nt.AtomicOp)(lambda op: [op.mask])


@_GUARDED.register(nt.ReduceOp, nt.ScanOp, nt.SortOp, nt.DotOp, nt.DotScaledOp)
def _not_filled(op: Operation) -> Iterator[SSAValue]:
    for index, _, identity in combined_operands(op):
        if not reads_identity(op.operands[index], identity):
            yield op.operands[index]


def _needed(kernel: nt.KernelOp, known: Guards) -> frozenset[SSAValue]:
    """The values whose guards are to be materialized."""
    ops = [op for op in kernel.apply.walk() if type(op) in _GUARDED]
    operands = [value for op in ops for value in _GUARDED[type(op)](op)]
    return known.closure(value for value in operands if value is not None)


def _mask(kernel: nt.KernelOp) -> None:
    # Found before loads are filled, which makes no lane active.
    known = guards(kernel)
    rewrite_once(kernel.apply, [FillLoad(known)])
    needed = _needed(kernel, known)
    if needed:
        check_turns(kernel, known, needed)
        bits = GuardBits(known, needed)
        masks = [MaskCombination(bits), MaskPointers(bits), MaskLanes(bits)]
        rewrite_once(kernel.apply, [*masks, *guard_patterns(bits), SelectIdentity(bits)])


@dataclass(frozen=True)
class MaskReductionsPass(ModulePass):
    """Identities in unread lanes."""

    name: ClassVar[str] = "nt-mask-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.ops:
            if isinstance(kernel, nt.KernelOp):
                _mask(kernel)
