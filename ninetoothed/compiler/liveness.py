"""Which blocks are in registers at once.

A block is live from where it is computed to its last use. What costs nothing to have is left out:
constants, ranges, views of other blocks, and operands of products, which lie in shared memory. Of
an operation on lanes, operand and result are not live together: lane after lane, one takes the
other's register.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ninetoothed.ir import nt

_VIEWS = (
    *(nt.BroadcastOp, nt.ExpandDimsOp, nt.TransOp, nt.ReshapeOp, nt.HintOp),
    UnrealizedConversionCastOp,
)
_FREE = (nt.FullOp, nt.ArangeOp, nt.GuardOp, nt.ConstantOp)


def live_blocks(block: Block) -> list[tuple[Attribute, ...]]:
    """The types of the blocks that are live at once, at each place of an application."""
    found: dict[tuple[Attribute, ...], None] = {}
    _follow(block, {}, found)
    return list(found)


_Live = dict[SSAValue, None]


def _follow(block: Block, after: _Live, found: dict[tuple[Attribute, ...], None]) -> _Live:
    """What is live before a block, where ``after`` is live behind it."""
    live = dict(after)
    for op in reversed(list(block.ops)):
        for result in op.results:
            live.pop(result, None)
        _add(live, _captured(op))
        for region in op.regions:
            for inner in region.blocks:
                _follow(inner, live, found)
        # A loop takes over the registers of what it begins with.
        _add(live, op.operands)
        found[tuple(value.type for value in live)] = None
    return live


def _add(live: _Live, values: Iterable[SSAValue]) -> None:
    for value in values:
        root = _root(value)
        if root is not None:
            live[root] = None


def _captured(op: Operation) -> list[SSAValue]:
    """What the regions of an op use from outside."""
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
    if isinstance(owner, _FREE) or _is_only_multiplied(value) or is_added(value):
        return None
    return value


def _is_only_multiplied(value: SSAValue) -> bool:
    """Whether a block that was loaded is read by products alone."""
    if not isinstance(value.owner, nt.LoadOp | nt.PointerLoadOp):
        return False
    users = [use.operation for use in value.uses]
    while any(isinstance(user, _VIEWS) for user in users):
        users = [
            behind
            for user in users
            for behind in (
                [use.operation for use in user.results[0].uses]
                if isinstance(user, _VIEWS)
                else [user]
            )
        ]
    return all(isinstance(user, nt.DotOp | nt.DotScaledOp) for user in users)


def is_added(value: SSAValue) -> bool:
    """Whether a value is a product that is added to a sum at once: in the sum's registers."""
    if not isinstance(value.owner, nt.DotOp | nt.DotScaledOp):
        return False
    users = [use.operation for use in value.uses]
    return (
        len(users) == 1
        and isinstance(users[0], nt.ElementwiseOp)
        and users[0].function.data == "add"
    )
