"""Addresses of a view's lanes: accesses evaluated for a chunk of programs; ``nt.load``,
``nt.stored``, ``nt.guard``, ``nt.store``.

Most accesses are linear in the block's indices, with one stride a dim for all programs. Guards that
always hold are then recognised from their bounds alone, and loads and stores of evenly spaced
programs are strided copies. Any other access is evaluated index by index, each at the shape that it
depends on.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from xdsl.ir import SSAValue

from ninetoothed.interpreters.element_types import INDEX, attribute_value, convert, element_of
from ninetoothed.interpreters.jagged import TENSORS, Number
from ninetoothed.interpreters.machine import HANDLERS, Machine, Pointer, both, by_program
from ninetoothed.interpreters.memory import Memory, View, scratch_memory
from ninetoothed.ir import nt, tt
from ninetoothed.layout.access import Guard
from ninetoothed.symbolic.expr import IndexExpr, evaluate, substitute


@dataclass(frozen=True)
class _Linear:
    """``base + sum(index * step)`` over the block's indices; dims without a step are uniform."""

    base: Number
    steps: dict[int, int]

    def plus(self, other: _Linear, factor: int = 1) -> _Linear:
        steps = dict(self.steps)
        for dim, step in other.steps.items():
            steps[dim] = steps.get(dim, 0) + factor * step
        return _Linear(self.base + other.base * factor, steps)

    def times(self, factor: Number) -> _Linear | None:
        if not self.steps:
            return _Linear(self.base * factor, {})
        if not isinstance(factor, int):
            return None
        return _Linear(self.base * factor, {dim: step * factor for dim, step in self.steps.items()})

    def bounds(self, shape: Sequence[int]) -> tuple[int, int]:
        """Bounds: the smallest and the largest value."""
        low, high = _bounds(self.base)
        for dim, step in self.steps.items():
            reach = (shape[dim] - 1) * step
            low, high = low + min(reach, 0), high + max(reach, 0)
        return low, high

    def spacing(self) -> tuple[int, int] | None:
        """The first program's base and the distance to the next, where they are evenly spaced."""
        if isinstance(self.base, int):
            return self.base, 0
        if self.base.shape[0] == 1:
            return int(self.base[0]), 0
        start, step = int(self.base[0]), int(self.base[1] - self.base[0])
        expected = torch.arange(self.base.shape[0]) * step + start
        return (start, step) if torch.equal(self.base, expected) else None


def _bounds(value: Number) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    if value.numel() == 0:
        # No lane has a value.
        return 0, 0
    low, high = torch.aminmax(value)
    return int(low), int(high)


class _Sum:
    """A sum of terms that depend on different dims, added up only where all are needed.

    A term has a leading dim of programs, as the data of a block.
    """

    def __init__(self) -> None:
        self._terms: dict[tuple[bool, ...], torch.Tensor] = {}

    def add(self, term: torch.Tensor) -> None:
        """Add a term to the one that depends on the same dims."""
        dims = tuple(size > 1 for size in term.shape)
        found = self._terms.get(dims)
        self._terms[dims] = term if found is None else found + term

    @property
    def terms(self) -> list[torch.Tensor]:
        """The terms, the smallest first."""
        return sorted(self._terms.values(), key=torch.Tensor.numel)

    def total(self) -> torch.Tensor:
        """The sum."""
        return functools.reduce(torch.add, self.terms)

    def bounds(self) -> tuple[int, int]:
        """Bounds: no value is below or above."""
        ends = [_bounds(term) for term in self.terms]
        return sum(low for low, _ in ends), sum(high for _, high in ends)


