"""Lower loads and stores of tiles to pointers, offsets and masks.

The offset of a lane is the sum of source index times stride, computed at the place of the access.
Terms without block indices move the pointer, those that no loop changes first; the others are
computed along the dims that they vary along. In a loop that changes only the former, the whole
block of pointers may be moved instead, so that it is made once, in front (``pointer_blocks``):
unless it has more pointers than would stay in registers. A guard becomes a mask unless it always
holds: the ranges of program indices, lanes and loop variables are used for that. An index that may
be negative is compared with its size as an unsigned number, for then it is larger than any size. A
store's index, and any behind an op that combines lanes, is compared with the size less 1 instead
(``recomputed_masks``): LLVM would keep the bits of a load's mask until then otherwise, in registers
that more programs at once need. Not where a loop keeps them anyway. In a loop, lanes may be
compared with what is left of a size instead of indices with the size (``moving_bounds``), so that
an iteration changes one number and not all indices. By a size that the host knows, a 32-bit index
is divided by a multiplication with the host's numbers (``reciprocals``): the device has no division
of integers. Hints say how its quotients and remainders are aligned (``analysis.alignment``): Triton
finds that out of others only. Where a dividend may be negative, also one of the application, they
keep Triton from taking the division for floor division (``lowering.rounding``). Dims that were
flattened are unravelled and ravelled again, which is nothing where their strides are products of
their sizes. ``nt.offsets`` is the source index itself, or the offset; ``nt.address`` has its
coordinates in the place of the block's indices. Sizes, the program's indices and where its
sequences lie are computed once, at its start. Where a thread cannot move 16 bytes of a block at
once, a remark says which fact is missing: ``analysis.vectorization``. Neighbours that it could move
may be kept apart (``cyclic_lanes``), one a thread, by the hint that no pointers of a block are
contiguous: windows are not read in vectors, and neighbouring threads then read what lies closer
together than where each has several neighbouring windows. Along a dim that changes neither the
place nor a mask of a load, as that of a row that is added to each row, one lane is loaded, and
broadcast (``broadcast_loads``): unless a dot in the loop may multiply it, whose operands Triton
copies ahead only as they are loaded.

Why here: it needs the schedule and numeric block sizes. The passes behind hoist and merge what
accesses have in common. It requires stage ``scheduled`` and leaves no store and no guard of a tile,
stage ``addressed``. ``index_bits`` is the width of address arithmetic; of 64 bits, programs' indices
and comparisons of lanes are 32 wide where these hold them (``passes.lowering.narrow``).

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %n = nt.size <n> : i32
  %pid = tt.get_program_id 0 : i32
  %b0 = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
  %x = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %0 = arith.constant 64 : i32
  %1 = arith.muli %pid, %0 : i32
  %2 = tt.addptr %x, %1 : !tt.ptr<f32>, i32
  %3 = tt.splat %2 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %4 = tt.addptr %3, %b0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %5 = tt.splat %1 : i32 -> tensor<64xi32>
  %6 = arith.addi %5, %b0 : tensor<64xi32>
  %7 = tt.splat %n : i32 -> tensor<64xi32>
  %8 = arith.cmpi slt, %6, %7 : tensor<64xi32>
  %9 = tt.load %4, %8 : tensor<64x!tt.ptr<f32>>
  %10 = builtin.unrealized_conversion_cast %9 : tensor<64xf32> to !nt.tensor<[64] x f32>
  nt.return
}
```
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, i1, i8, i32
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ninetoothed.artifacts.occupancy import Legality
from ninetoothed.ir import nt, tt
from ninetoothed.ir.kernel_pass import JoinedLanes, KernelPass, ReorderedLanes
from ninetoothed.ir.name_hints import hint
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.language.registry import Registry
from ninetoothed.layout.access import holds
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.dense_offsets import DenseOffsets
from ninetoothed.passes.analysis.lane_moves import COMBINING
from ninetoothed.passes.analysis.loop_nests import is_in_loop
from ninetoothed.passes.lowering.descriptors import load_box, store_box
from ninetoothed.passes.lowering.index import Arithmetic, Lanes
from ninetoothed.passes.lowering.jagged import Sequence, sequences
from ninetoothed.passes.lowering.narrow import program_index
from ninetoothed.passes.lowering.persistent import go_through_programs
from ninetoothed.passes.lowering.rounding import hint_divisions
from ninetoothed.passes.lowering.tile_accesses import AccessOptions, KernelAccesses, still_dims
from ninetoothed.passes.lowering.types import bridge, lowered, numbers
from ninetoothed.passes.option_values import WIDTHS, everywhere, require_among
from ninetoothed.symbolic.expr import const, product, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import normalize

_LOWERINGS: Registry[type[Operation], Callable[[KernelAccesses, Any], None]] = Registry(
    "nt-lower-accesses"
)


@_LOWERINGS.register(nt.ProgramIndexOp)
def _schedule(kernel: KernelAccesses, op: nt.ProgramIndexOp) -> None:
    """Compute the program's scalars: sizes, its outermost index from its number, its sequences."""
    here, assumptions = kernel.before(op), kernel.assumptions
    own = sequences(kernel.kernel)
    for name in assumptions:
        if name not in own:
            size = here.inserter.add(nt.SizeOp(nt.ExprAttr(sym(name)), kernel.type))
            hint(size, name)
            kernel.values[name] = Lanes(size, ())
    number, sizes = op.program.owner, op.sizes.data
    assert isinstance(number, nt.ProgramIdOp)
    own_id = tt.GetProgramIdOp(0)
    program = here.inserter.insert(own_id).results[0]
    program.name_hint = op.program.name_hint
    if number.persistent is not None:
        kernel.persistent = own_id
    counted = kernel.values["pid"] = _counted_down(kernel, here, number, program)
    narrow: SSAValue = program
    if kernel.narrows and number.last is not None:
        narrow = Arithmetic(here.inserter, i32).resized(counted.value)
    ranges = {**assumptions, "pid": Range(const(0), product(sizes) - 1)}
    scalars = kernel.scalars(here, ranges)
    indices: list[Lanes] = []
    for expr in op.indices(sym("pid")):
        index = normalize(expr, ranges)
        if kernel.narrows:
            indices.append(program_index(scalars, index, sizes, narrow))
        else:
            indices.append(scalars.lower(index))
    if op.rows_of_group > 1:
        # They are not negative anyway, and so LLVM knows, as it does of a program's id.
        least = scalars.number(0)
        indices[-2:] = [scalars.combine(arith.MaxSIOp, one, least) for one in indices[-2:]]
    kernel.values.update({f"g{dim}": index for dim, index in enumerate(indices)})
    loaded: dict[Sequence, dict[str, SSAValue]] = {}
    for name, (sequence, symbol) in own.items():
        if sequence not in loaded:
            loaded[sequence] = sequence.load(kernel.scalars(here, sequence.ranges(assumptions)))
        kernel.values[name] = Lanes(loaded[sequence][symbol], ())
    replace(op, [index.value for index in indices])
    Rewriter.erase_op(number)


