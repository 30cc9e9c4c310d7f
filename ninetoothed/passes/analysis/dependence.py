"""Dependence analysis: the program indices that a value depends on."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import symbol_names

Names = frozenset[str]

_PER_PROGRAM = (
    *(nt.AtomicOp, nt.AtomicCasOp),
    *(nt.ProgramIdOp, nt.ProgramIndexOp, nt.ProgramNumberOp),
)
"""Ops that give every program another value, whatever they read."""


def dependences(op: Operation) -> list[SSAValue]:
    """The data and control dependences of ``op``: its operands, and the conditions of its loops."""
    ends = [region.block.last_op for region in op.regions if region.blocks]
    return [
        *op.operands,
        *(end.condition for end in ends if isinstance(end, scf.ConditionOp)),
    ]


class Dependence:
    """The program indices ``g0``, ``g1``, … that each value of a kernel depends on.

    Loads of memory that the kernel writes, and results of atomics, depend on all of them.
    """

    def __init__(self, kernel: nt.KernelOp, written: Iterable[SSAValue]) -> None:
        self._kernel = kernel
        self._written = frozenset(written)
        self._accesses = {
            argument: nt.access_of(value, kernel.assumptions)
            for argument, value in zip(kernel.apply.block.args, kernel.arranged.values, strict=True)
        }
        rows = [access.names[0] for _, access in self._accesses.values()]
        self.everything: Names = frozenset(name for row in rows for name in row)
        self._known: dict[SSAValue, Names] = {}
        changed = True
        while changed:
            changed = self._round(kernel.apply.block)

    def of(self, value: SSAValue) -> Names:
        """The program indices that ``value`` depends on, wherever it is computed."""
        return self._known.get(value, frozenset())

    def access_names(self, ref: SSAValue, dim: int | None = None) -> Names:
        """The program indices that the accessed elements of a parameter depend on, or with ``dim``
        their index along that dim of the source.
        """
        assert isinstance(ref, BlockArgument)
        access = self._accesses[ref][1].data
        exprs = [*access.indices] if dim is None else [access.indices[dim]]
        for guard in access.guards if dim is None else ():
            exprs += [guard.index, guard.size]
        return self.everything & frozenset(symbol_names(*exprs))

    def _round(self, block: Block) -> bool:
        """Propagate through each op once."""
        changed = False
        for op in block.ops:
            found = self._own(op).union(*map(self.of, dependences(op)))
            for region in op.regions:
                for inner in region.blocks:
                    for argument in inner.args:
                        changed |= self._add(argument, found | self._carried(op))
                    changed |= self._round(inner)
            for result in op.results:
                changed |= self._add(result, found | self._carried(op))
        return changed

    def _carried(self, op: Operation) -> Names:
        """The dependences of the values that loops and branches forward."""
        found: Names = frozenset()
        for region in op.regions:
            for block in region.blocks:
                last = block.last_op
                if isinstance(last, scf.YieldOp | scf.ConditionOp):
                    found = found.union(*map(self.of, last.operands))
        return found

    def _add(self, value: SSAValue, names: Names) -> bool:
        before = self.of(value)
        self._known[value] = before | names
        return not names <= before

    def _own(self, op: Operation) -> Names:
        """The dependences of an op beside its operands."""
        if isinstance(op, nt.LoadOp):
            return self.everything if op.ref in self._written else self.access_names(op.ref)
        if isinstance(op, nt.OffsetsOp):
            return self.access_names(op.ref, op.source_dim)
        if isinstance(op, nt.GuardOp | nt.StoredOp | nt.AddressOp):
            return self.access_names(op.ref)
        if isinstance(op, nt.PointerLoadOp):
            return self.everything if self._written else frozenset()
        if isinstance(op, nt.SizeOp):
            lengths = [d.name for d in self._kernel.declarations if d.kind == "length"]
            per_program = any(name in lengths for name in symbol_names(op.expr.data))
            return self.everything if per_program else frozenset()
        return self.everything if isinstance(op, _PER_PROGRAM) else frozenset()
