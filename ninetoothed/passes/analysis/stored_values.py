"""Stored values: the reads that each lane of a store is computed from, lane by lane.

A stored value is followed backwards. Elementwise ops take the same lane of their operands, ops that
move lanes another one, and a reduction all lanes along its dim: a new variable. Reads in a loop are
of any iteration, the loop's variable. So a read is an access at indices over the variables of the
store's lane and those new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, get_args

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.scf import WhileOp
from ninetoothed.language.registry import Registry
from ninetoothed.layout.meta_op import Sizes
from ninetoothed.layout.meta_ops import ravelled, unravelled
from ninetoothed.passes.analysis.guards import carried
from ninetoothed.passes.analysis.lane_moves import Spread
from ninetoothed.passes.analysis.lane_origins import follows
from ninetoothed.passes.analysis.loop_nests import Loop, enclosing
from ninetoothed.passes.analysis.value_numbering import ValueNumbering
from ninetoothed.symbolic.expr import IndexExpr, binary, const, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import normalize

Lanes = tuple[IndexExpr, ...]
Trips = Mapping[Operation, int]
"""Which of several iterations of a loop is meant; 0: the one around the store."""


Side = tuple[object, int]
"""A branch, or a selection at a lane, and which side of it."""


@dataclass(frozen=True)
class Read:
    """A read without ``other`` that a lane of a store is computed from.

    ``parameter``: its number. ``indices`` and ``lanes``: those of the levels between and of the
    block. ``facts``, each at least 0, hold where its lane flows into the store. ``reduced``:
    variables of dims along which lanes are combined, so that those without a value are left out.
    ``loops``: variables of the loops around it. ``certain``: False where it may flow or not;
    ``sides`` are those of branches, and of selections by data, on which it does.
    """

    parameter: int
    op: Operation = field(compare=False)
    indices: Lanes
    lanes: Lanes
    facts: tuple[IndexExpr, ...]
    reduced: frozenset[str]
    loops: tuple[str, ...]
    certain: bool
    sides: frozenset[Side] = frozenset()


class _Place(NamedTuple):
    """A value at a lane, on the way to a store: a tuple, since there are many."""

    value: SSAValue
    lanes: Lanes
    trips: tuple[tuple[Operation, int], ...] = ()
    facts: tuple[IndexExpr, ...] = ()
    reduced: frozenset[str] = frozenset()
    loops: tuple[str, ...] = ()
    certain: bool = True
    sides: frozenset[Side] = frozenset()


_ORIGINS: Registry[
    type[Operation], Callable[[StoredValues, _Place, Any], Iterator[_Place | Read | None]]
] = Registry("the values that are stored")
"""The places that an op's result comes from; of other ops, :meth:`StoredValues.same_lanes`."""


