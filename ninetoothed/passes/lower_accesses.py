"""Turn loads and stores of shares into pointers, offsets and masks.

The offset of a lane is the sum of source index times stride. Terms without block indices move the
pointer, once for the program or once an iteration; the others are computed along the dims that they
vary along. A guard becomes a mask unless it always holds: the ranges of program indices, lanes and
loop variables are used for that. ``nt.offsets`` is the source index itself, or the offset;
``nt.address`` has its coordinates in the place of the block's indices.

Why here: it needs the schedule (which program is this?) and numeric block sizes. It requires stage
``scheduled`` and leaves no store and no guard of a share, stage ``addressed``. ``index_bits`` is
the width of all address arithmetic.

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
  nt.finish
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
  %pid = tt.get_program_id 0 : i32
  %x = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %1 = arith.constant 64 : i32
  %2 = arith.muli %pid, %1 : i32
  %3 = tt.addptr %x, %2 : !tt.ptr<f32>, i32
  %4 = tt.splat %3 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %b0 = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
  %5 = tt.addptr %4, %b0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %6 = tt.splat %2 : i32 -> tensor<64xi32>
  %7 = arith.addi %6, %b0 : tensor<64xi32>
  %n = nt.size <n> : i32
  %8 = tt.splat %n : i32 -> tensor<64xi32>
  %9 = arith.cmpi slt, %7, %8 : tensor<64xi32>
  %10 = tt.load %5, %9 : tensor<64x!tt.ptr<f32>>
  %11 = builtin.unrealized_conversion_cast %10 : tensor<64xf32> to !nt.tensor<[64] x f32>
  nt.finish
}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, ModuleOp, i1, i8
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ninetoothed.ir import nt, tt
from ninetoothed.ir.access import Access, holds
from ninetoothed.ir.index_bounds import Assumptions, Range
from ninetoothed.ir.index_expr import IndexExpr, const, product, substitute, sym
from ninetoothed.ir.index_normal import always_nonnegative, normalize
from ninetoothed.ir.meta_op import Guard
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.passes.analysis.scalars import known_most, known_scalar
from ninetoothed.passes.lowering.identities import constant_value
from ninetoothed.passes.lowering.index import (
    INDEX_TYPES,
    Arithmetic,
    IndexLowering,
    Lanes,
    SizeLeaves,
    terms,
)
from ninetoothed.passes.lowering.jagged import Sequences
from ninetoothed.passes.lowering.types import bridge, in_memory, lowered, numbers

_AccessOp = nt.LoadOp | nt.StoredOp | nt.StoreOp | nt.GuardOp | nt.OffsetsOp | nt.AddressOp
_Memo = dict[tuple[IndexExpr, tuple[int, ...], tuple[str, ...]], Lanes]


class _Top(Inserter):
    """Inserts at the top of a kernel, each op behind the one before."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        super().__init__(InsertPoint.at_start(kernel.apply.block), kernel)
        self.block = kernel.apply.block
        self.last: Operation | None = None

    def insert(self, op: Operation) -> Operation:
        # A point names the op behind it, which may be gone by now.
        last = self.last
        self.point = InsertPoint.at_start(self.block) if last is None else InsertPoint.after(last)
        self.last = op
        return super().insert(op)


