"""Semantics of an arrangement before it is composed: its meta-operations one by one.

An element exists where, at every step, every index is in bounds. Nothing is simplified or left out:
this is the reference for ``nt-compose-arrangement``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from ninetoothed.ir import nt
from ninetoothed.layout.access import Access, index_names
from ninetoothed.layout.meta_op import Guard, Levels, MetaOp, Sizes
from ninetoothed.symbolic.expr import IndexExpr, substitute, sym


def access_of(value: SSAValue, symbols: Mapping[str, int]) -> tuple[nt.SourceOp, nt.AccessAttr]:
    """The source and the access of an arranged value, composed or not, for values of symbols."""
    owner = value.owner
    if isinstance(owner, nt.AccessOp):
        source = owner.source.owner
        assert isinstance(source, nt.SourceOp)
        return source, owner.access
    source, ops = nt.chain(value)
    access = step_by_step(source.sizes, [op.algebra for op in ops], source.own)
    # Substituting sizes of 0 also defines remainders by them.
    return source, nt.AccessAttr(_with_values(access, symbols))


def step_by_step(
    source: Sizes, ops: Sequence[MetaOp], own: tuple[str, IndexExpr] | None = None
) -> Access:
    """The unsimplified access of a chain of meta-operations.

    ``own``, of a jagged source: the symbol of the longest sequence, and the length to guard by.
    """
    states: list[Levels] = [(source,)]
    for op in ops:
        states.append(op.result(states[-1]))
    levels = states.pop()
    indices: Levels = tuple(tuple(sym(name) for name in row) for row in index_names(levels))
    guards = dict.fromkeys(_inside(levels, indices))
    for op, old in zip(reversed(ops), reversed(states), strict=True):
        indices = op.source(old, indices)
        guards.update(dict.fromkeys(_inside(old, indices)))
    if own is not None:
        lengths: dict[str, IndexExpr | int] = {own[0]: own[1]}
        guards = {Guard(guard.index, substitute(guard.size, lengths)): None for guard in guards}
    return Access(levels, indices[0], tuple(guards))


def _inside(levels: Levels, indices: Levels) -> list[Guard]:
    return [
        Guard(index, size)
        for row, sizes in zip(indices, levels, strict=True)
        for index, size in zip(row, sizes, strict=True)
    ]


def _with_values(access: Access, symbols: Mapping[str, int]) -> Access:
    values: Mapping[str, IndexExpr | int] = dict(symbols)
    return Access(
        tuple(tuple(substitute(size, values) for size in sizes) for sizes in access.levels),
        tuple(substitute(index, values) for index in access.indices),
        tuple(
            Guard(substitute(guard.index, values), substitute(guard.size, values))
            for guard in access.guards
        ),
    )
