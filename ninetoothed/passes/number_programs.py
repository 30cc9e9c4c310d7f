"""Number the programs: program ``p`` is given element ``p``, row-major, of each outermost level.

A parameter whose outermost shape is not that of the programs is renumbered: ``nt.renumber`` behind
its chain of meta-operations. Where a program may have no element of it, the lanes that it reads are
outside the guard, but 0 in their place counts as a value: each read without ``other`` is selected
by whether the program has an element. What such a program writes is outside the guard, too.

Why here: ``nt-check-arrangement`` has checked what the numbering relies on, by the same rule, and
every later pass takes an outermost index for a program's. It requires stage ``arranged``, and
leaves it.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f16>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m * n] x f16>
  nt.arranged %x, %y : !nt.tensor<[m, n] x f16>, !nt.tensor<[m * n] x f16>
} apply {
^bb0(%a : !nt.tensor<[] x f16>, %b : !nt.tensor<[] x f16>):
  %0 = nt.load %b[] : !nt.tensor<[] x f16>[] -> f16
  nt.store %0, %a[] : f16, !nt.tensor<[] x f16>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f16>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m * n] x f16>
  %0 = nt.renumber %y [m, n] count "equal" level 0
      : !nt.tensor<[m * n] x f16> -> !nt.tensor<[m, n] x f16>
  nt.arranged %x, %0 : !nt.tensor<[m, n] x f16>, !nt.tensor<[m, n] x f16>
} apply {
^bb0(%a : !nt.tensor<[] x f16>, %b : !nt.tensor<[] x f16>):
  %0 = nt.load %b[] : !nt.tensor<[] x f16>[] -> f16
  nt.store %0, %a[] : f16, !nt.tensor<[] x f16>[]
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast, get_args

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ninetoothed.artifacts.signature import Agreement
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.layout.meta_op import MetaOp, Sizes
from ninetoothed.layout.numbering import renumbering
from ninetoothed.passes.analysis.program_numbering import arranged_shapes, numberings
from ninetoothed.passes.option_values import require_among
from ninetoothed.symbolic.expr import IndexExpr


def _arrange(kernel: nt.KernelOp, position: int, ops: tuple[MetaOp, ...]) -> None:
    """Append meta-operations to the chain of a parameter."""
    arranged = kernel.arranged
    value = arranged.operands[position]
    inserter = Inserter.before(arranged)
    assert isinstance(value.owner, Operation)
    inserter.origin = value.owner
    for op in ops:
        value = inserter.add(nt.MetaOperation.of(op, value))
    arranged.operands[position] = value


def _exists(kernel: nt.KernelOp, count: IndexExpr) -> SSAValue:
    """True in programs that have one of ``count`` elements."""
    inserter = Inserter(InsertPoint.at_start(kernel.apply.block), kernel)
    number = inserter.add(nt.CastOp(inserter.add(nt.ProgramNumberOp()), i64))
    size = inserter.add(nt.SizeOp(nt.ExprAttr(count), i64))
    exists = inserter.add(nt.ElementwiseOp("lt", [number, size], i1))
    exists.name_hint = "exists"
    return exists


def _reads(argument: SSAValue) -> list[SSAValue]:
    """The values that are read through a parameter's arrangement, without ``other``."""
    found: list[SSAValue] = []
    for use in argument.uses:
        op = use.operation
        if isinstance(op, nt.LoadOp) and op.other is None:
            found.append(op.result)
        elif isinstance(op, nt.AddressOp):
            loads = [use.operation for use in op.pointers.uses]
            found += [
                load.result
                for load in loads
                if isinstance(load, nt.PointerLoadOp) and load.other is None
            ]
    return found


def _or_zero(exists: SSAValue, value: SSAValue) -> None:
    """Put 0 in the place of a read value in programs without an element."""
    assert isinstance(value.owner, Operation)
    inserter = Inserter.behind(value.owner)
    uses = list(value.uses)
    shape, scalar = nt.shape_of(value.type), nt.scalar_of(value.type)
    zero = inserter.add(nt.constant(nt.number(0, scalar)))
    condition = exists
    if shape:
        condition = inserter.add(nt.FullOp(exists, nt.block_type(shape, i1)))
        zero = inserter.add(nt.FullOp(zero, value.type))
    selected = inserter.add(nt.ElementwiseOp("where", [condition, value, zero], value.type))
    selected.name_hint = value.name_hint
    for use in uses:
        use.operation.operands[use.index] = selected


@dataclass(frozen=True)
class NumberProgramsPass(KernelPass):
    """Number the programs: each is given its element of each outermost level."""

    name: ClassVar[str] = "nt-number-programs"

    agreement: str = "shapes"
    """The rule by which outermost levels agree (``Signature.agreement``)."""

    def __post_init__(self) -> None:
        require_among(self.name, "agreement", self.agreement, get_args(Agreement))

    def apply_to(self, kernel: nt.KernelOp) -> None:
        shapes = arranged_shapes(kernel)
        found = numberings(kernel, shapes, cast("Agreement", self.agreement))
        grid: Sizes | None = None
        for position, known in enumerate(found):
            if known is None:
                if grid is None and kernel.sources[position].kind.data == "tensor":
                    grid = shapes[position]
                continue
            assert grid is not None
            ops = renumbering(known, grid, shapes[position])
            _arrange(kernel, position, ops)
            if known.surplus and (reads := _reads(kernel.apply.block.args[position])):
                exists = _exists(kernel, known.own)
                for value in reads:
                    _or_zero(exists, value)
