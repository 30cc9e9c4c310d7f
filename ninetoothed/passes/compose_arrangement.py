"""Compose each parameter's chain of meta-operations into one access: an index map and a guard.

Why here: every later pass that asks where a lane lies, or whether it is valid, asks the access and
not the chain. It requires stage ``arranged``; it leaves no meta-operation, stage ``composed``.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
  nt.arranged %0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
} apply {
^bb0(%a : !nt.tensor<[B] x f16>):
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.access %x <[[n ceildiv B], [B]] -> [B * g0 + b0] if [[B * g0 + b0, n]]>
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
  nt.arranged %0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
} apply {
^bb0(%a : !nt.tensor<[B] x f16>):
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter


@dataclass(frozen=True)
class ComposeArrangementPass(KernelPass):
    """Compose chains of meta-operations into accesses."""

    name: ClassVar[str] = "nt-compose-arrangement"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        arranged = kernel.arranged
        for position, value in enumerate(arranged.values):
            origin = value.owner
            if isinstance(origin, nt.AccessOp):
                continue
            assert isinstance(origin, Operation)
            source, access = nt.access_of(value, kernel.assumptions)
            inserter = Inserter.before(arranged)
            inserter.origin = origin
            arranged.operands[position] = inserter.add(nt.AccessOp(source.result, access))
        for op in reversed(list(kernel.arrange.block.ops)):
            if isinstance(op, nt.MetaOperation) and not op.result.uses:
                Rewriter.erase_op(op)
