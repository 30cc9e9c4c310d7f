"""Pack operands of dots whose rows do not begin at multiples of 16 bytes: read aligned copies of them.

Where a matrix has an odd number of columns, as one of 4093 by 2053 halves, each row begins at
another place of 16 bytes. Then threads copy its tiles element by element, and not 16 bytes at once
into shared memory while products are computed; and no tensor descriptor can be made. Copying the
matrix once takes its bytes twice, and every program that reads it gains. So the source becomes a
*packed* copy of the parameter: its rows follow one another at multiples of 16 elements, and a
launch makes it, in scratch memory, by a kernel of its own that runs before this one (see
``compiler.packing``). Rows are filled up with zeros, which is what lanes behind their ends read: so
guards go up to the end of the packed row, too, since one that ends within 16 bytes would have
threads read lane by lane all the same. Whether that pays for the copy is for the clock to say, and
so it is a choice of the tuner's (see ``compiler.optimizations``).

An operand is packed if it is only read, if nothing that the kernel writes may share its memory, and
if several programs read the same tiles: of one that each program reads a part of, as weights of a
single row of programs, the copy would be read as often as the original.

Why here: strides and alignment are known, and all that follows takes the copy's for the source's.
It requires stage ``specialized`` and leaves it.

Before:

```mlir
// nt-opt -p 'nt-pack-operands{packed=1}'
!matrix = !nt.tensor<[m, k] x f16>
!tiles = !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>
nt.kernel @square symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ?>] arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !matrix
  %tiled = nt.access %x <[[m ceildiv 16, m ceildiv 16], [k ceildiv 16], [16, 16]] -> [b0 + g0 * 16, b1 + k1_0 * 16]
      if [[b0 + g0 * 16, m], [b1 + k1_0 * 16, k]]> : !matrix -> !nt.tensor<[m ceildiv 16, m ceildiv 16] x !tiles>
  nt.arranged %tiled : !nt.tensor<[m ceildiv 16, m ceildiv 16] x !tiles>
} apply {
^bb0(%a : !tiles):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 16> : i32
  %0 = arith.constant 0.0 : f32
  %zero = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.dot %1, %1, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    scf.yield %2 : !nt.tensor<[16, 16] x f32>
  }
  nt.return
}
```

After:

```mlir
!matrix = !nt.tensor<[m, k] x f16>
!tiles = !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>
nt.kernel @square symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ?>] arrange {
  %x = nt.source "x" "tensor" strides [k ceildiv 16 * 16, 1] packed [s, 1] aligned true : !matrix
  %tiled = nt.access %x <[[m ceildiv 16, m ceildiv 16], [k ceildiv 16], [16, 16]] -> [b0 + g0 * 16, b1 + k1_0 * 16]
      if [[b0 + g0 * 16, m], [b1 + k1_0 * 16, k ceildiv 16 * 16]]> : !matrix -> !nt.tensor<[m ceildiv 16, m ceildiv 16] x !tiles>
  nt.arranged %tiled : !nt.tensor<[m ceildiv 16, m ceildiv 16] x !tiles>
} apply {
^bb0(%a : !tiles):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 16> : i32
  %0 = arith.constant 0.0 : f32
  %zero = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.dot %1, %1, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    scf.yield %2 : !nt.tensor<[16, 16] x f32>
  }
  nt.return
}
```
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import BoolAttr, i1
from xdsl.ir import BlockArgument, Operation, SSAValue

from ninetoothed.artifacts.configuration import PACKED
from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality, is_packed
from ninetoothed.dtype import DTYPES
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass, ReorderedLanes
from ninetoothed.layout.access import index_names
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.alias_sets import AliasAnalysis
from ninetoothed.passes.analysis.checked_sizes import checked_equalities
from ninetoothed.passes.analysis.equalities import Equalities
from ninetoothed.passes.analysis.loop_nests import is_in_loop
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.passes.analysis.windows import runs_along
from ninetoothed.passes.interchange_reductions import interchange, reordered
from ninetoothed.passes.option_values import require_among
from ninetoothed.symbolic.divisibility import known_divisor
from ninetoothed.symbolic.expr import IndexExpr, binary, const, ir_text, substitute, symbol_names
from ninetoothed.symbolic.normal_form import normalize

_ROW = 16
"""What rows of packed copies begin at multiples of, in elements: 16 bytes, of any type."""
_BYTES = 16
"""What threads move at once."""


class _Operands:
    """The operands of dots of one kernel."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self.kernel = kernel
        self._aliases = AliasAnalysis(kernel)
        effects = map(self._aliases.effect, kernel.apply.walk())
        self._writes = [one for one in effects if one is not None and one.kind != "read"]

    def read(self) -> Iterator[tuple[BlockArgument, nt.LoadOp]]:
        """The tiles of tensors that loops read for their dots, each with the first such load."""
        found: dict[BlockArgument, nt.LoadOp] = {}
        for dot in self.kernel.apply.walk():
            if isinstance(dot, nt.DotOp | nt.DotScaledOp) and is_in_loop(dot):
                for load in _loads(dot.a, dot.b):
                    assert isinstance(load.ref, BlockArgument)
                    if is_in_loop(load):
                        found.setdefault(load.ref, load)
        for ref, load in found.items():
            if self.kernel.sources[ref.index].kind.data == "tensor":
                yield ref, load

    def check(self, ref: BlockArgument, load: nt.LoadOp) -> None:
        """Check that programs may read a copy, and that it can pay, whatever its strides are.

        Raises:
            Refusal: they may not, or it cannot.
        """
        source = self.kernel.sources[ref.index]
        if source.jagged is not None:
            raise Refusal(load, "it consists of sequences")
        if nt.scalar_of(source.result.type) == i1:
            raise Refusal(load, "its elements are bits")
        if len(source.sizes) < 2:
            raise Refusal(load, "it has fewer than two dims")
        for use in ref.uses:
            op = use.operation
            if isinstance(op, nt.StoreOp):
                raise Refusal(op, "it is written")
            if not isinstance(op, nt.LoadOp) and not (
                isinstance(op, nt.OffsetsOp) and op.source_dim is not None
            ):
                raise Refusal(op, f"{op.name} asks for more than its elements")
            if isinstance(op, nt.LoadOp) and op.other is not None:
                number = op.other.value.data
                if number != 0 or math.copysign(1, number) < 0:
                    raise Refusal(op, f"lanes outside read {number}, and not 0")
        own = self._aliases.effect(load)
        assert own is not None
        for write in self._writes:
            if write.may_alias(own.alias_sets):
                raise Refusal(load, self._aliases.overlap(load, write.op))
        value = self.kernel.arranged.values[ref.index]
        _, attribute = nt.access_of(value, self.kernel.assumptions)
        used = symbol_names(*attribute.data.indices)
        dims = zip(attribute.names[0], attribute.data.levels[0], strict=True)
        if all(name in used or size.value == 1 for name, size in dims):
            raise Refusal(load, "no two programs read the same of it")

    def pack(self, ref: BlockArgument, equal: Equalities) -> None:
        """Let the tile be of a packed copy; ``equal``: sizes that are the same in every call."""
        source = self.kernel.sources[ref.index]
        inner = self.innermost(ref)
        packed = packed_strides(source.sizes, inner)
        source.packed, source.computed = source.strides, None
        source.strides = nt.ExprsAttr.of(packed)
        source.aligned = BoolAttr.from_bool(True)
        access = self.kernel.arranged.values[ref.index].owner
        assert isinstance(access, nt.AccessOp)
        old = access.access.data
        end = substitute(source.sizes[inner], equal.merged)
        # On a diagonal, the guard is also that of the other dim, which is not filled up.
        index = old.indices[inner] if old.indices.count(old.indices[inner]) == 1 else None
        guards = tuple(
            Guard(guard.index, row_length(guard.size))
            if guard.index == index and substitute(guard.size, equal.merged) == end
            else guard
            for guard in old.guards
        )
        access.access = nt.AccessAttr(replace(old, guards=guards))

    def innermost(self, ref: BlockArgument) -> int:
        """The dim along which rows of a packed copy lie: the last one with stride 1 that lanes run
        along, or the last one that they run along; where they run along none, the last one with
        stride 1, or the last one.
        """
        source, attribute = nt.access_of(self.kernel.arranged.values[ref.index], {})
        lanes = index_names(attribute.data.levels)[-1]
        along = [
            dim
            for dim, index in enumerate(attribute.data.indices)
            if any(runs_along(index, name) for name in lanes)
        ]
        units = [dim for dim, stride in enumerate(source.strides.data) if stride.value == 1]
        rows = [dim for dim in units if dim in along] or along or units
        return rows[-1] if rows else len(source.sizes) - 1

    def why_unaligned(self, ref: BlockArgument) -> str | None:
        """Why rows of a source may begin anywhere; None: they begin at multiples of 16 bytes."""
        source = self.kernel.sources[ref.index]
        strides, divisors = source.strides.data, self.kernel.divisors
        if not source.aligned.value.data:
            return f"it is not known to begin at a multiple of {_BYTES} bytes"
        least = _BYTES * 8 // DTYPES[nt.dtype_of(source.result.type)].bits
        inner = self.innermost(ref)
        if strides[inner].value != 1:
            return "no dim that lanes run along is known to have stride 1"
        rows = zip(strides, source.sizes, strict=True)
        for dim, (stride, size) in enumerate(rows):
            if dim != inner and size.value != 1 and known_divisor(stride, divisors) < least:
                return f"stride `{ir_text(stride)}` is not known to be a multiple of {least}"
        return None


