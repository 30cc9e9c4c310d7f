"""Use descriptors: tiles of loops with dots are moved as boxes, without pointers and masks.

A load of a block by pointers takes an address and a comparison for each row, in each iteration, and
registers for them. Targets with tensor descriptors (TMA, from sm_90 on) copy a box of a tensor to
shared memory by one instruction of one thread, which reads zeros outside of the tensor, and write
one back. Whether that pays is for the clock to say, and so it is a choice of the tuner's (see
``compiler.optimizations``): 1 is of loads in loops with dots, 2 also of stores of kernels with dots.

An access is marked where it is a box: each dim of the block counts one dim of the source, its
guards are about these indices alone, and what lies outside reads as 0. One dim of it has stride 1;
the other strides, and where the tensor begins, are multiples of 16 bytes. A store that is cut at
the end of a row writes in pieces of 16 bytes, and rows must be multiples of these, too. Copies of
this kind are not ordered with other accesses: what the kernel writes is not read by them, nor
written twice, and programs do not wait for one another.

A descriptor is made by the host where it knows all that the descriptor consists of
(``host_descriptors``): a launch passes it, and the next one of the same tensor passes it again,
while each program of a launch makes its own anew. So that a descriptor is of the whole tensor, and
begins where the tensor does, a dim with one index that programs choose is one of the box then. No
lane of a tensor without elements is accessed, whatever its descriptor is.

Why here: guards are what they will be, and accesses are still ops of their own. It requires stage
``scheduled`` and leaves it.

Before:

```mlir
// nt-opt -p 'nt-use-descriptors{descriptors=1}'
!rows = !nt.tensor<[m, k] x f16>
!block = !nt.tensor<[64, 64] x f16>
!blocks = !nt.tensor<[k ceildiv 64] x !block>
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ? div 16>]
    grid #nt.expr<m ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !rows
  %0 = nt.access %x <[[m ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]
      if [[b0 + g0 * 64, m], [b1 + k1_0 * 64, k]]>
      : !rows -> !nt.tensor<[m ceildiv 64] x !blocks>
  nt.arranged %0 : !nt.tensor<[m ceildiv 64] x !blocks>
} apply {
^bb0(%a : !blocks):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m ceildiv 64] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !block
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %a[%i] other 0.0 : f16 : !blocks[i32] -> !block
    %w = nt.dot %v, %start, %acc : !block, !block -> !block
    scf.yield %w : !block
  }
  nt.return
}
```

After:

```mlir
!rows = !nt.tensor<[m, k] x f16>
!block = !nt.tensor<[64, 64] x f16>
!blocks = !nt.tensor<[k ceildiv 64] x !block>
nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ? div 16>]
    grid #nt.expr<m ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !rows
  %0 = nt.access %x <[[m ceildiv 64], [k ceildiv 64], [64, 64]] -> [b0 + g0 * 64, b1 + k1_0 * 64]
      if [[b0 + g0 * 64, m], [b1 + k1_0 * 64, k]]>
      : !rows -> !nt.tensor<[m ceildiv 64] x !blocks>
  nt.arranged %0 : !nt.tensor<[m ceildiv 64] x !blocks>
} apply {
^bb0(%a : !blocks):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m ceildiv 64] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !block
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (!block) : i32 {
    %v = nt.load %a[%i] other 0.0 : f16 descriptor [0, 1] by_host : !blocks[i32] -> !block
    %w = nt.dot %v, %start, %acc : !block, !block -> !block
    scf.yield %w : !block
  }
  nt.return
}
```
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr, i1
from xdsl.ir import Attribute, BlockArgument, Operation

from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality
from ninetoothed.dtype import DTYPES
from ninetoothed.ir import nt, tt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.alias_sets import AliasAnalysis
from ninetoothed.passes.analysis.boxes import Box, box_of
from ninetoothed.passes.analysis.index_values import IndexValues
from ninetoothed.passes.analysis.loop_nests import Loop, enclosing, is_in_loop
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.passes.analysis.scalars import constant_value
from ninetoothed.passes.analysis.waiting import may_wait
from ninetoothed.passes.lowering.jagged import sequences
from ninetoothed.passes.option_values import WIDTHS, require_among
from ninetoothed.symbolic.divisibility import known_divisor
from ninetoothed.symbolic.expr import IndexExpr, const, ir_text, symbol_names
from ninetoothed.symbolic.intervals import Assumptions, Range
from ninetoothed.symbolic.normal_form import always_less, always_nonnegative, normalize

_LOADS, _STORES = 1, 2
"""Values of the choice."""
_BYTES = 16
"""What addresses and strides are multiples of."""
_LONGEST = 256
"""Of a box's dims."""
_AT_LEAST_1 = Range.of(1)