class _Kernel:
    """What the accesses of one kernel share."""

    def __init__(self, kernel: nt.KernelOp, type: IntegerType) -> None:
        self.kernel = kernel
        self.type = type
        self.top = Arithmetic(_Top(kernel), type)
        self.sizes = SizeLeaves(self.top)
        self.memo: _Memo = {}
        self.pointers: dict[SSAValue, SSAValue] = {}
        self.grid: tuple[SSAValue, ...] = ()
        self.sequences = Sequences(kernel)
        self.own: dict[str, SSAValue] = {}

    def pointer(self, ref: SSAValue, source: nt.SourceOp) -> SSAValue:
        """The pointer to a parameter's first element."""
        found = self.pointers.get(ref)
        if found is None:
            type = tt.PointerType(in_memory(nt.scalar_of(source.result.type)))
            found = self.top.inserter.add(nt.PointerOp(ref, type))
            found.name_hint = source.param.data
            self.pointers[ref] = found
        return found

    def schedule(self, op: nt.ProgramIndexOp) -> None:
        """The program's outermost index, as arithmetic on the program's number."""
        sizes = op.sizes.data
        program = tt.GetProgramIdOp(0)
        self.top.inserter.insert(program)
        program.result.name_hint = op.program.name_hint
        leaves = {"pid": self.top.resized(program.result)}
        ranges = {**self.kernel.assumptions, "pid": Range(const(0), product(sizes) - 1)}
        lowering = self.lowering(self.top, (), {}, leaves, frozenset(), ranges)
        values: list[SSAValue] = []
        for dim, size in enumerate(sizes):
            index = sym("pid") // product(sizes[dim + 1 :])
            if dim:
                index = index % size
            value = lowering.lower(normalize(index, ranges)).value
            values.append(value)
        self.grid = tuple(values)
        for value, result in zip(values, op.results, strict=True):
            if value.name_hint is None:
                value.name_hint = result.name_hint
        number = op.program.owner
        Rewriter.erase_op(op)
        assert isinstance(number, Operation)
        Rewriter.erase_op(number)

    def lowering(
        self,
        here: Arithmetic,
        shape: tuple[int, ...],
        block: dict[str, int],
        leaves: dict[str, SSAValue],
        local: frozenset[str],
        ranges: dict[str, Range],
        coordinates: frozenset[str] = frozenset(),
    ) -> IndexLowering:
        def leaf(name: str) -> SSAValue:
            found = leaves.get(name)
            if found is None and name in self.sequences:
                return self.sequence(name)
            return self.sizes.of(sym(name)) if found is None else found

        return IndexLowering(
            self.top, here, leaf, shape, block, local, ranges, self.memo, coordinates
        )

    def sequence(self, name: str) -> SSAValue:
        """The start or the length of the program's sequence, read once at the top."""
        sequence, symbol = self.sequences[name]
        if symbol not in self.own:
            ranges = sequence.ranges(self.kernel.assumptions)
            leaves = {f"g{dim}": index for dim, index in enumerate(self.grid)}
            lowering = self.lowering(self.top, (), {}, leaves, frozenset(), ranges)
            self.own.update(sequence.load(self.top, lowering))
            for read, value in self.own.items():
                value.name_hint = read
        return self.own[symbol]

    def size(self, op: nt.SizeOp) -> None:
        """A compound size, or one of another width, as arithmetic on single ones; and what is the
        program's own.
        """
        expr = op.expr.data
        single = expr.op == "sym" and expr.args[0] not in self.sequences
        if not isinstance(op.result.type, IntegerType) or (single and op.result.type == self.type):
            return
        here = Arithmetic(Inserter.before(op), self.type)
        ranges = dict(self.kernel.assumptions)
        value = self.lowering(self.top, (), {}, {}, frozenset(), ranges).lower(op.expr.data).value
        here.type = op.result.type
        replace(op, [here.resized(value)])

    def access(self, op: _AccessOp) -> _Accessed | None:
        """The address of a share; None for numbers passed by value."""
        assert isinstance(op.ref, BlockArgument)
        value = self.kernel.arranged.values[op.ref.index]
        source, attribute = nt.access_of(value, self.kernel.assumptions)
        if source.kind.data != "tensor":
            return None
        here = Arithmetic(Inserter.before(op), self.type)
        return _Accessed(self, op, source, attribute, here)


