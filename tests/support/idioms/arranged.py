"""Arrangements that many kernels share: blocks of elements, and rows."""

from __future__ import annotations

from ninetoothed import block_size

BLOCK_SIZE = block_size(lower_bound=16, upper_bound=128)


def blocks(*tensors):
    """A block of the elements of each tensor, whatever its dims; scalars as they are."""
    return tuple(
        tensor.flatten().tile((BLOCK_SIZE,)) if tensor.ndim else tensor for tensor in tensors
    )


def rows(*tensors):
    """A row of each matrix and an element of each vector; scalars as they are."""
    return tuple(row(tensor) if tensor.ndim else tensor for tensor in tensors)


def row(tensor):
    """One row of a matrix, or one element of a vector, for each program."""
    arranged = tensor.tile((1,)) if tensor.ndim == 1 else tensor.tile((1, -1)).squeeze(1)
    arranged.dtype = arranged.dtype.squeeze(0)
    return arranged


def whole(tensor, count):
    """All elements of a vector, for each of ``count`` programs."""
    return tensor.tile((-1,)).expand((count,))


def rows_in_blocks(tensor, size):
    """One row of a matrix for each program, in blocks of ``size`` elements."""
    arranged = tensor.tile((1, size)).tile((1, -1)).squeeze(1)
    arranged.dtype = arranged.dtype.squeeze(0)
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
    return arranged