_Access = nt.LoadOp | nt.StoreOp


@dataclass(frozen=True)
class _Descriptor:
    """A box, and the source's dims that its descriptor has, the contiguous one last."""

    box: Box
    dims: tuple[int, ...]


class _Boxes:
    """The accesses of one kernel, as boxes."""

    def __init__(self, kernel: nt.KernelOp, index_bits: int) -> None:
        self.kernel = kernel
        self._index_bits = index_bits
        self._indices = IndexValues(kernel, index_bits, of_host=False)
        self._aliases = AliasAnalysis(kernel)
        ops = list(kernel.apply.walk())
        effects = map(self._aliases.effect, ops)
        self._effects = [one for one in effects if one is not None]
        self._waiting = next(filter(_meets_others, ops), None)
        self._divisors = kernel.divisors
        self._sizes = kernel.assumptions
        self._of_host = frozenset(self._sizes) - sequences(kernel).keys()

    def accesses(self) -> Iterator[_Access]:
        """The loads and stores of blocks of tensors."""
        for op in self.kernel.apply.walk():
            if isinstance(op, _Access):
                is_tensor = self.source(op).kind.data == "tensor"
                if is_tensor and isinstance(_block(op), nt.TensorType):
                    yield op

    def source(self, op: _Access) -> nt.SourceOp:
        """The parameter that an access is of."""
        assert isinstance(op.ref, BlockArgument)
        return self.kernel.sources[op.ref.index]

    def _arranged(self, op: _Access) -> tuple[nt.SourceOp, nt.AccessAttr]:
        assert isinstance(op.ref, BlockArgument)
        return nt.access_of(self.kernel.arranged.values[op.ref.index], self._sizes)

    def guards(self, op: _Access) -> tuple[Guard, ...]:
        """The guards of an access, also those that are clamped."""
        guards = self._arranged(op)[1].data.guards
        if op.guards is not None:
            guards = op.guards.data
        clamped = op.clamped if isinstance(op, nt.LoadOp) else None
        return guards if clamped is None else (*guards, *clamped.data)

    def box(self, op: _Access) -> tuple[Box, list[Range]]:
        """The box of an access, as far as sizes and strides do not matter, and the ranges of the
        indices of programs and iterations.

        Raises:
            Refusal: it is none, or must be ordered with other accesses.
        """
        self._check_order(op)
        source, attribute = self._arranged(op)
        if source.jagged is not None:
            raise Refusal(op, "it consists of sequences")
        if nt.scalar_of(source.result.type) == i1:
            raise Refusal(op, "its elements are bits")
        access, names = attribute.data, attribute.names
        access = replace(access, guards=self.guards(op))
        ranges = dict(self._sizes)
        fixed: dict[str, IndexExpr | int] = {}
        for row, sizes in ((names[0], access.levels[0]), (names[-1], access.levels[-1])):
            for name, size in zip(row, sizes, strict=True):
                ranges[name] = Range(const(0), size - 1)
                if size.value == 1:
                    fixed[name] = 0
        local = [name for row in names[1:-1] for name in row]
        for name, index in zip(local, op.indices, strict=True):
            ranges[name] = self._indices.range_of(index)
            if isinstance(known := constant_value(index), int):
                fixed[name] = known
        varying = local if is_in_loop(op) else ()
        access = access.substitute(fixed)
        box = box_of(op, source.sizes, access, names[-1], varying, ranges)
        if sum(one.lane is not None for one in box.dims.values()) < 2:
            raise Refusal(op, "its block has fewer than two dims")
        if len(box.dims) > tt.MOST_DIMS:
            raise Refusal(
                op, f"the box has {len(box.dims)} dims, and at most {tt.MOST_DIMS} may be"
            )
        is_clipped = any(one.is_clipped for one in box.dims.values())
        if is_clipped and isinstance(op, nt.LoadOp) and op.other is not None:
            number = op.other.value.data
            if number != 0 or math.copysign(1, number) < 0:
                raise Refusal(op, f"lanes outside read {number}, and not 0")
        return box, [ranges[name] for name in (*names[0], *local)]

    def _check_order(self, op: _Access) -> None:
        if isinstance(op, nt.LoadOp):
            loops = [one for one in enclosing(op) if isinstance(one, Loop)]
            if not any(map(nt.has_dot, (region for loop in loops for region in loop.regions))):
                raise Refusal(op, "no loop with a dot reads it")
        elif is_in_loop(op):
            raise Refusal(op, "iterations that write one element are not ordered")
        own = self._aliases.effect(op)
        assert own is not None
        if self._waiting is not None:
            raise Refusal(op, f"by {self._waiting.name} a program may wait for another")
        for other in self._effects:
            matters = other.kind != "read" or isinstance(op, nt.StoreOp)
            if other.op is not op and matters and other.may_alias(own.alias_sets):
                raise Refusal(op, self._aliases.overlap(op, other.op))

    def descriptor(self, op: _Access) -> _Descriptor:
        """The descriptor for an access, that each program makes.

        Raises:
            Refusal: there is no descriptor for it.
        """
        (box, indices), source = self.box(op), self.source(op)
        if self._index_bits > 32:
            raise Refusal(op, "its sizes may need more than 32 bits")
        if not source.aligned.value.data:
            raise Refusal(op, f"it is not known to begin at a multiple of {_BYTES} bytes")
        lanes = [dim for dim, one in box.dims.items() if one.lane is not None]
        units = [dim for dim in lanes if source.strides.data[dim].value == 1]
        if len(units) != 1:
            raise Refusal(op, "no dim of its block, or more than one, has stride 1")
        (unit,) = units
        least = _BYTES * 8 // DTYPES[nt.dtype_of(source.result.type)].bits
        for dim, stride in enumerate(source.strides.data):
            is_first = dim in box.fixed and box.fixed[dim].value == 0
            if dim != unit and not is_first and self._divisor(source, dim) < least:
                no = "is no" if stride.value is not None else "is not known to be a"
                raise Refusal(op, f"stride `{ir_text(stride)}` {no} multiple of {least}")
        block = nt.shape_of(_block(op))
        for dim in lanes:
            lane = box.dims[dim].lane
            assert lane is not None
            length = block[lane].value or 0
            if length > _LONGEST:
                raise Refusal(op, f"dim {lane} of its block has {length} lanes, over {_LONGEST}")
            if dim == unit and length < least:
                raise Refusal(op, f"a row of its block has fewer than {_BYTES} bytes")
        positive = _positive(indices, self._sizes)
        sizes = {**self._sizes, **{one.args[0]: _AT_LEAST_1 for one in positive if one.op == "sym"}}
        for one in box.dims.values():
            # A descriptor has no dim without elements: it would be taken for a long one.
            is_positive = one.end in positive or always_less(0, one.end, sizes)
            if one.is_clipped and not is_positive:
                raise Refusal(op, f"`{ir_text(one.end)}` may be 0")
        row = box.dims[unit]
        is_cut = isinstance(op, nt.StoreOp) and row.is_clipped
        if is_cut and known_divisor(row.end, self._divisors) < least:
            raise Refusal(op, f"`{ir_text(row.end)}` is not known to be a multiple of {least}")
        # Dims of one element first: Triton leaves these out by itself.
        dims = (
            *(dim for dim in box.dims if dim not in lanes),
            *(dim for dim in lanes if dim != unit),
            unit,
        )
        return _Descriptor(box, dims)

    def of_host(self, op: _Access, own: _Descriptor) -> _Descriptor:
        """The descriptor in the place of one that a program makes, if the host makes it.

        Raises:
            Refusal: it cannot.
        """
        source = self.source(op)
        moved = (dim for dim, index in own.box.fixed.items() if index.value != 0)
        dims = (*moved, *own.dims)
        if len(dims) > tt.MOST_DIMS:
            text = (
                f"one of the whole tensor has {len(dims)} dims, and at most {tt.MOST_DIMS} may be"
            )
            raise Refusal(op, text)
        ends = (one.end for one in own.box.dims.values())
        for number in (*ends, *source.sizes, *(source.strides.data[dim] for dim in dims)):
            if not self._of_host.issuperset(symbol_names(number)):
                raise Refusal(op, f"the host does not know `{ir_text(number)}`")
        return _Descriptor(own.box, dims)

    def _divisor(self, source: nt.SourceOp, dim: int) -> int:
        rows = (source.strides, source.strides if source.computed is None else source.computed)
        return max(known_divisor(row.data[dim], self._divisors) for row in rows)


