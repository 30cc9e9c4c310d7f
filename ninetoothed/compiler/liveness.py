"""Liveness analysis: which blocks are in registers at once.

A block is live from where it is computed to its last use. Blocks that take no registers are left
out: constants, ranges, views of other blocks, and operands of dots, which lie in shared memory.

Operations on lanes take no registers beside those of the blocks in front of them and behind:
machine code computes a few lanes of all of them, up to the next operation that needs whole blocks
(a reduction, a dot, a loop, a store), and then the next lanes, whose results take the places of
what they are computed from. So blocks are counted only where they must be whole: of a block of
halves that is converted to fp32 and added to a sum, the sum and the halves. Loads between two such
places are issued together, at the first, since each waits long.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ninetoothed.dtype import DTYPES
from ninetoothed.ir import nt

_VIEWS = (
    *(nt.BroadcastOp, nt.ExpandDimsOp, nt.TransOp, nt.ReshapeOp, nt.HintOp),
    UnrealizedConversionCastOp,
)
_FREE = (nt.FullOp, nt.ArangeOp, nt.GuardOp, nt.ConstantOp)
_OF_LANES = (*_VIEWS, *_FREE, nt.ElementwiseOp, nt.CastOp, nt.BitcastOp, nt.InlineAsmOp)

LiveTypes = tuple[Attribute, ...]
"""Types of the blocks that are live at some point."""
_Values = dict[SSAValue, None]


def live_blocks(block: Block) -> dict[Block, tuple[LiveTypes, ...]]:
    """The blocks that are live at once, at each point of an application where they are whole: by
    the IR block, of the application itself, a loop or a branch, that the point is in.
    """
    found: dict[Block, dict[LiveTypes, None]] = {}
    _follow(block, {}, found)
    return {inner: tuple(rows) for inner, rows in found.items()}


def _follow(block: Block, after: _Values, found: dict[Block, dict[LiveTypes, None]]) -> _Values:
    """Live values before a block, where ``after`` is live after it."""
    live = dict(after)
    rows = found.setdefault(block, {})
    loaded: list[SSAValue] = []
    for op in reversed(list(block.ops)):
        if isinstance(op, nt.LoadOp):
            loaded.append(op.result)
            continue
        is_whole = _is_whole(op)
        if is_whole:
            _end_loads(live, loaded, rows)
        for result in op.results:
            live.pop(result, None)
        # What a loop uses from outside, its next iteration uses again; a branch runs once.
        inside = dict(live) if isinstance(op, scf.IfOp) else live
        _add(live, _captured(op))
        for region in op.regions:
            for inner in region.blocks:
                _follow(inner, inside, found)
        # A loop reuses the registers of its initial values.
        _add(live, op.operands)
        if is_whole:
            rows[_types(live)] = None
    _end_loads(live, loaded, rows)
    rows[_types(live)] = None
    return live


def _end_loads(live: _Values, loaded: list[SSAValue], rows: dict[LiveTypes, None]) -> None:
    """Go back over the loads of a place: behind it, all of them are live."""
    rows[_types(live)] = None
    for value in loaded:
        live.pop(value, None)
    loaded.clear()


def _is_whole(op: Operation) -> bool:
    """True if an op needs whole blocks, or gives one."""
    if isinstance(op, _OF_LANES):
        return False
    values = (*op.operands, *op.results)
    return bool(op.regions) or any(_root(value) is not None for value in values)


def _types(live: _Values) -> LiveTypes:
    return tuple(value.type for value in live)


def _add(live: _Values, values: Iterable[SSAValue]) -> None:
    for value in values:
        root = _root(value)
        if root is not None:
            live[root] = None


def _captured(op: Operation) -> list[SSAValue]:
    """Values that the regions of an op use from outside."""
    if not op.regions:
        return []
    inside = set(op.walk())
    return [
        operand
        for inner in op.walk()
        if inner is not op
        for operand in inner.operands
        if not _is_inside(operand, inside)
    ]


def _is_inside(value: SSAValue, ops: set[Operation]) -> bool:
    owner = value.owner
    return (owner if isinstance(owner, Operation) else owner.parent_op()) in ops


def _root(value: SSAValue) -> SSAValue | None:
    """The block that a value is a view of; None where it takes no registers."""
    while isinstance(value.owner, _VIEWS):
        value = value.owner.operands[0]
    type, owner = value.type, value.owner
    if isinstance(owner, Block) and isinstance(owner.parent_op(), nt.KernelOp):
        return None
    if not isinstance(type, nt.TensorType) or isinstance(type.element_type, nt.TensorType):
        return None
    if isinstance(owner, _FREE) or _is_dot_operand(value) or is_accumulated(value):
        return None
    return value


def _is_dot_operand(value: SSAValue) -> bool:
    """True if a loaded block is read by dots alone."""
    return isinstance(value.owner, nt.LoadOp | nt.PointerLoadOp) and _feeds_dots(value)


def _feeds_dots(value: SSAValue) -> bool:
    return all(
        _feeds_dots(use.operation.results[0])
        if isinstance(use.operation, _VIEWS)
        else isinstance(use.operation, nt.AnyDotOp)
        for use in value.uses
    )


def is_accumulated(value: SSAValue) -> bool:
    """True if a value is a dot that is accumulated at once, in the sum's registers."""
    if not isinstance(value.owner, nt.AnyDotOp) or _is_apart(value.owner):
        return False
    users = [use.operation for use in value.uses]
    return (
        len(users) == 1
        and isinstance(users[0], nt.ElementwiseOp)
        and users[0].function.data == "add"
    )


def _is_apart(op: nt.AnyDotOp) -> bool:
    """True if a sum that a dot is added to is no sum of the matrix units: one of floats of eight
    bits might have fewer digits there (see ``max_num_imprecise_acc`` of ``ntl.dot``).
    """
    if not isinstance(op, nt.DotOp) or (op.imprecise is not None and not op.imprecise.value.data):
        return False
    row = DTYPES[nt.dtype_of(op.a.type)]
    return row.kind == "float" and row.bits == 8
