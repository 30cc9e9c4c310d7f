"""Check the arrangement: outermost shapes agree, and the meta-operations' requirements hold.
Why here: it needs the meta-operations with their places in the user's source, so it comes before
they are composed. What is proved wrong is an error at the user's line. What only a call can know
becomes a check of the kernel. It requires stage ``arranged``, and leaves it.

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
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>]
    checks [#nt.check<[n ceildiv 64] = [m ceildiv 64], "the outermost shapes of x and y must be equal, one program an element: they are {left} and {right}">] arrange {
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
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation, SSAValue

from ninetoothed.errors import ArrangementError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail, loc_of
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.layout.emptiness import empty_where
from ninetoothed.layout.meta_op import MetaOp, Requirement, elements, shape_text
from ninetoothed.layout.meta_ops import AtMostOne, Slice
from ninetoothed.passes.lowering.jagged import call_checks, check_batches
from ninetoothed.symbolic.expr import maximum, minimum
from ninetoothed.symbolic.normal_form import equal, normalize


def _agreement(kernel: nt.KernelOp) -> list[nt.Check]:
    """Checks of a call that all outermost shapes are equal."""
    checks: list[nt.Check] = []
    first: tuple[str, SSAValue] | None = None
    for value, source in zip(kernel.arranged.values, kernel.sources, strict=True):
        if source.kind.data != "tensor":
            continue
        name = source.param.data
        if first is None:
            first = (name, value)
            continue
        one, two = nt.shape_of(first[1].type), nt.shape_of(value.type)
        if len(one) != len(two) or any(
            Requirement(b, "=", a).decide(kernel.assumptions) is False
            for a, b in zip(one, two, strict=True)
        ):
            assert isinstance(value.owner, Operation)
            raise fail(
                value.owner,
                f"the outermost shapes of {first[0]} and {name} must be equal, one program an "
                f"element, but they are {shape_text(one)} and {shape_text(two)}; tile, expand or "
                "squeeze until they are",
                ArrangementError,
            )
        pairs = [(a, b) for a, b in zip(one, two, strict=True) if not equal(a, b)]
        if pairs:
            message = (
                f"the outermost shapes of {first[0]} and {name} must be equal, one program an "
                "element: they are {left} and {right}"
            )
            ranges = kernel.assumptions
            left, right = (
                tuple(normalize(elements(size, ranges)) for size in shape) for shape in (one, two)
            )
            checks.append(nt.Check(left, right, message))
    return checks


def _requirements(kernel: nt.KernelOp) -> list[nt.Check]:
    """Checks of a call that the meta-operations are possible."""
    checks: list[nt.Check] = []
    meta = [decl.name for decl in kernel.declarations if decl.kind == "meta"]
    for value, source in zip(kernel.arranged.values, kernel.sources, strict=True):
        for op in nt.chain(value)[1]:
            operation = replace(op.algebra, loc=loc_of(op.location))
            assert isinstance(op.source.type, nt.TensorType)
            for needed in operation.requirements(tuple(row.sizes for row in op.source.type.levels)):
                holds = needed.decide(kernel.assumptions)
                text = _needs(source.param.data, operation, needed, meta)
                if holds is None:
                    checks.append(_check(text, operation, needed))
                elif not holds:
                    raise fail(
                        op, f"{text}, which no call can give; write one that fits", ArrangementError
                    )
    return checks


def _needs(param: str, operation: MetaOp, needed: Requirement, meta: Collection[str]) -> str:
    what = "slicing" if isinstance(operation, Slice) else operation.name
    if isinstance(operation, AtMostOne):
        # Size 0 is a class of its own, unless it depends on what the compiler chooses.
        most = "1" if empty_where(needed.left, meta) is None else "at most 1"
        return f"{what} of {param}{operation.place} needs the size {needed.left} to be {most}"
    return f"{what} of {param}{operation.place} needs {needed.left} <= {needed.right}"


def _check(text: str, operation: MetaOp, needed: Requirement) -> nt.Check:
    left, right = normalize(needed.left), normalize(needed.right)
    smaller = normalize(minimum(left, right))
    if isinstance(operation, AtMostOne):
        allowed = right if needed.relation == "=" else smaller
        return nt.Check((left,), (allowed,), f"{text}: it is {{left}}")
    ordered = (smaller, normalize(maximum(left, right)))
    return nt.Check((left, right), ordered, f"{text}, but they are {{left}}")


@dataclass(frozen=True)
class CheckArrangementPass(KernelPass):
    """Check the arrangement: outermost shapes agree, proved or left to the call."""

    name: ClassVar[str] = "nt-check-arrangement"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        check_batches(kernel)
        found = [check.data for check in kernel.checks]
        found += [*_requirements(kernel), *_agreement(kernel)]
        checks = dict.fromkeys(map(nt.CheckAttr, call_checks(kernel, found)))
        kernel.checks = ArrayAttr(checks)
