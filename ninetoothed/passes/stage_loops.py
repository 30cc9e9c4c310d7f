"""Stage loops: overlap the loads of an iteration with the work of earlier ones.

Triton pipelines the loads that feed a dot by itself, and others only in loops that ask for it: then
they go to shared memory, some iterations ahead. An innermost loop that loads blocks and has no dot
is given a number of stages, where the user has given none, and where no iteration may read what an
earlier one writes. Whether that pays is for the clock to say, and so it is a choice of the tuner's
(see ``compiler.optimizations``).

Why here: loads and dots are still ops of their own. It requires stage ``scheduled`` and leaves it.

Before:

```mlir
// nt-opt -p 'nt-stage-loops{stages=3}'
nt.kernel @k symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %0 = nt.access %x <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %1 = nt.load %a[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  }
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %0 = nt.access %x <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %1 = nt.load %a[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  } {"tt.num_stages" = 3 : i32}
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation

from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.analysis.alias_sets import AliasAnalysis, Effect
from ninetoothed.passes.analysis.loop_nests import NUM_STAGES, Loop
from ninetoothed.passes.analysis.waiting import waiting_op
from ninetoothed.passes.option_values import require_at_least

# Copies to shared memory that run by themselves have so many bytes at least.
_LEAST_BYTES = 4
_VALUES = (2, 3)
_POSSIBLE = "loop kept: loop_stages is 1, and may be more where the buffers fit shared memory"


def stageable_loops(
    kernel: nt.KernelOp, remarks: nt.RemarkEmitter | None = None
) -> Iterator[scf.ForOp]:
    """The innermost loops that load blocks, have no dot, have no number of stages of the user's,
    and write nothing that a later iteration may read: its loads would come before. Nor may they
    wait for other programs.

    ``remarks`` are told why others are not.
    """
    aliases = AliasAnalysis(kernel)
    for op in kernel.apply.walk():
        if not isinstance(op, scf.ForOp):
            continue
        inside = list(op.body.walk())
        if not any(map(_loads_block, inside)):
            continue
        if NUM_STAGES in op.attributes:
            if remarks:
                remarks.analysis(op, "loop kept: its number of stages is given")
        elif any(isinstance(one, Loop) for one in inside):
            if remarks:
                remarks.analysis(op, "loop kept: only innermost loops are staged")
        elif any(isinstance(one, nt.AnyDotOp) for one in inside):
            if remarks:
                remarks.analysis(
                    op, "loop kept: it has a dot, whose operands Triton loads ahead by itself"
                )
        elif carried := _carried(aliases.effects(op)):
            if remarks:
                remarks.missed(op, f"loop kept: {aliases.overlap(*carried)}")
        elif waiting := waiting_op(op):
            if remarks:
                text = f"by {waiting.name} a program may wait for another"
                remarks.missed(op, f"loop kept: {text}")
        else:
            yield op


def _loads_block(op: Operation) -> bool:
    return isinstance(op, nt.LoadOp | nt.PointerLoadOp) and isinstance(
        op.result.type, nt.TensorType
    )


def _carried(effects: Sequence[Effect]) -> tuple[Operation, Operation] | None:
    """A read, and a write that it may see in a later iteration; None: there are no such."""
    reads = [one for one in effects if one.kind == "read"]
    others = [one for one in effects if one.kind != "read"]
    pairs = (
        (read.op, one.op) for one in others for read in reads if one.may_alias(read.alias_sets)
    )
    return next(pairs, None)


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of numbers of stages (see ``compiler.optimizations``): buffers must fit into shared memory."""
    return _legal if any(True for _ in stageable_loops(kernel)) else None


def _legal(footprint: Footprint, unit: Architecture) -> tuple[int, ...]:
    scopes = [scope for scope in footprint.scopes if not scope.dots]
    loads = [[one for one in scope.streams if one.kind == "load"] for scope in scopes]
    if not any(one.is_wide or one.bytes >= _LEAST_BYTES for streams in loads for one in streams):
        return ()
    buffers = max(sum(one.lanes * one.bytes for one in streams) for streams in loads)
    # The last stage computes.
    return tuple(one for one in _VALUES if (one - 1) * buffers <= unit.shared_per_block)


@dataclass(frozen=True)
class StageLoopsPass(KernelPass):
    """Stage loops: overlap the loads of an iteration with the work of earlier ones."""

    name: ClassVar[str] = "nt-stage-loops"

    stages: int = 1
    """Iterations at work at once; 1: the loads of an iteration are waited for."""

    def __post_init__(self) -> None:
        require_at_least(self.name, "stages", self.stages, 1)

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        if self.stages > 1 or remarks:
            for loop in stageable_loops(kernel, remarks):
                if self.stages > 1:
                    loop.attributes[NUM_STAGES] = IntegerAttr(self.stages, i32)
                    remarks.passed(
                        loop, f"loop staged: {self.stages} iterations are at work at once"
                    )
                else:
                    remarks.analysis(loop, _POSSIBLE)