def _positive(indices: Iterable[Range], sizes: Assumptions) -> set[IndexExpr]:
    """Sizes that are at least 1, since there is an index in each of these ranges."""
    found: set[IndexExpr] = set()
    counts = [
        normalize(one.upper + 1)
        for one in indices
        if one.upper is not None and one.lower is not None
        if always_nonnegative(one.lower, sizes)
    ]
    while counts:
        count = counts.pop()
        found.add(count)
        if count.op == "min":
            counts += count.operands
        elif count.op in ("ceildiv", "floordiv"):
            counts.append(count.args[0])
    return found


def _meets_others(op: Operation) -> bool:
    """True if by ``op`` a program may wait for another, or let another go on."""
    return isinstance(op, nt.AtomicOp | nt.AtomicCasOp) or may_wait(op)


def _block(op: _Access) -> Attribute:
    return op.result.type if isinstance(op, nt.LoadOp) else op.value.type


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of descriptors (see ``compiler.optimizations``): the GPU has them, the footprint says
    that tensors are aligned, and what is stored fits shared memory, out of which it is written.
    """
    if not nt.has_dot(kernel.apply):
        return None
    boxes = _Boxes(kernel, index_bits=32)
    kinds: set[str] = set()
    for op in boxes.accesses():
        with contextlib.suppress(Refusal):
            boxes.box(op)
            kinds.add("load" if isinstance(op, nt.LoadOp) else "store")
    return partial(_legal, frozenset(kinds)) if kinds else None


def _legal(kinds: frozenset[str], footprint: Footprint, unit: Architecture) -> tuple[int, ...]:
    if not unit.descriptors:
        return ()
    streams = [
        one
        for scope in footprint.scopes
        for one in scope.streams
        if one.is_wide and (scope.dots or one.kind == "store")
    ]
    if any(one.lanes * one.bytes > unit.shared_per_block for one in streams if one.kind == "store"):
        kinds -= {"store"}
    wide = kinds & {one.kind for one in streams}
    return tuple(value for value, kind in ((_LOADS, "load"), (_STORES, "store")) if kind in wide)


@dataclass(frozen=True)
class UseDescriptorsPass(KernelPass):
    """Mark the accesses that go through tensor descriptors."""

    name: ClassVar[str] = "nt-use-descriptors"
    # Clamped lanes are lanes outside of a box.
    drops_reads: ClassVar[bool] = True

    descriptors: int = 0
    """0: all accesses have pointers; 1: loads go through descriptors; 2: stores, too."""

    host_descriptors: bool = True
    """The host makes the descriptors that it can make."""

    index_bits: int = 32
    """The width of address arithmetic, 32 or 64."""

    def __post_init__(self) -> None:
        require_among(self.name, "descriptors", self.descriptors, (0, _LOADS, _STORES))
        require_among(self.name, "index_bits", self.index_bits, WIDTHS)

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        if not (self.descriptors or remarks) or not nt.has_dot(kernel.apply):
            return
        boxes = _Boxes(kernel, self.index_bits)
        for op in boxes.accesses():
            name = boxes.source(op).param.data
            least = _LOADS if isinstance(op, nt.LoadOp) else _STORES
            try:
                descriptor = boxes.descriptor(op)
            except Refusal as refusal:
                remarks.missed(op, f"pointers to `{name}` kept: {refusal.reason}")
                continue
            if self.descriptors >= least:
                if isinstance(op, nt.LoadOp) and op.clamped is not None:
                    # Boxes are bounded by themselves.
                    op.guards, op.clamped = nt.GuardsAttr(boxes.guards(op)), None
                remarks.passed(op, f"box of `{name}` moved through a descriptor")
                try:
                    if not self.host_descriptors:
                        raise Refusal(op, "host_descriptors is off")
                    descriptor = boxes.of_host(op, descriptor)
                    op.by_host = UnitAttr()
                    remarks.passed(op, f"descriptor of `{name}` made by the host")
                except Refusal as refusal:
                    reason = refusal.reason
                    remarks.missed(op, f"descriptor of `{name}` made by each program: {reason}")
                op.descriptor = nt.ExprsAttr.of(descriptor.dims)
            else:
                value = self.descriptors
                text = f"descriptors is {value}, and may be {least} where the GPU has them"
                remarks.analysis(op, f"pointers to `{name}` kept: {text}")
