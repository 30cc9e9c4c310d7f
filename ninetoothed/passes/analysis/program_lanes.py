"""Program lanes: which values of a kernel differ between programs along a dim of the grid.

Several programs can be one if each of those values gets a lane for each program: loads, elementwise
ops, reductions along other dims, and loops that take as many turns in all of them. What no block
can hold for several programs refuses: dots, atomics, pointers, and branches that depend on data.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.effects import acts
from ninetoothed.layout.access import Access
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.symbolic.expr import IndexExpr, symbol_names
from ninetoothed.symbolic.normal_form import normalize

TileOp = nt.LoadOp | nt.GuardOp | nt.OffsetsOp | nt.StoredOp | nt.StoreOp
"""Ops on the block of a tile."""
_LanewiseOp = nt.ElementwiseOp | nt.CastOp | nt.BitcastOp
"""Ops whose lanes are independent, of operands of one shape."""
AxisOp = (
    nt.ReduceOp
    | nt.ScanOp
    | nt.ReduceByOp
    | nt.ScanByOp
    | nt.SortOp
    | nt.FlipOp
    | nt.GatherOp
    | nt.ExpandDimsOp
)
"""Ops along one dim, of operands of one shape but for that dim."""
_ReshapingOp = (
    nt.FullOp
    | nt.BroadcastOp
    | nt.ReshapeOp
    | nt.TransOp
    | nt.JoinOp
    | nt.SplitOp
    # From one block size to another that is always the same.
    | UnrealizedConversionCastOp
)
_Numbered = nt.ProgramNumberOp | nt.ProgramCountOp | nt.ProgramIdOp


@dataclass(frozen=True)
class ProgramLanes:
    """What differs between programs along ``dim``, of ``size`` programs: the tiles with these
    places among the parameters, and values of the application.
    """

    dim: int
    size: IndexExpr
    tiles: frozenset[int]
    values: frozenset[SSAValue]


def grid_dim(kernel: nt.KernelOp) -> int | None:
    """The innermost dim of the grid of more than one program; None where there is none, or where
    the tuner chooses a block's size along it, which does the same.
    """
    metas = {decl.name for decl in kernel.declarations if decl.kind == "meta"}
    shape = tuple(map(normalize, kernel.program_shape))
    dim = next((dim for dim, size in reversed([*enumerate(shape)]) if size.value != 1), None)
    return None if dim is None or metas & {*symbol_names(shape[dim])} else dim


def program_lanes(kernel: nt.KernelOp, dim: int) -> ProgramLanes:
    """What differs along a dim of the grid.

    Raises:
        Refusal: programs along it cannot be one.
    """
    shape = kernel.program_shape
    tiles: set[int] = set()
    for index, value in enumerate(kernel.arranged.values):
        source, attribute = nt.access_of(value, kernel.assumptions)
        access = attribute.data
        if source.jagged is not None:
            raise Refusal(kernel, f"sequences of `{source.param.data}` differ in length")
        if access.levels[0] and len(access.levels[0]) != len(shape):
            raise Refusal(kernel, f"`{source.param.data}` has another number of outermost dims")
        if _depends(access, dim):
            tiles.add(index)
    values = _varying(kernel, dim, tiles)
    for op in kernel.apply.walk():
        _check(op, tiles, values)
    return ProgramLanes(dim, shape[dim], frozenset(tiles), frozenset(values))


def _depends(access: Access, dim: int) -> bool:
    guards = [expr for guard in access.guards for expr in (guard.index, guard.size)]
    exprs = [*access.indices, *guards]
    return any(f"g{dim}" in symbol_names(expr) for expr in exprs)


def _tile_of(op: Operation) -> int | None:
    """The parameter whose tile the op is on."""
    ref = getattr(op, "ref", None)
    return ref.index if isinstance(ref, BlockArgument) else None


def _varying(kernel: nt.KernelOp, dim: int, tiles: set[int]) -> set[SSAValue]:
    """The values that differ, around all loops."""
    found: set[SSAValue] = set()
    ops = list(kernel.apply.walk())
    count = -1
    while count != len(found):
        count = len(found)
        for op in ops:
            _visit(kernel, op, dim, tiles, found)
    return found


def _visit(
    kernel: nt.KernelOp, op: Operation, dim: int, tiles: set[int], found: set[SSAValue]
) -> None:
    """Add what differs of an op's results, and of what its regions carry."""
    if isinstance(op, scf.ForOp):
        end = op.body.block.last_op
        assert end is not None
        for arg, init, last, result in zip(
            op.body.block.args[1:], op.iter_args, end.operands, op.results, strict=True
        ):
            if not found.isdisjoint((init, last)):
                found.update((arg, result))
    elif isinstance(op, scf.IfOp):
        ends = [region.block.last_op for region in op.regions if region.blocks]
        for place, result in enumerate(op.results):
            if any(end is not None and end.operands[place] in found for end in ends):
                found.add(result)
    elif isinstance(op, TileOp) and _tile_of(op) in tiles:
        if not isinstance(op, nt.OffsetsOp) or _offsets_differ(kernel, op, dim):
            found.update(op.results)
    elif not found.isdisjoint(op.operands):
        found.update(op.results)


def _offsets_differ(kernel: nt.KernelOp, op: nt.OffsetsOp, dim: int) -> bool:
    """True if the offsets of a tile differ between programs along ``dim``."""
    assert isinstance(op.ref, BlockArgument)
    access = nt.access_of(kernel.arranged.values[op.ref.index], kernel.assumptions)[1].data
    indices = access.indices if op.source_dim is None else (access.indices[op.source_dim],)
    return any(f"g{dim}" in symbol_names(index) for index in indices)


def _check(op: Operation, tiles: set[int], values: set[SSAValue]) -> None:
    """Check that an op can do the work of several programs.

    Raises:
        Refusal: it cannot.
    """
    differs = not values.isdisjoint(op.operands)
    if isinstance(op, nt.StoreOp):
        if _tile_of(op) not in tiles:
            raise Refusal(op, "all programs store to one place")
        if not values.isdisjoint(op.indices):
            raise Refusal(op, "which tile it stores to depends on data")
    elif isinstance(op, TileOp):
        if not values.isdisjoint(op.indices):
            raise Refusal(op, "which tile is read depends on data")
    elif isinstance(op, _Numbered):
        raise Refusal(op, "the application asks for the number of its program")
    elif isinstance(op, scf.ForOp):
        if not values.isdisjoint((op.lb, op.ub, op.step)):
            raise Refusal(op, "how often the loop iterates depends on data")
    elif isinstance(op, scf.IfOp):
        if op.cond in values:
            raise Refusal(op, "the branch depends on data")
    elif isinstance(op, scf.WhileOp | scf.YieldOp):
        if differs and any(isinstance(one, scf.WhileOp) for one in (op, op.parent_op())):
            raise Refusal(op, "what a `while` carries depends on data")
    elif isinstance(op, nt.BarrierOp | nt.ReturnOp | nt.PointerOp):
        pass
    elif _tile_of(op) in tiles:
        raise Refusal(op, f"{op.name} takes the tile of one program")
    elif not op.regions and acts(op):
        raise Refusal(op, f"{op.name} is done once a program")
    elif differs and not isinstance(op, _LanewiseOp | AxisOp | _ReshapingOp):
        raise Refusal(op, f"{op.name} takes the block of one program")
