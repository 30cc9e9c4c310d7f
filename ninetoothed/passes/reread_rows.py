"""Reread rows: what is used again behind a reduction is loaded again, and not kept.

A softmax or a norm reads a row, reduces it, and uses it again. Kept over the reduction, a long row
takes registers of each thread all the while: then few programs run at once, or registers are
spilled. Read again, it comes from the caches, and what was computed of it lane by lane is computed
again. Which costs less is for the clock to say, and so it is a choice of the tuner's (see
``compiler.optimizations``).

Ops that combine lanes cut a block of ops into parts. A row that is used in a later part than it was
computed in is rematerialized there: cloned with all that it is computed from, up to loads, in front
of its first use. Each load must be used in its own part, too, and be of memory that the kernel does
not write; a program must not wait for another, which might write it. Few operations may lie
between, and none that moves lanes. Equal loads would become one again, here or in Triton: the first
one asks the caches to keep what it reads, the last one to let it go, and one between asks nothing;
of a row that all programs read, the last one asks to keep it. There are no more that differ. Loads
keep their guards and their lanes' ``other``: what is computed, and in which order, is the same.
Kernels with dots have no registers to spare anyway, and a loop that is staged keeps in shared
memory what it loads.

Why here: lanes are padded, so that a row's number of them is known, and loads have their guards.
Behind ``nt-split-boundaries``, which copies what it finds, and ``nt-stage-loops``, which says which
loops load ahead. It requires stage ``scheduled`` and leaves it.

Before:

```mlir
// nt-opt -p 'nt-reread-rows{reread=1}'
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f16>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]>
      : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m] x !nt.tensor<[4096] x f16>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f16>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f16>, %b : !nt.tensor<[4096] x f32>):
  %1 = nt.load %a[] other 0.0 : f16 : !nt.tensor<[4096] x f16>[] -> !nt.tensor<[4096] x f16>
  %row = nt.cast %1 : !nt.tensor<[4096] x f16> -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %row axis 0 : !nt.tensor<[4096] x f32> -> f32
  %2 = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %3 = nt.elementwise "truediv"(%row, %2)
      : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %3, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to 4096>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f16>
  %0 = nt.access %x <[[m], [4096]] -> [g0, b0] if [[b0, n]]>
      : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m] x !nt.tensor<[4096] x f16>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %1 = nt.access %y <[[m], [4096]] -> [g0, b0] if [[b0, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m] x !nt.tensor<[4096] x f16>>, !nt.tensor<[m] x !nt.tensor<[4096] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4096] x f16>, %b : !nt.tensor<[4096] x f32>):
  %1 = nt.load %a[] other 0.0 : f16 evict "evict_last"
      : !nt.tensor<[4096] x f16>[] -> !nt.tensor<[4096] x f16>
  %row = nt.cast %1 : !nt.tensor<[4096] x f16> -> !nt.tensor<[4096] x f32>
  %sum = nt.reduce "sum" %row axis 0 : !nt.tensor<[4096] x f32> -> f32
  %2 = nt.full %sum : f32 -> !nt.tensor<[4096] x f32>
  %4 = nt.load %a[] other 0.0 : f16 evict "evict_first"
      : !nt.tensor<[4096] x f16>[] -> !nt.tensor<[4096] x f16>
  %row_1 = nt.cast %4 : !nt.tensor<[4096] x f16> -> !nt.tensor<[4096] x f32>
  %3 = nt.elementwise "truediv"(%row_1, %2)
      : (!nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>) -> !nt.tensor<[4096] x f32>
  nt.store %3, %b[] : !nt.tensor<[4096] x f32>, !nt.tensor<[4096] x f32>[]
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.analysis.alias_sets import AliasAnalysis
from ninetoothed.passes.analysis.kept_rows import LEAST_LANES, KeptRows, kept_rows
from ninetoothed.passes.option_values import require_among
from ninetoothed.symbolic.expr import symbol_names

_POSSIBLE = "reread_rows is 0, and may be 1"
_POLICIES = {2: ("evict_last", "evict_first"), 3: ("evict_last", "", "evict_first")}
_SHARED = {2: ("", "evict_last"), 3: ("evict_first", "", "evict_last")}
"""Eviction policies of the loads of a row, by their number; of a row that several programs read."""


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of reread rows (see ``compiler.optimizations``): a block that is loaded is long, and
    in vectors. Of single lanes, each has an address, which is kept instead of the lane.
    """
    return _legal if any(rows.uses for rows in kept_rows(kernel, AliasAnalysis(kernel))) else None


