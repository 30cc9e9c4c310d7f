"""Lower loads and stores of tiles to pointers, offsets and masks.

The offset of a lane is the sum of source index times stride, computed at the place of the access.
Terms without block indices move the pointer, those that no loop changes first; the others are
computed along the dims that they vary along. In a loop that changes only the former, the whole block
of pointers may be moved instead, so that it is made once, in front (``pointer_blocks``): unless it
has more pointers than would stay in registers. A guard becomes a mask unless it always holds: the
ranges of program indices, lanes and loop variables are used for that. An index that may be negative
is compared with its size as an unsigned number, for then it is larger than any size. Hints say how
its quotients and remainders are aligned (``analysis.alignment``): Triton finds that out of others
only. Dims that were flattened are unravelled and ravelled again, which is nothing where their
strides are products of their sizes. ``nt.offsets`` is the source index itself, or the offset;
``nt.address`` has its coordinates in the place of the block's indices. Sizes, the program's indices
and where its sequences lie are computed once, at its start.

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
import math
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from typing import Any, ClassVar, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, i1, i8
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality
from ninetoothed.ir import nt, tt
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.name_hints import hint
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.language.registry import Registry
from ninetoothed.layout.access import Access, holds
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.dense_offsets import DenseOffsets, divisions
from ninetoothed.passes.analysis.scalars import constant_value, loop_range, range_of
from ninetoothed.passes.analysis.vectorization import lanes_at_once
from ninetoothed.passes.analysis.writes import enclosing
from ninetoothed.passes.lowering.index import (
    INDEX_TYPES,
    Arithmetic,
    IndexLowering,
    Lanes,
    Term,
    terms,
)
from ninetoothed.passes.lowering.jagged import Sequence, sequences
from ninetoothed.passes.lowering.narrow import narrow_sides, program_index
from ninetoothed.passes.lowering.types import bridge, in_memory, lowered, numbers
from ninetoothed.symbolic.expr import (
    IndexExpr,
    const,
    ir_text,
    product,
    substitute,
    sym,
    symbol_names,
)
from ninetoothed.symbolic.intervals import Assumptions, Range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize

_AccessOp = nt.LoadOp | nt.StoredOp | nt.StoreOp | nt.GuardOp | nt.OffsetsOp | nt.AddressOp

# A program of four warps has 64 registers a thread for them. More are not kept over a loop.
_MOST_POINTERS = 1 << 13

_BELOW = functools.partial(tt.CmpiOp, "slt")
_BELOW_UNSIGNED = functools.partial(tt.CmpiOp, "ult")
_NOT_BELOW = functools.partial(tt.CmpiOp, "sge")


class _Kernel:
    """Lowering of one kernel, with the scalars of its programs by symbol: sizes, strides, outermost
    indices, starts and lengths of sequences.
    """

    def __init__(self, kernel: nt.KernelOp, options: LowerAccessesPass) -> None:
        self.kernel = kernel
        self.options = options
        self.remarks = nt.RemarkEmitter(kernel, options.name)
        self.type = INDEX_TYPES[options.index_bits]
        self.assumptions = kernel.assumptions
        self.values: dict[str, Lanes] = {}
        self.narrows = options.narrow_indices and options.index_bits > 32
        self.offsets = DenseOffsets(kernel)
        self.divisors: dict[str, int] | None = None
        if options.alignment_facts:
            self.divisors = {decl.name: decl.divisor for decl in kernel.declarations}

    def before(self, op: Operation) -> Arithmetic:
        """Address arithmetic in front of ``op``."""
        return Arithmetic(Inserter.before(op), self.type)

    def scalars(self, here: Arithmetic, ranges: Assumptions) -> IndexLowering:
        """Lowering of expressions over the program's scalars."""
        divisors = self.divisors
        return IndexLowering(here, self.values, (), frozenset(), ranges, divisors=divisors)

    def conditions(self, lowering: IndexLowering, guard: Guard) -> list[Lanes]:
        """The conditions whose conjunction a guard is."""
        ranges = lowering.assumptions
        by_strides = self.offsets.by_strides
        index, size = (lowering.lower(by_strides(expr)) for expr in (guard.index, guard.size))
        if always_nonnegative(guard.index, ranges):
            return [lowering.combine(_BELOW, index, size)]
        if self.options.unsigned_tests and always_nonnegative(guard.size, ranges):
            # A negative index is a large one.
            return [lowering.combine(_BELOW_UNSIGNED, index, size)]
        below = lowering.combine(_BELOW, index, size)
        return [below, lowering.combine(_NOT_BELOW, index, lowering.number(0))]

    def access(self, op: _AccessOp) -> _Accessed | None:
        """The lowering of an access to a tile; None for numbers passed by value."""
        assert isinstance(op.ref, BlockArgument)
        value = self.kernel.arranged.values[op.ref.index]
        source, attribute = nt.access_of(value, self.assumptions)
        if source.kind.data != "tensor":
            return None
        return _Accessed(self, op, source, attribute, self.before(op))


