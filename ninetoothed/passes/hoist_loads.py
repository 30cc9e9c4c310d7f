"""Load hoisting: a tile that no iteration of a loop changes is loaded in front of it.

The load's indices are the same in each iteration, and no op of the loop may write to its memory, as
far as the alias analysis can tell. It does no harm in front of a loop of no iterations, for it
keeps its guard: an access is composed with all that keeps it inside of the tensor, whatever its
indices are. Its lanes then stay in registers while the loop runs: there are so many for them,
beside what the iterations carry. A load under a condition stays: it might never run. So does one
through pointers: nothing but the program says when those are valid. So does one in a loop that may
wait for another program, by a volatile load or by assembly that is not pure.

Why here: block sizes are numbers, and loads are ops of their own, so that what depends on one (its
address, its mask) is behind it. Before ``nt-stage-loops``, since what is loaded once is not to be
loaded ahead. It requires stage ``scheduled`` and leaves it.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %w = nt.source "w" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %0 = nt.access %w <[[1], [64]] -> [b0] if [[b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %1 = nt.access %y <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[64] x f32>>, !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    nt.store %v, %b[%i] : !nt.tensor<[64] x f32>, !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32]
  }
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %w = nt.source "w" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %0 = nt.access %w <[[1], [64]] -> [b0] if [[b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %1 = nt.access %y <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[64] x f32>>, !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    nt.store %v, %b[%i] : !nt.tensor<[64] x f32>, !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32]
  }
  nt.return
}
```
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.analysis.alias_sets import AliasAnalysis, Effect
from ninetoothed.passes.analysis.loop_nests import Loop, enclosing, is_in_loop
from ninetoothed.passes.analysis.waiting import waiting_op
from ninetoothed.passes.lowering.types import numbers
from ninetoothed.passes.option_values import require_at_least

# What an index is computed from, and may be computed in front of a loop.
_INDICES = (arith.ConstantOp, nt.ConstantOp, nt.SizeOp)
_THREADS = 32
"""Threads of a warp, at least."""
_MOST_HOISTED = 32
"""Registers of a thread for what was loaded in front of a loop. Blocks that are computed with it in
the loop take as many each, of 255.
"""
_MOST_LIVE = 96
"""Registers of a thread for that and what the iterations carry. layer_norm's gradient has as many,
and takes 225 to 255 in all; none is spilled.
"""


class _Hoisting:
    """Load hoisting in one kernel."""

    def __init__(self, kernel: nt.KernelOp, options: HoistLoadsPass) -> None:
        self.kernel = kernel
        self.remarks = nt.RemarkEmitter(kernel, options.name)
        self.threads = _THREADS * options.num_warps
        # Registers of a thread for what was hoisted, by the loop in front of which it is loaded,
        # and those inside of that.
        self.hoisted: dict[Operation, int] = {}

    @cached_property
    def aliases(self) -> AliasAnalysis:
        return AliasAnalysis(self.kernel)

    def visit(self, load: nt.LoadOp) -> None:
        """Hoist a load as far as may be."""
        target: Operation | None = None
        crossed: list[Operation] = []
        effect, registers = self.aliases.effect(load), self._registers([load.result.type])
        for loop in enclosing(load):
            refusal = self._refusal(load, loop, effect, registers)
            if refusal is not None:
                if refusal and target is None and effect is not None:
                    name = ", ".join(self.aliases.params(load))
                    self.remarks.missed(load, f"load of `{name}` kept in the loop: {refusal}")
                break
            target = loop
            crossed.append(loop)
        if target is None or effect is None:
            return
        for loop in crossed:
            self.hoisted[loop] = self.hoisted.get(loop, 0) + registers
        for op in (*(index.owner for index in load.indices), load):
            if isinstance(op, Operation) and target.is_ancestor(op):
                op.detach()
                Rewriter.insert_op(op, InsertPoint.before(target))
        name = ", ".join(self.aliases.params(load))
        self.remarks.passed(load, f"load of `{name}` moved in front of the loop")

    def _refusal(
        self, load: nt.LoadOp, loop: Operation, effect: Effect | None, registers: int
    ) -> str | None:
        """Why a load is not hoisted out of a loop; None: it is. Empty: there is nothing to tell."""
        if any(
            loop.is_ancestor(index.owner) and not isinstance(index.owner, _INDICES)
            for index in load.indices
        ):
            return ""
        if not isinstance(loop, Loop):
            return "it is under a condition" if is_in_loop(loop) else ""
        if effect is None:
            # A number that is passed by value.
            return ""
        writes = (one for one in self.aliases.effects(loop) if one.kind != "read")
        for write in writes:
            if write.may_alias(effect.alias_sets):
                return self.aliases.overlap(load, write.op)
        waiting = waiting_op(loop)
        if waiting is not None:
            return f"by {waiting.name} a program may wait for another"
        hoisted = self.hoisted.get(loop, 0) + registers
        live = hoisted + self._registers(loop.result_types)
        if hoisted > _MOST_HOISTED or live > _MOST_LIVE:
            return f"it and what the iterations carry would take {live} registers of a thread"
        return None

    def _registers(self, types: Iterable[Attribute]) -> int:
        """Registers of a thread that values take; a number of less than 32 bits takes one, since
        what is computed from it does.
        """
        found = 0
        for type in types:
            lanes = math.prod(numbers(type)) if isinstance(type, nt.TensorType) else 1
            scalar = nt.scalar_of(type)
            bits = scalar.bitwidth if isinstance(scalar, AnyFloat | IntegerType) else 64
            found += -(-lanes // self.threads) * -(-bits // 32)
        return found


@dataclass(frozen=True)
class HoistLoadsPass(KernelPass):
    """Load hoisting: a tile that no iteration of a loop changes is loaded in front of it."""

    name: ClassVar[str] = "nt-hoist-loads"
    adds_reads: ClassVar[bool] = True

    enabled: bool = True
    """False: loads stay."""
    num_warps: int = 4
    """Warps of a program, among whose registers the lanes of a block are divided."""

    def __post_init__(self) -> None:
        require_at_least(self.name, "num_warps", self.num_warps, 1)

    def apply_to(self, kernel: nt.KernelOp) -> None:
        if self.enabled:
            hoisting = _Hoisting(kernel, self)
            for op in list(kernel.apply.walk()):
                if isinstance(op, nt.LoadOp) and op.parent_op() is not kernel:
                    hoisting.visit(op)
