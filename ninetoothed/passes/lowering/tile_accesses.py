"""Accesses to tiles: the pointers and the mask of a load, a store or a guard, and the numbers that
all accesses of a program are computed from.

What ``nt-lower-accesses`` says of pointers, masks and hints is made here; the pass puts them into
the ops of each kind.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_fields

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.name_hints import hint
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.layout.access import Access, holds
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.dense_offsets import DenseOffsets
from ninetoothed.passes.analysis.index_values import IndexValues
from ninetoothed.passes.analysis.loop_nests import Loop, enclosing, is_in_loop
from ninetoothed.passes.analysis.scalars import constant_value
from ninetoothed.passes.analysis.vectorization import lanes_at_once, vector_lanes, vector_width
from ninetoothed.passes.lowering.index import (
    INDEX_TYPES,
    Arithmetic,
    IndexLowering,
    Lanes,
    Term,
    terms,
)
from ninetoothed.passes.lowering.jagged import sequences
from ninetoothed.passes.lowering.narrow import narrow_sides
from ninetoothed.passes.lowering.types import bridge, in_memory, lowered
from ninetoothed.symbolic.divisibility import known_divisor
from ninetoothed.symbolic.expr import IndexExpr, const, divisions, ir_text, substitute, symbol_names
from ninetoothed.symbolic.intervals import Assumptions, Range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize

# A program of four warps has 64 registers a thread for them. More are not kept over a loop.
_MOST_POINTERS = 1 << 13

_BELOW = functools.partial(tt.CmpiOp, "slt")
_AT_MOST = functools.partial(tt.CmpiOp, "sle")
_BELOW_UNSIGNED = functools.partial(tt.CmpiOp, "ult")
_NOT_BELOW = functools.partial(tt.CmpiOp, "sge")


@dataclass(frozen=True)
class AccessOptions:
    """How accesses are lowered."""

    index_bits: int = 32
    """The width of address arithmetic, 32 or 64."""
    pointer_blocks: int = 0
    """1: blocks of pointers that no loop changes are made in front of it."""
    moving_bounds: int = 0
    """1: in loops, lanes are compared with what is left of a size, and not indices with the size.
    """
    cyclic_lanes: int = 0
    """1: neighbouring lanes belong to neighbouring threads; no thread moves several at once."""
    unsigned_tests: bool = True
    """An index that may be negative is compared once."""
    recomputed_masks: bool = True
    """Masks of stores, and of what follows an op that combines lanes, are computed anew."""
    narrow_indices: bool = True
    """Of 64 bits, what is proved to fit 32 is computed in 32."""
    reciprocals: bool = True
    """Where 32 bits hold an index, it is divided by sizes by multiplying with the host's numbers."""
    alignment_facts: bool = True
    """Divisibility, contiguity and constancy that Triton does not find go along as hints."""
    broadcast_loads: bool = True
    """Along dims that change no place and no guard, one lane is loaded, and broadcast."""


