"""Clamp guards: rows and columns of a product that nothing stores are read at the last place inside.

A dot computes each row from a row of its left operand, and each column from one of its right. Those
behind the end of a tensor reach only stores that leave them out, so what is read for them does not
matter: the index is clamped in front of the loop, and no iteration has a mask for it. A guard stays
if a mask along K would be left in its place: where threads read several neighbours at once, which a
clamped index would tear apart.

Why here: the guards of loads are those of the stores that they reach, behind ``nt-guard-loads``; all
that hold are gone. It requires stage ``scheduled`` and leaves it.

Before:

```mlir
!block = !nt.tensor<[16, 16] x f16>
!blocks = !nt.tensor<[k ceildiv 16] x !block>
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ?>]
    grid #nt.expr<m ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, k] x f16>
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !nt.tensor<[m, 16] x f16>
  %0 = nt.access %x <[[m ceildiv 16], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1]
                      if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]>
      : !nt.tensor<[m, k] x f16> -> !nt.tensor<[m ceildiv 16] x !blocks>
  %1 = nt.access %y <[[m ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, m]]>
      : !nt.tensor<[m, 16] x f16> -> !nt.tensor<[m ceildiv 16] x !block>
  nt.arranged %0, %1 : !nt.tensor<[m ceildiv 16] x !blocks>, !nt.tensor<[m ceildiv 16] x !block>
} apply {
^bb0(%a : !blocks, %b : !block):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 16> : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !block
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %a[%i] other 0.0 : f16 : !blocks[i32] -> !block
    %w = nt.dot %v, %start, %acc : !block, !block -> !block
    scf.yield %w : !block
  }
  nt.store %sum, %b[] : !block, !block[]
  nt.return
}
```

After:

```mlir
!block = !nt.tensor<[16, 16] x f16>
!blocks = !nt.tensor<[k ceildiv 16] x !block>
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ?>]
    grid #nt.expr<m ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, k] x f16>
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !nt.tensor<[m, 16] x f16>
  %0 = nt.access %x <[[m ceildiv 16], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1]
                      if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]>
      : !nt.tensor<[m, k] x f16> -> !nt.tensor<[m ceildiv 16] x !blocks>
  %1 = nt.access %y <[[m ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, m]]>
      : !nt.tensor<[m, 16] x f16> -> !nt.tensor<[m ceildiv 16] x !block>
  nt.arranged %0, %1 : !nt.tensor<[m ceildiv 16] x !blocks>, !nt.tensor<[m ceildiv 16] x !block>
} apply {
^bb0(%a : !blocks, %b : !block):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 16> : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !block
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %a[%i] guards [[k1_0 * 16 + b1, k]] clamped [[g0 * 16 + b0, m]] other 0.0 : f16
        : !blocks[i32] -> !block
    %w = nt.dot %v, %start, %acc : !block, !block -> !block
    scf.yield %w : !block
  }
  nt.store %sum, %b[] : !block, !block[]
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.layout.access import holds
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.checked_sizes import is_at_most
from ninetoothed.passes.analysis.demanded_lanes import EVERYTHING, Demand, demanded_lanes
from ninetoothed.passes.analysis.dense_offsets import DenseOffsets
from ninetoothed.passes.analysis.vectorization import vector_width
from ninetoothed.symbolic.expr import const, ir_text, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize


class _Load:
    """A load in a loop with a dot, of which the lanes of ``demand`` reach memory."""

    def __init__(self, kernel: nt.KernelOp, op: nt.LoadOp, demand: Demand) -> None:
        assert isinstance(op.ref, BlockArgument)
        value = kernel.arranged.values[op.ref.index]
        self.source, self._attribute = nt.access_of(value, kernel.assumptions)
        self._access = self._attribute.data
        self._kernel, self._demand = kernel, demand
        self.guards = self._access.guards if op.guards is None else op.guards.data
        names = self._attribute.names
        self._block = {
            name: size.value
            for name, size in zip(names[-1], self._access.levels[-1], strict=True)
            if size.value is not None and size.value > 1
        }
        self._outer = {
            name: Range(const(0), size - 1)
            for name, size in zip(names[0], self._access.levels[0], strict=True)
        }
        self._inside_loops = {name for row in names[1:-1] for name in row}

    def is_clamped(self, guard: Guard) -> bool:
        """True if the index of ``guard`` can be clamped instead, and pays."""
        return (
            self._is_of_one_row(guard)
            and any(
                one.index == guard.index and is_at_most(self._kernel, one.size, guard.size)
                for one in self._demand
            )
            and not self._tears_vectors(guard)
        )

    def _is_of_one_row(self, guard: Guard) -> bool:
        """True for an index of the source that a lane counts, and whose first lane is inside: so
        the largest index inside is one of the program's own.
        """
        names = {*symbol_names(guard.index, guard.size)}
        lanes = names & self._block.keys()
        if guard.index not in self._access.indices or len(lanes) != 1 or names & self._inside_loops:
            return False
        (lane,) = lanes
        step = normalize(substitute(guard.index, {lane: sym(lane) + 1}) - guard.index)
        ranges = {**self._kernel.assumptions, **self._outer, lane: Range.of(0)}
        first = Guard(normalize(substitute(guard.index, {lane: 0})), guard.size)
        return (
            step.value == 1
            and lane not in symbol_names(guard.size)
            and always_nonnegative(first.index, ranges)
            and holds(first, ranges)
        )

    def _tears_vectors(self, guard: Guard) -> bool:
        """True if threads read several neighbours at once along the lane of ``guard``."""
        offset = DenseOffsets(self._kernel).offset(self.source, self._access.indices)
        width = vector_width(self._kernel, self.source, offset, self._block, self.guards)
        return width.lanes > 1 and width.lane in symbol_names(guard.index)


@dataclass(frozen=True)
class ClampGuardsPass(KernelPass):
    """Clamp the indices of a product's rows and columns instead of masking them."""

    name: ClassVar[str] = "nt-clamp-guards"
    adds_reads: ClassVar[bool] = True

    enabled: bool = True
    """False: rows and columns behind the end are masked."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        if not self.enabled or not nt.has_dot(kernel.apply):
            return
        remarks = nt.RemarkEmitter(kernel, self.name)
        demands = demanded_lanes(kernel)
        for op in kernel.apply.walk():
            if not (isinstance(op, nt.LoadOp) and _is_beside_a_dot(op)):
                continue
            load = _Load(kernel, op, demands.get(op.result, EVERYTHING))
            if load.source.kind.data != "tensor":
                continue
            clamped = tuple(guard for guard in load.guards if load.is_clamped(guard))
            if clamped:
                kept = tuple(guard for guard in load.guards if guard not in clamped)
                op.guards, op.clamped = nt.GuardsAttr(kept), nt.GuardsAttr(clamped)
                if remarks:
                    name = load.source.param.data
                    for guard in clamped:
                        text = f"`{ir_text(guard.index)} < {ir_text(guard.size)}`"
                        remarks.passed(
                            op, f"index of `{name}` clamped: no lane is stored but {text}"
                        )


def _is_beside_a_dot(op: Operation) -> bool:
    """True if a loop around ``op`` has a dot."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, scf.ForOp | scf.WhileOp):
            return any(map(nt.has_dot, parent.regions))
        parent = parent.parent_op()
    return False
