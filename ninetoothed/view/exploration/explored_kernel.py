"""What an application touches: the accesses of a kernel in stage ``composed``, at its loads and
stores, as index expressions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from ninetoothed.ir import nt
from ninetoothed.layout.access import Access, index_names
from ninetoothed.layout.meta_op import Guard, Sizes
from ninetoothed.passes.analysis.loop_indices import OfOthers, index_expression, nest_of
from ninetoothed.passes.analysis.program_scalars import program_scalars
from ninetoothed.symbolic.expr import IndexExpr, minimum, substitute, symbol_names

VERDICTS = ("in_bounds", "coverage", "races", "defined")
"""The verdicts of a parameter (``nt-annotate-verdicts``), in the order in which they are told."""

_ADDRESSES = (nt.PointerOp, nt.AddressOp)


@dataclass(frozen=True)
class Part:
    """A factor of a use: loops and lanes that share no expression with those of other parts, so
    that what the use touches is the product of what its parts do.

    ``programs``: the program indices that it depends on. ``ranges``: the name and the size of each
    of its loops, outermost first, then of its lanes. ``dims``: the coordinates of the source that
    it decides, by dim; ``steps``: the indices of the levels between, by place. They count where
    all ``guards`` hold.
    """

    programs: tuple[str, ...]
    ranges: tuple[tuple[str, IndexExpr], ...]
    dims: tuple[tuple[int, IndexExpr], ...]
    steps: tuple[tuple[int, IndexExpr], ...]
    guards: tuple[Guard, ...]

    @property
    def expressions(self) -> Iterator[IndexExpr]:
        """Every expression of it."""
        yield from (size for _, size in self.ranges)
        yield from (index for _, index in (*self.dims, *self.steps))
        for guard in self.guards:
            yield from (guard.index, guard.size)


@dataclass(frozen=True)
class Use:
    """A load or a store of a tile; ``kind``: ``"read"`` or ``"write"``. ``conditional``: whether a
    program executes it is known at run time only.
    """

    kind: str
    conditional: bool
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class ExploredTensor:
    """A tensor parameter: its sizes and strides, the sizes of its block, its uses and its verdicts.

    ``left_out``: why its uses cannot be told by index expressions; empty where they are.
    """

    name: str
    sizes: Sizes
    strides: Sizes
    block: Sizes
    uses: tuple[Use, ...]
    verdicts: tuple[tuple[str, str], ...]
    left_out: str = ""


@dataclass(frozen=True)
class ExploredKernel:
    """A kernel as its page has it.

    ``grid``: the shape of the programs, and ``count`` their number, where it is not that of the
    shape. ``checks`` are those that sizes decide; ``other_checks``: there are more.
    """

    name: str
    symbols: tuple[nt.SymbolDecl, ...]
    tensors: tuple[ExploredTensor, ...]
    grid: Sizes
    count: IndexExpr | None
    checks: tuple[nt.Check, ...]
    other_checks: bool


def explored_kernel(kernel: nt.KernelOp, name: str) -> ExploredKernel:
    """The accesses of a kernel in stage ``composed``, whose sources have their verdicts."""
    own = {decl.name for decl in kernel.declarations if decl.kind in ("length", "start")}
    known = {decl.name for decl in kernel.declarations} - own
    scalars = program_scalars(kernel)
    tensors = [
        _tensor(kernel, argument, value, own, scalars)
        for argument, value, source in zip(
            kernel.apply.block.args, kernel.arranged.values, kernel.sources, strict=True
        )
        if source.kind.data == "tensor"
    ]
    # The lengths of blocks are those of the longest sequence.
    checks = [_with_lengths(check.data, kernel.longest) for check in kernel.checks]
    decided = [one for one in checks if known.issuperset(symbol_names(*one.left, *one.right))]
    return ExploredKernel(
        name,
        tuple(kernel.declarations),
        tuple(tensors),
        tuple(substitute(size, kernel.longest) for size in kernel.program_shape),
        None if kernel.grid is None else kernel.grid.data,
        tuple(decided),
        len(decided) < len(checks),
    )


def _with_lengths(check: nt.Check, longest: Mapping[str, IndexExpr]) -> nt.Check:
    left, right = (
        tuple(substitute(one, longest) for one in side) for side in (check.left, check.right)
    )
    return replace(check, left=left, right=right)


def _tensor(
    kernel: nt.KernelOp, argument: SSAValue, value: SSAValue, own: set[str], scalars: OfOthers
) -> ExploredTensor:
    source, attribute = nt.access_of(value, kernel.assumptions)
    access, uses, left_out = attribute.data, dict[Use, None](), ""
    if source.jagged is not None:
        left_out = "it is jagged: where its sequences begin and end is data"
    for op in () if left_out else kernel.apply.walk():
        if argument not in op.operands:
            continue
        if isinstance(op, _ADDRESSES):
            left_out = "it is read or written through pointers, at addresses that are computed"
            break
        if not isinstance(op, nt.LoadOp | nt.StoreOp) or op.ref is not argument:
            continue
        use = _use(access, op, scalars)
        if use is None:
            left_out = "it is indexed by what the application computes while it runs"
            break
        uses[use] = None
    expressions = [one for use in uses for part in use.parts for one in part.expressions]
    if not own.isdisjoint(symbol_names(*expressions)):
        left_out = "it is taken apart by the lengths of sequences, which are data"
    attributes = source.attributes
    answers = {name: attributes.get(name) for name in VERDICTS}
    return ExploredTensor(
        source.param.data,
        source.sizes,
        source.decl.strides,
        access.levels[-1] if len(access.levels) > 1 else (),
        () if left_out else tuple(uses),
        tuple((name, one.data) for name, one in answers.items() if isinstance(one, StringAttr)),
        left_out,
    )


def _use(access: Access, op: nt.LoadOp | nt.StoreOp, scalars: OfOthers) -> Use | None:
    """The use that an op makes of an access; None: an index is no expression."""
    nest = nest_of(op, scalars)
    rows = index_names(access.levels)
    steps: list[IndexExpr] = []
    for index in op.indices:
        step = index_expression(index, nest.values, scalars)
        if step is None:
            return None
        steps.append(step)
    between = dict(zip([name for row in rows[1:-1] for name in row], steps, strict=True))
    put = access.substitute(between)
    lanes = () if len(rows) == 1 else zip(rows[-1], put.levels[-1], strict=True)
    used = set(symbol_names(*put.indices, *steps))
    used.update(symbol_names(*(end for one in put.guards for end in (one.index, one.size))))
    ranges: dict[str, IndexExpr] = {}
    for name, count in reversed(list(nest.counts.items())):
        # A loop that decides nothing repeats what it touches, unless it has no iterations.
        ranges[name] = count if name in used else minimum(count, 1)
        used.update(symbol_names(count))
    ranges = {**dict(reversed(list(ranges.items()))), **dict(lanes)}
    kind = "read" if isinstance(op, nt.LoadOp) else "write"
    return Use(kind, nest.conditional, _parts(rows[0], ranges, put, steps))


def _parts(
    programs: Sequence[str],
    ranges: Mapping[str, IndexExpr],
    access: Access,
    steps: Sequence[IndexExpr],
) -> tuple[Part, ...]:
    """The factors of an access with these loops and lanes; the first one has none, but what depends
    on the program alone.
    """
    rows = [(index,) for index in (*access.indices, *steps)]
    rows += [(guard.index, guard.size) for guard in access.guards]
    ties = [set(symbol_names(*row)) for row in rows]
    # How often a loop iterates may depend on the loops around it.
    ties += [{name, *symbol_names(size)} for name, size in ranges.items()]
    groups = [{name} for name in ranges]
    for tie in ties:
        joined = [group for group in groups if not group.isdisjoint(tie)]
        if joined:
            groups = [group for group in groups if group.isdisjoint(tie)]
            groups.append(set[str]().union(*joined))
    groups.sort(key=lambda group: next(place for place, name in enumerate(ranges) if name in group))
    parts: list[Part] = []
    for group in (set[str](), *groups):

        def is_own(*exprs: IndexExpr, group: set[str] = group) -> bool:
            own = [name for name in symbol_names(*exprs) if name in ranges]
            # All of them are in one group.
            return own[0] in group if own else not group

        part = Part(
            (),
            tuple((name, size) for name, size in ranges.items() if name in group),
            tuple((dim, one) for dim, one in enumerate(access.indices) if is_own(one)),
            tuple((place, one) for place, one in enumerate(steps) if is_own(one)),
            tuple(one for one in access.guards if is_own(one.index, one.size)),
        )
        used = symbol_names(*part.expressions)
        parts.append(replace(part, programs=tuple(name for name in programs if name in used)))
    return tuple(parts)
