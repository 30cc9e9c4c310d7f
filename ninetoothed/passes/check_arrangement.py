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
  %2 = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  nt.store %2, %b[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>]
    checks [#nt.check<agreement [n ceildiv 64] = [m ceildiv 64], "the outermost shapes of x and y must be equal, one program an element: they are {left} and {right}">] arrange {
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

from dataclasses import dataclass, replace
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation

from ninetoothed.artifacts.signature import Agreement
from ninetoothed.errors import AgreementWarning, ArrangementError, warn
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail, loc_of
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.layout.meta_op import MetaOp, Requirement, Sizes, elements, shape_text
from ninetoothed.layout.meta_ops import Slice
from ninetoothed.layout.numbering import Numbering, other_shape, same_shape
from ninetoothed.passes.analysis.program_numbering import arranged_shapes, numberings
from ninetoothed.passes.lowering.jagged import call_checks, check_batches
from ninetoothed.symbolic.expr import maximum, minimum
from ninetoothed.symbolic.normal_form import normalize


@dataclass(frozen=True)
class _Agreement:
    """Agreement of a parameter's outermost level with the first's, whose names and shapes these
    are; ``op`` is the user's last on it.
    """

    kernel: nt.KernelOp
    op: Operation
    first: str
    grid: Sizes
    name: str
    own: Sizes

    def of_shapes(self, known: Numbering | None) -> list[nt.Check]:
        """The check of a call that the shapes are equal.

        Raises:
            ArrangementError: they never are.
        """
        if other_shape(self.grid, self.own, self.kernel.assumptions):
            raise fail(
                self.op,
                f"the outermost shapes of {self.first} and {self.name} must be equal, one program "
                f"an element, but they are {shape_text(self.grid)} and {shape_text(self.own)}; "
                "tile, expand or squeeze until they are",
                ArrangementError,
            )
        if same_shape(self.grid, self.own):
            return []
        message = (
            f"the outermost shapes of {self.first} and {self.name} must be equal, one program an "
            "element: they are {left} and {right}"
        )
        ranges = self.kernel.assumptions
        left, right = (
            tuple(normalize(elements(size, ranges)) for size in shape)
            for shape in (self.grid, self.own)
        )
        return [nt.Check(left, right, message, agreement=known is not None)]

    def of_counts(self, found: Numbering) -> list[nt.Check]:
        """The check of a call that there are as many elements as programs."""
        if found.proved == "=":
            return []
        message = (
            f"the outermost levels of {self.first} and {self.name} must have equally many elements, "
            "one a program: they have {left} and {right}"
        )
        return [nt.Check((found.programs,), (found.own,), message, agreement=True)]

    def of_written(self, found: Numbering) -> list[nt.Check]:
        """The check of a call that there is a program for each element that is written.

        Raises:
            ArrangementError: there never is.
        """
        if not found.is_written or not found.unreached:
            return []
        if found.proved == ">":
            raise fail(
                self.op,
                f"{self.name} is written, and its outermost level has more elements than there are "
                f"programs, one an element of {self.first}: their outermost shapes are "
                f"{shape_text(self.own)} and {shape_text(self.grid)}; tile, expand or squeeze "
                f"until they are equal, or return {self.name} first",
                ArrangementError,
            )
        message = (
            f"{self.name} is written, so its outermost level must have no more elements than there "
            f"are programs, one an element of {self.first}: they are {{right}} and {{left}}"
        )
        least = normalize(minimum(found.programs, found.own))
        return [nt.Check((least,), (found.own,), message)]

    def warning(self, found: Numbering, other: bool) -> str | None:
        """The warning that there need not be one program an element; None: nothing comes of it."""
        if found.use == "offsets":
            return None
        effects: list[str] = []
        if found.surplus:
            value = "its other" if other else "0"
            lost = [f"read {value}"] if found.use != "write" else []
            lost += ["write nothing"] if found.is_written else []
            effects.append(f"programs without an element of {self.name} {' and '.join(lost)}")
        if found.unreached and not found.is_written:
            effects.append(f"elements of {self.name} without a program are not reached")
        if not effects:
            return None
        relation = _RELATIONS.get(found.proved, "may have another number of elements than")
        return (
            f"the outermost level of {self.name} {relation} there are programs, one an element of "
            f"{self.first}: their outermost shapes are {shape_text(self.own)} and "
            f"{shape_text(self.grid)}; {', and '.join(effects)}; tile, expand or squeeze until "
            "they are equal"
        )


_RELATIONS = {
    "<": "has fewer elements than",
    "<=": "may have fewer elements than",
    ">": "has more elements than",
    ">=": "may have more elements than",
}


def _agreement(kernel: nt.KernelOp, agreement: Agreement) -> list[nt.Check]:
    """Checks of a call that there is one program an element of the outermost levels.

    Raises:
        ArrangementError: there never is, and no rule gives the programs elements then.
    """
    checks: list[nt.Check] = []
    first: tuple[str, Sizes] | None = None
    shapes = arranged_shapes(kernel)
    found = numberings(kernel, shapes, agreement)
    for value, source, shape, known in zip(
        kernel.arranged.values, kernel.sources, shapes, found, strict=True
    ):
        if source.kind.data != "tensor":
            continue
        if first is None:
            first = (source.param.data, shape)
            continue
        op = value.owner
        assert isinstance(op, Operation)
        pair = _Agreement(kernel, op, *first, source.param.data, shape)
        match None if known is None else known.rule:
            case "counts":
                assert known is not None
                checks += pair.of_counts(known)
            case "any":
                assert known is not None
                checks += pair.of_written(known)
                text = pair.warning(known, source.other is not None)
                if text is not None:
                    warn(AgreementWarning(text, loc_of(op.location)))
            case None if known is not None:
                pass
            case _:
                checks += pair.of_shapes(known)
    return checks


def _requirements(kernel: nt.KernelOp) -> list[nt.Check]:
    """Checks of a call that the meta-operations are possible."""
    checks: list[nt.Check] = []
    for value, source in zip(kernel.arranged.values, kernel.sources, strict=True):
        for op in nt.chain(value)[1]:
            operation = replace(op.algebra, loc=loc_of(op.location))
            assert isinstance(op.source.type, nt.TensorType)
            for needed in operation.requirements(tuple(row.sizes for row in op.source.type.levels)):
                holds = needed.decide(kernel.assumptions)
                if holds is None:
                    checks.append(_check(source.param.data, operation, needed))
                elif not holds:
                    text = _needs(source.param.data, operation, needed)
                    raise fail(
                        op, f"{text}, which no call can give; write one that fits", ArrangementError
                    )
    return checks


def _needs(param: str, operation: MetaOp, needed: Requirement) -> str:
    what = "slicing" if isinstance(operation, Slice) else operation.name
    if needed.relation == "=":
        return (
            f"{what} of {param}{operation.place} needs the size {needed.left} to be {needed.right}"
        )
    return f"{what} of {param}{operation.place} needs {needed.left} <= {needed.right}"


def _check(param: str, operation: MetaOp, needed: Requirement) -> nt.Check:
    text = _needs(param, operation, needed)
    left, right = normalize(needed.left), normalize(needed.right)
    if needed.relation == "=":
        return nt.Check((left,), (right,), f"{text}: it is {{left}}")
    ordered = (normalize(minimum(left, right)), normalize(maximum(left, right)))
    return nt.Check((left, right), ordered, f"{text}, but they are {{left}}")


@dataclass(frozen=True)
class CheckArrangementPass(KernelPass):
    """Check the arrangement: outermost levels agree, proved or left to the call."""

    name: ClassVar[str] = "nt-check-arrangement"

    agreement: str = "shapes"
    """The rule by which outermost levels agree (``Signature.agreement``)."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        check_batches(kernel)
        found = [check.data for check in kernel.checks]
        found += [*_requirements(kernel), *_agreement(kernel, cast("Agreement", self.agreement))]
        checks = dict.fromkeys(map(nt.CheckAttr, call_checks(kernel, found)))
        kernel.checks = ArrayAttr(checks)
