"""Windows: what a kernel reads to reduce it along a short dim, and nothing else.

A window is a closed set of ops: loads of tiles, elementwise ops over them, and the reductions along
one dim that all of it ends in. So each lane of that dim can be computed by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith
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
REGION_OPS = (nt.ElementwiseOp, nt.CastOp, arith.ConstantOp, nt.YieldOp)
"""What the region of a reduction may hold."""


@dataclass
class Window:
    """A window along ``dim`` of blocks of ``shape``; the ops in order."""

    dim: int
    shape: tuple[IndexExpr, ...]
    tiles: list[BlockArgument] = field(default_factory=list[BlockArgument])
    ops: list[Operation] = field(default_factory=list[Operation])

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
    found.visit(reduction)
    order = {op: place for place, op in enumerate(kernel.apply.walk())}
    found.window.ops = sorted(found.ops, key=order.__getitem__)
    # What no tile is read for costs nothing.
    return found.window if found.window.tiles else None


class _Closure:
    """Collects the ops of a window, from a reduction on."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.ops: dict[Operation, None] = {}

    def visit(self, op: Operation) -> None:
        """Add an op that has a value of the window, and all that is connected to it."""
        if op in self.ops:
            return
        self._check(op)
        self.ops[op] = None
        if isinstance(op, Read):
            self._visit_tile(op)
        else:
            for operand in op.operands:
                self._visit_operand(op, operand)
        if not isinstance(op, Reduction):
            for use in op.results[0].uses:
                self.visit(use.operation)

    def _check(self, op: Operation) -> None:
        if isinstance(op, Reduction):
            if op.dim != self.window.dim or nt.shape_of(op.operands[0].type) != self.window.shape:
                raise Refusal(op, "it is reduced along another dim, too")
            if isinstance(op, nt.ReduceByOp) and not all(
                isinstance(inner, REGION_OPS) for inner in op.combine.block.ops
            ):
                raise Refusal(op, "its function does more than arithmetic")
        elif not isinstance(op, Read | Lanewise):
            raise Refusal(op, f"what is read is an operand of {op.name}, too")

    def _visit_tile(self, op: Read) -> None:
        tile = op.ref
        assert isinstance(tile, BlockArgument)
        if tile in self.window.tiles:
            return
        self.window.tiles.append(tile)
        for use in tile.uses:
            if not isinstance(use.operation, Read):
                raise Refusal(op, f"its tile is an operand of {use.operation.name}, too")
            self.visit(use.operation)

    def _visit_operand(self, op: Operation, operand: SSAValue) -> None:
        owner = operand.owner
        if isinstance(owner, nt.FullOp):
            return
        if not isinstance(owner, Read | Lanewise):
            raise Refusal(op, "an operand of it is neither read nor computed lane by lane")
        self.visit(owner)


def is_row(source: nt.SourceOp, access: Access, dim: int) -> bool:
    """True if a dim of the block runs along memory, and no other does: read lane by lane, it would
    not be read in vectors.
    """
    names = index_names(access.levels)[-1]
    unit = [
        index
        for index, stride in zip(access.indices, source.strides.data, strict=True)
        if stride.value == 1
    ]
    runs = [any(_steps(index, name) for index in unit) for name in names]
    return runs[dim] and not any(runs[:dim] + runs[dim + 1 :])


def _steps(index: IndexExpr, name: str) -> bool:
    """True if an index grows by 1 from each lane of ``name`` to the next."""
    return normalize(substitute(index, {name: sym(name) + 1}) - index).value == 1
