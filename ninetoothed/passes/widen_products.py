"""Widen products: both halves of a product of two 32-bit integers are computed at once.

A GPU multiplies two 32-bit integers to one of 64 bits in one instruction. ``umulhi(x, y)`` beside
``x * y``, as in each round of Philox, would take two, of which that for the upper half is slow.

Why here: pairs are found once equal values are one, and what is widened is no concern of passes
over blocks. It requires stage ``tt`` and leaves it.

Before:

```mlir
tt.func @k(%x: tensor<64xi32>, %y: tensor<64xi32>) {
  %high = tt.mulhiui %x, %y : tensor<64xi32>
  %low = arith.muli %y, %x : tensor<64xi32>
  %sum = arith.addi %high, %low : tensor<64xi32>
  tt.print "sum" %sum {hex = false, isSigned = array<i32: 0>} : tensor<64xi32>
  tt.return
}
```

After:

```mlir
tt.func @k(%x: tensor<64xi32>, %y: tensor<64xi32>) {
  %0 = arith.extui %x : tensor<64xi32> to tensor<64xi64>
  %1 = arith.extui %y : tensor<64xi32> to tensor<64xi64>
  %2 = arith.muli %0, %1 : tensor<64xi64>
  %3 = arith.constant dense<32> : tensor<64xi64>
  %4 = arith.shrui %2, %3 : tensor<64xi64>
  %high = arith.trunci %4 : tensor<64xi64> to tensor<64xi32>
  %low = arith.trunci %2 : tensor<64xi64> to tensor<64xi32>
  %sum = arith.addi %high, %low : tensor<64xi32>
  tt.print "sum" %sum {hex = false, isSigned = array<i32: 0>} : tensor<64xi32>
  tt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Block, SSAValue

from ninetoothed.ir import tt
from ninetoothed.ir.kernel_pass import FunctionPass
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.passes.lowering.elementwise import constant


@dataclass(frozen=True)
class WidenProductsPass(FunctionPass):
    """Both halves of 32-bit products from one of 64 bits."""

    name: ClassVar[str] = "nt-widen-products"

    enabled: bool = True
    """False: the upper half is computed beside the lower one."""

    def apply_to(self, function: tt.FuncOp) -> None:
        if not self.enabled:
            return
        low: dict[tuple[Block | None, frozenset[SSAValue]], arith.MuliOp] = {}
        high: list[tt.MulhiuiOp] = []
        for op in function.walk():
            if isinstance(op, arith.MuliOp):
                low.setdefault((op.parent, frozenset(op.operands)), op)
            elif isinstance(op, tt.MulhiuiOp) and tt.scalar_of(op.result.type) == i32:
                high.append(op)
        for op in high:
            lower = low.pop((op.parent, frozenset(op.operands)), None)
            if lower is not None:
                _widen(op, lower)


def _widen(high: tt.MulhiuiOp, low: arith.MuliOp) -> None:
    """Replace both halves of a product, which are in one block."""
    inserter = Inserter.before(low if low.is_before_in_block(high) else high)
    wide = tt.block_of(tt.shape_of(high.x.type), i64)
    x, y = (inserter.add(tt.ExtUIOp(operand, wide)) for operand in high.operands)
    product = inserter.add(arith.MuliOp(x, y))
    upper = inserter.add(arith.ShRUIOp(product, constant(inserter.add, 32, wide)))
    for op, half in ((high, upper), (low, product)):
        replace(op, [Inserter.before(op).add(tt.TruncIOp(half, op.result.type))])
