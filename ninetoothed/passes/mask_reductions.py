"""Mask reductions: lanes that are not valid take the identity, unless the user chose ``other``.

A reduction, a scan and a sort along a dim, and a dot along K, must not combine what an access did
not read. Where the operand is a load that has no ``other``, its unspecified lanes are free, and the
identity becomes its ``other``; or where it is computed from one so that some number makes it, that
number: 0 for squares, -inf for ``exp(x - m)`` where ``m`` is a maximum with a finite number, as an
online softmax carries it. Else the guard of the operand is computed beside it (elementwise:
the conjunction; ``where``: of the chosen side; a reduction: true if some lane was valid; a loop
carries its guards, where iterations change them), and the operand is selected by it. An op without an identity, a histogram and
an assertion take the guard as a mask. A mask of pointers is false where it is not valid itself: it
has no value there.

Why here: guards belong to accesses, before lanes are padded. It requires and leaves stage
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
  %2 = nt.reduce "max" %1 axis 0 : !nt.tensor<[64] x f32> -> f32
  %3 = nt.full %2 : f32 -> !nt.tensor<[64] x f32>
  nt.store %3, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
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
  %2 = nt.reduce "max" %1 axis 0 : !nt.tensor<[64] x f32> -> f32
  %3 = nt.full %2 : f32 -> !nt.tensor<[64] x f32>
  nt.store %3, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.nt.types import Number
from ninetoothed.ir.rewriting import Inserter, op_pattern, rewrite_once
from ninetoothed.passes.analysis.guards import Guards, guards
from ninetoothed.passes.analysis.iterations import check_iterations
from ninetoothed.passes.lowering.guard_bits import (
    BranchGuards,
    BuildGuards,
    CarryGuards,
    GuardBits,
    YieldGuards,
    drop_unchanged,
)
from ninetoothed.passes.lowering.identities import combined_operands, fill, select, source
from ninetoothed.passes.lowering.masks import both

CombiningOp = nt.ReduceOp | nt.ScanOp | nt.SortOp | nt.AnyDotOp
"""Ops that combine lanes and have an identity."""

MaskedOp = (
    nt.ReduceByOp
    | nt.ScanByOp
    | nt.HistogramOp
    | nt.AssertOp
    | nt.PointerLoadOp
    | nt.PointerStoreOp
    | nt.AtomicOp
)
"""Ops that take part in the lanes of a mask only."""


_SELECTED = "lanes that are not valid are set to the identity: no load gives them that value"


@dataclass(frozen=True)
class FillLoad(RewritePattern):
    """Make the identity of the first op that combines a load's lanes its ``other``."""

    known: Guards

    @op_pattern
    def match_and_rewrite(self, op: CombiningOp, rewriter: PatternRewriter) -> None:
        for index, _, identity in combined_operands(op):
            value = op.operands[index]
            if not self.known.all_valid(value) and _source(self.known, value, identity):
                fill(value, identity)


@dataclass(frozen=True)
class MaskLanes(RewritePattern):
    """Mask the lanes that are not valid out of an op without an identity, or with effects."""

    bits: GuardBits

    @op_pattern
    def match_and_rewrite(self, op: MaskedOp, rewriter: PatternRewriter) -> None:
        mask = known = op.valid if isinstance(op, nt.Combination) else op.mask
        for guard in self.bits.all(list(_masks(op))):
            mask = both(Inserter.before(op), mask, guard)
        if mask is not None and mask is not known:
            new = op.masked(mask)
            self.bits.replace(rewriter, op, new)
            self.bits.build(new)


@dataclass(frozen=True)
class SelectIdentity(RewritePattern):
    """Select the identity in the lanes of an operand that are not valid, unless they read it."""

    known: Guards
    bits: GuardBits
    remarks: nt.RemarkEmitter

    @op_pattern
    def match_and_rewrite(self, op: CombiningOp, rewriter: PatternRewriter) -> None:
        for index, identity in _unfilled(self.known, op):
            value = op.operands[index]
            guard = self.bits.find(value)
            if guard is not None:
                self.remarks.missed(op, _SELECTED)
                op.operands[index] = select(Inserter.before(op), guard, value, identity)


def _source(
    known: Guards, value: SSAValue, identity: float | int
) -> tuple[nt.TileRead, Number] | None:
    """As ``identities.source``, where no other guard than the load's takes part in the value's."""
    found = source(value, identity)
    return found if found and known.of(found[0].result) is known.of(value) else None


def _unfilled(known: Guards, op: Operation) -> Iterator[tuple[int, float | int]]:
    """The operands whose lanes ``op`` combines, by index, with the identity, where lanes that are
    not valid do not make it.
    """
    for index, _, identity in combined_operands(op):
        found = _source(known, op.operands[index], identity)
        if found is None or found[0].other != found[1]:
            yield index, identity


def _masks(op: MaskedOp) -> Iterator[SSAValue]:
    """The operands whose guards an op takes as a mask."""
    match op:
        case nt.ReduceByOp() | nt.ScanByOp():
            yield from op.values
        case nt.HistogramOp() | nt.AssertOp():
            yield from op.operands
        case nt.PointerLoadOp() | nt.PointerStoreOp() | nt.AtomicOp():
            yield from [op.mask] if op.mask is not None else []


def _guarded(known: Guards, op: Operation) -> Iterator[SSAValue]:
    """The operands whose guards an op needs."""
    if isinstance(op, MaskedOp):
        yield from _masks(op)
    else:
        yield from (op.operands[index] for index, _ in _unfilled(known, op))


@dataclass(frozen=True)
class MaskReductionsPass(KernelPass):
    """Mask reductions: lanes that are not valid take the identity."""

    name: ClassVar[str] = "nt-mask-reductions"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        # Found before loads are filled, which makes no lane valid.
        known = guards(kernel)
        rewrite_once(kernel.apply, [FillLoad(known)])
        ops = [op for op in kernel.apply.walk() if not all(map(known.all_valid, op.operands))]
        needed = known.closure(value for op in ops for value in _guarded(known, op))
        if needed:
            check_iterations(kernel, known, needed)
            bits = GuardBits(known, needed)
            carried = (CarryGuards, BranchGuards, YieldGuards, BuildGuards)
            patterns = [
                MaskLanes(bits),
                *(pattern(bits) for pattern in carried),
                SelectIdentity(known, bits, nt.RemarkEmitter(kernel, self.name)),
            ]
            rewrite_once(kernel.apply, patterns)
            # Inner loops first: what one leaves as it is, the outer one may.
            for loop in reversed(bits.joined):
                if isinstance(loop, scf.ForOp):
                    drop_unchanged(loop)
