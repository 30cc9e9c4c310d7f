"""Guards: which lanes of each block value are active.

The guard of a load is its access's, and every lane is active where the load has ``other``. An
elementwise op is active where all its operands are, ``where`` where its condition and the side it
chooses are, a reduction where some lane along the axis was. Ops that move lanes move guards. What a
loop carries, or a branch gives, has a guard of its own, unless all lanes are active on every way.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.loops import WhileOp
from ninetoothed.language.registry import Registry


@dataclass(frozen=True, eq=False)
class Guard:
    """The lanes of a block that are active. Guards of one analysis are equal if they are one object."""


@dataclass(frozen=True, eq=False)
class AllActive(Guard):
    """Every lane."""


@dataclass(frozen=True, eq=False)
class InAccess(Guard):
    """The lanes of a parameter's tile that lie inside its access's guard."""

    ref: SSAValue
    indices: tuple[SSAValue, ...]


@dataclass(frozen=True, eq=False)
class Masked(Guard):
    """The lanes in ``within`` where ``mask`` holds."""

    mask: SSAValue
    within: Guard


@dataclass(frozen=True, eq=False)
class Every(Guard):
    """The lanes in all ``parts``: two or more, of which none holds wherever another does."""

    parts: tuple[Guard, ...]


@dataclass(frozen=True, eq=False)
class Where(Guard):
    """The lanes in ``within`` that are in ``left`` where ``condition`` holds, else in ``right``."""

    condition: SSAValue
    within: Guard
    left: Guard
    right: Guard


@dataclass(frozen=True, eq=False)
class Moved(Guard):
    """The lanes of ``parts`` where result ``position`` of ``op``, or of an op like it, takes them."""

    op: Operation
    position: int
    parts: tuple[Guard, ...]


@dataclass(frozen=True, eq=False)
class AnyAlong(Guard):
    """The lanes of a reduction along ``dim`` of which one was in ``part``."""

    part: Guard
    dim: int


@dataclass(frozen=True, eq=False)
class Leading(Guard):
    """As many lanes from the start of ``dim`` on as ``part`` has along it."""

    part: Guard
    dim: int


@dataclass(frozen=True, eq=False)
class Joined(Guard):
    """The guard that a loop carries, or that a branch gives, beside its value at ``position``."""

    op: Operation
    position: int


ALL_ACTIVE = AllActive()

Loop = scf.ForOp | scf.WhileOp
MaskedRead = nt.PointerLoadOp | nt.AtomicOp


@dataclass(frozen=True)
class Guards:
    """The guards of a kernel's values."""

    _guards: Mapping[SSAValue, Guard]
    _origins: Mapping[SSAValue, tuple[SSAValue, ...]]

    def of(self, value: SSAValue) -> Guard:
        """The guard of ``value``."""
        return self._guards.get(value, ALL_ACTIVE)

    def all_active(self, value: SSAValue) -> bool:
        """Whether every lane of ``value`` is active."""
        return value not in self._guards

    def origins(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values whose guards make that of ``value``, without those that have all lanes."""
        return self._origins.get(value, ())

    def closure(self, values: Iterable[SSAValue]) -> frozenset[SSAValue]:
        """The values, of ``values`` and of what makes their guards, that have not all lanes."""
        pending = [value for value in values if not self.all_active(value)]
        found = set(pending)
        while pending:
            new = [origin for origin in self.origins(pending.pop()) if origin not in found]
            found.update(new)
            pending += new
        return frozenset(found)


def guards(kernel: nt.KernelOp) -> Guards:
    """The guards of all values of ``kernel``'s application.

    Raises:
        CompilerError: the condition of a ``scf.while`` hands on other values than it is given.
    """
    analysis = _Analysis(kernel)
    analysis.block(kernel.apply.block)
    return Guards(analysis.guards, analysis.origins)


def carried(loop: Loop) -> list[tuple[SSAValue, list[BlockArgument], SSAValue]]:
    """What a loop carries: before it, in its regions, and at an iteration's end."""
    shift = 1 if isinstance(loop, scf.ForOp) else 0
    initial = loop.iter_args if isinstance(loop, scf.ForOp) else loop.arguments
    end = loop.regions[-1].block.last_op
    assert isinstance(end, scf.YieldOp)
    inside = [
        [region.block.args[at + shift] for region in loop.regions] for at in range(len(initial))
    ]
    return list(zip(initial, inside, end.arguments, strict=True))


def joined_positions(op: Loop | scf.IfOp, values: Container[SSAValue]) -> list[int]:
    """The positions at which a loop or a branch hands on one of ``values``."""
    found: list[set[SSAValue]] = [{result} for result in op.results]
    if isinstance(op, Loop):
        for known, (_, inside, _) in zip(found, carried(op), strict=True):
            known.update(inside)
    return [at for at, known in enumerate(found) if any(value in values for value in known)]


_Found = TypeVar("_Found", bound=Guard)


class _Analysis:
    """A walk in the order of the program, that repeats loops until nothing changes.

    A loop's values have all lanes until an iteration is found to leave some out.
    """

    def __init__(self, kernel: nt.KernelOp) -> None:
        self.kernel = kernel
        self.guards: dict[SSAValue, Guard] = {}
        self.origins: dict[SSAValue, tuple[SSAValue, ...]] = {}
        self._known: dict[object, Guard] = {}

    def block(self, block: Block) -> None:
        for op in block.ops:
            if type(op) in _TRANSFER:
                _TRANSFER[type(op)](self, op)

    def of(self, value: SSAValue) -> Guard:
        return self.guards.get(value, ALL_ACTIVE)

    def set(self, value: SSAValue, guard: Guard, origins: Iterable[SSAValue] = ()) -> None:
        """``value`` has ``guard``, which the guards of ``origins`` make."""
        if guard is not ALL_ACTIVE:
            self.guards[value] = guard
            self.origins[value] = tuple(one for one in origins if one in self.guards)

    def one(self, kind: Callable[..., _Found], *fields: object, key: object = ()) -> _Found:
        """The one guard of its kind with these fields; ``key`` stands for those that are ops."""
        known = (kind, *(field for field in fields if not isinstance(field, Operation)), key)
        if known not in self._known:
            self._known[known] = kind(*fields)
        return cast("_Found", self._known[known])

    def every(self, values: Sequence[SSAValue]) -> Guard:
        """Where all of ``values``, of one shape, are active."""
        parts = independent(map(self.of, values), len(nt.shape_of(values[0].type)) if values else 0)
        return self.conjunction(parts)

    def conjunction(self, parts: Sequence[Guard]) -> Guard:
        if len(parts) > 1:
            return self.one(Every, tuple(parts))
        return parts[0] if parts else ALL_ACTIVE

    def join(self, op: Operation, position: int, values: Sequence[SSAValue]) -> Guard:
        """What the guards of ``values``, on the ways to one place, become there."""
        if all(self.of(value) is ALL_ACTIVE for value in values):
            return ALL_ACTIVE
        return self.one(Joined, op, position, key=op)


def independent(guards: Iterable[Guard], rank: int) -> list[Guard]:
    """Of the guards of blocks of ``rank`` dims, those that are needed to say where all hold."""
    found = [guard for guard in dict.fromkeys(guards) if guard is not ALL_ACTIVE]
    return [guard for guard in found if not _follows(guard, found, rank)]


def _follows(guard: Guard, others: Sequence[Guard], rank: int) -> bool:
    """Whether ``guard`` holds wherever one of ``others`` does: it says whether that one holds in some
    lane, in all lanes that were reduced.
    """
    # Which dim of the block each dim of the guard is; None: it was reduced.
    dims: list[int | None] = list(range(rank))
    part = guard
    while part is guard or part not in others:
        if isinstance(part, AnyAlong):
            dims.insert(part.dim, None)
            part = part.part
        elif isinstance(part, Moved) and isinstance(part.op, nt.ExpandDimsOp):
            del dims[part.op.dim]
            part = part.parts[0]
        elif isinstance(part, Moved) and isinstance(part.op, nt.BroadcastOp):
            part = part.parts[0]
        else:
            return False
    return all(dim in (None, axis) for axis, dim in enumerate(dims))


_TRANSFER: Registry[type[Operation], Callable[[_Analysis, Operation], None]] = Registry(
    "the guards of values"
)
"""Ops whose results may have lanes that are not active."""


@_TRANSFER.register(nt.LoadOp, nt.StoredOp)
def _read(analysis: _Analysis, op: Operation) -> None:
    assert isinstance(op, nt.ShareRead)
    if op.other is not None or not isinstance(op.ref, BlockArgument):
        return
    kernel = analysis.kernel
    source, access = nt.access_of(kernel.arranged.values[op.ref.index], kernel.assumptions)
    if source.kind.data == "tensor" and access.data.guards:
        analysis.set(op.result, analysis.one(InAccess, op.ref, tuple(op.indices)))


@_TRANSFER.register(nt.PointerLoadOp, nt.AtomicOp)
def _masked_read(analysis: _Analysis, op: Operation) -> None:
    assert isinstance(op, MaskedRead)
    has_other = isinstance(op, nt.PointerLoadOp) and op.other is not None
    if op.mask is not None and not has_other:
        guard = analysis.one(Masked, op.mask, analysis.of(op.mask))
        analysis.set(op.results[0], guard, [op.mask])


@_TRANSFER.register(nt.MapOp, nt.InlineAsmOp)
def _elementwise(analysis: _Analysis, op: Operation) -> None:
    if isinstance(op, nt.MapOp) and op.function.data == "where":
        parts = [analysis.of(value) for value in op.arguments]
        if any(part is not ALL_ACTIVE for part in parts):
            guard = analysis.one(Where, op.arguments[0], *parts)
            analysis.set(op.result, guard, op.arguments)
        return
    for result in op.results:
        analysis.set(result, analysis.every(op.operands), op.operands)


@_TRANSFER.register(nt.CastOp, nt.HintOp, nt.BitcastOp, nt.ScanOp)
def _same(analysis: _Analysis, op: Operation) -> None:
    analysis.set(op.results[0], analysis.of(op.operands[0]), op.operands)


@_TRANSFER.register(nt.AddressOp)
def _address(analysis: _Analysis, op: Operation) -> None:
    assert isinstance(op, nt.AddressOp)
    for result in op.results:
        analysis.set(result, analysis.every(op.coordinates), op.coordinates)


@_TRANSFER.register(
    nt.BroadcastOp,
    nt.ExpandDimsOp,
    nt.TransOp,
    nt.FlipOp,
    nt.ReshapeOp,
    nt.SplitOp,
    nt.JoinOp,
    UnrealizedConversionCastOp,
)
def _moved(analysis: _Analysis, op: Operation) -> None:
    parts = tuple(analysis.of(value) for value in op.operands)
    if all(part is ALL_ACTIVE for part in parts):
        return
    key = (op.name, *sorted(op.properties.items()), *(nt.shape_of(one.type) for one in op.results))
    for position, result in enumerate(op.results):
        guard = analysis.one(Moved, op, position, parts, key=key)
        analysis.set(result, guard, op.operands)


@_TRANSFER.register(nt.GatherOp)
def _gathered(analysis: _Analysis, op: Operation) -> None:
    value, indices = op.operands
    parts = [analysis.of(indices)]
    if analysis.of(value) is not ALL_ACTIVE:
        moved = (analysis.of(value),)
        key = (op.name, *sorted(op.properties.items()), indices)
        parts.insert(0, analysis.one(Moved, op, 0, moved, key=key))
    rank = len(nt.shape_of(op.results[0].type))
    analysis.set(op.results[0], analysis.conjunction(independent(parts, rank)), op.operands)


@_TRANSFER.register(nt.ReduceOp, nt.SortOp)
def _combined(analysis: _Analysis, op: Operation) -> None:
    assert isinstance(op, nt.ReduceOp | nt.SortOp)
    part = analysis.of(op.value)
    if part is not ALL_ACTIVE:
        kind = AnyAlong if isinstance(op, nt.ReduceOp) else Leading
        analysis.set(op.results[0], analysis.one(kind, part, op.dim), [op.value])


@_TRANSFER.register(nt.ReduceByOp, nt.ScanByOp)
def _combined_by(analysis: _Analysis, op: Operation) -> None:
    """What combines only the lanes in which all its operands are active."""
    assert isinstance(op, nt.Combination)
    part = analysis.every(op.values)
    if op.real is not None:
        part = analysis.one(Masked, op.real, part)
    if part is not ALL_ACTIVE and isinstance(op, nt.ReduceByOp):
        part = analysis.one(AnyAlong, part, op.dim)
    for result in op.combined:
        analysis.set(result, part, op.values)


@_TRANSFER.register(scf.IfOp)
def _branch(analysis: _Analysis, op: Operation) -> None:
    ends = [region.block.last_op for region in op.regions if region.blocks]
    for region in op.regions:
        for block in region.blocks:
            analysis.block(block)
    for position, result in enumerate(op.results):
        values = [end.operands[position] for end in ends if end is not None]
        analysis.set(result, analysis.join(op, position, values), values)


@_TRANSFER.register(scf.ForOp, scf.WhileOp, WhileOp)
def _loop(analysis: _Analysis, op: Operation) -> None:
    assert isinstance(op, Loop)
    if isinstance(op, scf.WhileOp):
        condition = op.before_region.block.last_op
        assert isinstance(condition, scf.ConditionOp)
        if [*condition.args] != [*op.before_region.block.args]:
            raise fail(op, "scf.while hands on other values than it carries", CompilerError)
    before = -1
    while True:
        left_out = 0
        for position, (start, inside, end) in enumerate(carried(op)):
            guard = analysis.join(op, position, [start, end])
            for value in (*inside, op.results[position]):
                analysis.set(value, guard, [start, end])
            left_out += guard is not ALL_ACTIVE
        if left_out == before:
            return
        before = left_out
        for region in op.regions:
            analysis.block(region.block)
