"""Windows: what a kernel reads to reduce it along a short dim, and nothing else.

A window is a closed set of ops: loads of tiles, elementwise ops over them, and the reductions along
one dim that all of it ends in. So each lane of that dim can be computed by itself. A tile may have
that dim alone, as a filter that all windows are multiplied by, and be spread along the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.layout.access import Access, index_names
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.symbolic.expr import IndexExpr, product, substitute, sym
from ninetoothed.symbolic.normal_form import normalize

MOST_LANES = 32
"""Lanes of a dim that is short."""
_LEAST_BESIDE = 32
"""Lanes of the other dims: with fewer, threads would have nothing to do but the same as others."""

Reduction = nt.ReduceOp | nt.ReduceByOp
Read = nt.LoadOp | nt.GuardOp
Lanewise = nt.ElementwiseOp | nt.CastOp
Spreading = nt.BroadcastOp | nt.ExpandDimsOp | UnrealizedConversionCastOp
"""The latter between types that are equal by now."""
REGION_OPS = (nt.ElementwiseOp, nt.CastOp, arith.ConstantOp, nt.YieldOp)
"""What the region of a reduction may hold."""


@dataclass
class Window:
    """A window along ``dim`` of blocks of ``shape``; the ops in order. ``dims``: the dim of each
    value, and of each tile's blocks, that is the window's.
    """

    dim: int
    shape: tuple[IndexExpr, ...]
    tiles: list[BlockArgument] = field(default_factory=list[BlockArgument])
    ops: list[Operation] = field(default_factory=list[Operation])
    dims: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    @property
    def count(self) -> int:
        """The number of lanes along the dim."""
        count = self.shape[self.dim].value
        assert count is not None
        return count

    @property
    def reductions(self) -> list[Reduction]:
        """The reductions that it ends in."""
        return [op for op in self.ops if isinstance(op, Reduction)]


def find_window(kernel: nt.KernelOp, reduction: Reduction) -> Window | None:
    """The window that a reduction belongs to; None where it reduces no short dim of a tile, or that
    is all that the tile has.

    Raises:
        Refusal: something else needs what is read.
    """
    shape, dim = nt.shape_of(reduction.operands[0].type), reduction.dim
    count, beside = shape[dim].value, product((*shape[:dim], *shape[dim + 1 :])).value
    if count is None or not 1 < count <= MOST_LANES or (beside or 0) < _LEAST_BESIDE:
        return None
    found = _Closure(Window(dim, shape))
    found.visit(reduction, dim)
    order = {op: place for place, op in enumerate(kernel.apply.walk())}
    found.window.ops = sorted(found.ops, key=order.__getitem__)
    # What no tile is read for costs nothing.
    return found.window if found.window.tiles else None


class _Closure:
    """Collects the ops of a window, from a reduction on."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.ops: dict[Operation, None] = {}

    def visit(self, op: Operation, dim: int) -> None:
        """Add an op that has a value of the window, and all that is connected to it; ``dim``: the
        window's, of its result, or of what a reduction is of.
        """
        if op in self.ops:
            return
        self._check(op, dim)
        self.ops[op] = None
        if isinstance(op, Read):
            self._visit_tile(op, dim)
        else:
            for operand in op.operands:
                self._visit_operand(op, operand, dim)
        if not isinstance(op, Reduction):
            self.window.dims[op.results[0]] = dim
            for use in op.results[0].uses:
                self.visit(use.operation, _dim_behind(use.operation, dim))

    def _check(self, op: Operation, dim: int) -> None:
        if isinstance(op, Reduction):
            sizes = nt.shape_of(op.operands[0].type)
            if op.dim != dim or (dim, sizes) != (self.window.dim, self.window.shape):
                raise Refusal(op, "it is reduced along another dim, too")
            if isinstance(op, nt.ReduceByOp) and not all(
                isinstance(inner, REGION_OPS) for inner in op.combine.block.ops
            ):
                raise Refusal(op, "its function does more than arithmetic")
        elif not _is_by_lane(op):
            raise Refusal(op, f"what is read is an operand of {op.name}, too")

    def _visit_tile(self, op: Read, dim: int) -> None:
        tile = op.ref
        assert isinstance(tile, BlockArgument)
        if tile in self.window.tiles:
            return
        self.window.tiles.append(tile)
        self.window.dims[tile] = dim
        for use in tile.uses:
            if not isinstance(use.operation, Read):
                raise Refusal(op, f"its tile is an operand of {use.operation.name}, too")
            self.visit(use.operation, dim)

    def _visit_operand(self, op: Operation, operand: SSAValue, dim: int) -> None:
        owner = operand.owner
        if isinstance(owner, nt.FullOp):
            return
        if isinstance(op, nt.ExpandDimsOp) and op.dim < dim:
            dim -= 1
        is_uniform = isinstance(op, nt.BroadcastOp) and nt.shape_of(operand.type)[dim].value == 1
        if is_uniform or not isinstance(owner, Operation) or not _is_by_lane(owner):
            raise Refusal(op, "an operand of it is neither read nor computed lane by lane")
        self.visit(owner, dim)


def _is_by_lane(op: Operation) -> bool:
    """True if a lane of an op's result needs one lane of each operand."""
    if isinstance(op, UnrealizedConversionCastOp):
        return op.inputs[0].type == op.outputs[0].type
    return isinstance(op, Read | Lanewise | Spreading)


def _dim_behind(op: Operation, dim: int) -> int:
    """The dim of an op's result that is ``dim`` of its operand."""
    return dim + 1 if isinstance(op, nt.ExpandDimsOp) and op.dim <= dim else dim


def is_row(source: nt.SourceOp, access: Access, dim: int) -> bool:
    """True if a dim of the block, of several, runs along memory, and no other does: read lane by
    lane, it would not be read in vectors.
    """
    names = index_names(access.levels)[-1]
    if len(names) == 1:
        return False
    unit = [
        index
        for index, stride in zip(access.indices, source.strides.data, strict=True)
        if stride.value == 1
    ]
    runs = [any(runs_along(index, name) for index in unit) for name in names]
    return runs[dim] and not any(runs[:dim] + runs[dim + 1 :])


def runs_along(index: IndexExpr, name: str) -> bool:
    """True if an index grows by 1 from each lane of ``name`` to the next."""
    return normalize(substitute(index, {name: sym(name) + 1}) - index).value == 1
