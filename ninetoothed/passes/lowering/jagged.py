"""Jagged parameters on the way down: what a call must satisfy, and where a program's sequence lies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from ninetoothed.errors import ArrangementError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.access import Access, holds
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.index_bounds import Assumptions, Range
from ninetoothed.ir.index_expr import IndexExpr, const, substitute, sym, symbol_names
from ninetoothed.ir.index_normal import always_nonnegative, normalize
from ninetoothed.ir.meta_op import Guard
from ninetoothed.passes.lowering.index import Arithmetic, IndexLowering


def check_batches(kernel: nt.KernelOp) -> None:
    """Hold every program to one sequence of each jagged parameter.

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
    """The checks, as a call can make them: of the longest sequences, and where two jagged tensors
    meet in one, of their offsets.
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
            # One symbol, so one length.
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
            found[nt.Check(sides[0], sides[1], check.message)] = None
        for left, right in zip(check.left, check.right, strict=True):
            if left != right:
                for one in sources(left):
                    for two in sources(right):
                        found.update(_same(one, two))
    return list(found)


def _same(one: nt.SourceOp, two: nt.SourceOp) -> dict[nt.Check, None]:
    """That the sequences of both have equal lengths."""
    if one is two or one.jagged is None or two.jagged is None:
        return {}
    names = one.param.data, two.param.data
    message = (
        f"the sequences of {names[0]} and {names[1]} must have equal lengths, but their offsets "
        f"differ; make one with torch.nested.nested_tensor_from_jagged(values, {names[0]}.offsets())"
    )
    left, right = (sym(source.jagged.data.offsets) for source in (one, two) if source.jagged)
    return {nt.Check((left,), (right,), message): None}


@dataclass(frozen=True)
class Sequence:
    """Where the sequence of one parameter lies that a program sees: the batch index, and the sizes
    of the outermost indices and of the batch.
    """

    ref: SSAValue
    jagged: nt.Jagged
    batch: IndexExpr
    outermost: tuple[IndexExpr, ...]
    count: IndexExpr

    def load(self, top: Arithmetic, lowering: IndexLowering) -> dict[str, SSAValue]:
        """Its start and its length, read from the offsets; of a batch index outside, 0 and 0."""
        add = top.inserter.add
        offsets = add(nt.SequencesOp(self.ref, self.jagged.bits))
        offsets.name_hint = self.jagged.offsets
        mask = self._mask(top, lowering)
        wide = Arithmetic(top.inserter, IntegerType(self.jagged.bits))
        other = None if mask is None else wide.constant(0)
        first = add(tt.AddPtrOp(offsets, lowering.lower(self.batch).value))
        behind = add(tt.AddPtrOp(first, top.constant(1)))
        start, end = (
            top.resized(add(tt.LoadOp(pointer, mask, other))) for pointer in (first, behind)
        )
        length = add(arith.SubiOp(end, start))
        return {self.jagged.start: start, self.jagged.length: length}

    def ranges(self, assumptions: Assumptions) -> dict[str, Range]:
        """What is known of the outermost indices."""
        return {
            **assumptions,
            **{f"g{dim}": Range(const(0), size - 1) for dim, size in enumerate(self.outermost)},
        }

    def _mask(self, top: Arithmetic, lowering: IndexLowering) -> SSAValue | None:
        ranges = lowering.assumptions
        if holds(Guard(self.batch, self.count), ranges):
            return None
        index, count = (lowering.lower(expr).value for expr in (self.batch, self.count))
        mask = top.inserter.add(tt.CmpiOp("slt", index, count))
        if not always_nonnegative(self.batch, ranges):
            above = top.inserter.add(tt.CmpiOp("sge", index, top.constant(0)))
            mask = top.inserter.add(arith.AndIOp(mask, above))
        return mask


class Sequences:
    """The programs' sequences. Those of one batch index and of offsets that a check holds equal are
    one.
    """

    def __init__(self, kernel: nt.KernelOp) -> None:
        self._first: dict[str, str] = {}
        self._sequences: dict[tuple[str, IndexExpr], Sequence] = {}
        # By the symbols of starts and lengths: the sequence, and what it calls them.
        self._found: dict[str, tuple[Sequence, str]] = {}
        shares = zip(kernel.apply.block.args, kernel.arranged.values, strict=True)
        for argument, value in shares:
            source, access = nt.access_of(value, kernel.assumptions)
            if source.jagged is not None:
                self._add(argument, source.jagged.data, access.data, source.sizes[0], kernel)

    def _add(
        self,
        ref: SSAValue,
        jagged: nt.Jagged,
        access: Access,
        count: IndexExpr,
        kernel: nt.KernelOp,
    ) -> None:
        batch = nt.batch_index(access)
        offsets = jagged.offsets
        for check in kernel.checks:
            left, right = check.data.left, check.data.right
            if right == (sym(jagged.offsets),):
                offsets = self._first.get(left[0].args[0], offsets)
        self._first[jagged.offsets] = offsets
        sequence = Sequence(ref, jagged, batch, access.levels[0], count)
        sequence = self._sequences.setdefault((offsets, batch), sequence)
        self._found[jagged.start] = sequence, sequence.jagged.start
        self._found[jagged.length] = sequence, sequence.jagged.length

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def __getitem__(self, name: str) -> tuple[Sequence, str]:
        """The sequence whose start or length ``name`` is, and which of its symbols says it."""
        return self._found[name]