class StoredValues:
    """The values that a kernel stores. ``grid``: the sizes of its outermost level."""

    def __init__(self, kernel: nt.KernelOp, grid: Sizes) -> None:
        self._kernel = kernel
        self._numbers = ValueNumbering()
        self._number = ravelled([sym(f"g{dim}") for dim in range(len(grid))], grid)
        self._loops: dict[Operation, int] = {}
        self._trip = 0
        self._names: dict[object, str] = {}
        self._accesses: dict[int, nt.AccessAttr] = {}
        self.ranges: dict[str, Range] = {}
        """The ranges of the variables of reads and stores; of some, no end is known."""

    # Scalars.

    def scalar(self, value: SSAValue, trips: Trips | None = None) -> IndexExpr:
        """A scalar integer over sizes and variables."""
        expr = self._numbers.expression(value)
        values: dict[str, IndexExpr | int] = {}
        for name in symbol_names(expr):
            origin = self._numbers.value_of(name)
            if origin is not None:
                values[name] = self._variable(origin, trips or {})
        return normalize(substitute(expr, values)) if values else expr

    def _variable(self, origin: SSAValue, trips: Trips) -> IndexExpr:
        """A scalar that is no expression of others: an iteration's, or one of its own."""
        owner = origin.owner
        if isinstance(owner, nt.ProgramNumberOp):
            return self._number
        parent = owner.parent_op() if isinstance(owner, Block) else None
        if isinstance(parent, scf.ForOp) and origin is parent.body.block.args[0]:
            return self.iteration(parent, trips)[1]
        inner = owner if isinstance(owner, Operation) else owner.parent_op()
        around = [] if inner is None else [inner, *enclosing(inner)]
        which = tuple((op, trips[op]) for op in around if op in trips)
        name = self._name("$v", (origin, which))
        self.ranges.setdefault(name, Range())
        return sym(name)

    def iteration(self, loop: scf.ForOp, trips: Trips) -> tuple[str, IndexExpr]:
        """The variable of a loop, from 0 in steps of 1, and the induction variable's value."""
        name = self._name("$i", (loop, trips.get(loop, 0)))
        low, high, step = (self.scalar(end, trips) for end in (loop.lb, loop.ub, loop.step))
        if step.value is None or step.value < 1:
            self.ranges.setdefault(name, Range())
            return name, sym(name)
        if name not in self.ranges:
            steps = normalize(binary("ceildiv", high - low, step))
            ends = symbol_names(low, high)
            known = not any(end.startswith("$v") for end in ends)
            self.ranges[name] = Range(const(0), steps - 1 if known else None)
        return name, normalize(low + sym(name) * step)

    def _name(self, prefix: str, key: object) -> str:
        """A name that no symbol of a user has, the same for the same key."""
        found = self._names.get((prefix, key))
        if found is None:
            found = self._names[prefix, key] = f"{prefix}{len(self._names)}"
        return found

    # Reads.

    def loops_around(self, op: Operation) -> tuple[tuple[str, ...], bool]:
        """The variables of the loops around an op; and True if it is executed in every iteration of
        them.
        """
        names: list[str] = []
        certain = True
        for parent in reversed(list(enclosing(op))):
            if isinstance(parent, scf.ForOp):
                names.append(self.iteration(parent, {})[0])
            else:
                certain = False
        return tuple(names), certain

    def reads(self, store: nt.StoreOp) -> tuple[list[Read], bool]:
        """The reads that a lane ``$b0, …`` of a store is computed from; and False if there may be
        others that cannot be followed.
        """
        sizes = nt.shape_of(store.value.type)
        loops, certain = self.loops_around(store)
        lanes: list[IndexExpr] = []
        for dim, size in enumerate(sizes):
            self.ranges[f"$b{dim}"] = Range(const(0), size - 1)
            lanes.append(const(0) if size.value == 1 else sym(f"$b{dim}"))
        start = _Place(store.value, tuple(lanes), loops=loops, certain=certain)
        found: dict[Read, None] = {}
        whole = True
        pending, seen = [start], {start}
        while pending:
            if len(seen) > _MOST_PLACES:
                return [], False
            place = pending.pop()
            # In the order of the program, as far as there is one.
            for one in reversed(list(self._origins(place))):
                if isinstance(one, Read):
                    found[one] = None
                elif one is None:
                    whole = False
                elif one not in seen:
                    seen.add(one)
                    pending.append(one)
        return _merged(found), whole

    def _origins(self, place: _Place) -> Iterator[_Place | Read | None]:
        """The places that a value comes from; None: one that cannot be followed."""
        owner = place.value.owner
        if isinstance(owner, Block):
            return self._argument(place)
        handler = _ORIGINS.get(type(owner))
        return self.same_lanes(place, owner) if handler is None else handler(self, place, owner)

    def _at(
        self,
        place: _Place,
        value: SSAValue,
        lanes: Lanes | None = None,
        facts: tuple[IndexExpr, ...] = (),
        reduced: str | None = None,
        certain: bool = True,
        side: Side | None = None,
    ) -> _Place:
        """Another value on the way, by default at the same lane; of a scalar, at none."""
        lanes = place.lanes if lanes is None else lanes
        if not nt.shape_of(value.type):
            lanes = ()
        known = tuple(dict.fromkeys((*place.facts, *facts))) if facts else place.facts
        sides: frozenset[Side] = place.sides if side is None else place.sides | {side}
        if len(known) + len(sides) > _MOST_WAYS:
            # Each selection in a chain of them doubles the ways.
            known, sides, certain = (), frozenset[Side](), False
        names = place.reduced if reduced is None else place.reduced | {reduced}
        return _Place(
            value,
            lanes,
            place.trips,
            known,
            # Others do not change a thing.
            names and names & {*symbol_names(*lanes), _ONE_LANE},
            place.loops,
            place.certain and certain,
            sides,
        )

    # What the result of an op comes from.

    @_ORIGINS.register(nt.LoadOp, nt.StoredOp)
    def _read(self, place: _Place, op: nt.TileRead) -> Iterator[_Place | Read | None]:
        trips = dict(place.trips)
        for index in op.indices:
            yield self._at(place, index, ())
        if op.other is not None:
            return
        if not isinstance(op.ref, BlockArgument):
            yield None
            return
        yield Read(
            op.ref.index,
            op,
            tuple(self.scalar(index, trips) for index in op.indices),
            place.lanes,
            place.facts,
            place.reduced,
            place.loops,
            place.certain,
            place.sides,
        )

    @_ORIGINS.register(nt.PointerLoadOp)
    def _pointers(self, place: _Place, op: nt.PointerLoadOp) -> Iterator[_Place | None]:
        if op.mask is not None:
            yield self._at(place, op.mask)
            # Whether a lane is read depends on data.
            yield None if op.other is None else self._at(place, op.other)
        yield self._at(place, op.ptr)

    @_ORIGINS.register(nt.AtomicOp, nt.AtomicCasOp)
    def _atomic(self, place: _Place, op: nt.AtomicOp | nt.AtomicCasOp) -> Iterator[None]:
        if isinstance(op, nt.AtomicOp) and op.mask is not None:
            yield None

    @_ORIGINS.register(scf.IfOp)
    def _branches(self, place: _Place, op: scf.IfOp) -> Iterator[_Place]:
        position = _position(place.value)
        for side, region in enumerate(op.regions):
            for block in region.blocks:
                if block.last_op is not None:
                    end = block.last_op.operands[position]
                    yield self._at(place, end, side=((op, place.trips), side))

    @_ORIGINS.register(nt.ElementwiseOp)
    def _elementwise(self, place: _Place, op: nt.ElementwiseOp) -> Iterator[_Place | Read | None]:
        return self._where(place, op) if op.function.data == "where" else self.same_lanes(place, op)

    def _where(self, place: _Place, op: nt.ElementwiseOp) -> Iterator[_Place]:
        condition, left, right = op.arguments
        yield self._at(place, condition)
        facts, exact = self._condition(place, condition)
        # The opposite of one fact is one; that of several is not.
        opposite = (normalize(-facts[0] - 1),) if exact and len(facts) == 1 else ()
        key = (op, place.lanes, place.trips)
        yield self._at(place, left, facts=facts, side=None if exact else (key, 0))
        yield self._at(place, right, facts=opposite, side=None if opposite else (key, 1))

    def _condition(self, place: _Place, value: SSAValue) -> tuple[tuple[IndexExpr, ...], bool]:
        """Facts, each at least 0, that a condition implies at a lane; and True if they imply it."""
        moved = self._moved(place, value)
        if moved is not None:
            return self._condition(*moved)
        op = value.owner
        if not isinstance(op, nt.ElementwiseOp):
            return (), False
        name, arguments = op.function.data, op.arguments
        if name == "and":
            left, right = (self._condition(self._at(place, one), one) for one in arguments)
            return (*left[0], *right[0]), left[1] and right[1]
        if name not in _COMPARISONS:
            return (), False
        sides = [self._integer(self._at(place, one), one) for one in arguments]
        one, two = sides
        if one is None or two is None:
            return (), False
        if name in ("gt", "ge"):
            one, two = two, one
        return (normalize(two - one - (name in ("lt", "gt"))),), True

    def _integer(self, place: _Place, value: SSAValue) -> IndexExpr | None:
        """A lane of a block of integers over sizes and variables, if it is such an expression."""
        if isinstance(value.owner, nt.OffsetsOp):
            return self._offset(place, value.owner)
        if not nt.shape_of(value.type):
            return self.scalar(value, dict(place.trips)) if _is_integer(value) else None
        moved = self._moved(place, value)
        if moved is not None:
            return self._integer(*moved)
        match value.owner:
            case nt.ArangeOp() as op:
                return op.start.data + place.lanes[0]
            case nt.CastOp() as op if nt.dtype_of(op.result.type) in ("i32", "i64"):
                return self._integer(self._at(place, op.value), op.value)
            case nt.ElementwiseOp() as op if op.function.data in ("add", "sub", "mul"):
                left, right = (self._integer(self._at(place, one), one) for one in op.arguments)
                if left is not None and right is not None:
                    return binary(op.function.data, left, right)
            case _:
                pass
        return None

    def _offset(self, place: _Place, op: nt.OffsetsOp) -> IndexExpr | None:
        """A coordinate of a tile's lane."""
        if op.source_dim is None or not isinstance(op.ref, BlockArgument):
            return None
        access = self._access(op.ref.index)
        rows = access.names
        trips = dict(place.trips)
        block = rows[-1] if len(rows) > 1 else ()
        values: dict[str, IndexExpr | int] = dict.fromkeys(block, 0)
        if block:
            values |= {block[dim]: lane for dim, lane in zip(op.dims, place.lanes, strict=True)}
        between = [name for row in rows[1:-1] for name in row]
        for name, index in zip(between, op.indices, strict=True):
            values[name] = self.scalar(index, trips)
        return substitute(access.data.indices[op.source_dim], values)

    def _access(self, param: int) -> nt.AccessAttr:
        found = self._accesses.get(param)
        if found is None:
            arranged = self._kernel.arranged.values[param]
            found = nt.access_of(arranged, self._kernel.assumptions)[1]
            self._accesses[param] = found
        return found

    def _moved(self, place: _Place, value: SSAValue) -> tuple[_Place, SSAValue] | None:
        """The operand whose lane a lane of ``value`` is, without its computation."""
        op = value.owner
        if isinstance(op, Spread):
            operand = op.value
            return self._at(place, operand, _operand_lanes(op, place.lanes)), operand
        return None

    @_ORIGINS.register(*get_args(Spread), nt.SplitOp)
    def _other_lane(self, place: _Place, op: Spread | nt.SplitOp) -> Iterator[_Place]:
        lanes = _operand_lanes(op, place.lanes, _position(place.value))
        yield self._at(place, op.value, lanes)

    @_ORIGINS.register(nt.JoinOp)
    def _joined(self, place: _Place, op: nt.JoinOp) -> Iterator[_Place]:
        known = place.lanes[-1].value
        for side, operand in enumerate(op.operands):
            if known in (None, side):
                # What is read on both sides is certain.
                way = None if known == side else ((op, place.lanes, place.trips), side)
                yield self._at(place, operand, place.lanes[:-1], side=way)

    @_ORIGINS.register(nt.GatherOp)
    def _gathered(self, place: _Place, op: nt.GatherOp) -> Iterator[_Place]:
        yield self._at(place, op.indices)
        # A lane that depends on data.
        size = nt.shape_of(op.value.type)[op.dim]
        name = self._fresh("$d", (op, place.lanes), size)
        lanes = (*place.lanes[: op.dim], name, *place.lanes[op.dim + 1 :])
        yield self._at(place, op.value, lanes, certain=False)

    @_ORIGINS.register(nt.ReduceOp, nt.ReduceByOp)
    def _combined(self, place: _Place, op: nt.ReduceOp | nt.ReduceByOp) -> Iterator[_Place]:
        for operand in op.operands:
            yield self._along(place, operand, op.dim)

    @_ORIGINS.register(nt.ScanByOp)
    def _scanned(self, place: _Place, op: nt.ScanByOp) -> Iterator[_Place]:
        for operand in op.operands:
            yield self._at(place, operand)

    @_ORIGINS.register(nt.SortOp)
    def _sorted(self, place: _Place, op: nt.SortOp) -> Iterator[_Place]:
        # As many lanes have a value as the operand has: all up to this one must have.
        name, lane = self._name("$d", (op, place.lanes)), place.lanes[op.dim]
        if op.reversed is not None:
            lane = normalize(nt.shape_of(op.result.type)[op.dim] - 1 - lane)
        self.ranges[name] = Range(const(0), lane)
        lanes = (*place.lanes[: op.dim], sym(name), *place.lanes[op.dim + 1 :])
        yield self._at(place, op.value, lanes, certain=False)

    @_ORIGINS.register(nt.HistogramOp)
    def _counted(self, place: _Place, op: nt.HistogramOp) -> Iterator[_Place]:
        for operand in op.operands:
            yield self._along(place._replace(lanes=()), operand, 0)

    @_ORIGINS.register(nt.DotScaledOp)
    def _dot_scaled(self, place: _Place, op: nt.DotScaledOp) -> Iterator[_Place]:
        for operand in (op.a, op.b, op.a_scale, op.b_scale):
            if operand is not None:
                yield self._scaled(place, operand, operand in (op.a, op.a_scale))
        yield self._at(place, op.acc)

    def same_lanes(self, place: _Place, op: Operation) -> Iterator[_Place | None]:
        """The same lane of each operand, of an op that may be elementwise."""
        for operand in op.operands:
            type_ = operand.type
            if not (isinstance(type_, nt.TensorType) and len(type_.levels) > 1):
                yield from self._same_lane(place, op, operand)

    def _same_lane(
        self, place: _Place, op: Operation, operand: SSAValue
    ) -> Iterator[_Place | None]:
        """An operand of an op that may be elementwise."""
        if isinstance(operand, BlockArgument) and _is_parameter(operand):
            return
        sizes = nt.shape_of(operand.type)
        # Sizes that are equal may be written in two ways.
        if sizes in ((), nt.shape_of(place.value.type)) or (
            isinstance(op, UnrealizedConversionCastOp) and len(sizes) == len(place.lanes)
        ):
            yield self._at(place, operand)
        else:
            yield None

    def _fresh(self, prefix: str, key: object, size: IndexExpr) -> IndexExpr:
        """A variable from 0 to ``size``, exclusive."""
        if size.value == 1:
            return const(0)
        name = self._name(prefix, key)
        self.ranges[name] = Range(const(0), size - 1)
        return sym(name)

    def _along(self, place: _Place, operand: SSAValue, dim: int, key: object = None) -> _Place:
        """All lanes of an operand along a dim that is reduced."""
        size = nt.shape_of(operand.type)[dim]
        owner = place.value.owner if key is None else key
        lane = self._fresh("$r", (owner, place.lanes, place.trips), size)
        lanes = (*place.lanes[:dim], lane, *place.lanes[dim:])
        return self._at(place, operand, lanes, reduced=_reduced(lane))

    @_ORIGINS.register(nt.DotOp)
    def _dot(self, place: _Place, op: nt.DotOp) -> Iterator[_Place]:
        *batch, row, column = place.lanes
        rank = len(place.lanes)
        size = nt.shape_of(op.a.type)[rank - 1]
        lane = self._fresh("$r", (op, place.lanes, place.trips), size)
        reduced = _reduced(lane)
        yield self._at(place, op.a, (*batch, row, lane), reduced=reduced)
        yield self._at(place, op.b, (*batch, lane, column), reduced=reduced)
        yield self._at(place, op.acc)

    def _scaled(self, place: _Place, operand: SSAValue, is_left: bool) -> _Place:
        """An operand of a scaled dot, of which only the row or the column is followed."""
        sizes = nt.shape_of(operand.type)
        lane = self._fresh("$r", (operand, place.lanes, place.trips), sizes[-1 if is_left else -2])
        reduced = _reduced(lane)
        *batch, row, column = place.lanes
        lanes = (*batch, row, lane) if is_left else (*batch, lane, column)
        return self._at(place, operand, lanes, reduced=reduced)

    # Loops.

    def _argument(self, place: _Place) -> Iterator[_Place | None]:
        """What a loop carries into an iteration, the one of the store or another."""
        argument = place.value
        assert isinstance(argument, BlockArgument)
        loop = argument.block.parent_op()
        if isinstance(loop, nt.KernelOp):
            return
        if isinstance(loop, scf.ForOp) and argument.index == 0:
            return
        if not isinstance(loop, scf.ForOp | scf.WhileOp):
            yield None
            return
        shift = 1 if isinstance(loop, scf.ForOp) else 0
        start, _, end = carried(loop)[argument.index - shift]
        yield self._at(place, start, certain=False)
        if (loop, -1) not in place.trips:
            yield self._another(place, loop, end, certain=False)

    @_ORIGINS.register(scf.ForOp, scf.WhileOp, WhileOp)
    def _result(self, place: _Place, loop: Loop) -> Iterator[_Place | None]:
        start, inside, end = carried(loop)[_position(place.value)]
        # Then every iteration counts, and else the last.
        accumulates = isinstance(loop, scf.ForOp) and follows(end, inside[-1])
        yield self._at(place, start, certain=accumulates)
        yield self._another(place, loop, end, certain=accumulates)

    def _another(self, place: _Place, loop: Loop, end: SSAValue, certain: bool) -> _Place:
        """The value at the end of any iteration."""
        new = self._at(place, end, certain=certain)
        trips = dict(place.trips)
        # One iteration stands for all of them.
        trips[loop] = -1
        loops = place.loops
        if isinstance(loop, scf.ForOp):
            loops = (*loops, self.iteration(loop, trips)[0])
        return _Place(
            new.value,
            new.lanes,
            tuple(trips.items()),
            new.facts,
            new.reduced,
            loops,
            new.certain,
            new.sides,
        )