def _counted_down(
    kernel: KernelAccesses, here: Arithmetic, op: nt.ProgramIdOp, program: SSAValue
) -> Lanes:
    """The number of a program, which is counted from the last one or from 0."""
    found = Lanes(here.resized(program), ())
    if op.last is None:
        return found
    lowering = kernel.scalars(here, kernel.assumptions)
    number = lowering.combine(arith.SubiOp, lowering.lower(op.last.data), found)
    # It is not negative anyway, and so LLVM knows, as it does of a program's id.
    return lowering.combine(arith.MaxSIOp, number, lowering.number(0))


@_LOWERINGS.register(nt.ProgramIdOp)
def _program_id(kernel: KernelAccesses, op: nt.ProgramIdOp) -> None:
    # That of a program's index is lowered with it.
    if op.last is not None and isinstance(op.result.type, IntegerType):
        here = kernel.before(op)
        program = here.inserter.add(tt.GetProgramIdOp(0))
        found = _counted_down(kernel, here, op, program).value
        replace(op, [Arithmetic(here.inserter, op.result.type).resized(found)])


@_LOWERINGS.register(nt.HoldsOp)
def _holds(kernel: KernelAccesses, op: nt.HoldsOp) -> None:
    here = kernel.before(op)
    outer = {name: Range.of(0) for name in kernel.values if name not in kernel.assumptions}
    lowering = kernel.scalars(here, {**kernel.assumptions, **outer})
    found = [bits for guard in op.guards.data for bits in kernel.conditions(lowering, guard)]
    both = functools.partial(lowering.combine, arith.AndIOp)
    replace(op, [functools.reduce(both, found).value])


def _size(kernel: KernelAccesses, op: nt.SizeOp) -> None:
    """Lower a size expression of the application to arithmetic on single sizes."""
    if isinstance(op.result.type, IntegerType):
        here = kernel.before(op)
        value = kernel.scalars(here, kernel.assumptions).lower(op.expr.data).value
        replace(op, [Arithmetic(here.inserter, op.result.type).resized(value)])


