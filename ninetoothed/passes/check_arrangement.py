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

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast, get_args

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation

from ninetoothed.artifacts.signature import Agreement
from ninetoothed.errors import AgreementWarning, ArrangementError, any_of, warn
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.locations import loc_of
from ninetoothed.layout.emptiness import empty_where
from ninetoothed.layout.meta_op import AtMostOne, MetaOp, Requirement, Sizes, elements, shape_text
from ninetoothed.layout.meta_ops import Slice
from ninetoothed.layout.numbering import Numbering, other_shape, same_shape
from ninetoothed.passes.analysis.program_numbering import arranged_shapes, numberings
from ninetoothed.passes.lowering.jagged import call_checks, check_batches
from ninetoothed.passes.option_values import WIDTHS, require_among
from ninetoothed.symbolic.expr import maximum, minimum, product
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize


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
        # Elements without a program that are written are no class's, so that comes first.
        message = (
            f"the outermost levels of {self.first} and {self.name} must have equally many elements, "
            "one a program: they have {left} and {right}"
        )
        equal = nt.Check((found.programs,), (found.own,), message, agreement=True)
        return [*self.of_written(found), equal]

    def of_written(self, found: Numbering, agreement: bool = False) -> list[nt.Check]:
        """The check of a call that there is a program for each element that is written.

        ``agreement``: a laxer class may be tried where it fails. Without that, a call is an error
        before such a class is compiled or warned of.

        Raises:
            ArrangementError: there never is.
        """
        if not found.is_written or found.proved in ("<", "<="):
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
        return [nt.Check((least,), (found.own,), message, agreement)]

    def of_unreached(
        self, found: Numbering, source: nt.SourceOp, index_bits: int
    ) -> list[nt.Check]:
        """The check of a call that indices hold the number of elements: a launch bounds programs,
        of which there may be fewer, and the width of indices those of the source.
        """
        spare = normalize(product(source.sizes) - found.own)
        if (
            not found.unreached
            or found.is_written
            or always_nonnegative(spare, self.kernel.assumptions)
        ):
            return []
        message = (
            f"the outermost level of {self.name} must have no more elements than indices of "
            f"{index_bits} bits reach, in which tensors of these sizes are computed with: they are "
            "{right} and {left}; expand it to fewer, or tile it in larger blocks"
        )
        least = normalize(minimum(found.own, (1 << (index_bits - 1)) - 1))
        return [nt.Check((least,), (found.own,), message)]


def _warn(found: Sequence[tuple[_Agreement, Numbering, bool]]) -> None:
    """Warn of parameters without one element a program, each with what is known of it and whether
    it has ``other``: of one whose relation is known by itself, of the others together, since only a
    call knows which it is.
    """
    open_: list[tuple[_Agreement, Numbering, bool]] = []
    for row in found:
        pair, known, _ = row
        if known.proved not in ("<", ">"):
            open_.append(row)
        elif effects := _effects([row]):
            relation = "fewer" if known.proved == "<" else "more"
            _issue(
                pair.op,
                f"the outermost level of {pair.name} has {relation} elements than there are "
                f"programs, one an element of {pair.first}: their outermost shapes are "
                f"{shape_text(pair.own)} and {shape_text(pair.grid)}; {effects}",
            )
    if open_ and (effects := _effects(open_)):
        first = open_[0][0]
        names = any_of([pair.name for pair, _, _ in open_])
        shapes = ", ".join(f"{shape_text(pair.own)} of {pair.name}" for pair, _, _ in open_)
        _issue(
            first.op,
            f"a call gives the outermost level of {names} another number of elements than there "
            f"are programs, one an element of {first.first}: the outermost shapes are {shapes} and "
            f"{shape_text(first.grid)} of {first.first}; {effects}",
        )


def _issue(op: Operation, text: str) -> None:
    message = f"{text}; tile, expand or squeeze until they are equal"
    warn(AgreementWarning(message, loc_of(op.location)))


def _effects(found: Sequence[tuple[_Agreement, Numbering, bool]]) -> str:
    """What follows for programs without an element, and for elements without a program."""
    surplus = [(known, other) for _, known, other in found if known.surplus]
    read = {other for known, other in surplus if known.use != "write"}
    lost: list[str] = []
    if read:
        lost.append("read other" if all(read) else "read other or 0" if any(read) else "read 0")
    if any(known.is_written for known, _ in surplus):
        lost.append("write nothing")
    effects = [f"programs without an element {' and '.join(lost)}"] if lost else []
    if any(known.unreached and not known.is_written for _, known, _ in found):
        effects.append("elements without a program are not reached")
    return ", ".join(effects)


def _agreement(kernel: nt.KernelOp, agreement: Agreement, index_bits: int) -> list[nt.Check]:
    """Checks of a call that there is one program an element of the outermost levels.

    Raises:
        ArrangementError: there never is, and no rule gives the programs elements then.
    """
    checks: list[nt.Check] = []
    disagreeing: list[tuple[_Agreement, Numbering, bool]] = []
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
                # Applications that are specialized on block sizes choose by such checks alone.
                checks += pair.of_written(known, agreement=True)
                checks += pair.of_unreached(known, source, index_bits)
                if known.use != "offsets":
                    disagreeing.append((pair, known, source.other is not None))
            case None if known is not None:
                pass
            case _:
                checks += pair.of_shapes(known)
    _warn(disagreeing)
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
    """Check the arrangement: outermost levels agree, proved or left to the call."""

    name: ClassVar[str] = "nt-check-arrangement"

    agreement: str = "shapes"
    """The rule by which outermost levels agree (``Signature.agreement``)."""

    index_bits: int = 32
    """The width of address arithmetic, 32 or 64."""

    def __post_init__(self) -> None:
        require_among(self.name, "agreement", self.agreement, get_args(Agreement))
        require_among(self.name, "index_bits", self.index_bits, WIDTHS)

    def apply_to(self, kernel: nt.KernelOp) -> None:
        check_batches(kernel)
        found = [check.data for check in kernel.checks]
        agreement = cast("Agreement", self.agreement)
        found += [*_requirements(kernel), *_agreement(kernel, agreement, self.index_bits)]
        checks = dict.fromkeys(map(nt.CheckAttr, call_checks(kernel, found)))
        kernel.checks = ArrayAttr(checks)
