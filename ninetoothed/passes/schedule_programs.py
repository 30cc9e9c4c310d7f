"""Schedule programs: map their numbers to indices of the outermost level, row-major.

The outermost index of a program, so far implicit, becomes ``nt.program_index``, its number there
``nt.program_id``, and the kernel gets its grid. Where programs iterate the more the larger an
outermost index is, the last one starts first: then none begins a long loop when the others end. Not
where one program may wait for another, by atomics or through pointers.

Why here: addresses are next, and they need the index. Other orders (grouped for L2, persistent)
would stand here too. It requires stage ``padded`` and leaves stage ``scheduled``.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.rewriter import InsertPoint

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.layout.meta_op import elements
from ninetoothed.passes.analysis.empty_programs import other_effect
from ninetoothed.passes.analysis.trip_counts import longest_last
from ninetoothed.symbolic.expr import IndexExpr, product, sym
from ninetoothed.symbolic.normal_form import normalize


@dataclass(frozen=True)
class ScheduleProgramsPass(KernelPass):
    """Schedule programs: the outermost index of each, row-major."""

    name: ClassVar[str] = "nt-schedule-programs"

    longest_first: bool = True
    """False: programs start in row-major order."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        sizes = kernel.program_shape
        last: nt.ExprAttr | None = None
        loop = longest_last(kernel) if self.longest_first else None
        if loop is not None:
            remarks = nt.RemarkEmitter(kernel, self.name)
            other = other_effect(kernel)
            if other is None:
                last = nt.ExprAttr(normalize(product(sizes) - 1))
                remarks.passed(
                    loop, "programs reversed: the last ones iterate most, and start first"
                )
            else:
                remarks.missed(
                    loop, f"programs kept in order: one may wait for another by {other.name}"
                )
        block = kernel.apply.block
        inserter = Inserter(InsertPoint.at_start(block), kernel)
        program = inserter.add(nt.ProgramIdOp(last=last))
        program.name_hint = "pid"
        index = nt.ProgramIndexOp(program, nt.ExprsAttr(sizes))
        inserter.insert(index)
        for dim, result in enumerate(index.results):
            result.name_hint = f"g{dim}"
        for op in list(kernel.apply.walk()):
            if isinstance(op, nt.ProgramNumberOp):
                number = nt.ProgramIdOp(IntegerType(32), last)
                replace(op, [Inserter.before(op).add(number)])
        programs = product(tuple(elements(size, kernel.assumptions) for size in sizes))
        kernel.grid = nt.ExprAttr(normalize(programs))

    def number_before(self, kernel: nt.KernelOp) -> IndexExpr | None:
        ids = (op for op in kernel.apply.walk() if isinstance(op, nt.ProgramIdOp))
        last = next(ids).last
        return None if last is None else last.data - sym("pid")
