"""Schedule programs: map their numbers to indices of the outermost level, row-major.

The outermost index of a program, so far implicit, becomes ``nt.program_index``, its number there
``nt.program_id``, and the kernel gets its grid.

- Where programs iterate the more the larger an outermost index is, the last one starts first: then
  none begins a long loop when the others end.
- Where loads in a loop ignore the last dim of the grid, and others the last but one, as the operands
  of a product do, the programs that run at once share more of both in a group of rows than in one
  long row. How many rows a group has is for the clock to say, and so it is a choice of the tuner's
  (see ``compiler.optimizations``); the order is that of Triton's tutorial on matrix products.

Not where one program may wait for another, by atomics or through pointers.

Why here: addresses are next, and they need the index. It requires stage ``padded`` and leaves stage
``scheduled``.

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

import functools
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import BlockArgument
from xdsl.rewriter import InsertPoint

from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.layout.meta_op import elements
from ninetoothed.passes.analysis.empty_programs import other_effect
from ninetoothed.passes.analysis.loop_nests import is_in_loop
from ninetoothed.passes.analysis.trip_counts import longest_last
from ninetoothed.passes.option_values import require_at_least
from ninetoothed.symbolic.expr import IndexExpr, const, product, sym, symbol_names
from ninetoothed.symbolic.normal_form import normalize

_ROWS = (8, 16)
_POSSIBLE = "programs kept in rows: grouped_programs is 1, and may be 8 or 16"


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of groups of rows (see ``compiler.optimizations``), whatever the block sizes."""
    shared = _load_that_rows_share(kernel)
    if shared is None or other_effect(kernel) is not None or longest_last(kernel) is not None:
        return None
    return _legal


def _legal(footprint: Footprint, unit: Architecture) -> tuple[int, ...]:
    return _ROWS


def _load_that_rows_share(kernel: nt.KernelOp) -> nt.LoadOp | None:
    """A load in a loop of what all programs of a row read, where another one is of what those of a
    column do; None: there is none, or a program's number is asked for, which is row-major.
    """
    dims = len(kernel.program_shape)
    if dims < 2 or any(isinstance(op, nt.ProgramNumberOp) for op in kernel.apply.walk()):
        return None
    row, column = f"g{dims - 2}", f"g{dims - 1}"
    found: dict[frozenset[str], nt.LoadOp] = {}
    for op in kernel.apply.walk():
        if isinstance(op, nt.LoadOp) and isinstance(op.ref, BlockArgument) and is_in_loop(op):
            value = kernel.arranged.values[op.ref.index]
            _, access = nt.access_of(value, kernel.assumptions)
            names = frozenset(symbol_names(*access.data.indices))
            found.setdefault(names & {row, column}, op)
    return found.get(frozenset({row})) if frozenset({column}) in found else None


@dataclass(frozen=True)
class ScheduleProgramsPass(KernelPass):
    """Schedule programs: the outermost index of each, row-major, or by groups of rows."""

    name: ClassVar[str] = "nt-schedule-programs"

    longest_first: bool = True
    """False: programs start in row-major order."""
    grouped: int = 1
    """Rows of a group, down whose columns programs go; 1: they go along each row."""

    def __post_init__(self) -> None:
        require_at_least(self.name, "grouped", self.grouped, 1)

    def apply_to(self, kernel: nt.KernelOp) -> None:
        sizes = kernel.program_shape
        last: nt.ExprAttr | None = None
        grouped = 1
        remarks = nt.RemarkEmitter(kernel, self.name)
        loop = longest_last(kernel) if self.longest_first else None
        shared = _load_that_rows_share(kernel) if loop is None else None
        reason = loop or shared
        other = None if reason is None else other_effect(kernel)
        if reason is not None and other is not None:
            remarks.missed(
                reason, f"programs kept in order: one may wait for another by {other.name}"
            )
        elif loop is not None:
            last = nt.ExprAttr(normalize(product(sizes) - 1))
            remarks.passed(loop, "programs reversed: the last ones iterate most, and start first")
        elif shared is not None:
            grouped = self.grouped
            if grouped > 1:
                remarks.passed(shared, f"programs go down groups of {grouped} rows, which share it")
            else:
                remarks.analysis(shared, _POSSIBLE)
        block = kernel.apply.block
        inserter = Inserter(InsertPoint.at_start(block), kernel)
        program = inserter.add(nt.ProgramIdOp(last=last))
        program.name_hint = "pid"
        index = nt.ProgramIndexOp(program, nt.ExprsAttr(sizes), grouped)
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
        index = next(op for op in kernel.apply.walk() if isinstance(op, nt.ProgramIndexOp))
        if index.rows_of_group > 1:
            sizes, indices = index.sizes.data, index.indices(sym("pid"))
            return functools.reduce(
                lambda number, one: number * one[0] + one[1],
                zip(sizes, indices, strict=True),
                const(0),
            )
        number = index.program.owner
        assert isinstance(number, nt.ProgramIdOp)
        return None if number.last is None else number.last.data - sym("pid")
