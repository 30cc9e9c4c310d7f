"""Handlers of reductions, scans, sorts and histograms, of ``nt`` and of ``tt``.

A combine function over scalars, which has no control flow, runs on all pairs of lanes at once.
Adjacent lanes are combined first, the lower one always on the left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from xdsl.dialects.builtin import i32
from xdsl.ir import Block as IRBlock
from xdsl.ir import SSAValue

from ninetoothed.interpreters.element_types import INDEX, Element, convert, element_of
from ninetoothed.interpreters.elementwise import along, ordered
from ninetoothed.interpreters.machine import HANDLERS, Block, Machine, both, meet
from ninetoothed.ir import nt, tt
from ninetoothed.language.registry import Registry
from ninetoothed.language.table import REDUCTIONS, SCANS
from ninetoothed.symbolic.expr import evaluate

Function = Callable[[Element, torch.Tensor, int], torch.Tensor]


def _sum(element: Element, data: torch.Tensor, dim: int) -> torch.Tensor:
    dtype = data.dtype if element.kind == "float" else torch.int64
    return torch.sum(data, dim, dtype=dtype)


def _furthest(name: str, worst: float) -> Function:
    """``max`` or ``min`` along a dim: NaNs are ignored beside numbers."""
    reduce: Callable[..., torch.Tensor] = getattr(torch, name)

    def apply(element: Element, data: torch.Tensor, dim: int) -> torch.Tensor:
        if element.kind != "float":
            return ordered(element, reduce(ordered(element, data), dim))
        missing = torch.isnan(data)
        if not missing.any():
            return reduce(data, dim)
        found = reduce(torch.where(missing, worst, data), dim)
        return torch.where(missing.all(dim), torch.nan, found)

    return apply


def _halved(combine: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Function:
    """A reduction that torch does not have, as a tree of halves."""

    def apply(element: Element, data: torch.Tensor, dim: int) -> torch.Tensor:
        size = data.shape[dim]
        while size > 1:
            half = size // 2
            combined = combine(data.narrow(dim, 0, half), data.narrow(dim, half, half))
            data = torch.cat([combined, data.narrow(dim, 2 * half, size - 2 * half)], dim)
            size -= half
        return data.select(dim, 0)

    return apply


REDUCED: Registry[str, Function] = Registry(
    "the interpreter's reductions",
    {
        "sum": _sum,
        "max": _furthest("amax", -torch.inf),
        "min": _furthest("amin", torch.inf),
        "xor_sum": _halved(torch.bitwise_xor),
        "reduce_or": _halved(torch.bitwise_or),
    },
)


def reduce(
    name: str, element: Element, data: torch.Tensor, dim: int, identity: float | int
) -> torch.Tensor:
    """The reduction ``name`` along ``dim``; if it is empty, the identity.

    Raises:
        CompilerError: there is no such reduction.
    """
    function = REDUCED[name]
    if data.shape[dim] == 0:
        shape = [size for index, size in enumerate(data.shape) if index != dim]
        return element.number(identity).expand(shape) if shape else element.number(identity)
    return element.narrow(function(element, element.widen(data), dim))


SCANNED: Registry[str, Callable[[torch.Tensor, int], torch.Tensor]] = Registry(
    "the interpreter's scans",
    {"cumsum": torch.cumsum, "cumprod": torch.cumprod},
)


@HANDLERS.register(nt.ReduceOp)
def _reduce(machine: Machine, op: nt.ReduceOp) -> None:
    element = element_of(op.value.type)
    identity = REDUCTIONS[op.function.data].identity
    assert identity is not None
    number = identity(nt.dtype_of(op.value.type))
    data = machine.filled(op.value, element.number(number))
    data = along(data, op.dim + 1, machine.sizes(op.value.type)[op.dim])
    guard = None if machine.block(op.value).guard is None else machine.valid(op.value)
    machine.put(
        op.result,
        reduce(op.function.data, element, data, op.dim + 1, number),
        None if guard is None else guard.any(op.dim + 1),
    )


@HANDLERS.register(nt.ScanOp)
def _scan(machine: Machine, op: nt.ScanOp) -> None:
    element, dim = element_of(op.value.type), op.dim + 1
    identity = SCANS[op.function.data].identity
    assert identity is not None
    number = element.number(identity(nt.dtype_of(op.value.type)))
    data = along(machine.filled(op.value, number), dim, machine.sizes(op.value.type)[op.dim])
    data = element.widen(data.flip(dim) if op.reversed else data)
    found = element.narrow(SCANNED[op.function.data](data, dim))
    found = found.flip(dim) if op.reversed else found
    machine.put(op.result, found, machine.block(op.value).guard)


# Reductions and scans with a combine function.


@dataclass(frozen=True)
class _Lanes:
    """The operands of a combination, in one shape, and their valid lanes; None: all."""

    data: tuple[torch.Tensor, ...]
    valid: torch.Tensor | None

    def moved(self, move: Callable[[torch.Tensor], torch.Tensor]) -> _Lanes:
        """The lanes rearranged, each operand alike."""
        data = tuple(move(data) for data in self.data)
        return _Lanes(data, None if self.valid is None else move(self.valid))

    def narrow(self, dim: int, start: int, count: int) -> _Lanes:
        """``count`` consecutive lanes."""
        return self.moved(lambda data: data.narrow(dim, start, count))

    def every_other(self, dim: int, start: int, count: int) -> _Lanes:
        """``count`` lanes, the first or the second of each two."""
        indices = torch.arange(start, 2 * count, 2)
        return self.moved(lambda data: data.index_select(dim, indices))

    def then(self, other: _Lanes, dim: int) -> _Lanes:
        """Concatenate lanes."""
        pairs = zip(self.data, other.data, strict=True)
        data = tuple(torch.cat(pair, dim) for pair in pairs)
        if self.valid is None or other.valid is None:
            return _Lanes(data, None)
        return _Lanes(data, torch.cat((self.valid, other.valid), dim))


def _combined(machine: Machine, block: IRBlock, left: _Lanes, right: _Lanes) -> _Lanes:
    """Combine pairs of lanes; if one is not valid, it is the other."""
    shape = left.data[0].shape
    results = machine.run(block, [Block(data) for data in (*left.data, *right.data)])
    found = [value.data.expand(shape) for value in results if isinstance(value, Block)]
    if left.valid is None or right.valid is None:
        return _Lanes(tuple(found), None)
    chosen = [
        torch.where(left.valid, torch.where(right.valid, combined, first), second)
        for combined, first, second in zip(found, left.data, right.data, strict=True)
    ]
    return _Lanes(tuple(chosen), left.valid | right.valid)


def _reduced(machine: Machine, block: IRBlock, lanes: _Lanes, dim: int) -> _Lanes:
    """Tree reduction of all lanes along ``dim``."""
    size = lanes.data[0].shape[dim]
    while size > 1:
        pairs = size // 2
        left, right = (lanes.every_other(dim, start, pairs) for start in (0, 1))
        found = _combined(machine, block, left, right)
        lanes = found.then(lanes.narrow(dim, size - 1, 1), dim) if size % 2 else found
        size = pairs + size % 2
    return lanes.moved(lambda data: data.select(dim, 0))


def _scanned(machine: Machine, block: IRBlock, lanes: _Lanes, dim: int, reverse: bool) -> _Lanes:
    """Inclusive scan along ``dim``, in steps of 1, 2, 4 … lanes."""
    if reverse:
        lanes = lanes.moved(lambda data: data.flip(dim))
    size, step = lanes.data[0].shape[dim], 1
    while step < size:
        left, right = (lanes.narrow(dim, start, size - step) for start in (0, step))
        lanes = lanes.narrow(dim, 0, step).then(_combined(machine, block, left, right), dim)
        step *= 2
    return lanes.moved(lambda data: data.flip(dim)) if reverse else lanes


def _together(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """Expand tensors to one shape."""
    dims = zip(*(tensor.shape for tensor in tensors), strict=True)
    shape = [next((size for size in sizes if size != 1), 1) for sizes in dims]
    return [tensor.expand(shape) for tensor in tensors]


def _operands(
    machine: Machine, values: Sequence[SSAValue], valid: torch.Tensor | None, dim: int
) -> _Lanes:
    """The operands, the reduced dim in its true size."""
    size = machine.sizes(values[0].type)[dim - 1]
    tensors = [machine.data(value) for value in values] + ([] if valid is None else [valid])
    data = _together(*(along(tensor, dim, size) for tensor in tensors))
    return _Lanes(tuple(data[: len(values)]), None if valid is None else data[-1])


def _valid(machine: Machine, op: nt.Combination) -> torch.Tensor | None:
    """The lanes to combine; None: all."""
    valid: torch.Tensor | None = None
    for value in op.operands:
        valid = both(valid, machine.valid(value))
    return valid if op.valid is None else both(valid, machine.data(op.valid))


@HANDLERS.register(nt.ReduceByOp)
def _reduce_by(machine: Machine, op: nt.ReduceByOp) -> None:
    dim = op.dim + 1
    lanes = _operands(machine, op.values, _valid(machine, op), dim)
    shape = list(lanes.data[0].shape)
    if shape[dim] == 0:
        # The result of an empty reduction is a lane that is not valid.
        shape[dim] = 1
        zeros = tuple(data.new_zeros(shape) for data in lanes.data)
        lanes = _Lanes(zeros, torch.zeros(shape, dtype=torch.bool))
    lanes = _reduced(machine, op.combine.block, lanes, dim)
    _put(machine, op, lanes, lanes.valid)


@HANDLERS.register(nt.ScanByOp)
def _scan_by(machine: Machine, op: nt.ScanByOp) -> None:
    dim = op.dim + 1
    lanes = _operands(machine, op.values, _valid(machine, op), dim)
    guard = meet([machine.block(value) for value in op.operands])
    if op.valid is not None:
        guard = both(guard, machine.data(op.valid))
    lanes = _scanned(machine, op.combine.block, lanes, dim, op.reversed)
    _put(machine, op, lanes, guard)


def _put(machine: Machine, op: nt.Combination, lanes: _Lanes, guard: torch.Tensor | None) -> None:
    for result, data in zip(op.combined, lanes.data, strict=True):
        machine.put(result, data, guard)
    if op.valid is not None:
        assert lanes.valid is not None
        machine.put(op.results[-1], lanes.valid)


@HANDLERS.register(tt.ReduceOp)
def _tt_reduce(machine: Machine, op: tt.ReduceOp) -> None:
    dim = op.axis.value.data + 1
    lanes = _reduced(machine, op.combine.block, _operands(machine, op.srcs, None, dim), dim)
    for result, data in zip(op.results, lanes.data, strict=True):
        machine.put(result, data)


@HANDLERS.register(tt.ScanOp)
def _tt_scan(machine: Machine, op: tt.ScanOp) -> None:
    dim = op.axis.value.data + 1
    lanes = _operands(machine, op.srcs, None, dim)
    lanes = _scanned(machine, op.combine.block, lanes, dim, bool(op.reverse))
    for result, data in zip(op.results, lanes.data, strict=True):
        machine.put(result, data)


# Sorts and histograms.


@HANDLERS.register(nt.SortOp)
def _sort(machine: Machine, op: nt.SortOp) -> None:
    element, dim = element_of(op.value.type), op.dim + 1
    size = machine.sizes(op.value.type)[op.dim]
    first = machine.sizes(op.result.type)[op.dim]
    block, valid = machine.block(op.value), machine.valid(op.value)
    data = ordered(element, along(block.data, dim, size))
    turned = [dim] if op.reversed is not None else []
    if valid is None:
        data = _by_value(data, dim, op.falls)[0].narrow(dim, 0, first).flip(turned)
        machine.put(op.result, ordered(element, data))
        return
    # Stable: first by value, then valid lanes to the front.
    data, valid = _together(data, along(valid, dim, size))
    data, order = _by_value(data, dim, op.falls)
    valid, back = _by_value(valid.gather(dim, order).to(torch.int8), dim, True)
    found = data.gather(dim, back).narrow(dim, 0, first).flip(turned)
    guard = None if block.guard is None else valid.narrow(dim, 0, first).flip(turned) != 0
    machine.put(op.result, ordered(element, found), guard)


def _by_value(data: torch.Tensor, dim: int, falls: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Sort lanes by value; also the indices of each."""
    found: Any = torch.sort(data, dim=dim, descending=falls, stable=True)
    return found.values, found.indices