class Lanes:
    """The lanes of a view at given indices, for a chunk of programs."""

    def __init__(
        self, view: View, symbols: Mapping[str, int], indices: Mapping[str, Number]
    ) -> None:
        self._view = view
        self._shape = view.shape
        self._values: dict[str, Number] = {**symbols, **indices}
        self._dims = {name: dim for dim, name in enumerate(view.blocks)}
        rank = len(self._shape)
        self._dense_values: dict[str, Number] = {**symbols}
        for name, index in indices.items():
            dense = index if isinstance(index, int) else index.reshape(-1, *[1] * rank)
            self._dense_values[name] = dense
        for dim, name in enumerate(view.blocks):
            self._dense_values[name] = self._along(dim)
        self.offset = self._offset()

    def _along(self, dim: int) -> torch.Tensor:
        shape = [1] * (1 + len(self._shape))
        shape[1 + dim] = self._shape[dim]
        return torch.arange(self._shape[dim]).reshape(shape)

    def _linear(self, expr: IndexExpr) -> _Linear | None:
        if expr.op == "sym":
            dim = self._dims.get(expr.args[0])
            if dim is not None:
                return _Linear(0, {dim: 1})
            return _Linear(self._values[expr.args[0]], {})
        if expr.op == "const":
            return _Linear(expr.args[0], {})
        operands = [self._linear(operand) for operand in expr.args]
        left, right = operands[0], operands[-1]
        if left is None or right is None:
            return None
        if expr.op == "neg":
            return left.times(-1)
        if expr.op in ("add", "sub"):
            return left.plus(right, 1 if expr.op == "add" else -1)
        if expr.op == "mul" and not (left.steps and right.steps):
            return right.times(left.base) if right.steps else left.times(right.base)
        if left.steps or right.steps:
            return None
        return _Linear(self._evaluate(expr, self._values), {})

    def _evaluate(self, expr: IndexExpr, values: Mapping[str, Number]) -> Number:
        try:
            return evaluate(expr, values, TENSORS)
        except (ZeroDivisionError, RuntimeError):
            # Division by the size of an empty tensor, of which every lane is out of bounds.
            numbers = {name: value for name, value in values.items() if isinstance(value, int)}
            return evaluate(substitute(expr, numbers), values, TENSORS)

    def _spread(self, linear: _Linear) -> torch.Tensor:
        """The values of all lanes, at the shape that they depend on."""
        rank = len(self._shape)
        total = torch.as_tensor(linear.base).reshape(-1, *[1] * rank)
        for dim, step in linear.steps.items():
            total = total + self._along(dim) * step
        return total

    def _dense(self, expr: IndexExpr) -> torch.Tensor:
        value = torch.as_tensor(self._evaluate(expr, self._dense_values))
        return value if value.dim() else value.reshape([1] * (1 + len(self._shape)))

    def _start(self) -> Number:
        """The offset of the program's sequence, of a jagged view."""
        jagged = self._view.jagged
        if jagged is None:
            return 0
        return self._values[jagged.start] * self._view.strides[jagged.dim]

    def _offset(self) -> _Linear | None:
        total = _Linear(self._start(), {})
        for index, stride in zip(self._view.access.indices, self._view.strides, strict=True):
            linear = self._linear(index)
            scaled = None if linear is None else linear.times(stride)
            if scaled is None:
                return None
            total = total.plus(scaled)
        return total

    def offsets(self) -> torch.Tensor:
        """The offset of every lane."""
        return self._spread(self.offset) if self.offset is not None else self._terms().total()

    def located(self) -> tuple[torch.Tensor, tuple[int, int]]:
        """The offset of every lane, in a tensor of its own, and bounds: none is below or above."""
        if self.offset is not None:
            offsets, bounds = self._spread(self.offset), self.offset.bounds(self._shape)
            return offsets if self.offset.steps else offsets.clone(), bounds
        terms = self._terms()
        offsets, bounds = terms.total(), terms.bounds()
        return offsets if len(terms.terms) > 1 else offsets.clone(), bounds

    def _terms(self) -> _Sum:
        """The offset of every lane, as a sum."""
        total = _Sum()
        total.add(torch.as_tensor(self._start()).reshape(-1, *[1] * len(self._shape)))
        for index, stride in zip(self._view.access.indices, self._view.strides, strict=True):
            self._add(total, index, stride)
        return total

    def _add(self, total: _Sum, expr: IndexExpr, factor: int) -> None:
        """Add ``factor`` times an expression to a sum."""
        linear = self._linear(expr)
        if linear is not None:
            self._add_linear(total, linear, factor)
        elif expr.op in ("add", "sub"):
            left, right = expr.args
            self._add(total, left, factor)
            self._add(total, right, factor if expr.op == "add" else -factor)
        elif expr.op == "neg":
            self._add(total, expr.args[0], -factor)
        elif expr.op == "mul" and (split := self._split(expr)) is not None:
            self._add(total, split[0], split[1] * factor)
        else:
            total.add(self._dense(expr) * factor)

    def _split(self, expr: IndexExpr) -> tuple[IndexExpr, int] | None:
        """A product as an operand and a number, if one of its operands is that."""
        for operand, other in (expr.args, expr.args[::-1]):
            linear = self._linear(other)
            if linear is not None and not linear.steps and isinstance(linear.base, int):
                return operand, linear.base
        return None

    def _add_linear(self, total: _Sum, linear: _Linear, factor: int) -> None:
        base = torch.as_tensor(linear.base * factor)
        total.add(base.reshape(-1, *[1] * len(self._shape)))
        for dim, step in linear.steps.items():
            total.add(self._along(dim) * (step * factor))

    def coordinate(self, dim: int, along: Sequence[int]) -> torch.Tensor:
        """The source's coordinate of every lane, over the block's dims ``along``; of the first lane
        of the others.
        """
        first = {name: 0 for name, axis in self._dims.items() if axis not in along}
        expr = substitute(self._view.access.indices[dim], first)
        linear = self._linear(expr)
        data = self._dense(expr) if linear is None else self._spread(linear)
        return data.reshape([data.shape[0], *(data.shape[1 + axis] for axis in along)])

    def guard(self, guards: Sequence[Guard] | None = None) -> torch.Tensor | None:
        """The guard: lanes that are elements of the source, or where ``guards`` hold; None: all."""
        if guards is None:
            guards = self._view.access.guards
        masks = [mask for guard in guards for mask in self._masks(guard)]
        if not masks:
            return None
        mask = functools.reduce(torch.logical_and, sorted(masks, key=torch.Tensor.numel))
        return None if bool(mask.all()) else mask

    def _masks(self, guard: Guard) -> Iterator[torch.Tensor]:
        """Masks of one guard, whose conjunction it is."""
        size = self._evaluate(guard.size, self._values)
        least, _ = _bounds(size)
        linear = self._linear(guard.index)
        if linear is not None:
            low, high = linear.bounds(self._shape)
            if low >= 0 and high < least:
                return
            index, rest = self._spread(linear), 0
        else:
            terms = _Sum()
            self._add(terms, guard.index, 1)
            low, high = terms.bounds()
            # The terms are compared with one another: one large result instead of two.
            *others, index = terms.terms
            rest = sum(others)
        if low < 0:
            yield index >= -rest
        if high >= least:
            end = size if isinstance(size, int) else by_program(size, index)
            yield index < end - rest

    def regular(self) -> tuple[int, list[int], list[int]] | None:
        """Start, shape and steps of the lanes as a strided view, programs first; None: they are
        none.
        """
        linear = self.offset
        spacing = None if linear is None else linear.spacing()
        if linear is None or spacing is None:
            return None
        start, step = spacing
        programs = 1 if isinstance(linear.base, int) else linear.base.shape[0]
        steps = [step, *(linear.steps.get(dim, 0) for dim in range(len(self._shape)))]
        return None if min(steps) < 0 else (start, [programs, *self._shape], steps)


