"""Coarsen programs: one does the work of several that lie side by side in the grid.

Where a program has little to do, as for a short row or one head, most of its time goes into its
start, and what all programs read is read again by each. So every value that differs between
programs along the grid's innermost dim gets a leading dim of ``factor`` lanes, one a program; what
does not differ is computed and read once. How many programs become one is for the clock to say,
and so it is a choice of the tuner's (see ``compiler.optimizations``).

Why here: block sizes are known, and lanes are not padded yet. It requires stage ``specialized``
and leaves it.

Before:

```mlir
// nt-opt -p 'nt-coarsen-programs{factor=8}'
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[n, 64] x f32>
  %w = nt.source "w" "tensor" strides [1] aligned false : !nt.tensor<[64] x f32>
  %0 = nt.access %x <[[n], [64]] -> [g0, b0]>
      : !nt.tensor<[n, 64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  %1 = nt.access %w <[[n], [64]] -> [b0]>
      : !nt.tensor<[64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n] x !nt.tensor<[64] x f32>>, !nt.tensor<[n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.reduce "sum" %1 axis 0 : !nt.tensor<[64] x f32> -> f32
  %3 = nt.full %2 : f32 -> !nt.tensor<[64] x f32>
  %4 = nt.load %b[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %5 = nt.elementwise "mul"(%3, %4)
      : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %5, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[n, 64] x f32>
  %w = nt.source "w" "tensor" strides [1] aligned false : !nt.tensor<[64] x f32>
  %0 = nt.access %x <[[n ceildiv 8], [8, 64]] -> [b0 + g0 * 8, b1] if [[b0 + g0 * 8, n]]>
      : !nt.tensor<[n, 64] x f32> -> !nt.tensor<[n ceildiv 8] x !nt.tensor<[8, 64] x f32>>
  %1 = nt.access %w <[[n ceildiv 8], [64]] -> [b0]>
      : !nt.tensor<[64] x f32> -> !nt.tensor<[n ceildiv 8] x !nt.tensor<[64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv 8] x !nt.tensor<[8, 64] x f32>>,
                       !nt.tensor<[n ceildiv 8] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 64] x f32>, %b : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] : !nt.tensor<[8, 64] x f32>[] -> !nt.tensor<[8, 64] x f32>
  %2 = nt.reduce "sum" %1 axis 1 : !nt.tensor<[8, 64] x f32> -> !nt.tensor<[8] x f32>
  %3 = nt.expand_dims %2 axis 1 : !nt.tensor<[8] x f32> -> !nt.tensor<[8, 1] x f32>
  %4 = nt.broadcast %3 : !nt.tensor<[8, 1] x f32> -> !nt.tensor<[8, 64] x f32>
  %5 = nt.load %b[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %6 = nt.expand_dims %5 axis 0 : !nt.tensor<[64] x f32> -> !nt.tensor<[1, 64] x f32>
  %7 = nt.broadcast %6 : !nt.tensor<[1, 64] x f32> -> !nt.tensor<[8, 64] x f32>
  %8 = nt.elementwise "mul"(%4, %7)
      : (!nt.tensor<[8, 64] x f32>, !nt.tensor<[8, 64] x f32>) -> !nt.tensor<[8, 64] x f32>
  nt.store %8, %a[] : !nt.tensor<[8, 64] x f32>, !nt.tensor<[8, 64] x f32>[]
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass, MergedPrograms
from ninetoothed.ir.rewriting import Inserter, replace, set_type
from ninetoothed.layout.access import Access, index_names
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.passes.analysis.program_lanes import (
    AxisOp,
    ProgramLanes,
    TileOp,
    grid_dim,
    program_lanes,
)
from ninetoothed.passes.lowering import masks
from ninetoothed.passes.lowering.arranged import rearrange
from ninetoothed.passes.option_values import require_among
from ninetoothed.symbolic.expr import IndexExpr, binary, const, sym
from ninetoothed.symbolic.normal_form import normalize

_FACTORS = (2, 4, 8, 16, 32)
_MOST_LANES = 1 << 13
"""Of a program that does the work of several: with more, it has enough to do as it is."""


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of coarsened programs (see ``compiler.optimizations``): they have few lanes."""
    found = _mergeable(kernel, nt.RemarkEmitter(kernel, CoarsenProgramsPass.name))
    return None if found is None else _legal


def _mergeable(kernel: nt.KernelOp, remarks: nt.RemarkEmitter) -> ProgramLanes | None:
    """What differs between programs that can be one; None where there are none, or ``remarks`` are
    told why they cannot. Where there are dots, programs have enough to do.
    """
    dim = grid_dim(kernel)
    if dim is None or nt.has_dot(kernel.apply):
        return None
    try:
        return program_lanes(kernel, dim)
    except Refusal as refusal:
        remarks.missed(refusal.op, f"programs kept apart: {refusal.reason}")
        return None


def _legal(footprint: Footprint, unit: Architecture) -> tuple[int, ...]:
    return tuple(one for one in _FACTORS if one * footprint.lanes <= _MOST_LANES)


@dataclass(frozen=True)
class CoarsenProgramsPass(KernelPass):
    """Coarsen programs: one does the work of several."""

    name: ClassVar[str] = "nt-coarsen-programs"

    factor: int = 1
    """Programs that become one; 1: each stays as it is."""

    def __post_init__(self) -> None:
        require_among(self.name, "factor", self.factor, (1, *_FACTORS))

    def merged_programs(self, kernel: nt.KernelOp) -> MergedPrograms | None:
        found = _mergeable(kernel, nt.RemarkEmitter(kernel, self.name))
        if found is None or self.factor == 1:
            return None
        names = frozenset(kernel.sources[tile].param.data for tile in found.tiles)
        return MergedPrograms(kernel.program_shape, found.dim, self.factor, names)

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        if self.factor == 1 and not remarks:
            return
        found = _mergeable(kernel, remarks)
        if found is not None and self.factor > 1:
            _Coarsening(kernel, found, self.factor).run()
            remarks.passed(kernel, f"programs coarsened: one does the work of {self.factor}")


