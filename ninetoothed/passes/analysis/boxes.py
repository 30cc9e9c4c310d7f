"""Boxes: tiles whose lanes are a range of indices along some dims of their source, and have one
index along the others. Tensor descriptors move them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from ninetoothed.layout.access import Access, holds
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.symbolic.expr import IndexExpr, ir_text, minimum, sym, symbol_names
from ninetoothed.symbolic.intervals import Assumptions
from ninetoothed.symbolic.normal_form import normalize


@dataclass(frozen=True)
class BoxDim:
    """A dim of a box: the index of its first lane, and the ``end`` of those that are valid, which
    begin with 0. ``lane``: the block's dim that it is; None: it has one index. ``is_clipped``: some
    lanes may lie behind the end.
    """

    start: IndexExpr
    end: IndexExpr
    lane: int | None
    is_clipped: bool


@dataclass(frozen=True)
class Box:
    """A tile as a box. ``dims``: those of the box, by the source's dims. ``fixed``: the only index
    along each other dim, which no iteration of a loop changes, and no guard is about.
    """

    dims: Mapping[int, BoxDim]
    fixed: Mapping[int, IndexExpr]


def box_of(
    op: Operation,
    sizes: Sequence[IndexExpr],
    access: Access,
    lanes: Sequence[str],
    varying: Collection[str],
    ranges: Assumptions,
) -> Box:
    """The box that ``op`` takes of a source of these ``sizes``. ``lanes``: the indices of the
    block's dims; ``varying``: those that a loop around ``op`` changes.

    Raises:
        Refusal: its tile is no box, or a guard no bound of it.
    """
    ends: dict[IndexExpr, IndexExpr] = {}
    for guard in access.guards:
        if holds(guard, ranges):
            continue
        if guard.index not in access.indices:
            text = f"`{ir_text(guard.index)} < {ir_text(guard.size)}`"
            raise Refusal(op, f"{text} is no bound of a dim")
        known = ends.get(guard.index)
        ends[guard.index] = guard.size if known is None else minimum(known, guard.size)
    dims: dict[int, BoxDim] = {}
    fixed: dict[int, IndexExpr] = {}
    for dim, (index, size) in enumerate(zip(access.indices, sizes, strict=True)):
        names = symbol_names(index)
        lane = next((place for place, name in enumerate(lanes) if name in names), None)
        if lane is None and index not in ends and not any(name in varying for name in names):
            fixed[dim] = index
            continue
        start = index
        if lane is not None:
            start = normalize(index - sym(lanes[lane]))
            if any(name in lanes for name in symbol_names(start)):
                raise Refusal(op, f"`{ir_text(index)}` does not go by 1 along dim {dim}")
        dims[dim] = BoxDim(start, ends.get(index, size), lane, index in ends)
    moved = [one.lane for one in dims.values() if one.lane is not None]
    for lane, size in enumerate(access.levels[-1]):
        if size.value != 1 and moved.count(lane) != 1:
            many = "several dims" if lane in moved else "no dim"
            raise Refusal(op, f"dim {lane} of its block goes along {many} of it")
    return Box(dims, fixed)