def _number(data: torch.Tensor) -> Number:
    return int(data.reshape(())) if data.numel() == 1 else data.to(torch.int64)


def _lanes(machine: Machine, view: View, indices: Sequence[SSAValue]) -> Lanes:
    between = [machine.data(index) for index in indices]
    named = {name: _number(data) for name, data in zip(view.between, between, strict=True)}
    # A number has no outer dims.
    named |= {name: _number(data) for name, data in zip(view.outer, machine.outer, strict=False)}
    return Lanes(view, machine.symbols, {**named, **machine.own})


def _active(machine: Machine, view: View) -> torch.Tensor | None:
    if machine.active is None:
        return None
    return machine.active.reshape(-1, *[1] * len(view.shape))


@HANDLERS.register(nt.LoadOp)
def _load(machine: Machine, op: nt.LoadOp) -> None:
    view = machine.views[op.ref]
    if isinstance(view.place, torch.Tensor):
        machine.put(op.result, view.place.reshape([1] * (1 + len(view.shape))))
        return
    read = view
    if op.clamped is not None:
        read = replace(view, access=view.access.clamped(op.clamped.data))
    lanes = _lanes(machine, read, op.indices)
    guard = lanes.guard(None if op.guards is None else op.guards.data)
    mask = both(guard, _active(machine, view))
    if machine.is_observed:
        machine.touch("read", view.place, lanes.offsets(), mask, view.shape)
    regular = None if mask is not None else lanes.regular()
    fill = None if op.other is None else view.element.number(attribute_value(op.other))
    if regular is not None:
        data = view.place.read(view.element, *regular)
    else:
        is_element = op.guards is None and guard is not None
        data = view.place.gather(view.element, *lanes.located(), mask, fill, is_element)
    machine.put(op.result, data, guard if fill is None else None)


