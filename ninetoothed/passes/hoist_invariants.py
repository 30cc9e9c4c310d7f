"""Loop-invariant code motion of address arithmetic.

A pure op of ``arith`` or ``tt``, a size or a parameter's pointer goes in front of the outermost
loop in which none of its operands is defined, out of conditions too. So does a division by sizes:
those of a kernel that runs are positive. What the user wrote stays.

Why here: ``nt-lower-accesses`` computes each address at its access. ``cse`` runs behind, to merge
what several loops left at one place. It requires stage ``addressed`` and leaves it. xDSL's ``licm``
moves nothing out of ``scf.while`` and ``scf.if``, and no division by a value.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 1 to ?>] arrange {
  nt.arranged
} apply {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %pid = tt.get_program_id 0 : i32
  %m = nt.size <m> : i32
  scf.for %i = %0 to %m step %1 : i32 {
    %n = nt.size <n> : i32
    %row = arith.divsi %pid, %n : i32
    %column = arith.remsi %i, %n : i32
    tt.print "" %row, %column {hex = false, isSigned = array<i32: 1, 1>} : i32, i32
  }
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 1 to ?>] arrange {
  nt.arranged
} apply {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %pid = tt.get_program_id 0 : i32
  %m = nt.size <m> : i32
  %n = nt.size <n> : i32
  %row = arith.divsi %pid, %n : i32
  scf.for %i = %0 to %m step %1 : i32 {
    %column = arith.remsi %i, %n : i32
    tt.print "" %row, %column {hex = false, isSigned = array<i32: 1, 1>} : i32, i32
  }
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from ninetoothed.errors import counted
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.analysis.loop_nests import Loop

_DIVISIONS = (arith.DivSIOp, arith.RemSIOp)
_SIZES = (nt.SizeOp, arith.ConstantOp)


def _is_arithmetic(op: Operation) -> bool:
    return op.name.startswith(("arith.", "tt."))


def _is_of_sizes(value: SSAValue) -> bool:
    """Computed from sizes and constants alone."""
    op = value.owner
    if isinstance(op, _SIZES):
        return True
    if isinstance(op, Block) or not op.operands:
        return False
    return (_is_arithmetic(op) or isinstance(op, nt.QuotientOp)) and all(
        map(_is_of_sizes, op.operands)
    )


def _may_run_early(op: Operation) -> bool:
    """Speculatable: without effects, and defined whether or not the loop runs."""
    if isinstance(op, _DIVISIONS):
        return _is_of_sizes(op.rhs)
    return isinstance(op, nt.SizeOp | nt.PointerOp | nt.HostDescriptorOp | nt.QuotientOp) or (
        _is_arithmetic(op) and not op.regions and op.has_trait(Pure)
    )


class _Hoisting:
    """Walk of one kernel's blocks; an op is hoisted behind those that it depends on."""

    def __init__(self, remarks: nt.RemarkEmitter) -> None:
        self.remarks = remarks
        self.hoisted: dict[Operation, int] = {}
        self.around: list[Operation] = []
        self.depths: dict[Block, int] = {}

    def visit(self, block: Block) -> None:
        """Hoist the invariant ops of ``block`` out of the loops around it."""
        self.depths[block] = len(self.around)
        for op in list(block.ops):
            if isinstance(op, Loop | scf.IfOp):
                self.around.append(op)
                for region in op.regions:
                    for inner in region.blocks:
                        self.visit(inner)
                self.around.pop()
            elif self.around and _may_run_early(op):
                depth = max(map(self._depth, op.operands), default=0)
                loops = (loop for loop in self.around[depth:] if isinstance(loop, Loop))
                if loop := next(loops, None):
                    op.detach()
                    Rewriter.insert_op(op, InsertPoint.before(loop))
                    self.hoisted[loop] = self.hoisted.get(loop, 0) + 1
            elif self.remarks and isinstance(op, _DIVISIONS):
                self._remark_on_division(op)

    def _remark_on_division(self, op: Operation) -> None:
        depth = max(map(self._depth, op.operands))
        if any(isinstance(one, Loop) for one in self.around[depth:]):
            self.remarks.missed(op, "division kept in the loop: its divisor may be 0")

    def _depth(self, value: SSAValue) -> int:
        """The number of ops around the block that defines ``value``."""
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        assert block is not None
        return self.depths[block]


@dataclass(frozen=True)
class HoistInvariantsPass(KernelPass):
    """Loop-invariant code motion of address arithmetic."""

    name: ClassVar[str] = "nt-hoist-invariants"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        hoisting = _Hoisting(remarks)
        hoisting.visit(kernel.apply.block)
        for loop, count in hoisting.hoisted.items():
            remarks.passed(loop, f"{counted(count, 'op')} moved in front of the loop")