class _Accessed:
    """Lowering of one load, store or guard: its pointers and its mask."""

    def __init__(
        self,
        kernel: _Kernel,
        op: _AccessOp,
        source: nt.SourceOp,
        attribute: nt.AccessAttr,
        here: Arithmetic,
    ) -> None:
        self.op = op
        self.kernel = kernel
        self.source = source
        self.here = here
        names = attribute.names
        access = attribute.data
        if isinstance(op, nt.LoadOp) and op.guards is not None:
            access = replace_fields(access, guards=op.guards.data)
        several = len(access.levels) > 1
        self.block = access.levels[-1] if several else ()
        self.names = names[-1] if several else ()
        ranges = dict(kernel.assumptions)
        # Dims of size 1 have the index 0.
        fixed: dict[str, IndexExpr | int] = {}
        for row, sizes in ((names[0], access.levels[0]), (self.names, self.block)):
            for name, size in zip(row, sizes, strict=True):
                ranges[name] = Range(const(0), size - 1)
                if size.value == 1:
                    fixed[name] = 0
        values = dict(kernel.values)
        local = [name for row in names[1:-1] for name in row]
        for name, index in zip(local, op.indices, strict=True):
            values[name] = Lanes(here.resized(index), ())
            ranges[name] = loop_range(index, kernel.assumptions)
            if isinstance(known := constant_value(index), int):
                fixed[name] = known
        lanes: dict[int, str] = {}
        self.rows: dict[str, Lanes] = {}
        if isinstance(op, nt.AddressOp):
            self.shape = tt.shape_of(lowered(op.exists.type))
            for name, coordinate in zip(self.names, op.coordinates, strict=True):
                value = bridge(here.inserter, coordinate, lowered(coordinate.type))
                values[name] = Lanes(here.resized(value), self.all_dims)
                local.append(name)
                if isinstance(known := constant_value(coordinate), int):
                    fixed[name] = known
        else:
            self.shape = tuple(size.value or 0 for size in self.block)
            for dim, name in enumerate(self.names):
                if name not in fixed:
                    row = here.inserter.add(tt.MakeRangeOp(0, self.shape[dim]))
                    hint(row, name)
                    lanes[dim] = name
                    self.rows[name] = Lanes(row, (dim,))
                    values[name] = Lanes(here.resized(row), (dim,))
        self.ranges = ranges
        self.access: Access = access.substitute(fixed)
        self.lowering = IndexLowering(
            here, values, self.shape, frozenset(local), ranges, lanes, kernel.divisors
        )

    @property
    def all_dims(self) -> tuple[int, ...]:
        return tuple(range(len(self.shape)))

    @functools.cached_property
    def last(self) -> dict[str, int]:
        """The last lane of the block."""
        sizes = (1 if size.value is None else size.value for size in self.block)
        return {name: size - 1 for name, size in zip(self.names, sizes, strict=True)}

    def offset(self) -> IndexExpr:
        """The distance from the source's first element."""
        return self.kernel.offsets.offset(self.source, self.access.indices)

    def pointers(self) -> SSAValue:
        """The block of pointers; of a tile of no dims, one pointer."""
        lowering, add = self.lowering, self.here.inserter.add
        moves: dict[bool, list[Term]] = {False: [], True: []}
        along: list[Term] = []
        for minus, term in terms(self.offset()):
            if lowering.dims_of(term):
                along.append((minus, term))
            elif term.value != 0:
                moves[lowering.is_local(term)].append((minus, term))
        element = in_memory(nt.scalar_of(self.source.result.type))
        pointer = add(nt.PointerOp(self.op.ref, tt.PointerType(element)))
        hint(pointer, self.source.param.data)
        if moves[False]:
            pointer = add(tt.AddPtrOp(pointer, lowering.sum(moves[False]).value))
        if self.kernel.remarks:
            self._remark_on_dims()
        refusal = self._refusal(along)
        is_moved_last = refusal is None
        if self.kernel.remarks and along:
            varies = bool(moves[True]) or any(lowering.is_local(term) for _, term in along)
            self._remark_on_pointers(refusal if varies else "")
        if moves[True] and not is_moved_last:
            pointer = add(tt.AddPtrOp(pointer, lowering.sum(moves[True]).value))
        if not self.shape:
            return pointer
        block = add(tt.SplatOp(pointer, self.shape))
        if not along:
            return block
        block = add(tt.AddPtrOp(block, lowering.along(lowering.sum(along), self.all_dims)))
        if moves[True] and is_moved_last:
            move = lowering.along(lowering.sum(moves[True]), self.all_dims)
            block = add(tt.AddPtrOp(block, move))
        return block

    def _refusal(self, along: list[Term]) -> str | None:
        """Why the block of pointers is not made in front of a loop, and moved in each iteration;
        None: it is. Empty: there is no loop, or no block.
        """
        chosen = self.kernel.options.pointer_blocks > 0
        if not along or not (chosen or self.kernel.remarks) or not _is_in_loop(self.op):
            return ""
        if any(self.lowering.is_local(term) for _, term in along):
            return "the loop changes the distances between them"
        count = math.prod(self.shape) // self._lanes_at_once
        if count > _MOST_POINTERS:
            return f"there are {count}, and more than {_MOST_POINTERS} would not stay in registers"
        return None if chosen else "the choice pointer_blocks is 0"

    @functools.cached_property
    def _lanes_at_once(self) -> int:
        return lanes_at_once(self.kernel.kernel, self.source)

    def _remark_on_dims(self) -> None:
        name, remarks = self.source.param.data, self.kernel.remarks
        if not divisions(*self.access.indices):
            return
        if self.kernel.offsets.spares(self.source, self.access.indices):
            text = "its strides are products of its sizes"
            remarks.passed(self.op, f"dims of `{name}` addressed as one: {text}")
        else:
            text = "its strides are not known to be products of its sizes, as a contiguous tensor's"
            remarks.missed(self.op, f"offsets of `{name}` need divisions: {text}")

    def _remark_on_pointers(self, refusal: str | None) -> None:
        name, remarks = self.source.param.data, self.kernel.remarks
        if refusal is None:
            remarks.passed(self.op, f"pointers to `{name}` computed in front of the loop")
        elif refusal:
            remarks.missed(self.op, f"pointers to `{name}` computed in each iteration: {refusal}")
        if self._lanes_at_once == 1:
            strides = self.source.strides.data
            has_unit = any(stride.value == 1 for stride in strides)
            text = (
                "a stride is not known to be a multiple of 16 bytes"
                if has_unit
                else "no stride is 1"
            )
            remarks.missed(self.op, f"`{name}` accessed element by element: {text}")

    def mask(self) -> SSAValue | None:
        """The mask, one bit a lane; None where every guard always holds."""
        lowering, remarks = self.lowering, self.kernel.remarks
        conditions: list[Lanes] = []
        for guard in self.access.guards:
            if holds(guard, self.ranges):
                continue
            if remarks:
                name, low = self.source.param.data, always_nonnegative(guard.index, self.ranges)
                text = f"{'' if low else '0 <= '}{ir_text(guard.index)} < {ir_text(guard.size)}"
                remarks.missed(self.op, f"mask of `{name}` kept: `{text}` is not proved")
            # A block's last lane must not wrap, be it inside or not.
            last = normalize(
                substitute(guard.index, dict.fromkeys(symbol_names(guard.index), 0) | self.last)
            )
            if last.value is not None:
                lowering.check(last.value)
            sides = None
            if self.kernel.narrows and always_nonnegative(guard.index, self.ranges):
                sides = narrow_sides(lowering, guard, normalize(self.offset()), self.rows)
            if sides is not None:
                conditions.append(lowering.combine(_BELOW, *sides))
                continue
            conditions += self.kernel.conditions(lowering, guard)
        if not conditions:
            if remarks and self.access.guards:
                remarks.passed(
                    self.op, f"`{self.source.param.data}` needs no mask: its guards always hold"
                )
            return None
        both = functools.partial(lowering.combine, arith.AndIOp)
        return lowering.along(functools.reduce(both, conditions), self.all_dims)