@_LOWERINGS.register(nt.LoadOp)
def _load(kernel: KernelAccesses, op: nt.LoadOp) -> None:
    accessed = kernel.access(op)
    if accessed is None:
        return
    inserter = accessed.here.inserter
    if op.descriptor_dims:
        value = load_box(accessed, op.descriptor_dims)
    else:
        pointers, mask = accessed.pointers(), accessed.mask()
        other = None
        if mask is not None and op.other is not None:
            other = _other(inserter, op.other, tt.pointee_of(pointers.type))
        value = inserter.add(tt.LoadOp(pointers, mask, other, op.policy))
    type = lowered(op.result.type)
    if tt.scalar_of(type) != tt.scalar_of(value.type):
        zero = Arithmetic(inserter, i8).constant(0, tt.shape_of(value.type))
        value = inserter.add(tt.CmpiOp("ne", value, zero))
    if type != value.type:
        value = inserter.add(tt.BroadcastOp(value, tt.shape_of(type)))
    value.name_hint = op.result.name_hint
    replace(op, [bridge(inserter, value, op.result.type)])


def _other(inserter: Inserter, number: FloatAttr | IntegerAttr, type: Attribute) -> SSAValue:
    """The value of lanes that are not valid, as a block of ``type``."""
    value = inserter.add(arith.ConstantOp(nt.number(number.value.data, tt.scalar_of(type))))
    shape = tt.shape_of(type)
    return inserter.add(tt.SplatOp(value, shape)) if shape else value


@_LOWERINGS.register(nt.StoredOp)
def _stored(kernel: KernelAccesses, op: nt.StoredOp) -> None:
    value = op.value
    accessed = None if op.other is None else kernel.access(op)
    mask = None if accessed is None else accessed.mask()
    if op.other is not None and accessed is not None and mask is not None:
        inserter, type = accessed.here.inserter, lowered(op.result.type)
        other = _other(inserter, op.other, type)
        select = tt.SelectOp(mask, bridge(inserter, value, type), other)
        value = bridge(inserter, inserter.add(select), op.result.type)
    replace(op, [value])


@_LOWERINGS.register(nt.StoreOp)
def _store(kernel: KernelAccesses, op: nt.StoreOp) -> None:
    accessed = kernel.access(op)
    assert accessed is not None
    inserter = accessed.here.inserter
    if op.descriptor_dims:
        value = bridge(inserter, op.value, lowered(op.value.type))
        store_box(accessed, op.descriptor_dims, value)
    else:
        pointers, mask = accessed.pointers(), accessed.mask()
        value = bridge(inserter, op.value, lowered(op.value.type))
        if tt.scalar_of(value.type) == i1:
            value = inserter.add(tt.ExtUIOp(value, tt.block_of(tt.shape_of(value.type), i8)))
        inserter.insert(tt.StoreOp(pointers, value, mask))
    Rewriter.erase_op(op)


@_LOWERINGS.register(nt.GuardOp)
def _guard(kernel: KernelAccesses, op: nt.GuardOp) -> None:
    accessed = kernel.access(op)
    assert accessed is not None
    mask = accessed.mask()
    type = lowered(op.result.type)
    if mask is None:
        shape = numbers(op.result.type) if isinstance(op.result.type, nt.TensorType) else ()
        mask = Arithmetic(accessed.here.inserter, IntegerType(1)).constant(1, shape)
    assert mask.type == type
    replace(op, [bridge(accessed.here.inserter, mask, op.result.type)])


@_LOWERINGS.register(nt.OffsetsOp)
def _offsets(kernel: KernelAccesses, op: nt.OffsetsOp) -> None:
    accessed = kernel.access(op)
    assert accessed is not None
    dim = op.source_dim
    offset = accessed.offset() if dim is None else accessed.access.indices[dim]
    lowering = accessed.lowering
    first = {name: 0 for dim, name in enumerate(accessed.names) if dim not in op.dims}
    offset = normalize(substitute(offset, first))
    lanes = lowering.lower(offset)
    inserter = accessed.here.inserter
    value = Arithmetic(inserter, _integer(op.result.type)).resized(lanes.value)
    value = lowering.along(Lanes(value, lanes.dims), op.dims)
    replace(op, [bridge(inserter, value, op.result.type)])


@_LOWERINGS.register(nt.AddressOp)
def _address(kernel: KernelAccesses, op: nt.AddressOp) -> None:
    accessed = kernel.access(op)
    assert accessed is not None
    pointers, mask = accessed.pointers(), accessed.mask()
    inserter, ranges = accessed.here.inserter, kernel.assumptions
    for coordinate, size in zip(op.coordinates, accessed.block, strict=True):
        # The access's guard of a coordinate holds inside the block only.
        if holds(Guard(sym("b"), size), {**ranges, "b": kernel.indices.range_of(coordinate)}):
            continue
        value = bridge(inserter, coordinate, lowered(coordinate.type))
        place = Arithmetic(inserter, _integer(coordinate.type))
        assert size.value is not None
        for predicate, end in (("sge", 0), ("slt", size.value)):
            bound = place.constant(end, tt.shape_of(value.type))
            bits = inserter.add(tt.CmpiOp(predicate, value, bound))
            mask = bits if mask is None else inserter.add(arith.AndIOp(mask, bits))
    if mask is None:
        mask = Arithmetic(inserter, i1).constant(1, accessed.shape)
    found = zip((pointers, mask), op.result_types, strict=True)
    replace(op, [bridge(inserter, value, type) for value, type in found])


