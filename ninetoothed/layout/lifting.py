"""Chains of operations, lifted behind a new outermost dim: one that the source gets, or that the
tensor is repeated along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ninetoothed.layout.chain import Chain, Source
from ninetoothed.layout.meta_op import MetaOp, Sizes
from ninetoothed.layout.meta_ops import (
    Expand,
    Flatten,
    Pad,
    Permute,
    Ravel,
    Slice,
    Squeeze,
    Tile,
    Unsqueeze,
)
from ninetoothed.symbolic.expr import IndexExpr, SymbolInfo, const, sym

_ZERO, _ONE, _KEPT = const(0), const(1), const(-1)


def lifted(chain: Chain, size: IndexExpr) -> Chain:
    """The chain on a source that has a new first dim of ``size``, which becomes the first dim of
    the outermost level; what is at an index of it is arranged as it was.
    """
    source = chain.source
    stride = sym(f"{source.name}_stride_{len(source.shape)}", SymbolInfo("stride"))
    shape = (size, *source.shape)
    strides, batches = (stride, *source.strides), (True, *source.batches)
    source = replace(source, shape=shape, strides=strides, batches=batches)
    found = Chain(source, (), (shape,))
    for op in chain.ops:
        for step in _lifted(op, size) if op.level == 0 else (op,):
            found = found.then(step)
    return found


def repeated(chain: Chain, size: IndexExpr) -> Chain:
    """The chain with a new first dim of ``size`` of the outermost level, along which it is the
    same.
    """
    source = replace(chain.source, batches=(False, *chain.source.batches))
    kept = (_KEPT,) * len(chain.levels[0])
    found = replace(chain, source=source)
    for step in (Unsqueeze(0, 0), Expand(0, (size, *kept))):
        found = found.then(step)
    return found


def is_arranged(batches: Sequence[bool], count: int) -> bool:
    """True if the user has some of the ``count`` operations on a source with these ``batches``."""
    return count > 2 * batches.count(False)


def batch_sizes(sources: Sequence[Source]) -> Sizes:
    """The sizes of the batches that sources were lifted behind, outermost first."""
    found: dict[int, IndexExpr] = {}
    for source in sources:
        levels = [level for level, is_dim in enumerate(source.batches) if is_dim]
        found.update(zip(levels, source.shape, strict=False))
    return tuple(found[level] for level in sorted(found))


def _lifted(op: MetaOp, size: IndexExpr) -> tuple[MetaOp, ...]:
    """The operations on the other dims of the outermost level, of one whose first is new."""
    match op:
        case Tile(sizes=sizes, strides=strides, dilation=dilation):
            tile = replace(
                op, sizes=(_ONE, *sizes), strides=(_ONE, *strides), dilation=(_ONE, *dilation)
            )
            return tile, Squeeze(1, (0,), loc=op.loc)
        case Expand(sizes=sizes):
            return (replace(op, sizes=(_KEPT, *sizes)),)
        case Squeeze(dims=dims):
            return (replace(op, dims=tuple(dim + 1 for dim in dims)),)
        case Unsqueeze(dim=dim):
            return (replace(op, dim=dim + 1),)
        case Permute(dims=dims):
            return (replace(op, dims=(0, *(dim + 1 for dim in dims))),)
        case Flatten(start=start, end=end):
            return (replace(op, start=start + 1, end=end + 1),)
        case Pad(left=left, right=right):
            return (replace(op, left=(_ZERO, *left), right=(_ZERO, *right)),)
        case Slice(starts=starts, steps=steps, sizes=sizes):
            return (
                replace(op, starts=(_ZERO, *starts), steps=(_ONE, *steps), sizes=(size, *sizes)),
            )
        case _:
            # All dims of all levels follow one another, the new one first.
            assert isinstance(op, Ravel)
            return (op,)