class _Accessed:
    """One load, store or guard: its lowering, its pointer block and its mask."""

    def __init__(
        self,
        kernel: _Kernel,
        op: _AccessOp,
        source: nt.SourceOp,
        attribute: nt.AccessAttr,
        here: Arithmetic,
    ) -> None:
        self.kernel = kernel
        self.op = op
        self.source = source
        self.here = here
        names = attribute.names
        access = attribute.data
        several = len(access.levels) > 1
        self.block = access.levels[-1] if several else ()
        between = [name for row in names[1:-1] for name in row]
        ranges = dict(kernel.kernel.assumptions)
        # Dims of size 1 have the index 0.
        fixed: dict[str, IndexExpr | int] = {}
        for row, sizes in (
            (names[0], access.levels[0]),
            (names[-1] if several else (), self.block),
        ):
            for name, size in zip(row, sizes, strict=True):
                ranges[name] = Range(const(0), size - 1)
                if size.value == 1:
                    fixed[name] = 0
        leaves = dict(zip(names[0], kernel.grid, strict=True))
        for name, index in zip(between, op.indices, strict=True):
            leaves[name] = here.resized(index)
            ranges[name] = _loop_range(index, kernel.kernel.assumptions)
            if isinstance(known := constant_value(index), int):
                fixed[name] = known
        self.ranges = ranges
        if isinstance(op, nt.AddressOp):
            own = dict(zip(names[-1], op.coordinates, strict=True))
            self.shape = tt.shape_of(lowered(op.exists.type))
            for name, coordinate in own.items():
                value = bridge(here.inserter, coordinate, lowered(coordinate.type))
                leaves[name] = here.resized(value)
                known = constant_value(coordinate)
                if isinstance(known, int):
                    fixed[name] = known
            self.lowering = kernel.lowering(
                here, self.shape, {}, leaves, frozenset((*between, *own)), ranges, frozenset(own)
            )
            self.access: Access = access.substitute(fixed)
            return
        self.access = access.substitute(fixed)
        self.shape = tuple(size.value or 0 for size in self.block)
        block = {name: dim for dim, name in enumerate(names[-1])} if several else {}
        self.lowering = kernel.lowering(here, self.shape, block, leaves, frozenset(between), ranges)

    @property
    def all_dims(self) -> tuple[int, ...]:
        return tuple(range(len(self.shape)))

    def offset(self) -> IndexExpr:
        """The distance from the source's first element."""
        jagged = None if self.source.jagged is None else self.source.jagged.data
        return nt.offset(self.access.indices, self.source.strides.data, jagged)

    def pointers(self) -> SSAValue:
        """The addresses, a block of them; of a share of no dims, one."""
        lowering = self.lowering
        offset = self.offset()
        moves: dict[bool, list[tuple[bool, IndexExpr]]] = {False: [], True: []}
        along: list[tuple[bool, IndexExpr]] = []
        for minus, term in terms(normalize(offset)):
            if lowering.dims_of(term):
                along.append((minus, term))
            elif term.value != 0:
                moves[lowering.is_local(term)].append((minus, term))
        pointer = self.kernel.pointer(self.op.ref, self.source)
        for local, place in ((False, self.kernel.top), (True, self.here)):
            if moves[local]:
                pointer = place.inserter.add(tt.AddPtrOp(pointer, lowering.sum(moves[local]).value))
        if not self.shape:
            return pointer
        place = self.here if moves[True] else self.kernel.top
        block = place.inserter.add(tt.SplatOp(pointer, self.shape))
        if not along:
            return block
        lanes = lowering.sum(along)
        local = any(lowering.is_local(term) for _, term in along)
        offsets = lowering.along(self.here if local else self.kernel.top, lanes, self.all_dims)
        place = self.here if local or moves[True] else self.kernel.top
        return place.inserter.add(tt.AddPtrOp(block, offsets))

    def mask(self) -> SSAValue | None:
        """One bit a lane; None where every guard always holds."""
        lowering = self.lowering
        result: Lanes | None = None
        local = False
        for guard in self.access.guards:
            if holds(guard, self.ranges):
                continue
            for predicate, left, right in self._conditions(guard):
                is_local = lowering.is_local(left) or lowering.is_local(right)
                place = self.here if is_local else self.kernel.top
                bits = lowering.combine(
                    place,
                    lambda one, two, predicate=predicate: tt.CmpiOp(predicate, one, two),
                    lowering.lower(left),
                    lowering.lower(right),
                )
                local = local or is_local
                place = self.here if local else self.kernel.top
                result = (
                    bits if result is None else lowering.combine(place, arith.AndIOp, result, bits)
                )
        if result is None:
            return None
        return lowering.along(self.here if local else self.kernel.top, result, self.all_dims)

    def _conditions(self, guard: Guard) -> list[tuple[str, IndexExpr, IndexExpr]]:
        conditions = [("slt", guard.index, guard.size)]
        if not always_nonnegative(guard.index, self.ranges):
            conditions.append(("sge", guard.index, const(0)))
        return conditions