def _merged(reads: Iterable[Read]) -> list[Read]:
    """The reads, those on both sides of a branch as one without it."""
    groups: dict[Read, list[frozenset[Side]]] = {}
    for read in reads:
        groups.setdefault(replace(read, sides=frozenset()), []).append(read.sides)
    found: list[Read] = []
    for read, ways in groups.items():
        pending = [*dict.fromkeys(ways)]
        known = {*pending}
        while pending:
            one = pending.pop()
            for key, side in one:
                rest = one - {(key, side)}
                if rest | {(key, 1 - side)} in known and rest not in known:
                    known.add(rest)
                    pending.append(rest)
        least = [one for one in known if not any(other < one for other in known)]
        found += [
            replace(read, certain=read.certain and not one, sides=one)
            for one in sorted(least, key=len)
        ]
    sure = {replace(one, certain=False) for one in found if one.certain}
    return [one for one in found if one.certain or one not in sure]


def _reduced(lane: IndexExpr) -> str:
    """The variable of a lane along a dim that is reduced, also of a dim of one lane."""
    return lane.args[0] if lane.op == "sym" else _ONE_LANE


_ONE_LANE = "$one"
_MOST_WAYS = 4
_MOST_PLACES = 4096
"""The most values that are followed for one store, of kernels that are unrolled."""
_COMPARISONS = ("lt", "le", "gt", "ge")


