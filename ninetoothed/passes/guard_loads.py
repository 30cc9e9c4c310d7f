"""Guard loads by the stores that they reach: lanes that are not stored need not be read.

Where all uses of what is read flow, lane by lane, into stores, a load takes their guards. Of two
guards of one index the stricter one stays, where all loads then have one mask, and the stores the
same: what a call has checked of sizes says which. The end of a program's own sequence is taken in
any case, since whole programs may lie behind it. No guard is taken that would split an access of
several lanes.

Why here: lanes are those of padded blocks, and every guard is known. All loads of a parameter are
guarded alike, so that equal ones stay equal. It requires stage ``scheduled`` and leaves it.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>]
    checks [#nt.check<defined [n, m] = [min(n, m), m], "…">] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[m ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, m]]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>,
                       !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %1, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>]
    checks [#nt.check<defined [n, m] = [min(n, m), m], "…">] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[m ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, m]]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>,
                       !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] guards [[g0 * 64 + b0, n]]
      : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %1, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import BlockArgument, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.checked_sizes import is_at_most
from ninetoothed.passes.analysis.demanded_lanes import EVERYTHING, Demand, demanded_lanes
from ninetoothed.passes.analysis.vectorization import splits_vectors
from ninetoothed.symbolic.expr import IndexExpr, ir_text, symbol_names


class _Load:
    """The loads of one parameter, of which the lanes of ``demand`` reach memory."""

    def __init__(self, kernel: nt.KernelOp, ref: BlockArgument) -> None:
        self.ops: list[nt.LoadOp] = []
        self.demand: Demand = EVERYTHING
        self._kernel = kernel
        self._lengths = {decl.name for decl in kernel.declarations if decl.kind == "length"}
        value = kernel.arranged.values[ref.index]
        self._source, self._access = nt.access_of(value, kernel.assumptions)

    @property
    def own(self) -> tuple[Guard, ...]:
        """The guards of the access."""
        return self._access.data.guards if self._source.kind.data == "tensor" else ()

    def add(self, op: nt.LoadOp, demand: Demand) -> None:
        """Add a load, of which the lanes of ``demand`` reach memory."""
        self.demand = self.demand & demand if self.ops else demand
        self.ops.append(op)

    def strictest(self, own: Guard) -> Guard:
        """A demanded guard of the same index that implies ``own``, else that."""
        for guard in sorted(self.demand, key=str):
            alike = guard.index == own.index and guard.size != own.size
            if (
                alike
                and self._keeps_vectors(guard, own)
                and is_at_most(self._kernel, guard.size, own.size)
            ):
                return guard
        return own

    def ends(self) -> list[Guard]:
        """The demanded guards that are the end of a program's sequence, for some lanes: what is of
        no lane, a program can do without as a whole.
        """
        lanes = set(self._access.names[-1])
        return [
            guard
            for guard in sorted(self.demand, key=str)
            if self.is_end(guard)
            and not lanes.isdisjoint(symbol_names(guard.index))
            and self._keeps_vectors(guard, None)
        ]

    def is_end(self, guard: Guard) -> bool:
        """True for the end of a program's sequence."""
        return not self._lengths.isdisjoint(symbol_names(guard.size))

    def _keeps_vectors(self, guard: Guard, instead_of: Guard | None) -> bool:
        return not splits_vectors(self._kernel, self._source, self._access, guard, instead_of)


@dataclass(frozen=True)
class GuardLoadsPass(KernelPass):
    """Guard loads by the stores that they reach."""

    name: ClassVar[str] = "nt-guard-loads"
    drops_reads: ClassVar[bool] = True

    enabled: bool = True
    """False: loads keep the guards of their accesses."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        if not self.enabled:
            return
        remarks = nt.RemarkEmitter(kernel, self.name)
        demands = demanded_lanes(kernel)
        loads: dict[SSAValue, _Load] = {}
        for op in kernel.apply.walk():
            if isinstance(op, nt.LoadOp):
                assert isinstance(op.ref, BlockArgument)
                load = loads.setdefault(op.ref, _Load(kernel, op.ref))
                load.add(op, demands.get(op.result, EVERYTHING))
        # The sizes that each index is compared with, once loads have taken all that they can.
        sizes: dict[IndexExpr, set[IndexExpr]] = {}
        for load in loads.values():
            for own in load.own:
                sizes.setdefault(own.index, set()).add(load.strictest(own).size)
        for load in loads.values():
            guards: dict[Guard, None] = {}
            for own in load.own:
                strictest = load.strictest(own)
                # A mask that serves a store too is kept in registers until then.
                pays = len(sizes[own.index]) == 1 or load.is_end(strictest)
                guards[strictest if pays else own] = None
            guards.update(dict.fromkeys(load.ends()))
            if tuple(guards) != load.own:
                for op in load.ops:
                    op.guards = nt.GuardsAttr(tuple(guards))
                    if remarks:
                        taken = ", ".join(
                            f"`{ir_text(guard.index)} < {ir_text(guard.size)}`"
                            for guard in guards
                            if guard not in load.own
                        )
                        remarks.passed(op, f"load guarded as the stores that it reaches: {taken}")