class _Coarsening:
    """The coarsening of one kernel: types change in place, and the ops with them."""

    def __init__(self, kernel: nt.KernelOp, lanes: ProgramLanes, factor: int) -> None:
        self.kernel = kernel
        self.lanes = lanes
        self.factor = factor
        # Values are made anew with their types, so it is by place that they are known.
        self.planned = {_place(value) for value in lanes.values}
        self.ops = list(kernel.apply.walk())

    def run(self) -> None:
        """Coarsen it."""
        for index in range(len(self.kernel.arranged.values)):
            self._arrange(index)
        # Arguments are made anew with their types, and ops are not.
        tiles = frozenset(self.kernel.apply.block.args[tile] for tile in self.lanes.tiles)
        for op in self.ops:
            self._lift(op, tiles)

    def _differs(self, value: SSAValue) -> bool:
        return _place(value) in self.planned

    def _arrange(self, index: int) -> None:
        """Give a parameter the access of several programs."""
        arranged = self.kernel.arranged.values[index]
        access = arranged.owner
        assert isinstance(access, nt.AccessOp)
        if not access.access.data.levels[0]:
            return
        found = self._coarsened(access.access.data, index in self.lanes.tiles)
        type = rearrange(self.kernel, index, found)
        if index in self.lanes.tiles:
            set_type(self.kernel.apply.block.args[index], type.element_type)

    def _coarsened(self, access: Access, differs: bool) -> Access:
        programs, *inner = access.levels
        dim, size = self.lanes.dim, programs[self.lanes.dim]
        fewer = list(programs)
        fewer[dim] = normalize(binary("ceildiv", size, self.factor))
        if not differs:
            return Access((tuple(fewer), *inner), access.indices, access.guards)
        block = inner.pop() if inner else ()
        levels = (tuple(fewer), *inner, (const(self.factor), *block))
        old = index_names(access.levels)[-1] if block else ()
        new = index_names(levels)[-1]
        index = sym(f"g{dim}") * self.factor + sym(new[0])
        names = dict(zip(old, map(sym, new[1:]), strict=True))
        # The sizes of the levels are those of all programs.
        moved = Access((), access.indices, access.guards).substitute({**names, f"g{dim}": index})
        guard = Guard(normalize(index), size)
        return Access(levels, moved.indices, (*moved.guards, guard))

    def _lift(self, op: Operation, tiles: Collection[SSAValue]) -> None:
        """Give an op's values a lane a program, where they differ."""
        if isinstance(op, TileOp) and op.ref in tiles:
            if isinstance(op, nt.OffsetsOp):
                first = [0] if self._differs(op.result) else []
                op.along = nt.ExprsAttr.of([*first, *(dim + 1 for dim in op.dims)])
            elif isinstance(op, nt.StoreOp | nt.StoredOp):
                self._spread(op, [0])
        elif isinstance(op, scf.ForOp):
            args = op.body.block.args[1:]
            first = len(op.operands) - len(args)
            for place, arg in enumerate(args):
                if self._differs(arg):
                    self._spread(op, [first + place])
                    set_type(arg, self._wider(arg.type))
        elif isinstance(op, scf.YieldOp):
            parent = op.parent_op()
            assert parent is not None
            self._spread(op, [i for i, one in enumerate(parent.results) if self._differs(one)])
        elif isinstance(op, scf.IfOp):
            pass
        elif not any(map(self._differs, op.operands)):
            return
        elif isinstance(op, nt.FullOp):
            self._fill(op)
            return
        else:
            self._spread(op, range(len(op.operands)))
            if isinstance(op, AxisOp):
                op.axis = IntegerAttr(op.dim + 1, i64)
            elif isinstance(op, nt.TransOp):
                op.order = nt.ExprsAttr.of([0, *(dim + 1 for dim in op.dims)])
        for result in list(op.results):
            if self._differs(result):
                set_type(result, self._wider(result.type))

    def _wider(self, type: Attribute) -> Attribute:
        return nt.block_type((self.factor, *nt.shape_of(type)), nt.scalar_of(type))

    def _spread(self, op: Operation, places: Sequence[int]) -> None:
        """Let some operands have a lane a program, also those that are the same in all."""
        for place in places:
            operand = op.operands[place]
            if not self._differs(operand):
                op.operands[place] = self._repeated(Inserter.before(op), operand)

    def _repeated(self, inserter: Inserter, value: SSAValue) -> SSAValue:
        if not isinstance(value.type, nt.TensorType):
            return inserter.add(nt.FullOp(value, nt.block_type([self.factor], value.type)))
        found = inserter.add(nt.ExpandDimsOp(value, 0))
        return inserter.add(nt.BroadcastOp(found, [self.factor, *nt.shape_of(value.type)]))

    def _fill(self, op: nt.FullOp) -> None:
        """Put a program's scalar into all lanes of its own block."""
        sizes: tuple[IndexExpr, ...] = nt.shape_of(op.result.type)
        inserter = Inserter.before(op)
        value = masks.along(inserter, op.value, 0, (const(self.factor), *sizes))
        self.planned.add(_place(value))
        replace(op, [value])


def _place(value: SSAValue) -> tuple[Operation | Block, int]:
    """What stays when a value's type changes: its owner, and its number there."""
    assert isinstance(value, OpResult | BlockArgument)
    return value.owner, value.index