def _integer(type: Attribute) -> IntegerType:
    scalar = nt.scalar_of(type)
    assert isinstance(scalar, IntegerType)
    return cast("IntegerType", scalar)


def pointer_blocks_legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of blocks of pointers in front of loops (see ``compiler.optimizations``)."""
    return everywhere if any(_loads_in_loops(kernel)) else None


def moving_bounds_legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of bounds that loops move (see ``compiler.optimizations``): a guard is asked of
    lanes, and of an index between.
    """
    for op in _loads_in_loops(kernel):
        assert isinstance(op.ref, BlockArgument)
        _, attribute = nt.access_of(kernel.arranged.values[op.ref.index], kernel.assumptions)
        moved = {name for row in attribute.names[1:-1] for name in row}
        for guard in attribute.data.guards:
            names = {*symbol_names(guard.index)}
            if not (names.isdisjoint(moved) or names.isdisjoint(attribute.names[-1])):
                return everywhere
    return None


def cyclic_lanes_legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of lanes that are dealt out to threads one by one (see ``compiler.optimizations``):
    windows are read, whose lanes are no neighbours where those of what is stored are.
    """
    if nt.has_dot(kernel.apply):
        return None
    for value in kernel.arranged.values:
        _, attribute = nt.access_of(value, kernel.assumptions)
        lanes = frozenset(attribute.names[-1])
        if any(len(lanes.intersection(symbol_names(one))) > 1 for one in attribute.data.indices):
            return everywhere
    return None


def _loads_in_loops(kernel: nt.KernelOp) -> Iterator[nt.LoadOp]:
    """The loads of blocks within loops."""
    for op in kernel.apply.walk():
        if (
            isinstance(op, nt.LoadOp)
            and is_in_loop(op)
            and isinstance(op.result.type, nt.TensorType)
        ):
            yield op


@dataclass(frozen=True)
class LowerAccessesPass(AccessOptions, KernelPass):
    """Lower accesses to pointers and masks."""

    name: ClassVar[str] = "nt-lower-accesses"

    def __post_init__(self) -> None:
        require_among(self.name, "index_bits", self.index_bits, WIDTHS)
        require_among(self.name, "pointer_blocks", self.pointer_blocks, (0, 1))
        require_among(self.name, "moving_bounds", self.moving_bounds, (0, 1))
        require_among(self.name, "cyclic_lanes", self.cyclic_lanes, (0, 1))

    def joined_lanes(self, kernel: nt.KernelOp) -> Collection[JoinedLanes]:
        """Those of loads that may be broadcast."""
        found: dict[JoinedLanes, None] = {}
        offsets = DenseOffsets(kernel)
        for op in kernel.apply.walk() if self.broadcast_loads else ():
            if isinstance(op, nt.LoadOp) and isinstance(op.ref, BlockArgument):
                value = kernel.arranged.values[op.ref.index]
                source, attribute = nt.access_of(value, kernel.assumptions)
                names = attribute.names[-1]
                for dim in still_dims(offsets, source, attribute.data, names):
                    found[JoinedLanes(source.param.data, len(names), dim)] = None
        return tuple(found)

    def reordered_lanes(self, kernel: nt.KernelOp) -> Collection[ReorderedLanes]:
        """Those of boxes, which have their dims in the order of the descriptor's."""
        found: dict[ReorderedLanes, None] = {}
        for op in kernel.apply.walk():
            if isinstance(op, nt.LoadOp | nt.StoreOp) and op.descriptor_dims:
                assert isinstance(op.ref, BlockArgument)
                kind = "read" if isinstance(op, nt.LoadOp) else "write"
                param = kernel.sources[op.ref.index].param.data
                found[ReorderedLanes(param, kind)] = None
        return tuple(found)

    def apply_to(self, kernel: nt.KernelOp) -> None:
        accesses = KernelAccesses(kernel, self, nt.RemarkEmitter(kernel, self.name))
        # First: ranges are those of tiles' indices.
        hint_divisions(kernel, accesses.indices)
        ops = list(kernel.apply.walk())
        for op in ops:
            if type(op) in _LOWERINGS:
                _LOWERINGS[type(op)](accesses, op)
            accesses.are_lanes_combined |= isinstance(op, COMBINING)
        # Last: the ranges of loops are known as long as their bounds are sizes.
        for op in ops:
            if isinstance(op, nt.SizeOp):
                _size(accesses, op)
        if accesses.persistent is not None:
            go_through_programs(accesses, accesses.persistent)
