"""Convert ``nt`` to ``tt``, ``arith``, ``math`` and ``scf``: a device function.

Its arguments are the tensors' pointers and the numbers passed by value, in launch order, a jagged
tensor's offsets behind its pointer, then the sizes and strides that are used, and last the pointers
to scratch memory. How a launch binds them stays with the function: ``nt.params``, ``nt.grid``,
``nt.checks``, and of scratch memory ``nt.count``, the elements for each program; and so does what
passes relied on of a call: ``nt.symbols``, those that have bounds or a divisor, and
``nt.padded_sizes``.
``nt.element_type`` is what a tensor is of where Triton's memory does not tell, ``nt.unsigned`` a
number; ``nt.packed`` are the strides of the packed copy that is read in a tensor's place.

An assertion calls a function that prints its message. On Hopper, products of warp groups wait for
each other in a kernel that calls one (ptxas C7510), wherever it does; beside those, an assertion
is a trap, whose message stands in the assembly. The interpreter says it, and so does a device with
``trapped_assertions`` off.

Why here: it is the last step; it knows no sizes, no guards and no configurations, only types. It
requires stage ``addressed`` and leaves stage ``tt``.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ? div 16>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %p = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %n = nt.size <n> : i32
  %q = tt.addptr %p, %n : !tt.ptr<f32>, i32
  %v = tt.load %q : !tt.ptr<f32>
  %w = nt.elementwise "exp"(%v) : (f32) -> f32
  tt.store %q, %w : !tt.ptr<f32>
  nt.return
}
```

After:

```mlir
tt.func @k(%x: !tt.ptr<f32> {nt.param = "x", tt.divisibility = 16 : i32}, %n: i32 {nt.symbol = "n", tt.divisibility = 16 : i32}) attributes {nt.params = [#nt.param<"x" tensor [n] [1]>], nt.grid = #nt.expr<n ceildiv 64>, nt.checks = [], nt.symbols = [#nt.symbol<n size 0 to ? div 16>]} {
  %q = tt.addptr %x, %n : !tt.ptr<f32>, i32
  %v = tt.load %q : !tt.ptr<f32>
  %w = math.exp %v : f32
  tt.store %q, %w : !tt.ptr<f32>
  tt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.rewriter import Rewriter

from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.artifacts.occupancy import WARP_GROUP_ROWS, Architecture
from ninetoothed.artifacts.target import Target
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.lowering import (
    blocks,
    casts,
    control,
    debug,
    dot,
    memory,
    parameters,
    reductions,
    shapes,
)
from ninetoothed.passes.lowering.function import Function

GROUPS = (parameters, blocks, debug, casts, dot, shapes, reductions, memory, control)
"""The modules that register lowerings."""


@dataclass(frozen=True)
class LowerToTtPass(KernelPass):
    """Dialect conversion from ``nt`` to ``tt``: kernels become device functions."""

    name: ClassVar[str] = "nt-lower-to-tt"

    target: str = ""
    """As in ``Target.parse``, for its device libraries; of the CPU, nothing."""

    trapped_assertions: bool = True
    """Assertions trap where a function call would make the products of warp groups wait."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        target = capabilities(Target.parse(self.target) if self.target else None)
        traps = self.trapped_assertions and bool(self.target)
        traps = traps and _has_wgmma(kernel, target.architecture)
        function = Function(kernel, target, traps)
        function.convert(kernel.apply.block)
        Rewriter.replace_op(kernel, function.finish())


def _has_wgmma(kernel: nt.KernelOp, device: Architecture) -> bool:
    """True if a dot may be one of Hopper's ``wgmma``, which begins at 64 rows."""
    if not device.warp_groups or device.tensor_columns:
        return False
    dots = (op for op in kernel.apply.walk() if isinstance(op, nt.DotOp))
    rows = [nt.shape_of(op.a.type)[-2].value for op in dots]
    return any(count is not None and count >= WARP_GROUP_ROWS for count in rows)