def _legal(footprint: Footprint, unit: Architecture) -> tuple[int, ...]:
    loads = (one for scope in footprint.scopes for one in scope.streams if one.kind == "load")
    return (1,) if any(one.is_wide and one.lanes >= LEAST_LANES for one in loads) else ()


@dataclass(frozen=True)
class RereadRowsPass(KernelPass):
    """Reread rows: what is used again behind a reduction is loaded again, and not kept."""

    name: ClassVar[str] = "nt-reread-rows"

    reread: int = 0
    """0: rows are kept; 1: those that can be are loaded again."""

    def __post_init__(self) -> None:
        require_among(self.name, "reread", self.reread, (0, 1))

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        if not self.reread and not remarks:
            return
        aliases = AliasAnalysis(kernel)
        for rows in kept_rows(kernel, aliases):
            if remarks:
                self._remark(rows, aliases, remarks)
            if self.reread:
                for reads in _reread(rows):
                    _hint(kernel, reads)

    def _remark(self, rows: KeptRows, aliases: AliasAnalysis, remarks: nt.RemarkEmitter) -> None:
        for load, (over, refusal) in rows.refusals.items():
            remarks.missed(load, f"{_row(load, aliases)} kept over {over.name}: {refusal}")
        for load, over in rows.loads.items():
            if self.reread:
                remarks.passed(load, f"{_row(load, aliases)} loaded again behind {over.name}")
            else:
                text = f"{_row(load, aliases)} kept over {over.name}: {_POSSIBLE}"
                remarks.analysis(load, text)


def _row(load: nt.LoadOp, aliases: AliasAnalysis) -> str:
    return f"row of `{', '.join(aliases.params(load))}`"


def _reread(rows: KeptRows) -> list[list[nt.LoadOp]]:
    """Compute what is used in a later part again there; the loads of each row, in order."""
    reads: dict[nt.LoadOp, list[nt.LoadOp]] = {load: [load] for load in rows.loads}

    def copied(value: SSAValue, known: dict[SSAValue, SSAValue], place: InsertPoint) -> SSAValue:
        """The copy of a value in another part: a row is made anew, all else is kept."""
        if value in known or value not in rows.rows:
            return known.get(value, value)
        op = rows.rows[value]
        for operand in op.operands:
            copied(operand, known, place)
        copy = op.clone(known)
        Rewriter.insert_op(copy, place)
        if isinstance(op, nt.LoadOp) and isinstance(copy, nt.LoadOp):
            reads[op].insert(1, copy)
        return known[value]

    # The last part first: what is copied there has the operands that it always had.
    for part in sorted({use.part for use in rows.uses}, reverse=True):
        known: dict[SSAValue, SSAValue] = {}
        for use in rows.uses:
            if use.part == part:
                copy = copied(use.value, known, InsertPoint.before(use.op))
                use.user.operands[use.index] = copy
    for value, op in reversed(rows.rows.items()):
        # It was computed for later parts alone.
        if not value.uses:
            Rewriter.erase_op(op)
    return [*reads.values()]


def _hint(kernel: nt.KernelOp, reads: Sequence[nt.LoadOp]) -> None:
    """Let the loads of a row differ by their eviction policies."""
    policies = _SHARED if _is_shared(kernel, reads[0]) else _POLICIES
    for load, policy in zip(reads, policies[len(reads)], strict=True):
        if policy:
            load.evict = StringAttr(policy)


def _is_shared(kernel: nt.KernelOp, load: nt.LoadOp) -> bool:
    """True if several programs read a row: a dim of the grid does not select it."""
    assert isinstance(load.ref, BlockArgument)
    _, access = nt.access_of(kernel.arranged.values[load.ref.index], kernel.assumptions)
    used = symbol_names(*access.data.indices)
    sizes = zip(access.names[0], access.data.levels[0], strict=True)
    return any(size.value != 1 and name not in used for name, size in sizes)
