"""Lowering of jagged parameters: checks of the call, and the bounds of a program's sequence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from ninetoothed.errors import ArrangementError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.name_hints import hint
from ninetoothed.layout.access import holds
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.lowering.index import Arithmetic, IndexLowering
from ninetoothed.symbolic.expr import IndexExpr, const, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Assumptions, Range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize


def check_batches(kernel: nt.KernelOp) -> None:
    """Check that every program sees one sequence of each jagged parameter.

    Raises:
        ArrangementError: a program sees several.
    """
    for value, source in zip(kernel.arranged.values, kernel.sources, strict=True):
        if source.jagged is None:
            continue
        access = nt.access_of(value, kernel.assumptions)[1]
        inside = {name for row in access.names[1:] for name in row}
        if not inside.isdisjoint(symbol_names(nt.batch_index(access.data))):
            assert isinstance(value.owner, Operation)
            raise fail(
                value.owner,
                f"a program sees several sequences of {source.param.data}, which differ in length; "
                "tile dim 0 of a jagged tensor by 1, so that a program sees one sequence",
                ArrangementError,
            )


def call_checks(kernel: nt.KernelOp, checks: Iterable[nt.Check]) -> list[nt.Check]:
    """The checks as a call can make them: of the longest sequences, and for two jagged tensors of
    their offsets.
    """
    jagged = {
        source.sizes[source.jagged.data.dim].args[0]: source
        for source in reversed(kernel.sources)
        if source.jagged is not None
    }
    if not jagged:
        return list(checks)
    found: dict[nt.Check, None] = {}
    for one in kernel.sources:
        if one.jagged is not None:
            # The same symbol is the same length.
            found.update(_same(jagged[one.sizes[one.jagged.data.dim].args[0]], one))
    own = {
        source.jagged.data.length: source for source in kernel.sources if source.jagged is not None
    }
    longest = kernel.longest

    def sources(size: IndexExpr) -> list[nt.SourceOp]:
        names = symbol_names(size)
        return [table[name] for name in names for table in (own, jagged) if name in table]

    for check in checks:
        sides = [
            tuple(normalize(substitute(size, longest)) for size in side)
            for side in (check.left, check.right)
        ]
        if sides[0] != sides[1]:
            found[replace(check, left=sides[0], right=sides[1])] = None
        for left, right in zip(check.left, check.right, strict=True):
            if left != right:
                for one in sources(left):
                    for two in sources(right):
                        found.update(_same(one, two))
    return list(found)


def _same(one: nt.SourceOp, two: nt.SourceOp) -> dict[nt.Check, None]:
    """The check that the sequences of both have equal lengths."""
    if one is two or one.jagged is None or two.jagged is None:
        return {}
    names = one.param.data, two.param.data
    message = (
        f"the sequences of {names[0]} and {names[1]} must have equal lengths, but their offsets "
        "differ; make one with "
        f"torch.nested.nested_tensor_from_jagged(values, {names[0]}.offsets())"
    )
    left, right = (sym(source.jagged.data.offsets) for source in (one, two) if source.jagged)
    return {nt.Check((left,), (right,), message): None}


@dataclass(frozen=True)
class Sequence:
    """Location of a program's sequence of one parameter: the batch index, and the sizes of the
    outermost indices and of the batch.
    """

    ref: SSAValue
    jagged: nt.Jagged
    batch: IndexExpr
    outermost: tuple[IndexExpr, ...]
    count: IndexExpr

    def load(self, lowering: IndexLowering) -> dict[str, SSAValue]:
        """Load its start and length from the offsets; 0 and 0 for a batch index out of bounds."""
        here = lowering.here
        add = here.inserter.add
        offsets = add(nt.SequencesOp(self.ref, self.jagged.bits))
        hint(offsets, self.jagged.offsets)
        mask = self._mask(lowering)
        wide = Arithmetic(here.inserter, IntegerType(self.jagged.bits))
        other = None if mask is None else wide.constant(0)
        first = add(tt.AddPtrOp(offsets, lowering.lower(self.batch).value))
        behind = add(tt.AddPtrOp(first, here.constant(1)))
        start, end = (
            here.resized(add(tt.LoadOp(pointer, mask, other))) for pointer in (first, behind)
        )
        length = add(arith.SubiOp(end, start))
        hint(start, self.jagged.start)
        hint(length, self.jagged.length)
        return {self.jagged.start: start, self.jagged.length: length}

    def ranges(self, assumptions: Assumptions) -> dict[str, Range]:
        """The ranges of the outermost indices."""
        return {
            **assumptions,
            **{f"g{dim}": Range(const(0), size - 1) for dim, size in enumerate(self.outermost)},
        }

    def _mask(self, lowering: IndexLowering) -> SSAValue | None:
        ranges = lowering.assumptions
        if holds(Guard(self.batch, self.count), ranges):
            return None
        here = lowering.here
        index, count = (lowering.lower(expr).value for expr in (self.batch, self.count))
        mask = here.inserter.add(tt.CmpiOp("slt", index, count))
        if not always_nonnegative(self.batch, ranges):
            above = here.inserter.add(tt.CmpiOp("sge", index, here.constant(0)))
            mask = here.inserter.add(arith.AndIOp(mask, above))
        return mask


def sequences(kernel: nt.KernelOp) -> dict[str, tuple[Sequence, str]]:
    """The programs' sequences by the symbols of their starts and lengths, each with its own symbol.
    Those of one batch index and of offsets that a check holds equal are one.
    """
    equal: dict[str, str] = {}
    distinct: dict[tuple[str, IndexExpr], Sequence] = {}
    found: dict[str, tuple[Sequence, str]] = {}
    for ref, value in zip(kernel.apply.block.args, kernel.arranged.values, strict=True):
        source, access = nt.access_of(value, kernel.assumptions)
        if source.jagged is None:
            continue
        jagged = source.jagged.data
        offsets = jagged.offsets
        for check in kernel.checks:
            if check.data.right == (sym(jagged.offsets),):
                offsets = equal.get(check.data.left[0].args[0], offsets)
        equal[jagged.offsets] = offsets
        batch = nt.batch_index(access.data)
        own = Sequence(ref, jagged, batch, access.data.levels[0], source.sizes[0])
        sequence = distinct.setdefault((offsets, batch), own)
        found[jagged.start] = sequence, sequence.jagged.start
        found[jagged.length] = sequence, sequence.jagged.length
    return found
