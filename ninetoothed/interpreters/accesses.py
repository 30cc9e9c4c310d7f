"""Addresses of a view's lanes: accesses evaluated for a chunk of programs; ``nt.load``,
``nt.stored``, ``nt.guard``, ``nt.store``.

Most accesses are linear in the block's indices, with one stride a dim for all programs. Guards that
always hold are then recognised from their bounds alone, and loads and stores of evenly spaced
programs are strided copies. Any other access is evaluated index by index, each at the shape that it
depends on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from xdsl.ir import SSAValue

from ninetoothed.interpreters.element_types import INDEX, attribute_value, convert, element_of
from ninetoothed.interpreters.jagged import TENSORS, Number
from ninetoothed.interpreters.machine import HANDLERS, Machine, Pointer, both, by_program
from ninetoothed.interpreters.memory import Memory, View
from ninetoothed.ir import nt, tt
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
    low, high = torch.aminmax(value)
    return int(low), int(high)


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
        if self.offset is not None:
            return self._spread(self.offset)
        total = torch.as_tensor(self._start()).reshape(-1, *[1] * len(self._shape))
        for index, stride in zip(self._view.access.indices, self._view.strides, strict=True):
            total = total + self._dense(index) * stride
        return total

    def coordinate(self, dim: int, along: Sequence[int]) -> torch.Tensor:
        """The source's coordinate of every lane, over the block's dims ``along``; of the first lane
        of the others.
        """
        first = {name: 0 for name, axis in self._dims.items() if axis not in along}
        expr = substitute(self._view.access.indices[dim], first)
        linear = self._linear(expr)
        data = self._dense(expr) if linear is None else self._spread(linear)
        return data.reshape([data.shape[0], *(data.shape[1 + axis] for axis in along)])

    def guard(self) -> torch.Tensor | None:
        """The guard: lanes that are elements of the source; None: all."""
        mask: torch.Tensor | None = None
        for guard in self._view.access.guards:
            size = self._evaluate(guard.size, self._values)
            low_end, high_end = _bounds(size)
            linear = self._linear(guard.index)
            if linear is None:
                index = self._dense(guard.index)
                low, high = -1, high_end
            else:
                low, high = linear.bounds(self._shape)
                if low >= 0 and high < low_end:
                    continue
                index = self._spread(linear)
            if low < 0:
                mask = both(mask, index >= 0)
            if high >= low_end:
                end = size if isinstance(size, int) else by_program(size, index)
                mask = both(mask, index < end)
        return None if mask is None or bool(mask.all()) else mask

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
    lanes = _lanes(machine, view, op.indices)
    guard = lanes.guard()
    mask = both(guard, _active(machine, view))
    if machine.trace is not None:
        machine.touch("read", view.place, lanes.offsets(), mask, view.shape)
    regular = None if mask is not None else lanes.regular()
    if regular is not None:
        data = view.place.read(view.element, *regular)
    else:
        data = view.place.gather(view.element, lanes.offsets(), mask)
    _put(machine, op, view, data, guard)


@HANDLERS.register(nt.StoredOp)
def _stored(machine: Machine, op: nt.StoredOp) -> None:
    view = machine.views[op.ref]
    guard = _lanes(machine, view, op.indices).guard()
    _put(machine, op, view, machine.data(op.value), guard)


def _put(
    machine: Machine,
    op: nt.TileRead,
    view: View,
    data: torch.Tensor,
    guard: torch.Tensor | None,
) -> None:
    """Set the result to ``data``, and to ``other`` outside the guard."""
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
    mask = both(lanes.guard(), _active(machine, view))
    if machine.trace is not None:
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
