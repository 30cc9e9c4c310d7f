"""Skip empty programs: those that store nothing do nothing else either.

The guards of a store fail for a whole program where they fail at its first lane: behind the end of
a sequence, or in programs that have no element of a tensor. Where each store has such a guard, the
application stands in one condition, unless something beside its stores may be seen: an atomic, a
store or volatile read through pointers, an assertion, a print, or assembly. A guard that is proved
to hold in some lane of every program asks nothing, so that other kernels stay as they are. Where
all the work stands in conditions of the user's, it needs no other.

Why here: what a program's index is, is known, and block sizes are numbers. It requires stage
``scheduled`` and leaves it.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<s size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>]
    grid #nt.expr<b * (s ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, s] x f32>
  %0 = nt.access %x <[[b, s ceildiv 64], [64]] -> [g0, b0 + g1 * 64] if [[b0 + g1 * 64, length]]>
      : !nt.tensor<[b, s] x f32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [b, s ceildiv 64] : index, index
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.elementwise "exp"(%1) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %2, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<s size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>]
    grid #nt.expr<b * (s ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, s] x f32>
  %0 = nt.access %x <[[b, s ceildiv 64], [64]] -> [g0, b0 + g1 * 64] if [[b0 + g1 * 64, length]]>
      : !nt.tensor<[b, s] x f32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [b, s ceildiv 64] : index, index
  %stores = nt.holds [[g1 * 64, length]] : i1
  scf.if %stores {
    %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    %2 = nt.elementwise "exp"(%1) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    nt.store %2, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  } else {
  }
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, BlockArgument, SSAValue

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.empty_programs import other_effect, program_guards
from ninetoothed.passes.lowering.branches import insert_branch, moved, program_ops
from ninetoothed.symbolic.expr import ir_text

_WORK = nt.LoadOp | nt.PointerLoadOp | nt.AnyDotOp | scf.ForOp | scf.WhileOp


@dataclass(frozen=True)
class SkipProgramsPass(KernelPass):
    """Skip empty programs: those that store nothing do nothing else either."""

    name: ClassVar[str] = "nt-skip-programs"
    drops_reads: ClassVar[bool] = True

    enabled: bool = True
    """False: programs that store nothing run as the others."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        block = kernel.apply.block
        if not self.enabled or not any(isinstance(op, _WORK) for op in block.ops):
            return
        found: dict[tuple[Guard, ...], nt.StoreOp] = {}
        for op in kernel.apply.walk():
            if isinstance(op, nt.StoreOp):
                assert isinstance(op.ref, BlockArgument)
                guards = program_guards(kernel, op.ref)
                if not guards:
                    return
                found.setdefault(guards, op)
        if not found:
            return
        remarks = nt.RemarkEmitter(kernel, self.name)
        other = other_effect(kernel)
        if other is not None:
            remarks.missed(
                other, f"empty programs kept: {other.name} has an effect beside the stores"
            )
            return
        for guards, op in found.items():
            if remarks:
                conditions = " and ".join(
                    f"`{ir_text(one.index)} < {ir_text(one.size)}`" for one in guards
                )
                remarks.passed(op, f"empty programs skipped: this stores only where {conditions}")
        _skip(kernel, list(found))


def _skip(kernel: nt.KernelOp, alternatives: list[tuple[Guard, ...]]) -> None:
    """Let only those programs do anything in which all guards of one of ``alternatives`` hold."""
    ops, end = program_ops(kernel), kernel.apply.block.last_op
    if ops is None:
        raise fail(kernel, "the kernel does not say which program it is", CompilerError)
    assert end is not None
    body, inserter = moved(ops), Inserter.before(end)
    stores: SSAValue | None = None
    for guards in alternatives:
        one = inserter.add(nt.HoldsOp(nt.GuardsAttr(guards)))
        stores = one if stores is None else inserter.add(nt.ElementwiseOp("or", [stores, one], i1))
    assert stores is not None
    stores.name_hint = "stores"
    insert_branch(end, stores, body, Block())
