"""Partial results: parts write what they have found to scratch memory, and the last one combines it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1, i32
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.passes.lowering import masks
from ninetoothed.passes.lowering.parts import Function, combine_parts
from ninetoothed.passes.lowering.types import numbers
from ninetoothed.symbolic.choices import powers_between
from ninetoothed.symbolic.expr import const

_MOST_LANES = 160 * 32
"""Lanes that a warp reads at once, 160 registers of a thread: parts would wait for memory one by one."""
_UNROLLED, _STAGES = "tt.loop_unroll_factor", "tt.num_stages"
_I64 = IntegerType(64)


@dataclass(frozen=True)
class Partials:
    """Scratch memory for what parts find of the ``results`` of a loop, which ``functions`` combine.

    Programs have ``num_warps``. Each part has a place in it, by its number; that of the first part of a group is the group's,
    once it is combined.
    """

    results: tuple[SSAValue, ...]
    functions: tuple[Function, ...]
    num_warps: int

    @property
    def lanes(self) -> int:
        """The lanes of what a part has found."""
        return sum(math.prod(numbers(result.type)) for result in self.results)

    @property
    def _fitting(self) -> int:
        """How many parts are read at once."""
        return _MOST_LANES * self.num_warps // self.lanes

    def write(self, here: Inserter, values: Sequence[SSAValue], number: SSAValue) -> None:
        """Write what was found to the place with a number."""
        for position, value in enumerate(values):
            here.insert(nt.PointerStoreOp(value, self._pointers(here, position, number)))

    def arrive(self, here: Inserter, level: int, group: SSAValue, count: int) -> SSAValue:
        """Count those of a group, ``count`` in all, that have written; true in the last one."""
        # All threads have written before one of them says so.
        here.insert(nt.BarrierOp())
        one, most = (here.add(nt.constant(nt.number(value, i32))) for value in (1, count - 1))
        memory = here.add(nt.ScratchOp(f"arrivals{level}", 1, i32, True))
        before = here.add(nt.AtomicOp("add", here.add(nt.AddPtrOp(memory, group)), one))
        last = here.add(nt.ElementwiseOp("eq", [before, most], i1))
        last.name_hint = "last"
        return last

    def combine(
        self, here: Inserter, first: SSAValue, stride: int, count: int, inits: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """Combine ``inits`` and what stands at ``count`` places, one after the other: from the number
        ``first`` on, ``stride`` from each to the next.
        """
        zero, one, end = (here.add(nt.constant(nt.number(value, i32))) for value in (0, 1, count))
        body = Block(arg_types=[i32, *(value.type for value in inits)])
        loop = scf.ForOp(zero, end, one, inits, Region(body))
        # A power of two, as their number is: what is left over would be read one by one.
        at_once = min(count, powers_between(1, max(self._fitting, 1))[-1])
        if at_once > 1:
            loop.attributes[_UNROLLED] = IntegerAttr(at_once, i32)
        # No asynchronous copies: what was written just now is read behind the counter, in order.
        loop.attributes[_STAGES] = IntegerAttr(1, i32)
        here.insert(loop)
        inside = Inserter(InsertPoint.at_end(body), here.origin)
        index, *carried = body.args
        for value, result in zip(carried, self.results, strict=True):
            value.name_hint = result.name_hint
        number = inside.add(nt.ElementwiseOp("add", [first, _scaled(inside, index, stride)], i32))
        combined = combine_parts(inside, self.functions, carried, self._read(inside, number))
        inside.insert(scf.YieldOp(*combined))
        return list(loop.results)

    def _read(self, here: Inserter, number: SSAValue) -> list[SSAValue]:
        """What stands at the place with a number."""
        # Whoever acquires the counter has dropped what the multiprocessor's cache held. Loads past
        # that cache would fetch twice what two of a thread's read of one sector.
        return [
            here.add(nt.PointerLoadOp(self._pointers(here, position, number)))
            for position in range(len(self.results))
        ]

    def _pointers(self, here: Inserter, position: int, number: SSAValue) -> SSAValue:
        """The pointers to what is of the result at ``position``, at the place with a number."""
        type = self.results[position].type
        shape = numbers(type)
        lanes = math.prod(shape)
        memory = here.add(nt.ScratchOp(f"partials{position}", lanes, nt.scalar_of(type)))
        start = _scaled(here, here.add(nt.CastOp(number, _I64)), lanes)
        pointer = here.add(nt.AddPtrOp(memory, start))
        if not shape:
            return pointer
        pointers = here.add(nt.FullOp(pointer, nt.with_scalar(type, pointer.type)))
        return here.add(nt.AddPtrOp(pointers, _offsets(here, shape)))


def _scaled(here: Inserter, number: SSAValue, by: int) -> SSAValue:
    """A number, as often as ``by`` says."""
    if by == 1:
        return number
    factor = here.add(nt.constant(nt.number(by, number.type)))
    return here.add(nt.ElementwiseOp("mul", [number, factor], number.type))


def _offsets(here: Inserter, shape: Sequence[int]) -> SSAValue:
    """The numbers of a block's lanes, row-major."""
    sizes = tuple(map(const, shape))
    found: SSAValue | None = None
    for dim, size in enumerate(shape):
        row = nt.block_type((size,), i32)
        index = here.add(nt.ArangeOp(nt.ExprAttr(const(0)), row))
        if (stride := math.prod(shape[dim + 1 :])) != 1:
            strides = here.add(nt.FullOp(here.add(nt.constant(nt.number(stride, i32))), row))
            index = here.add(nt.ElementwiseOp("mul", [index, strides], row))
        index = masks.along(here, index, dim, sizes)
        if found is not None:
            index = here.add(nt.ElementwiseOp("add", [found, index], index.type))
        found = index
    assert found is not None
    return found
