"""Annotate each parameter with the verdicts proved of its accesses for all sizes.

``in_bounds``: every valid lane lies inside the tensor. Of a parameter that is written,
``coverage``: every element is, ``races``: no element is written by two programs, and ``defined``:
what is stored was read, for all sizes or in calls that pass the checks (``"checked"``). What is not
proved is ``"open"``; ``Kernel.report`` then searches for a counterexample.

Why here: proofs follow the meta-operations backwards, so they come before these are composed. The
pass is for readers, and no part of the pipeline. It requires stage ``arranged``, and leaves it.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%a : !nt.tensor<[64] x f16>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  nt.store %1, %a[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false {in_bounds = "proved", coverage = "proved", races = "proved", defined = "proved"} : !nt.tensor<[n] x f16>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%a : !nt.tensor<[64] x f16>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  nt.store %1, %a[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr

from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.passes.analysis.definedness import Stored, stored_lanes
from ninetoothed.passes.analysis.placements import placement_of
from ninetoothed.passes.analysis.writes import writes


@dataclass(frozen=True)
class AnnotateVerdictsPass(KernelPass):
    """Annotate each parameter with the verdicts proved of its accesses."""

    name: ClassVar[str] = "nt-annotate-verdicts"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        found = writes(kernel)
        lanes = stored_lanes(kernel)
        parameters = zip(kernel.arranged.values, kernel.sources, strict=True)
        for position, (value, source) in enumerate(parameters):
            if source.kind.data != "tensor":
                continue
            placement = placement_of(value, kernel.assumptions)
            answers = {"in_bounds": all(placement.inside())}
            stores = [write for write in found if write.param == position]
            if stores:
                # Nothing is known of the indices behind a pointer.
                sites = [write.site for write in stores if not write.pointer]
                answers["coverage"] = placement.covered(sites)
                answers["races"] = placement.apart(sites) and all(
                    write.atomic for write in stores if write.pointer
                )
            texts = {question: "proved" if holds else "open" for question, holds in answers.items()}
            if stores:
                own = [one for one in lanes if one.param == position]
                texts["defined"] = _defined(own) if len(own) == len(stores) else "open"
            for question, text in texts.items():
                source.attributes[question] = StringAttr(text)


def _defined(stores: Sequence[Stored]) -> str:
    """The answer for a parameter with these stores."""
    if all(stored.is_proved for stored in stores):
        return "proved"
    return "checked" if all(stored.is_checked for stored in stores) else "open"