def _loop_range(index: SSAValue, assumptions: Assumptions) -> Range:
    """The range of a loop variable, or of one that counts down; of anything else, none."""
    owner = index.owner
    if isinstance(owner, nt.MapOp) and owner.function.data == "sub":
        start = known_scalar(owner.arguments[0])
        count = _loop_range(owner.arguments[1], assumptions)
        if start is None or count.lower is None or count.upper is None:
            return Range()
        low, high = start - count.upper, start - count.lower
        # A difference that may be below zero may also wrap.
        known = all(always_nonnegative(expr, assumptions) for expr in (count.lower, low))
        return Range(low, high) if known else Range()
    loop = index.block.parent_op() if isinstance(index, BlockArgument) else None
    if not isinstance(loop, scf.ForOp) or index is not loop.body.block.args[0]:
        return Range()
    lower, upper = known_scalar(loop.lb), known_most(loop.ub)
    return Range(lower, None if upper is None else upper - 1)


def _range(index: SSAValue, assumptions: Assumptions) -> Range:
    """The range of an index of a block."""
    known = constant_value(index)
    return Range.of(known, known) if isinstance(known, int) else _loop_range(index, assumptions)


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
    """What lanes outside the guard read, as a block of ``type``."""
    value = inserter.add(arith.ConstantOp(nt.number(number.value.data, tt.scalar_of(type))))
    shape = tt.shape_of(type)
    return inserter.add(tt.SplatOp(value, shape)) if shape else value


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


def _offsets(kernel: _Kernel, op: nt.OffsetsOp) -> None:
    accessed = kernel.access(op)
    assert accessed is not None
    dim = op.source_dim
    offset = accessed.offset() if dim is None else accessed.access.indices[dim]
    lowering = accessed.lowering
    first = {name: 0 for name, axis in lowering.block.items() if axis not in op.dims}
    offset = normalize(substitute(offset, first))
    lanes = lowering.lower(offset)
    place = lowering.place(offset)
    value = Arithmetic(place.inserter, _integer(op.result.type)).resized(lanes.value)
    value = lowering.along(place, Lanes(value, lanes.dims), op.dims)
    replace(op, [bridge(accessed.here.inserter, value, op.result.type)])


def _address(kernel: _Kernel, op: nt.AddressOp) -> None:
    accessed = kernel.access(op)
    assert accessed is not None
    pointers, mask = accessed.pointers(), accessed.mask()
    inserter, ranges = accessed.here.inserter, kernel.kernel.assumptions
    for coordinate, size in zip(op.coordinates, accessed.block, strict=True):
        # What the access says of a coordinate holds inside the block.
        if holds(Guard(sym("b"), size), {**ranges, "b": _range(coordinate, ranges)}):
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


def _lower(kernel: nt.KernelOp, type: IntegerType) -> None:
    shared = _Kernel(kernel, type)
    ops: Sequence[Operation] = list(kernel.apply.walk())
    for op in ops:
        if isinstance(op, nt.ProgramIndexOp):
            shared.schedule(op)
        elif isinstance(op, nt.LoadOp):
            _load(shared, op)
        elif isinstance(op, nt.StoredOp):
            _stored(shared, op)
        elif isinstance(op, nt.StoreOp):
            _store(shared, op)
        elif isinstance(op, nt.GuardOp):
            _guard(shared, op)
        elif isinstance(op, nt.OffsetsOp):
            _offsets(shared, op)
        elif isinstance(op, nt.AddressOp):
            _address(shared, op)
    # Loops are asked for their ranges as long as their bounds are sizes.
    for op in ops:
        if isinstance(op, nt.SizeOp):
            shared.size(op)


@dataclass(frozen=True)
class LowerAccessesPass(ModulePass):
    """Accesses become addresses and masks."""

    name: ClassVar[str] = "nt-lower-accesses"

    index_bits: int = 32
    """The width of address arithmetic, 32 or 64."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.ops:
            if isinstance(kernel, nt.KernelOp):
                _lower(kernel, INDEX_TYPES[self.index_bits])
