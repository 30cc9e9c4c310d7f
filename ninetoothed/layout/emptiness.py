"""Emptiness of arranged tensors: which calls expand or squeeze a dim of size 0.

Where the size is a symbol, kernels are for size 1. Calls with size 0 are a class of their own, with
a kernel in which no element of the tensor exists.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from dataclasses import replace

from ninetoothed.layout.meta_op import AtMostOne, MetaOp
from ninetoothed.symbolic.expr import IndexExpr, minimum, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_less, normalize


def unknown_sizes(ops: Sequence[MetaOp]) -> list[IndexExpr]:
    """The sizes, each once, that ``ops`` need to be at most 1, and that only a call knows."""
    return list(
        dict.fromkeys(size for op in ops if isinstance(op, AtMostOne) for size in op.unknown)
    )


def emptied(ops: Sequence[MetaOp]) -> tuple[MetaOp, ...]:
    """``ops`` as they are in calls in which one of their :func:`unknown_sizes` is 0."""
    return tuple(replace(op, empty=True) if isinstance(op, AtMostOne) else op for op in ops)


def empty_where(size: IndexExpr, chosen: Collection[str]) -> IndexExpr | None:
    """An expression without the ``chosen`` block sizes that is below 1 exactly where ``size`` is,
    of symbols that are sizes; None if none is known.

    A number of blocks, rounded up, is 0 only if there is nothing to divide, whatever their size.
    """
    size = normalize(size)
    names = symbol_names(size)
    if not any(name in chosen for name in names):
        return size
    zeroing = [
        sym(name)
        for name in names
        if name not in chosen and normalize(substitute(size, {name: 0})).value == 0
    ]
    ranges = {name: Range.of(int(name in chosen or sym(name) in zeroing)) for name in names}
    if not zeroing or not always_less(0, size, ranges):
        return None
    return functools.reduce(minimum, zeroing)


def needs_zero(size: IndexExpr, sizes: Collection[str]) -> bool:
    """True if ``size`` is proved at least 1 wherever all ``sizes`` in it are."""
    names = symbol_names(size)
    return always_less(0, size, {name: Range.of(1) for name in names if name in sizes})
