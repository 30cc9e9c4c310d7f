"""Fold guards: what always holds is not asked for.

Comparisons of an application that have one value in all lanes are folded. So are, for the kernel of
the calls in which all guards hold (``full``), those that the sizes of such calls decide, and the
guards of accesses; sizes that are then known to be their block's become numbers. What must be at
most 0 for that, so that a call may launch this kernel, is left beside both kernels (``vacuous``),
for the host to compute.

Why here: it needs numeric block sizes and the grid, and what comes behind has fewer guards to look
at and masks to make. It requires stage ``scheduled`` and leaves it.

Before:

```mlir
// nt-opt -p 'nt-fold-guards{full=true}'
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %1, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> vacuous #nt.exprs[n mod 64] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %1, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.ir import SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.analysis.vacuity import Truth, Vacuity
from ninetoothed.passes.lowering.known_booleans import fold
from ninetoothed.passes.option_values import WIDTHS, require_among
from ninetoothed.symbolic.expr import ir_text, substitute
from ninetoothed.symbolic.normal_form import normalize


@dataclass(frozen=True)
class FoldGuardsPass(KernelPass):
    """Fold guards and comparisons that always hold."""

    name: ClassVar[str] = "nt-fold-guards"

    enabled: bool = True
    """False: the kernel stays as it is."""

    full: bool = False
    """For the calls in which all guards hold whose vacuity the sizes tell."""

    index_bits: int = 32
    """The width of address arithmetic, 32 or 64."""

    def __post_init__(self) -> None:
        require_among(self.name, "index_bits", self.index_bits, WIDTHS)

    def apply_to(self, kernel: nt.KernelOp) -> None:
        if not self.enabled:
            return
        vacuity = Vacuity(kernel, self.index_bits)
        remarks = nt.RemarkEmitter(kernel, self.name)
        always = {op: one for op, one in vacuity.comparisons.items() if not one.excesses}
        others = {op: one for op, one in vacuity.comparisons.items() if one.excesses}
        _fold(kernel, always, remarks)
        # Found before the full kernel folds what only some calls decide, so that both kernels have
        # the same guards, and tell alike which calls the full one is for.
        if vacuity.excesses:
            kernel.vacuous = nt.ExprsAttr(vacuity.excesses)
        if self.full:
            _fold(kernel, others, remarks)
            for access, guards in vacuity.guards.items():
                data = access.access.data
                kept = tuple(guard for guard in data.guards if guard not in guards)
                access.properties["access"] = nt.AccessAttr(replace(data, guards=kept))
            _substitute(kernel, vacuity.constants)
        if remarks:
            self._explain(kernel, vacuity, remarks)

    def _explain(self, kernel: nt.KernelOp, vacuity: Vacuity, remarks: nt.RemarkEmitter) -> None:
        """Say which guards are left out, and for which calls."""
        if not self.full and vacuity.excesses:
            rows = ", ".join(f"`{ir_text(one)}`" for one in vacuity.excesses)
            remarks.passed(
                kernel,
                f"guards left out of a second kernel, for calls in which none is above 0: {rows}",
            )
        for access in kernel.arrange.block.ops:
            if isinstance(access, nt.AccessOp):
                for guard in access.access.data.guards:
                    if guard not in vacuity.guards.get(access, {}):
                        text = f"`{ir_text(guard.index)} < {ir_text(guard.size)}`"
                        remarks.missed(
                            access,
                            f"guard {text} kept: no call of this class is proved to fulfil it",
                        )


def _fold(
    kernel: nt.KernelOp,
    comparisons: Mapping[nt.ElementwiseOp, Truth],
    remarks: nt.RemarkEmitter,
) -> None:
    """Fold comparisons that have one value in all lanes."""
    for op, truth in comparisons.items():
        remarks.passed(op, f"comparison folded: it is {str(truth.value).lower()} in all lanes")
    known: dict[SSAValue, bool] = {op.result: one.value for op, one in comparisons.items()}
    fold(kernel.apply.walk(), known)


def _substitute(kernel: nt.KernelOp, constants: Mapping[str, int]) -> None:
    """Put numbers in the place of sizes that the application computes with."""
    for op in kernel.apply.walk():
        if constants and isinstance(op, nt.SizeOp):
            op.expr = nt.ExprAttr(normalize(substitute(op.expr.data, constants)))
