"""Data flow of split dims: what an application makes of the places along them.

Each value has a state. ``Free``: it does not depend on what is split. ``ByPlace``: along one of its
dims, or from iteration to iteration, each lane depends on one place alone. ``Sum``: it is the sum
over all places of what each contributes, so that the sum over the ranks is the whole; ``Term``:
such a sum over the places of one iteration. Whatever else depends on places, sizes or numbers of
blocks is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.scalars import constant_value
from ninetoothed.symbolic.expr import symbol_names
from ninetoothed.verification.shard_accesses import Dim, JoinError, RefusedError, Slices, Tensors
from ninetoothed.verification.shard_asks import (
    added_by,
    number_of,
    require_only_added,
    require_unasked,
)

Axis = tuple[int, Dim | None]
"""A dim of a block along which lanes differ, and the dim of the tensor that they were read from."""


@dataclass(frozen=True)
class Free:
    """The same in every split; lanes may differ along what ``varies``. ``zero``: all are 0."""

    varies: frozenset[Axis] = frozenset()
    zero: bool = False


@dataclass(frozen=True)
class ByPlace:
    """Lanes along ``axis`` are of one place each; of None, all lanes are of the iteration's.

    ``guarded``: lanes without a place are not valid, so that reductions leave them out.
    """

    axis: int | None
    guarded: bool


@dataclass(frozen=True)
class Sum:
    """The sum over all places."""


@dataclass(frozen=True)
class Term:
    """The sum over the places of one iteration."""


@dataclass(frozen=True)
class Carried:
    """What a loop over the places carries in ``slot``: its start and the terms so far."""

    slot: int


@dataclass(frozen=True)
class Counter:
    """The number of an iteration of a loop over the places."""


State = Free | ByPlace | Sum | Term | Carried | Counter

_ITERATION = ByPlace(None, True)
_COMBINED = "the application combines elements along it"
_LANES = "the application computes with numbers of lanes along it"
_UNFINISHED = "the application computes with a sum along it, and does not store it as it is"
_COUNTED = "the application computes with numbers of blocks along it"


def _reason(states: Sequence[State]) -> str:
    """Why nothing is known of a function of values."""
    if any(isinstance(state, Counter) for state in states):
        return _COUNTED
    if any(isinstance(state, Sum | Term | Carried) for state in states):
        return _UNFINISHED
    return _COMBINED


def _varying(type: Attribute) -> Free:
    """A block of which all lanes may differ."""
    sizes = nt.shape_of(type)
    return Free(frozenset((axis, None) for axis, size in enumerate(sizes) if size.value != 1))


def _moved(state: State, axes: Mapping[int, int]) -> State:
    """The state of a block whose dims have other numbers; those that are not named are gone."""
    match state:
        case Free():
            varies = ((axes[axis], dim) for axis, dim in state.varies if axis in axes)
            return Free(frozenset(varies), state.zero)
        case ByPlace(axis=int(axis)):
            return ByPlace(axes[axis], state.guarded)
        case Carried() | Counter():
            raise RefusedError(_reason([state]))
        case _:
            return state


class Flow:
    """The states of an application's values where ``slices`` are split.

    ``sums``: the tensors, by their number, that are given sums.

    Raises:
        RefusedError: there is no proof.
        JoinError: more dims must be split.
    """

    def __init__(self, tensors: Tensors, slices: Slices) -> None:
        self._tensors = tensors
        self._slices = slices
        self._states: dict[SSAValue, State] = {}
        self._is_in_loop = False
        """True in a loop over the places."""
        self._branches = 0
        self._stored: set[int] = set()
        self.sums: set[int] = set()
        require_unasked(tensors, slices)
        self._run(tensors.kernel.apply.block)
        require_only_added(tensors, self.sums, self._stored)

    def _run(self, block: Block) -> None:
        for op in block.ops:
            self._HANDLERS.get(type(op), Flow._other)(self, op)

    def _of(self, value: SSAValue) -> State:
        return self._states[value]

    def _set(self, op: Operation, state: State) -> None:
        for result in op.results:
            self._states[result] = state

    # Functions of values.

    def _other(self, op: Operation) -> None:
        """Any op of which no more is known than its operands."""
        followed = all(value in self._states for value in op.operands)
        if not followed or (op.regions and not isinstance(op, nt.ReduceByOp | nt.ScanByOp)):
            raise RefusedError(f"no proof follows {op.name}")
        states = [self._of(value) for value in op.operands]
        if all(isinstance(state, Free) for state in states):
            self._require_other_sizes(op)
            for result in op.results:
                self._states[result] = _varying(result.type)
        elif all(isinstance(state, Free) or state == _ITERATION for state in states):
            self._set(op, _ITERATION)
        else:
            raise RefusedError(_reason(states))

    def _require_other_sizes(self, op: Operation) -> None:
        """Refuse to combine lanes of a block that is as large as what is split."""
        sizes = [size for value in op.operands for size in nt.shape_of(value.type)]
        if self._slices.sizes.intersection(symbol_names(*sizes)):
            raise RefusedError(_COMBINED)

    def _constant(self, op: Operation) -> None:
        self._set(op, Free(zero=constant_value(op.results[0]) == 0))

    def _number(self, op: Operation) -> None:
        """Sizes and numbers of programs; those that differ are refused before."""
        self._set(op, Free())

    def _nothing(self, op: Operation) -> None:
        """Ops that have no results, and change nothing that is read."""

    def _same(self, op: Operation) -> None:
        """Ops that move no lane, and splats."""
        self._set(op, self._of(op.operands[0]))

    def _cast(self, op: Operation) -> None:
        assert isinstance(op, nt.CastOp)
        state = self._of(op.value)
        floats = (isinstance(nt.scalar_of(v.type), AnyFloat) for v in (op.value, op.result))
        if not isinstance(state, Free | ByPlace) and not (
            isinstance(state, Sum | Term) and all(floats)
        ):
            raise RefusedError(_reason([state]))
        self._set(op, state)

    def _broadcast(self, op: Operation) -> None:
        assert isinstance(op, nt.BroadcastOp)
        self._set(op, _moved(self._of(op.value), {i: i for i in range(_rank(op.value))}))

    def _expand_dims(self, op: Operation) -> None:
        assert isinstance(op, nt.ExpandDimsOp)
        axes = {axis: axis + (axis >= op.dim) for axis in range(_rank(op.value))}
        self._set(op, _moved(self._of(op.value), axes))

    def _trans(self, op: Operation) -> None:
        assert isinstance(op, nt.TransOp)
        self._set(op, _moved(self._of(op.value), {old: new for new, old in enumerate(op.dims)}))

    def _reshape(self, op: Operation) -> None:
        assert isinstance(op, nt.ReshapeOp)
        state = self._of(op.value)
        uniform = isinstance(state, Free) and not state.varies
        if uniform or state == _ITERATION or isinstance(state, Sum | Term):
            self._set(op, state)
        else:
            self._other(op)

    def _elementwise(self, op: Operation) -> None:
        assert isinstance(op, nt.ElementwiseOp)
        states = [self._of(value) for value in op.arguments]
        if op.function.data == "add":
            self._set(op, self._added(*states))
            return
        found = self._lanes(states)
        if op.function.data == "where" and isinstance(found, ByPlace) and found.axis is not None:
            condition, left, right = (isinstance(s, ByPlace) and s.guarded for s in states)
            found = ByPlace(found.axis, condition or (left and right))
        self._set(op, found)

    def _lanes(self, states: Sequence[State]) -> Free | ByPlace:
        """The state of a function of lanes."""
        places = [state for state in states if isinstance(state, ByPlace)]
        frees = [state for state in states if isinstance(state, Free)]
        if len(places) + len(frees) < len(states):
            raise RefusedError(_reason(states))
        if not places:
            return Free(frozenset[Axis]().union(*(free.varies for free in frees)))
        axis = places[0].axis
        if any(place.axis != axis for place in places):
            raise RefusedError(_COMBINED)
        if axis is not None:
            self._require_uniform(frees, axis)
        return ByPlace(axis, any(place.guarded for place in places))

    def _require_uniform(self, frees: Sequence[State], axis: int) -> None:
        """Require that lanes that are not of places are alike along an axis."""
        varies = [at for free in frees if isinstance(free, Free) for at in free.varies]
        found = {dim for at, dim in varies if at == axis}
        joined = [dim for dim in found if dim is not None]
        if len(joined) < len(found):
            raise RefusedError(_LANES)
        if joined:
            raise JoinError(joined)

    def _added(self, left: State, right: State) -> State:
        for one, two in ((left, right), (right, left)):
            match one, two:
                case Free(zero=True), Free(zero=True) | Sum() | Term():
                    return two
                case (Sum(), Sum()) | (Term(), Term()):
                    return two
                case Carried() | Term(), Term() | ByPlace(axis=None):
                    return one
                case _:
                    pass
        return self._lanes([left, right])

    @property
    def _summed(self) -> State:
        """The sum of lanes of places."""
        return Term() if self._is_in_loop else Sum()

    def _reduce(self, op: Operation) -> None:
        assert isinstance(op, nt.ReduceOp)
        state = self._of(op.value)
        if not isinstance(state, ByPlace) or state.axis is None:
            self._other(op)
        elif state.axis != op.dim:
            self._set(op, ByPlace(state.axis - (op.dim < state.axis), state.guarded))
        elif op.function.data != "sum":
            raise RefusedError(_COMBINED)
        elif not state.guarded:
            raise RefusedError("the application sums what it reads beyond the end, too")
        else:
            self._set(op, self._summed)

    def _scan(self, op: Operation) -> None:
        assert isinstance(op, nt.ScanOp | nt.FlipOp)
        state = self._of(op.operands[0])
        if not isinstance(state, ByPlace) or state.axis in (None, op.dim):
            self._other(op)
        else:
            self._set(op, ByPlace(state.axis, False))

    def _dot(self, op: Operation) -> None:
        assert isinstance(op, nt.DotOp)
        self._set(op, self._added(self._product(op), self._of(op.acc)))

    def _product(self, op: nt.DotOp) -> State:
        states = (self._of(op.a), self._of(op.b))
        places = [state for state in states if isinstance(state, ByPlace)]
        if not all(isinstance(state, Free | ByPlace) for state in states):
            raise RefusedError(_reason(states))
        if not places:
            self._require_other_sizes(op)
            return _varying(op.result.type)
        if any(place.axis is None for place in places):
            return self._lanes([_ITERATION, *places])
        # The operands' dims by those of m, n and k; batches come before.
        n, m = _rank(op.a) - 1, _rank(op.a) - 2
        k = n + 1
        named = ({n: k}, {m: k})
        found = {
            names.get(state.axis, state.axis)
            for state, names in zip(states, named, strict=True)
            if isinstance(state, ByPlace) and state.axis is not None
        }
        if len(found) > 1:
            raise RefusedError(_COMBINED)
        (axis,) = found
        if axis != k:
            if axis not in (m, n):
                self._require_uniform(states, axis)
            return ByPlace(axis, False)
        for state, own in zip(states, (n, m), strict=True):
            self._require_uniform([state], own)
        if not all(place.guarded for place in places):
            raise RefusedError("the application sums what it reads beyond the end, too")
        return self._summed

    # Memory.

    def _load(self, op: Operation) -> None:
        assert isinstance(op, nt.LoadOp)
        number = number_of(op.ref)
        if not self._tensors.is_tensor(number):
            self._set(op, Free())
            return
        self._require_indices(number, op.indices)
        sliced = self._slices.of.get(number)
        if sliced is None:
            self._set(op, self._read(number, op.result.type))
            return
        other = op.other is not None or self._tensors.sources[number].other is not None
        # One block of all has no lanes beyond the end.
        self._set(op, ByPlace(sliced.lane, self._slices.is_whole or not other))

    def _read(self, number: int, type: Attribute) -> Free:
        """The state of a block of a tensor that is not split."""
        lanes = self._tensors.lane_variables(number)
        varies: set[Axis] = set()
        for axis, _ in _varying(type).varies:
            dims = self._tensors.dims_of(number, lanes[axis])
            varies.add((axis, dims[0] if len(dims) == 1 else None))
        return Free(frozenset(varies))

    def _require_indices(self, number: int, indices: Sequence[SSAValue]) -> None:
        """Require that a tile is the same on all ranks, or that of the places."""
        sliced = self._slices.of.get(number)
        variables = self._tensors.loop_variables(number)
        for place, (variable, value) in enumerate(zip(variables, indices, strict=True)):
            state = self._of(value)
            if sliced is not None and place == sliced.loop:
                if not isinstance(state, Counter):
                    self._join_bound(value)
            elif isinstance(state, Counter):
                dims = self._tensors.dims_of(number, variable)
                if len(dims) != 1:
                    raise RefusedError(_COUNTED)
                raise JoinError(dims)
            elif not isinstance(state, Free):
                raise RefusedError(_reason([state]))

    def _join_bound(self, value: SSAValue) -> None:
        """Find the dims that a loop is over, whose variable ``value`` is."""
        loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
        if isinstance(loop, scf.ForOp) and isinstance(loop.ub.owner, nt.SizeOp):
            dims = self._tensors.dims_of_size(symbol_names(loop.ub.owner.expr.data))
            if dims and not self._slices.dims.issuperset(dims):
                raise JoinError(dims)
        raise RefusedError("no loop over all blocks along it reads them")

    def _store(self, op: Operation) -> None:
        assert isinstance(op, nt.StoreOp)
        number, state = number_of(op.ref), self._of(op.value)
        self._require_indices(number, op.indices)
        sliced = self._slices.of.get(number)
        if sliced is not None:
            found = self._lanes([state, ByPlace(sliced.lane, True)])
            assert isinstance(found, ByPlace)
            return
        if self._slices.program is not None:
            added_by(op, self._tensors, self._slices)
        name = self._tensors.names[number]
        if isinstance(state, ByPlace) and state.axis is not None:
            lanes = self._tensors.lane_variables(number)
            dims = self._tensors.dims_of(number, lanes[state.axis])
            if len(dims) == 1:
                raise JoinError(dims)
        if self._is_in_loop or self._branches or not isinstance(state, Free | Sum):
            raise RefusedError(
                f"what is stored in {name} is neither of one place along it nor a sum over all"
            )
        (self.sums if isinstance(state, Sum) else self._stored).add(number)

    def _address(self, op: Operation) -> None:
        assert isinstance(op, nt.AddressOp)
        number = number_of(op.ref)
        if number in self._slices.of:
            name = self._tensors.names[number]
            raise RefusedError(f"the application computes addresses of {name}")
        self._require_indices(number, op.indices)
        self._set(op, self._lanes([self._of(value) for value in op.coordinates]))

    def _offsets(self, op: Operation) -> None:
        assert isinstance(op, nt.OffsetsOp)
        self._require_indices(number_of(op.ref), op.indices)
        self._set(op, _varying(op.result.type))

    def _arange(self, op: Operation) -> None:
        self._set(op, Free(frozenset({(0, None)})))

    def _moved_pointers(self, op: Operation) -> None:
        self._set(op, self._lanes([self._of(value) for value in op.operands]))

    def _pointer_load(self, op: Operation) -> None:
        assert isinstance(op, nt.PointerLoadOp)
        found = self._lanes([self._of(value) for value in op.operands])
        if isinstance(found, Free):
            self._set(op, _varying(op.result.type))
        else:
            self._set(op, ByPlace(found.axis, found.guarded and op.other is None))

    def _atomic(self, op: Operation) -> None:
        assert isinstance(op, nt.AtomicOp | nt.AtomicCasOp | nt.PointerStoreOp)
        numbers = added_by(op, self._tensors, self._slices)
        states = [self._of(value) for value in op.operands]
        whole = [state for state in states if isinstance(state, Sum | Term)]
        rest = self._lanes([state for state in states if state not in whole])
        if whole:
            # A sum that a loop adds again and again is none.
            summed = self._of(op.operands[1]) == self._summed and len(whole) == 1
            if not summed or isinstance(rest, ByPlace):
                raise RefusedError(_UNFINISHED)
        elif isinstance(rest, Free):
            names = ", ".join(self._tensors.names[number] for number in sorted(numbers))
            raise RefusedError(f"what is added to {names} is the same at all places along it")
        elif not rest.guarded:
            raise RefusedError("the application adds what it reads beyond the end, too")
        self.sums |= numbers
        self._set(op, rest)

    # Control.

    def _loop(self, op: Operation) -> None:
        assert isinstance(op, scf.ForOp)
        bound = op.ub.owner
        local = isinstance(bound, nt.SizeOp) and symbol_names(bound.expr.data)
        if local and self._slices.local.intersection(local):
            self._loop_over_places(op)
            return
        self._require_free([op.lb, op.ub, op.step])
        states = [self._of(value) for value in op.iter_args]
        block = op.body.block
        while True:
            self._states.update(zip(block.args, [Free(), *states], strict=True))
            self._run(block)
            joined = [
                self._joined(state, self._of(value))
                for state, value in zip(states, _yielded(block), strict=True)
            ]
            if joined == states:
                break
            states = joined
        self._states.update(zip(op.results, states, strict=True))

    def _loop_over_places(self, op: scf.ForOp) -> None:
        if self._is_in_loop:
            raise RefusedError(_COMBINED)
        block = op.body.block
        self._states[block.args[0]] = Counter()
        slots = list(zip(block.args[1:], op.iter_args, _yielded(block), strict=True))
        kept = [own is end for own, _, end in slots]
        for slot, (own, start, _) in enumerate(slots):
            state = self._of(start)
            if not kept[slot]:
                if not isinstance(state, Sum) and not (isinstance(state, Free) and state.zero):
                    raise RefusedError("a loop along it carries what does not begin with 0")
                state = Carried(slot)
            self._states[own] = state
        self._is_in_loop = True
        self._run(block)
        self._is_in_loop = False
        for slot, (_, start, end) in enumerate(slots):
            if not kept[slot] and self._of(end) != Carried(slot):
                raise RefusedError("a loop along it carries more than a sum")
            self._states[op.results[slot]] = self._of(start) if kept[slot] else Sum()

    def _branch(self, op: Operation) -> None:
        assert isinstance(op, scf.IfOp)
        self._require_free([op.cond])
        self._branches += 1
        blocks = [block for region in op.regions for block in region.blocks]
        for block in blocks:
            self._run(block)
        self._branches -= 1
        if op.results:
            left, right = map(_yielded, blocks)
            for result, one, two in zip(op.results, left, right, strict=True):
                self._states[result] = self._joined(self._of(one), self._of(two))

    def _require_free(self, values: Sequence[SSAValue]) -> None:
        states = [self._of(value) for value in values]
        if not all(isinstance(state, Free) for state in states):
            raise RefusedError("what the application does depends on elements along it")

    def _joined(self, one: State, two: State) -> State:
        """The state of a value that is either of two."""
        match one, two:
            case _ if one == two:
                return one
            case (Free(zero=True), Sum() | Term() as other) | (
                Sum() | Term() as other,
                Free(zero=True),
            ):
                return other
            case _:
                found = self._lanes([one, two])
                return ByPlace(found.axis, False) if isinstance(found, ByPlace) else found

    _HANDLERS: ClassVar[Mapping[type[Operation], Callable[[Any, Operation], None]]] = {
        arith.ConstantOp: _constant,
        nt.ConstantOp: _constant,
        nt.SizeOp: _number,
        nt.ProgramIdOp: _number,
        nt.ProgramNumberOp: _number,
        nt.ProgramCountOp: _number,
        nt.PointerOp: _number,
        nt.AssertOp: _nothing,
        nt.AssumeOp: _nothing,
        nt.PrintOp: _nothing,
        nt.ReturnOp: _nothing,
        scf.YieldOp: _nothing,
        nt.HintOp: _same,
        nt.FullOp: _same,
        UnrealizedConversionCastOp: _same,
        nt.CastOp: _cast,
        nt.BroadcastOp: _broadcast,
        nt.ExpandDimsOp: _expand_dims,
        nt.TransOp: _trans,
        nt.ReshapeOp: _reshape,
        nt.ElementwiseOp: _elementwise,
        nt.AddPtrOp: _moved_pointers,
        nt.ReduceOp: _reduce,
        nt.ScanOp: _scan,
        nt.FlipOp: _scan,
        nt.DotOp: _dot,
        nt.LoadOp: _load,
        nt.StoreOp: _store,
        nt.AddressOp: _address,
        nt.OffsetsOp: _offsets,
        nt.ArangeOp: _arange,
        nt.PointerLoadOp: _pointer_load,
        nt.PointerStoreOp: _atomic,
        nt.AtomicOp: _atomic,
        nt.AtomicCasOp: _atomic,
        scf.ForOp: _loop,
        scf.IfOp: _branch,
    }


def _rank(value: SSAValue) -> int:
    return len(nt.shape_of(value.type))


def _yielded(block: Block) -> Sequence[SSAValue]:
    """What a loop's or a branch's block ends with."""
    assert block.last_op is not None
    return block.last_op.operands
