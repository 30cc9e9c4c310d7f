"""Check that every stored lane is defined: computed from elements that exist.

A store writes the lanes inside its own tensor. Where one of them was computed from a lane that lies
outside the tensor that it was read from, what is stored is whatever happened to be there. That
cannot happen where the store's guard implies those of the reads, which is proved for all sizes, or
follows from a condition on sizes: a check of the call. The check is necessary: it fails only where
a lane without a value is stored. A store that no call with elements could pass is an error here.

Why here: proofs follow the meta-operations backwards, so they come before these are composed, and
behind the numbering of programs, which gives lanes of missing programs a value. It requires stage
``arranged``, and leaves it.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f16>
  %1 = nt.tile %y [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[m] x f16> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>,
                       !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%a : !nt.tensor<[64] x f16>, %b : !nt.tensor<[64] x f16>):
  %2 = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  nt.store %2, %b[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>]
    checks [#nt.check<defined [m, n] = [min(m, n), n], "y is written where x has no element, so that nothing defined is stored: m <= n must hold, but they are {left}; pass tensors whose sizes fit, or declare what is read beyond the end, as in Tensor(1, other=0) for x">] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f16>
  %1 = nt.tile %y [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[m] x f16> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>,
                       !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%a : !nt.tensor<[64] x f16>, %b : !nt.tensor<[64] x f16>):
  %2 = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  nt.store %2, %b[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr

from ninetoothed.errors import ArrangementError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.layout.implication import Condition
from ninetoothed.passes.analysis.definedness import Finding, Stored, stored_lanes
from ninetoothed.symbolic.expr import minimum, symbol_names
from ninetoothed.symbolic.normal_form import normalize


def _check(kernel: nt.KernelOp, stored: Stored, found: Finding, condition: Condition) -> nt.Check:
    """The check of a call."""
    names = [source.param.data for source in kernel.sources]
    written, read = names[stored.param], names[found.parameter]
    rank = len(kernel.sources[found.parameter].sizes)
    remedy = f"declare what is read beyond the end, as in Tensor({rank}, other=0) for {read}"
    if found.other is None:
        what = (
            f"{written} is written where {read} has no element, so that nothing defined is stored"
        )
    else:
        what = (
            f"{read} ends before {names[found.other]}, with which it is combined, so that what is "
            f"stored in {written} is not defined"
        )
    if condition.is_never:
        message = f"{what}, whatever the sizes; {remedy}"
    else:
        message = (
            f"{what}: {condition} must hold, but they are {{left}}; pass tensors whose sizes fit, "
            f"or {remedy}"
        )
    small, large = condition.sides
    return nt.Check(
        (small, large), (normalize(minimum(small, large)), large), message, defined=True
    )


@dataclass(frozen=True)
class CheckDefinednessPass(KernelPass):
    """Check that every stored lane is defined, proved or left to the call."""

    name: ClassVar[str] = "nt-check-definedness"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        checks = dict.fromkeys(kernel.checks)
        for stored in stored_lanes(kernel):
            for found, condition in stored.conditions:
                chosen = {decl.name for decl in kernel.declarations if decl.kind != "size"}
                if condition.is_certain and chosen.isdisjoint(symbol_names(condition.where)):
                    message = _check(kernel, stored, found, condition).message
                    raise fail(stored.op, message, ArrangementError)
                checks[nt.CheckAttr(_check(kernel, stored, found, condition))] = None
        if len(checks) > len(kernel.checks):
            kernel.checks = ArrayAttr(checks)