class KernelAccesses:
    """The accesses of one kernel, with the scalars of its programs by symbol: sizes, strides,
    outermost indices, starts and lengths of sequences.
    """

    def __init__(
        self, kernel: nt.KernelOp, options: AccessOptions, remarks: nt.RemarkEmitter
    ) -> None:
        self.kernel = kernel
        self.options = options
        self.remarks = remarks
        self.type = INDEX_TYPES[options.index_bits]
        self.assumptions = kernel.assumptions
        self.values: dict[str, Lanes] = {}
        self.narrows = options.narrow_indices and options.index_bits > 32
        self.offsets = DenseOffsets(kernel)
        self.indices = IndexValues(kernel, options.index_bits, of_host=False)
        self.host: frozenset[str] = frozenset()
        """Symbols that the host knows, if it is to compute reciprocals of divisors."""
        if options.reciprocals and options.index_bits == 32:
            self.host = frozenset(self.assumptions) - sequences(kernel).keys()
        self.divisors: dict[str, int] | None = None
        if options.alignment_facts:
            self.divisors = kernel.divisors
        self.are_lanes_combined = False
        """An op in front of the access that is lowered combines lanes."""
        self.loaded: set[IndexExpr] = set()
        """Sizes of the guards of loads in front."""
        self.kept: set[IndexExpr] = set()
        """Those of guards that no iteration of the loop around them changes."""
        self.persistent: tt.GetProgramIdOp | None = None
        """The id of a persistent program, from which on it does the work of others."""

    def before(self, op: Operation) -> Arithmetic:
        """Address arithmetic in front of ``op``."""
        return Arithmetic(Inserter.before(op), self.type)

    def scalars(self, here: Arithmetic, ranges: Assumptions) -> IndexLowering:
        """Lowering of expressions over the program's scalars."""
        divisors = self.divisors
        return IndexLowering(
            here, self.values, (), frozenset(), ranges, divisors=divisors, host=self.host
        )

    def conditions(self, lowering: IndexLowering, guard: Guard, anew: bool = False) -> list[Lanes]:
        """The conditions whose conjunction a guard is.

        ``anew``: in another form, which LLVM does not take for the same. Not where a lane does not
        matter, for that is one bit; nor where several lanes have one, which Triton has to see.
        """
        if not anew and (sides := self._moved(lowering, guard)) is not None:
            return [lowering.combine(_BELOW, *sides)]
        ranges = lowering.assumptions
        by_strides = self.offsets.by_strides
        index, size = (lowering.lower(by_strides(expr)) for expr in (guard.index, guard.size))
        if always_nonnegative(guard.index, ranges):
            if anew and index.dims and known_divisor(guard.size, self.kernel.divisors) == 1:
                most = lowering.combine(arith.SubiOp, size, lowering.number(1))
                return [lowering.combine(_AT_MOST, index, most)]
            return [lowering.combine(_BELOW, index, size)]
        if self.options.unsigned_tests and always_nonnegative(guard.size, ranges):
            # A negative index is a large one.
            return [lowering.combine(_BELOW_UNSIGNED, index, size)]
        below = lowering.combine(_BELOW, index, size)
        return [below, lowering.combine(_NOT_BELOW, index, lowering.number(0))]

    def _moved(self, lowering: IndexLowering, guard: Guard) -> tuple[Lanes, Lanes] | None:
        """Both sides of a guard less what a loop adds to all lanes of the index: a number is
        changed in each iteration, and not all indices. None: nothing is moved.
        """
        ranges, by_strides = lowering.assumptions, self.offsets.by_strides
        if not self.options.moving_bounds or not always_nonnegative(guard.index, ranges):
            return None
        own: list[Term] = []
        moved: list[Term] = []
        for minus, term in terms(by_strides(guard.index)):
            (own if lowering.dims_of(term) else moved).append((minus, term))
        if not (own and any(lowering.is_local(term) for _, term in moved)):
            return None
        # So the size does not grow, and cannot wrap.
        if not always_nonnegative(
            sum((-t if minus else t for minus, t in moved), const(0)), ranges
        ):
            return None
        size = lowering.lower(by_strides(guard.size))
        return lowering.sum(own), lowering.combine(arith.SubiOp, size, lowering.sum(moved))

    def access(self, op: nt.TileOp) -> AccessLowering | None:
        """The lowering of an access to a tile; None for numbers passed by value."""
        assert isinstance(op.ref, BlockArgument)
        value = self.kernel.arranged.values[op.ref.index]
        source, attribute = nt.access_of(value, self.assumptions)
        if source.kind.data != "tensor":
            return None
        return AccessLowering(self, op, source, attribute, self.before(op))


def still_dims(
    offsets: DenseOffsets,
    source: nt.SourceOp,
    access: Access,
    names: Sequence[str],
    others: Iterable[IndexExpr] = (),
) -> list[int]:
    """The dims of a block, whose indices are ``names``, that change neither its offset nor one of
    ``others``.
    """
    offset = normalize(offsets.offset(source, access.indices))
    moving = symbol_names(offset, *others)
    return [dim for dim, name in enumerate(names) if name not in moving]


