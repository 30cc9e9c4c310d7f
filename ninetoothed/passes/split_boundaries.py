"""Split boundaries: programs all of whose lanes exist run a copy without guards.

A guard that may end inside of a vector lets Triton move elements one by one, in every program,
though it matters to the last ones alone. A program asks once whether its last lanes exist, and the
copy that it takes then has none of these guards. Guards that ask nothing of the program stay.

It is done where the copy moves vectors, of kernels that read, compute and store in one sequence:
not of dots, whose code is long, nor of loops, branches, barriers, atomics and what is printed.

Why here: lanes are padded, and what guards loads take of stores is decided. It requires stage
``scheduled`` and leaves it.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %whole = nt.holds [[g0 * 64 + 63, n]] : i1
  scf.if %whole {
    %v = nt.load %a[] guards [] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    nt.store %v, %a[] guards [] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  } else {
    %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    nt.store %v, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  }
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import Pure

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.boundaries import Boundary, Guarded, boundary
from ninetoothed.passes.lowering.branches import insert_branch, moved, program_ops
from ninetoothed.symbolic.expr import ir_text


@dataclass(frozen=True)
class SplitBoundariesPass(KernelPass):
    """Split boundaries: programs whose lanes all exist run a copy without guards."""

    name: ClassVar[str] = "nt-split-boundaries"

    enabled: bool = True
    """False: all programs have the guards."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        ops = _work(kernel) if self.enabled else []
        found = {op: boundary(kernel, op) for op in ops if isinstance(op, Guarded)}
        if not any(one.splits_vectors for one in found.values()):
            return
        remarks = nt.RemarkEmitter(kernel, self.name)
        kept = next((op for op in ops if not _is_copied(op)), None)
        if kept is not None:
            text = f"guards kept in programs whose lanes all exist: the kernel has {kept.name}"
            remarks.missed(kept, text)
            return
        last = tuple(dict.fromkeys(one for each in found.values() for one in each.guards.values()))
        if remarks:
            conditions = " and ".join(
                f"`{ir_text(one.index)} < {ir_text(one.size)}`" for one in last
            )
            remarks.passed(ops[0], f"programs with {conditions} run a copy without guards")
        _split(ops, found, last)


def _work(kernel: nt.KernelOp) -> list[Operation]:
    """What programs do once they know their index, where that ends in no value: of a kernel whose
    empty programs are skipped, what the others do.
    """
    ops = program_ops(kernel) or []
    if ops and isinstance(ops[-1], scf.IfOp) and all(_is_condition(op) for op in ops[:-1]):
        return list(ops[-1].true_region.block.ops)[:-1]
    return ops


def _is_condition(op: Operation) -> bool:
    return isinstance(op, nt.HoldsOp | nt.ElementwiseOp)


def _is_copied(op: Operation) -> bool:
    """True for an op that may stand in both arms of a branch, and is no work for long."""
    if isinstance(op, nt.AnyDotOp):
        return False
    return isinstance(op, Guarded) or op.has_trait(Pure)


def _split(
    ops: Sequence[Operation], found: dict[Guarded, Boundary], last: tuple[Guard, ...]
) -> None:
    """Put ``ops`` into both arms of a branch, and leave out guards where all of ``last`` hold."""
    block = ops[0].parent
    assert block is not None
    end = block.last_op
    assert end is not None
    whole = Block()
    values: dict[SSAValue, SSAValue] = {}
    for op in ops:
        copy = op.clone(values)
        if isinstance(op, Guarded) and isinstance(copy, Guarded):
            copy.guards = nt.GuardsAttr(found[op].others)
        whole.add_op(copy)
    holds = Inserter.before(end).add(nt.HoldsOp(nt.GuardsAttr(last)))
    holds.name_hint = "whole"
    insert_branch(end, holds, whole, moved(ops))
