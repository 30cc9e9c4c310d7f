"""Jagged dims: which one a tensor has, and what cannot be done with it."""

from __future__ import annotations

from ninetoothed.errors import ArrangementError, caller_loc, counted, shown
from ninetoothed.layout.chain import Source
from ninetoothed.layout.meta_op import Sizes
from ninetoothed.layout.meta_ops import Slice
from ninetoothed.symbolic.expr import symbol_names, symbols


def refuse_jagged(source: Source) -> None:
    """Check that a tensor is not jagged.

    Raises:
        ArrangementError: it is.
    """
    if source.jagged_dim is not None:
        raise ArrangementError(
            f"{source.name} is jagged, and what a program sees of it depends on the lengths of its "
            "sequences; take one sequence, a tensor of a concrete shape",
            caller_loc(),
        )


def normal_jagged_dim(dim: object, sizes: Sizes) -> int:
    """Normalize the jagged dim to count from the front.

    Raises:
        ArrangementError: there is no such dim, or it is the batch.
    """
    ndim = len(sizes)
    if type(dim) is not int or not -ndim < dim < ndim or dim == 0:
        raise ArrangementError(
            f"jagged_dim must be a dim behind the batch, 1 to {ndim - 1}, not {shown(dim)}"
            if ndim > 1
            else f"a jagged tensor has a batch and a jagged dim, not {counted(ndim, 'dim')}",
            caller_loc(),
        )
    if sizes[dim].op != "sym":
        raise ArrangementError(
            f"the size of the jagged dim is {sizes[dim]}, but each sequence has its own; "
            "leave it out of the shape",
            caller_loc(),
        )
    return dim % ndim


def refuse_merging(source: Source, merged: Sizes) -> None:
    """Refuse to merge a jagged dim with dims before it: sequences would mix."""
    if source.jagged_dim is None:
        return
    longest = source.shape[source.jagged_dim]
    for position, size in enumerate(merged):
        before = [other for other in merged[:position] if other.value != 1]
        if before and longest in symbols(size):
            raise ArrangementError(
                f"flatten: the jagged dim of {source.name} cannot be merged with dims before it, "
                "since sequences differ in length; permute it to the front, or tile those dims",
                caller_loc(),
            )


def refuse_slicing_from_end(source: Source, op: Slice) -> None:
    """Refuse to slice a jagged dim from its end, which differs between sequences."""
    jagged = source.jagged
    if jagged is None:
        return
    for start in op.starts:
        if jagged[0] in symbol_names(start):
            raise ArrangementError(
                f"the jagged dim of {source.name} is sliced from its end, which is another in "
                "each sequence; slice it from the front, or turn blocks round with ntl.flip",
                caller_loc(),
            )