def _operand_lanes(op: Operation, lanes: Lanes, position: int = 0) -> Lanes:
    """The lane of the operand that a lane of an op's result is."""
    match op:
        case nt.BroadcastOp():
            sizes = nt.shape_of(op.value.type)
            return tuple(
                const(0) if size.value == 1 else lane
                for lane, size in zip(lanes, sizes, strict=True)
            )
        case nt.ExpandDimsOp():
            return (*lanes[: op.dim], *lanes[op.dim + 1 :])
        case nt.TransOp():
            return tuple(lanes[op.dims.index(dim)] for dim in range(len(lanes)))
        case nt.FlipOp():
            size = nt.shape_of(op.value.type)[op.dim]
            flipped = normalize(size - 1 - lanes[op.dim])
            return (*lanes[: op.dim], flipped, *lanes[op.dim + 1 :])
        case nt.ReshapeOp():
            number = ravelled(lanes, nt.shape_of(op.result.type))
            return tuple(map(normalize, unravelled(number, nt.shape_of(op.value.type))))
        case nt.SplitOp():
            return (*lanes, const(position))
        case _:
            return ()


def _position(value: SSAValue) -> int:
    assert isinstance(value, OpResult)
    return value.index


def _is_integer(value: SSAValue) -> bool:
    return nt.dtype_of(value.type) in ("i8", "i16", "i32", "i64")


def _is_parameter(argument: BlockArgument) -> bool:
    return isinstance(argument.block.parent_op(), nt.KernelOp)