def _is_in_loop(op: Operation) -> bool:
    return any(isinstance(one, scf.ForOp | scf.WhileOp) for one in enclosing(op))


_LOWERINGS: Registry[type[Operation], Callable[[_Kernel, Any], None]] = Registry(
    "nt-lower-accesses"
)


@_LOWERINGS.register(nt.ProgramIndexOp)
def _schedule(kernel: _Kernel, op: nt.ProgramIndexOp) -> None:
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
    program = here.inserter.add(tt.GetProgramIdOp(0))
    program.name_hint = op.program.name_hint
    kernel.values["pid"] = _counted_down(kernel, here, number, program)
    ranges = {**assumptions, "pid": Range(const(0), product(sizes) - 1)}
    indices: list[Lanes] = []
    for dim, size in enumerate(sizes):
        index = sym("pid") // product(sizes[dim + 1 :])
        if dim:
            index = index % size
        index = normalize(index, ranges)
        scalars = kernel.scalars(here, ranges)
        if kernel.narrows:
            indices.append(program_index(scalars, index, sizes, program))
        else:
            indices.append(scalars.lower(index))
    kernel.values.update({f"g{dim}": index for dim, index in enumerate(indices)})
    loaded: dict[Sequence, dict[str, SSAValue]] = {}
    for name, (sequence, symbol) in own.items():
        if sequence not in loaded:
            loaded[sequence] = sequence.load(kernel.scalars(here, sequence.ranges(assumptions)))
        kernel.values[name] = Lanes(loaded[sequence][symbol], ())
    replace(op, [index.value for index in indices])
    Rewriter.erase_op(number)