def _loads(*values: SSAValue) -> Iterator[nt.LoadOp]:
    """The loads that values are computed from, within one iteration."""
    seen: set[Operation] = set()
    pending = list(values)
    while pending:
        op = pending.pop(0).owner
        if not isinstance(op, Operation) or op in seen:
            continue
        seen.add(op)
        if isinstance(op, nt.LoadOp):
            yield op
        elif not isinstance(op, scf.ForOp | scf.WhileOp):
            pending += op.operands


def row_length(size: IndexExpr) -> IndexExpr:
    """The elements of a packed row, of which ``size`` are the parameter's."""
    return normalize(binary("ceildiv", size, _ROW) * _ROW)


def packed_strides(sizes: Sequence[IndexExpr], inner: int) -> tuple[IndexExpr, ...]:
    """The strides of a packed copy: rows along ``inner`` at multiples of :data:`_ROW` elements, in
    the order of the other dims.
    """
    strides = [const(1)] * len(sizes)
    step = row_length(sizes[inner])
    for dim in reversed([dim for dim in range(len(sizes)) if dim != inner]):
        strides[dim] = normalize(step)
        step = step * sizes[dim]
    return tuple(strides)


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of packed operands (see ``compiler.optimizations``): the footprint says that some of
    what loops with dots read cannot be moved 16 bytes at once.
    """
    operands = _Operands(kernel)
    for ref, load in operands.read():
        try:
            operands.check(ref, load)
        except Refusal:
            continue
        return _legal
    return None


def _legal(footprint: Footprint, unit: Architecture) -> tuple[int, ...]:
    rows = ((scope, stream) for scope in footprint.scopes for stream in scope.streams)
    return (1,) if any(is_packed(*row) for row in rows) else ()


@dataclass(frozen=True)
class PackOperandsPass(KernelPass):
    """Let dots read packed copies of their operands."""

    name: ClassVar[str] = "nt-pack-operands"

    packed: int = 0
    """0: operands are read where they are; 1: from packed copies, where rows are not aligned."""

    equal: tuple[str, ...] = ()
    """``"NAME=NAME"``: sizes that are equal, as ``nt-specialize`` is told."""

    def __post_init__(self) -> None:
        require_among(self.name, "packed", self.packed, (0, 1))

    def reordered_lanes(self, kernel: nt.KernelOp) -> Collection[ReorderedLanes]:
        return reordered(kernel, self.name) if self.packed else ()

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        if not (self.packed or remarks):
            return
        if self.packed:
            # Taps of a window lie apart in memory, and lanes are to run along it.
            interchange(kernel, remarks)
        operands, equal = _Operands(kernel), Equalities(decl.name for decl in kernel.declarations)
        for one, two in (pair.split("=") for pair in self.equal):
            equal.join(one, two)
        for one, two in checked_equalities(kernel):
            equal.join(one, two)
        for ref, load in operands.read():
            source = kernel.sources[ref.index]
            name, why = source.param.data, operands.why_unaligned(ref)
            if why is None:
                text = f"its rows begin at multiples of {_BYTES} bytes"
                remarks.analysis(load, f"`{name}` read where it is: {text}")
                continue
            try:
                operands.check(ref, load)
            except Refusal as refusal:
                remarks.missed(refusal.op, f"`{name}` read where it is: {refusal.reason}")
                continue
            if self.packed:
                operands.pack(ref, equal)
                text = f"its rows begin at multiples of {_ROW} elements"
                remarks.passed(load, f"`{name}` read from a packed copy: {text}")
            else:
                text = f"{why}; {PACKED} is 0, and may be 1"
                remarks.analysis(load, f"`{name}` read where it is: {text}")
