"""Guard analysis: the valid lanes of each block.

The guard of a load is its access's, and every lane is valid where the load has ``other``. An
elementwise op is valid where all its operands are, ``where`` where its condition and the chosen
side are, a reduction where some lane along the axis was. Ops that move lanes move guards. A value
that a loop carries, or a branch yields, has a guard of its own, unless all lanes are valid on every
path.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.passes.analysis.lane_moves import MOVES
from ninetoothed.passes.analysis.loop_nests import Loop


@dataclass(frozen=True, eq=False)
class Guard:
    """The valid lanes of a block. Guards of one analysis are equal if they are one object."""


@dataclass(frozen=True, eq=False)
class AllValid(Guard):
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
    """The intersection of two or more ``parts``, of which none contains another."""

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
    """The lanes of ``parts``, moved as by result ``position`` of ``op`` or of an op like it."""

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
    """As many lanes from the start of ``dim`` on as ``part`` has along it, or from its end on."""

    part: Guard
    dim: int


@dataclass(frozen=True, eq=False)
class Joined(Guard):
    """The guard that a loop carries, or a branch yields, beside its value at ``position``."""

    op: Operation
    position: int


ALL_VALID = AllValid()

# Ops whose results may have lanes that are not valid though all of the operands are.
_SOURCES = {
    *(nt.LoadOp, nt.StoredOp, nt.PointerLoadOp, nt.AtomicOp),
    *(nt.ReduceByOp, nt.ScanByOp),
}


@dataclass(frozen=True)
class Guards:
    """The guards of a kernel's values."""

    _guards: Mapping[SSAValue, Guard]
    _origins: Mapping[SSAValue, tuple[SSAValue, ...]]

    def of(self, value: SSAValue) -> Guard:
        """The guard of ``value``."""
        return self._guards.get(value, ALL_VALID)

    def all_valid(self, value: SSAValue) -> bool:
        """True if every lane of ``value`` is valid."""
        return value not in self._guards

    def origins(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values whose guards make that of ``value``, without those that are all valid."""
        return self._origins.get(value, ())

    def closure(self, values: Iterable[SSAValue]) -> frozenset[SSAValue]:
        """``values`` and the origins of their guards, transitively, without those all valid."""
        pending = [value for value in values if not self.all_valid(value)]
        found = set(pending)
        while pending:
            new = [origin for origin in self.origins(pending.pop()) if origin not in found]
            found.update(new)
            pending += new
        return frozenset(found)


def guards(kernel: nt.KernelOp) -> Guards:
    """The guards of all values of ``kernel``'s application.

    Raises:
        CompilerError: the condition of a ``scf.while`` forwards other values than it is given.
    """
    analysis = _Analysis(kernel)
    analysis.visit(kernel.apply.block)
    return Guards(analysis.guards, analysis.origins)


def carried(loop: Loop) -> list[tuple[SSAValue, list[BlockArgument], SSAValue]]:
    """The loop-carried values: before the loop, in its regions, and at an iteration's end."""
    shift = 1 if isinstance(loop, scf.ForOp) else 0
    initial = loop.iter_args if isinstance(loop, scf.ForOp) else loop.arguments
    end = loop.regions[-1].block.last_op
    assert isinstance(end, scf.YieldOp)
    inside = [
        [region.block.args[at + shift] for region in loop.regions] for at in range(len(initial))
    ]
    return list(zip(initial, inside, end.arguments, strict=True))


def joined_positions(op: Loop | scf.IfOp, values: Container[SSAValue]) -> list[int]:
    """The positions at which a loop or a branch carries one of ``values``."""
    found: list[set[SSAValue]] = [{result} for result in op.results]
    if isinstance(op, Loop):
        for known, (_, inside, _) in zip(found, carried(op), strict=True):
            known.update(inside)
    return [at for at, known in enumerate(found) if any(value in values for value in known)]


class _Analysis:
    """Forward dataflow analysis in program order, which repeats loops up to a fixed point.

    A loop's values are all valid until an iteration is found to leave some lanes out.
    """

    def __init__(self, kernel: nt.KernelOp) -> None:
        self.kernel = kernel
        self.guards: dict[SSAValue, Guard] = {}
        self.origins: dict[SSAValue, tuple[SSAValue, ...]] = {}
        self._known: dict[object, Guard] = {}

    def visit(self, block: Block) -> None:
        for op in block.ops:
            if op.regions and isinstance(op, Loop):
                self._loop(op)
            elif op.regions and isinstance(op, scf.IfOp):
                self._branch(op)
            elif type(op) in _SOURCES or any(value in self.guards for value in op.operands):
                self._transfer(op)

    def _of(self, value: SSAValue) -> Guard:
        return self.guards.get(value, ALL_VALID)

    def _set(self, value: SSAValue, guard: Guard, origins: Iterable[SSAValue] = ()) -> None:
        """Record the guard of ``value``, which the guards of ``origins`` make."""
        if guard is not ALL_VALID:
            self.guards[value] = guard
            self.origins[value] = tuple(one for one in origins if one in self.guards)

    def _one(self, guard: Guard, *key: object) -> Guard:
        """Intern a guard: the one of its kind with this key."""
        return self._known.setdefault((type(guard), *key), guard)

    def _every(self, guards: Iterable[Guard], like: SSAValue) -> Guard:
        """The intersection of ``guards``, of the shape of ``like``."""
        parts = tuple(independent(guards, len(nt.shape_of(like.type))))
        if len(parts) > 1:
            return self._one(Every(parts), parts)
        return parts[0] if parts else ALL_VALID

    def _transfer(self, op: Operation) -> None:
        """Transfer function of an op without regions: the guards of its results."""
        match op:
            case nt.LoadOp() | nt.StoredOp():
                if self._leaves_lanes(op):
                    indices = tuple(op.indices)
                    self._set(op.result, self._one(InAccess(op.ref, indices), op.ref, indices))
            case nt.PointerLoadOp() | nt.AtomicOp():
                other = op.other if isinstance(op, nt.PointerLoadOp) else None
                if op.mask is not None and other is None:
                    self._set(op.results[0], self._masked(op.mask, self._of(op.mask)), [op.mask])
            case nt.ElementwiseOp() if op.function.data == "where":
                sides = [self._of(value) for value in op.arguments]
                guard = Where(op.arguments[0], *sides)
                self._set(op.result, self._one(guard, op.arguments[0], *sides), op.arguments)
            case nt.ElementwiseOp() | nt.InlineAsmOp() | nt.AddressOp():
                values = op.coordinates if isinstance(op, nt.AddressOp) else op.arguments
                if values:
                    guard = self._every(map(self._of, values), values[0])
                    for result in op.results:
                        self._set(result, guard, values)
            case nt.CastOp() | nt.HintOp() | nt.BitcastOp() | nt.ScanOp():
                self._set(op.result, self._of(op.value), [op.value])
            case nt.ReduceOp():
                part = self._of(op.value)
                self._set(op.result, self._one(AnyAlong(part, op.dim), part, op.dim), [op.value])
            case nt.SortOp():
                part = self._of(op.value)
                key = (part, op.dim, nt.shape_of(op.result.type), op.reversed)
                self._set(op.result, self._one(Leading(part, op.dim), *key), [op.value])
            case nt.ReduceByOp() | nt.ScanByOp():
                self._combined(op)
            case _ if isinstance(op, MOVES):
                self._moved(op)
            case _:
                pass

    def _leaves_lanes(self, op: nt.TileRead) -> bool:
        """True if a read may have lanes that are not valid."""
        if op.other is not None or not isinstance(op.ref, BlockArgument):
            return False
        arranged = self.kernel.arranged.values[op.ref.index]
        source, access = nt.access_of(arranged, self.kernel.assumptions)
        return source.kind.data == "tensor" and bool(access.data.guards)

    def _masked(self, mask: SSAValue, within: Guard) -> Guard:
        return self._one(Masked(mask, within), mask, within)

    def _combined(self, op: nt.ReduceByOp | nt.ScanByOp) -> None:
        """Transfer function of ops that combine the lanes in which all operands are valid."""
        guard = self._every(map(self._of, op.values), op.values[0])
        if op.valid is not None:
            guard = self._masked(op.valid, guard)
        if guard is not ALL_VALID and isinstance(op, nt.ReduceByOp):
            guard = self._one(AnyAlong(guard, op.dim), guard, op.dim)
        for result in op.combined:
            self._set(result, guard, op.values)

    def _moved(self, op: Operation) -> None:
        values, indices = list(op.operands), None
        if isinstance(op, nt.GatherOp):
            indices = values.pop()
        parts = tuple(map(self._of, values))
        like = (op.name, indices, *sorted(op.properties.items()))
        for position, result in enumerate(op.results):
            guard: Guard = ALL_VALID
            if any(part is not ALL_VALID for part in parts):
                key = (like, nt.shape_of(result.type), position, parts)
                guard = self._one(Moved(op, position, parts), *key)
            if indices is not None:
                guard = self._every([guard, self._of(indices)], result)
            self._set(result, guard, op.operands)

    def _join(self, op: Operation, position: int, values: Sequence[SSAValue]) -> Guard:
        """The join of the guards of ``values``, on the paths to one place."""
        if all(self._of(value) is ALL_VALID for value in values):
            return ALL_VALID
        return self._one(Joined(op, position), op, position)

    def _branch(self, op: scf.IfOp) -> None:
        ends: list[Operation] = []
        for region in op.regions:
            for block in region.blocks:
                self.visit(block)
                ends += [] if block.last_op is None else [block.last_op]
        for position, result in enumerate(op.results):
            values = [end.operands[position] for end in ends]
            self._set(result, self._join(op, position, values), values)

    def _loop(self, op: Loop) -> None:
        if isinstance(op, scf.WhileOp):
            before = op.before_region.block
            assert isinstance(before.last_op, scf.ConditionOp)
            if [*before.last_op.args] != [*before.args]:
                raise fail(op, "scf.while forwards other values than it carries", CompilerError)
        known = -1
        while True:
            partial = 0
            for position, (start, inside, end) in enumerate(carried(op)):
                guard = self._join(op, position, [start, end])
                for value in (*inside, op.results[position]):
                    self._set(value, guard, [start, end])
                partial += guard is not ALL_VALID
            if partial == known:
                return
            known = partial
            for region in op.regions:
                self.visit(region.block)


def independent(guards: Iterable[Guard], rank: int) -> list[Guard]:
    """The guards, of blocks of ``rank`` dims, that are not implied by others of them."""
    found = [guard for guard in dict.fromkeys(guards) if guard is not ALL_VALID]
    return [guard for guard in found if not _follows(guard, found, rank)]


def _follows(guard: Guard, others: Sequence[Guard], rank: int) -> bool:
    """True if one of ``others`` implies ``guard``: it is the union of that one along dims that were
    reduced, broadcast again.
    """
    # The dim of the block that each dim of the guard is; None: it was reduced.
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
