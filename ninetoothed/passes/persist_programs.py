"""Persist programs: as many as the device runs at once do the work of all, one after the other.

At its end, a program stores what its loop over K has multiplied, and the tensor cores have nothing
to do; at its start, it waits for its first tiles. If a program goes on with the work of another one
instead, and Triton makes one loop of that over programs and that over K, the first tiles of the
next work are loaded while the last one ends. Whether that pays is for the clock to say, and so it
is a choice of the tuner's (see ``compiler.optimizations``).

A program does the work of its own number, and then of each that is larger by a multiple of how many
programs are launched, which may be any number (see ``Artifact.persistent``). So what neighbours do
is done at the same time, as it was, in any schedule.

Legal are kernels with a loop over dots whose programs are independent. None waits for another one,
which might be work that it is to do itself later; none counts, or asks which one it is. And since
loads of the next work are made before the stores of the last one, and in any case ahead of what
stands in front of them, no program reads what it has written.

Why here: what is known of a program, passes know of code that no loop is around. So this one marks
the program's id, and ``nt-lower-accesses`` puts the loop around all that it has lowered: what is
the same in all programs, such as a descriptor, is then moved in front of it by
``nt-hoist-invariants``. It requires stage ``scheduled`` and leaves it.

Before:

```mlir
// nt-opt -p 'nt-persist-programs{persistent=1}'
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<m ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[m, k] x f16>
  %0 = nt.access %x <[[m ceildiv 16], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1]
      if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]>
      : !nt.tensor<[m, k] x f16>
      -> !nt.tensor<[m ceildiv 16] x !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>>
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !nt.tensor<[m, 16] x f32>
  %1 = nt.access %y <[[m ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, m]]>
      : !nt.tensor<[m, 16] x f32> -> !nt.tensor<[m ceildiv 16] x !nt.tensor<[16, 16] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m ceildiv 16] x !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>>,
                       !nt.tensor<[m ceildiv 16] x !nt.tensor<[16, 16] x f32>>
} apply {
^bb0(%a : !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>, %b : !nt.tensor<[16, 16] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 16> : i32
  %2 = arith.constant 0.0 : f32
  %zero = nt.full %2 : f32 -> !nt.tensor<[16, 16] x f32>
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %tile = nt.load %a[%i] other 0.0 : f16
        : !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>[i32] -> !nt.tensor<[16, 16] x f16>
    %next = nt.dot %tile, %tile, %t
        : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    scf.yield %next : !nt.tensor<[16, 16] x f32>
  }
  nt.store %total, %b[] : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<m ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[m, k] x f16>
  %0 = nt.access %x <[[m ceildiv 16], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1]
      if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]>
      : !nt.tensor<[m, k] x f16>
      -> !nt.tensor<[m ceildiv 16] x !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>>
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !nt.tensor<[m, 16] x f32>
  %1 = nt.access %y <[[m ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, m]]>
      : !nt.tensor<[m, 16] x f32> -> !nt.tensor<[m ceildiv 16] x !nt.tensor<[16, 16] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[m ceildiv 16] x !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>>,
                       !nt.tensor<[m ceildiv 16] x !nt.tensor<[16, 16] x f32>>
} apply {
^bb0(%a : !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>, %b : !nt.tensor<[16, 16] x f32>):
  %pid = nt.program_id persistent : index
  %g0 = nt.program_index %pid [m ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 16> : i32
  %2 = arith.constant 0.0 : f32
  %zero = nt.full %2 : f32 -> !nt.tensor<[16, 16] x f32>
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %tile = nt.load %a[%i] other 0.0 : f16
        : !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>[i32] -> !nt.tensor<[16, 16] x f16>
    %next = nt.dot %tile, %tile, %t
        : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    scf.yield %next : !nt.tensor<[16, 16] x f32>
  }
  nt.store %total, %b[] : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32>[]
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType, UnitAttr
from xdsl.ir import Operation

from ninetoothed.artifacts.configuration import PERSISTENT
from ninetoothed.artifacts.occupancy import Legality
from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.analysis.alias_sets import AliasAnalysis
from ninetoothed.passes.analysis.empty_programs import has_other_effect
from ninetoothed.passes.analysis.loop_nests import Loop, enclosing
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.passes.analysis.waiting import may_wait
from ninetoothed.passes.option_values import everywhere, require_among

_NUMBERS = nt.ProgramNumberOp | nt.ProgramCountOp
_REPORTS = nt.PrintOp | nt.AssertOp | nt.AssumeOp
"""What each program says of its own work, in any order."""
_POSSIBLE = f"programs end with their own work: {PERSISTENT} is 0, and may be 1"


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of persistent programs (see ``compiler.optimizations``), whatever the block sizes.
    Where it pays, sizes tell.
    """
    loop = _loop_with_dot(kernel)
    if loop is None:
        return None
    try:
        _check_independent(kernel)
    except Refusal:
        return None
    return everywhere