def _counted_down(
    kernel: _Kernel, here: Arithmetic, op: nt.ProgramIdOp, program: SSAValue
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
def _program_id(kernel: _Kernel, op: nt.ProgramIdOp) -> None:
    # That of a program's index is lowered with it.
    if op.last is not None and isinstance(op.result.type, IntegerType):
        here = kernel.before(op)
        program = here.inserter.add(tt.GetProgramIdOp(0))
        found = _counted_down(kernel, here, op, program).value
        replace(op, [Arithmetic(here.inserter, op.result.type).resized(found)])


@_LOWERINGS.register(nt.HoldsOp)
def _holds(kernel: _Kernel, op: nt.HoldsOp) -> None:
    here = kernel.before(op)
    outer = {name: Range.of(0) for name in kernel.values if name not in kernel.assumptions}
    lowering = kernel.scalars(here, {**kernel.assumptions, **outer})
    found = [bits for guard in op.guards.data for bits in kernel.conditions(lowering, guard)]
    both = functools.partial(lowering.combine, arith.AndIOp)
    replace(op, [functools.reduce(both, found).value])


def _size(kernel: _Kernel, op: nt.SizeOp) -> None:
    """Lower a size expression of the application to arithmetic on single sizes."""
    if isinstance(op.result.type, IntegerType):
        here = kernel.before(op)
        value = kernel.scalars(here, kernel.assumptions).lower(op.expr.data).value
        replace(op, [Arithmetic(here.inserter, op.result.type).resized(value)])


@_LOWERINGS.register(nt.LoadOp)
def _load(kernel: _Kernel, op: nt.LoadOp) -> None:
    accessed = kernel.access(op)
    if accessed is None:
        return
    pointers, mask = accessed.pointers(), accessed.mask()
    inserter = accessed.here.inserter
    other = None
    if mask is not None and op.other is not None:
        other = _other(inserter, op.other, tt.pointee_of(pointers.type))
    value = inserter.add(tt.LoadOp(pointers, mask, other))
    if lowered(op.result.type) != value.type:
        zero = Arithmetic(inserter, i8).constant(0, tt.shape_of(value.type))
        value = inserter.add(tt.CmpiOp("ne", value, zero))
    value.name_hint = op.result.name_hint
    replace(op, [bridge(inserter, value, op.result.type)])


def _other(inserter: Inserter, number: FloatAttr | IntegerAttr, type: Attribute) -> SSAValue:
    """The value of lanes that are not valid, as a block of ``type``."""
    value = inserter.add(arith.ConstantOp(nt.number(number.value.data, tt.scalar_of(type))))
    shape = tt.shape_of(type)
    return inserter.add(tt.SplatOp(value, shape)) if shape else value


@_LOWERINGS.register(nt.StoredOp)
def _stored(kernel: _Kernel, op: nt.StoredOp) -> None:
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
def _store(kernel: _Kernel, op: nt.StoreOp) -> None:
    accessed = kernel.access(op)
    assert accessed is not None
    pointers, mask = accessed.pointers(), accessed.mask()
    inserter = accessed.here.inserter
    value = bridge(inserter, op.value, lowered(op.value.type))
    if tt.scalar_of(value.type) == i1:
        value = inserter.add(tt.ExtUIOp(value, tt.block_of(tt.shape_of(value.type), i8)))
    inserter.insert(tt.StoreOp(pointers, value, mask))
    Rewriter.erase_op(op)


@_LOWERINGS.register(nt.GuardOp)
def _guard(kernel: _Kernel, op: nt.GuardOp) -> None:
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
def _offsets(kernel: _Kernel, op: nt.OffsetsOp) -> None:
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
def _address(kernel: _Kernel, op: nt.AddressOp) -> None:
    accessed = kernel.access(op)
    assert accessed is not None
    pointers, mask = accessed.pointers(), accessed.mask()
    inserter, ranges = accessed.here.inserter, kernel.assumptions
    for coordinate, size in zip(op.coordinates, accessed.block, strict=True):
        # The access's guard of a coordinate holds inside the block only.
        if holds(Guard(sym("b"), size), {**ranges, "b": range_of(coordinate, ranges)}):
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


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of blocks of pointers in front of loops (see ``compiler.optimizations``)."""
    loads = (op for op in kernel.apply.walk() if isinstance(op, nt.LoadOp))
    has_some = any(_is_in_loop(op) and isinstance(op.result.type, nt.TensorType) for op in loads)
    return _everywhere if has_some else None


def _everywhere(footprint: Footprint, unit: Architecture) -> tuple[int, ...]:
    return (1,)


@dataclass(frozen=True)
class LowerAccessesPass(KernelPass):
    """Lower accesses to pointers and masks."""

    name: ClassVar[str] = "nt-lower-accesses"

    index_bits: int = 32
    """The width of address arithmetic, 32 or 64."""
    pointer_blocks: int = 0
    """1: blocks of pointers that no loop changes are made in front of it."""
    unsigned_tests: bool = True
    """An index that may be negative is compared once."""
    narrow_indices: bool = True
    """Of 64 bits, what is proved to fit 32 is computed in 32."""
    alignment_facts: bool = True
    """Divisibility, contiguity and constancy that Triton does not find go along as hints."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        lowered = _Kernel(kernel, self)
        ops = list(kernel.apply.walk())
        for op in ops:
            if type(op) in _LOWERINGS:
                _LOWERINGS[type(op)](lowered, op)
        # Last: the ranges of loops are known as long as their bounds are sizes.
        for op in ops:
            if isinstance(op, nt.SizeOp):
                _size(lowered, op)