def _counts(data: torch.Tensor, counted: torch.Tensor | None, bins: int) -> torch.Tensor:
    """Histogram: the counts of each number below ``bins`` in each program."""
    inside = (data >= 0) & (data < bins)
    if counted is not None:
        data, inside = _together(data, inside & counted)
    found = torch.zeros((data.shape[0], bins + 1), dtype=torch.int64)
    found.scatter_add_(1, torch.where(inside, data, bins), torch.ones_like(data))
    return convert(found[:, :bins], INDEX, element_of(i32))


@HANDLERS.register(nt.HistogramOp)
def _histogram(machine: Machine, op: nt.HistogramOp) -> None:
    size, bins = machine.sizes(op.value.type)[0], evaluate(op.bins, machine.symbols)
    data = along(machine.data(op.value).to(torch.int64), 1, size)
    counted = machine.valid(op.value)
    if op.mask is not None:
        counted = both(both(counted, machine.valid(op.mask)), machine.data(op.mask))
    machine.put(op.result, _counts(data, counted, bins))


@HANDLERS.register(tt.HistogramOp)
def _tt_histogram(machine: Machine, op: tt.HistogramOp) -> None:
    (bins,) = tt.shape_of(op.result.type)
    data = along(machine.data(op.src).to(torch.int64), 1, machine.sizes(op.src.type)[0])
    counted = None if op.mask is None else machine.data(op.mask)
    machine.put(op.result, _counts(data, counted, bins))