def _loop_with_dot(kernel: nt.KernelOp) -> scf.ForOp | None:
    """The first loop that multiplies, which Triton can make one with that over programs."""
    loops = (op for op in kernel.apply.walk() if isinstance(op, scf.ForOp))
    return next((loop for loop in loops if nt.has_dot(loop.body)), None)


def _program_id(kernel: nt.KernelOp) -> nt.ProgramIdOp:
    """The id that a program's index is of.

    Raises:
        CompilerError: there is none.
    """
    indices = (op for op in kernel.apply.block.ops if isinstance(op, nt.ProgramIndexOp))
    index = next(indices, None)
    if index is None or not isinstance(index.program.owner, nt.ProgramIdOp):
        raise fail(kernel, "the kernel does not say which program it is", CompilerError)
    return index.program.owner


def _check_independent(kernel: nt.KernelOp) -> None:
    """Check that a program's work is the same, whichever program does it, and when.

    Raises:
        Refusal: it is not.
    """
    ops = list(kernel.apply.walk())
    for op in ops:
        is_id = isinstance(op, nt.ProgramIdOp) and isinstance(op.result.type, IntegerType)
        if is_id or isinstance(op, _NUMBERS):
            raise Refusal(op, "a program asks for its number, or for how many there are")
        if not isinstance(op, _REPORTS) and (may_wait(op) or has_other_effect(op)):
            raise Refusal(op, f"a program may wait for another by {op.name}")
    _check_reads(kernel, ops)
    for op in ops:
        if isinstance(op, nt.BarrierOp):
            raise Refusal(op, f"threads wait for one another by {op.name}")


def _check_reads(kernel: nt.KernelOp, ops: list[Operation]) -> None:
    """Check that a program reads nothing that it has written.

    Raises:
        Refusal: it does.
    """
    aliases = AliasAnalysis(kernel)
    effects = [effect for op in ops if (effect := aliases.effect(op)) is not None]
    for place, write in enumerate(effects):
        if write.kind == "read":
            continue
        loops = {one for one in enclosing(write.op) if isinstance(one, Loop)}
        for index, read in enumerate(effects):
            # One in a loop with the write follows it, too, in a later iteration.
            follows = index > place or not loops.isdisjoint(enclosing(read.op))
            if read.kind == "read" and follows and read.may_alias(write.alias_sets):
                raise Refusal(read.op, aliases.overlap(write.op, read.op))


@dataclass(frozen=True)
class PersistProgramsPass(KernelPass):
    """Persist programs: as many as the device runs at once do the work of all."""

    name: ClassVar[str] = "nt-persist-programs"

    persistent: int = 0
    """0: each program does its own work; 1: as many as run at once do that of all."""

    def __post_init__(self) -> None:
        require_among(self.name, "persistent", self.persistent, (0, 1))

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        if not (self.persistent or remarks):
            return
        loop = _loop_with_dot(kernel)
        if loop is None:
            return
        try:
            _check_independent(kernel)
        except Refusal as refusal:
            remarks.missed(refusal.op, f"programs end with their own work: {refusal.reason}")
            return
        if not self.persistent:
            remarks.analysis(loop, _POSSIBLE)
            return
        _program_id(kernel).persistent = UnitAttr()
        remarks.passed(loop, "programs persist: each loads for its next work while it ends one")