@HANDLERS.register(nt.StoredOp)
def _stored(machine: Machine, op: nt.StoredOp) -> None:
    view = machine.views[op.ref]
    guard = _lanes(machine, view, op.indices).guard()
    data = machine.data(op.value)
    if op.other is not None and guard is not None:
        data = torch.where(guard, data, view.element.number(attribute_value(op.other)))
        guard = None
    machine.put(op.result, data, guard)


@HANDLERS.register(nt.BarrierOp, tt.BarrierOp)
def _barrier(machine: Machine, op: nt.BarrierOp | tt.BarrierOp) -> None:
    """Nothing: ops are executed in order anyway."""


@HANDLERS.register(nt.GuardOp)
def _guard(machine: Machine, op: nt.GuardOp) -> None:
    view = machine.views[op.ref]
    guard: torch.Tensor | None = None
    if isinstance(view.place, Memory):
        guard = _lanes(machine, view, op.indices).guard()
    if guard is None:
        guard = torch.ones([1] * (1 + len(view.shape)), dtype=torch.bool)
    machine.put(op.result, guard)


@HANDLERS.register(nt.StoreOp)
def _store(machine: Machine, op: nt.StoreOp) -> None:
    view = machine.views[op.ref]
    # A number is the program's own copy: a store to it has no effect.
    if 0 in view.shape or isinstance(view.place, torch.Tensor):
        return
    data = machine.data(op.value)
    lanes = _lanes(machine, view, op.indices)
    guard = lanes.guard(None if op.guards is None else op.guards.data)
    mask = both(guard, _active(machine, view))
    if machine.is_observed:
        machine.touch("write", view.place, lanes.offsets(), mask, view.shape)
    regular = None if mask is not None else lanes.regular()
    if regular is not None and data.shape[0] <= regular[1][0] and _distinct(*regular[1:]):
        view.place.write(view.element, *regular, data)
    else:
        view.place.scatter(view.element, lanes.offsets(), data, mask)


@HANDLERS.register(nt.OffsetsOp)
def _offsets(machine: Machine, op: nt.OffsetsOp) -> None:
    lanes = _lanes(machine, machine.views[op.ref], op.indices)
    dim = op.source_dim
    data = lanes.offsets() if dim is None else lanes.coordinate(dim, op.dims)
    machine.put(op.result, convert(data, INDEX, element_of(op.result.type)))


@HANDLERS.register(nt.PointerOp)
def _pointer(machine: Machine, op: nt.PointerOp) -> None:
    place = machine.views[op.ref].place
    assert isinstance(place, Memory)
    machine.values[op.result] = Pointer(place, torch.zeros(1, dtype=torch.int64))


@HANDLERS.register(nt.ScratchOp)
def _scratch(machine: Machine, op: nt.ScratchOp) -> None:
    name = op.memory.data
    if name not in machine.scratch:
        element, count = element_of(op.result.type.pointee), machine.count * op.count.value.data
        machine.scratch[name] = scratch_memory(name, element, count, op.zeroed is not None)
    machine.values[op.result] = Pointer(machine.scratch[name], torch.zeros(1, dtype=torch.int64))


@HANDLERS.register(nt.SequencesOp)
def _sequences(machine: Machine, op: nt.SequencesOp) -> None:
    memory = machine.sequences[op.ref].memory
    machine.values[op.result] = Pointer(memory, torch.zeros(1, dtype=torch.int64))


def _distinct(shape: Sequence[int], steps: Sequence[int]) -> bool:
    """True if all lanes are proved distinct elements, since the dims nest."""
    reach = 0
    for step, size in sorted(zip(steps, shape, strict=True)):
        if size > 1:
            if step <= reach:
                return False
            reach += (size - 1) * step
    return True