class AccessLowering:
    """Lowering of one load, store or guard: its pointers and its mask."""

    def __init__(
        self,
        kernel: KernelAccesses,
        op: nt.TileOp,
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
        if isinstance(op, nt.LoadOp | nt.StoreOp) and op.guards is not None:
            access = replace_fields(access, guards=op.guards.data)
        if isinstance(op, nt.LoadOp) and op.clamped is not None:
            access = access.clamped(op.clamped.data)
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
            ranges[name] = kernel.indices.range_of(index)
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
            if isinstance(op, nt.LoadOp) and self._broadcasts(op):
                still = self._still_dims(access, ranges)
                fixed |= {self.names[dim]: 0 for dim in still}
                self.shape = tuple(
                    1 if dim in still else size for dim, size in enumerate(self.shape)
                )
            for dim, name in enumerate(self.names):
                if name not in fixed:
                    length = self.shape[dim]
                    if not 0 < length < 1 << 31 or length.bit_count() > 1:
                        message = (
                            f"dim {dim} of the block has {length} lanes, no power of two below "
                            "2**31; nt-pad-blocks pads blocks"
                        )
                        raise fail(op, message, CompilerError)
                    row = here.inserter.add(tt.MakeRangeOp(0, length))
                    hint(row, name)
                    lanes[dim] = name
                    self.rows[name] = Lanes(row, (dim,))
                    values[name] = Lanes(here.resized(row), (dim,))
        self.ranges = ranges
        self.access: Access = access.substitute(fixed)
        self.lowering = IndexLowering(
            here, values, self.shape, frozenset(local), ranges, lanes, kernel.divisors, kernel.host
        )

    def _broadcasts(self, op: nt.LoadOp) -> bool:
        """True if a load may be broadcast: what a loop's dots multiply is copied into shared memory
        ahead, as it is loaded; and a box is copied as a whole.
        """
        loop = next((one for one in enclosing(op) if isinstance(one, Loop)), None)
        is_multiplied = loop is not None and any(
            isinstance(one, nt.AnyDotOp) for one in loop.walk()
        )
        return self.kernel.options.broadcast_loads and not (is_multiplied or op.descriptor_dims)

    def _still_dims(self, access: Access, ranges: Assumptions) -> frozenset[int]:
        """The dims along which all lanes are one place in memory, and exist alike."""
        kept = [guard.index for guard in access.guards if not holds(guard, ranges)]
        still = still_dims(self.kernel.offsets, self.source, access, self.names, kept)
        found = frozenset(dim for dim in still if self.shape[dim] > 1)
        if self.kernel.remarks and found:
            dims = ", ".join(map(str, sorted(found)))
            text = f"`{self.source.param.data}` loaded once for all lanes of dim {dims}"
            self.kernel.remarks.passed(self.op, text)
        return found

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
        found = self._pointers()
        op = found.owner
        if self.kernel.options.cyclic_lanes and isinstance(op, tt.AddPtrOp) and self.shape:
            # Triton gives a thread as many neighbours as some access can move at once.
            op.attributes["tt.contiguity"] = tt.hint_of([1] * len(self.shape))
        return found

    def _pointers(self) -> SSAValue:
        lowering, add = self.lowering, self.here.inserter.add
        moves: dict[bool, list[Term]] = {False: [], True: []}
        along: list[Term] = []
        distance = 0
        for minus, term in terms(self.offset()):
            if lowering.dims_of(term):
                along.append((minus, term))
            elif term.value is not None:
                distance += -term.value if minus else term.value
            else:
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
        if self.kernel.remarks and self.rows:
            self._remark_on_width()
        if moves[True] and not is_moved_last:
            pointer = add(tt.AddPtrOp(pointer, lowering.sum(moves[True]).value))
        if distance and not along:
            pointer = self._moved(pointer, distance)
        if not self.shape:
            return pointer
        block = add(tt.SplatOp(pointer, self.shape))
        if not along:
            return block
        block = add(tt.AddPtrOp(block, lowering.along(lowering.sum(along), self.all_dims)))
        if moves[True] and is_moved_last:
            move = lowering.along(lowering.sum(moves[True]), self.all_dims)
            block = add(tt.AddPtrOp(block, move))
        return block if distance == 0 else self._moved(block, distance)

    def _moved(self, pointers: SSAValue, distance: int) -> SSAValue:
        """Pointers that are a number of elements further: last, so that it is a part of the machine's
        load or store, and accesses that differ in it alone, as taps of a window do, share the rest.
        """
        self.lowering.check(distance)
        here = self.here
        return here.inserter.add(
            tt.AddPtrOp(pointers, here.constant(distance, tt.shape_of(pointers.type)))
        )

    def _refusal(self, along: list[Term]) -> str | None:
        """Why the block of pointers is not made in front of a loop, and moved in each iteration;
        None: it is. Empty: there is no loop, or no block.
        """
        chosen = self.kernel.options.pointer_blocks > 0
        if not along or not (chosen or self.kernel.remarks) or not is_in_loop(self.op):
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

    def _remark_on_width(self) -> None:
        width = vector_width(
            self.kernel.kernel,
            self.source,
            self.offset(),
            {name: self.last[name] + 1 for name in self.rows},
            [guard for guard in self.access.guards if not holds(guard, self.ranges)],
        )
        if width.missing:
            by = f"{width.lanes} lanes at a time" if width.lanes > 1 else "element by element"
            text = f"`{self.source.param.data}` accessed {by}: {width.missing}"
            self.kernel.remarks.missed(self.op, text)

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
                lanes = vector_lanes(nt.dtype_of(self.source.result.type))
                offset = normalize(self.offset())
                sides = narrow_sides(lowering, guard, offset, self.rows, lanes)
            if sides is not None:
                conditions.append(lowering.combine(_BELOW, *sides))
                continue
            conditions += self.kernel.conditions(lowering, guard, self._is_far(guard))
            self._remember(guard)
        if not conditions:
            if remarks and self.access.guards:
                remarks.passed(
                    self.op, f"`{self.source.param.data}` needs no mask: its guards always hold"
                )
            return None
        both = functools.partial(lowering.combine, arith.AndIOp)
        return lowering.along(functools.reduce(both, conditions), self.all_dims)

    def _is_far(self, guard: Guard) -> bool:
        """The bits of a load in front would be kept until here in registers, for nobody else."""
        kernel = self.kernel
        return (
            kernel.options.recomputed_masks
            and (kernel.are_lanes_combined or isinstance(self.op, nt.StoreOp))
            and guard.size in kernel.loaded - kernel.kept
            and not self._is_kept(guard)
        )

    def _is_kept(self, guard: Guard) -> bool:
        """True if no iteration of the loop around the access changes the bits."""
        return is_in_loop(self.op) and not self.lowering.is_local(guard.index)

    def _remember(self, guard: Guard) -> None:
        """Note what accesses behind this one have in common with it."""
        if self._is_kept(guard):
            self.kernel.kept.add(guard.size)
        if isinstance(self.op, nt.LoadOp):
            self.kernel.loaded.add(guard.size)
