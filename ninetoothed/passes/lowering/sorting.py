"""Bitonic sorting networks, as in Triton (``triton.language.standard.sort``).

The dim is reshaped to dims of size 2, a bit of the index each. A lane and its partner, whose index
differs in one bit, are compared, and swapped where they are in the wrong order.

The first k lanes of the order need no sort of all. Runs of k lanes are sorted, half of them
ascending, half descending; of a lane and its partner in the other half, the one that is earlier in
the order is kept. Of each pair of runs those are the first k, and rise and fall once (they are
*bitonic*), so that a merge sorts them; and so on, until one run is left. Of what is bitonic itself,
halves are bitonic without merges, and one is made at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Block, Region, SSAValue

from ninetoothed.ir import tt
from ninetoothed.passes.lowering.elementwise import Insert, constant

_Combine = type[arith.XOrIOp | arith.MaxSIOp | arith.MaxUIOp | arith.MinSIOp | arith.MinUIOp]

_LOW = 2
"""Bits of an index that are halved first: of what is loaded, a thread holds neighbours, 16 bytes
mostly of 32 bits. Halved, they are less work for each thread; other bits, for fewer threads.
"""


@dataclass(frozen=True)
class Sort:
    """A sort of integers along ``dim``, which keeps the ``first`` lanes: see ``nt.sort``."""

    dim: int
    first: int
    descending: bool
    unsigned: bool
    bitonic: bool = False
    reversed: bool = False


def sort(insert: Insert, value: SSAValue, wanted: Sort) -> SSAValue:
    """Sort a block, whose size along the dim is a power of two, as is the number of lanes kept."""
    shape, dim = tt.shape_of(value.type), wanted.dim
    bits, run = shape[dim].bit_length() - 1, wanted.first.bit_length() - 1
    if bits == 0:
        return value
    earlier = _earlier(wanted.descending, wanted.unsigned)
    if run == 0:
        return _along(insert, _combined(insert, value, dim, earlier), dim)
    keys = insert(tt.ReshapeOp(value, (*shape[:dim], *[2] * bits, *shape[dim + 1 :])))
    network = _Network(insert, wanted)
    # Lanes may be in any order at first, unless they are bitonic as they are.
    low = 0 if wanted.bitonic else min(_LOW, bits - run)
    last = dim + bits - low
    kept = list(range(last - run, last))
    halved = [*reversed(range(last, dim + bits)), *range(dim, last - run)]
    if not wanted.bitonic:
        for stage in range(1, run):
            keys = network.merge(keys, kept[-stage:], kept[-stage - 1])
        if halved:
            keys = network.merge(keys, kept, halved[0])
    while halved:
        gone = halved.pop(0)
        keys = _combined(insert, keys, gone, earlier)
        kept, halved = ([one - (one > gone) for one in dims] for dims in (kept, halved))
        if halved and not wanted.bitonic:
            keys = network.merge(keys, kept, halved[0])
    keys = network.merge(keys, kept)
    return insert(tt.ReshapeOp(keys, (*shape[:dim], wanted.first, *shape[dim + 1 :])))


def _earlier(descending: bool, unsigned: bool) -> _Combine:
    """The op that gives the one of two integers that is earlier in the order."""
    if descending:
        return arith.MaxUIOp if unsigned else arith.MaxSIOp
    return arith.MinUIOp if unsigned else arith.MinSIOp


def _combined(insert: Insert, keys: SSAValue, dim: int, combine: _Combine) -> SSAValue:
    """Reduce ``keys`` along ``dim``."""
    scalar = tt.scalar_of(keys.type)
    block = Block(arg_types=[scalar, scalar])
    left, right = block.args
    combined = combine(left, right)
    block.add_ops([combined, tt.ReduceReturnOp([combined])])
    return insert(tt.ReduceOp([keys], dim, Region(block)))


def _along(insert: Insert, reduced: SSAValue, dim: int) -> SSAValue:
    """A reduction along ``dim``, with a dim of size 1 there."""
    if tt.shape_of(reduced.type):
        return insert(tt.ExpandDimsOp(reduced, dim))
    return insert(tt.SplatOp(reduced, [1]))


class _Network:
    """A bitonic network over dims of size 2."""

    def __init__(self, insert: Insert, wanted: Sort) -> None:
        self._insert = insert
        self._descending = wanted.descending != wanted.reversed
        self._greater = "ugt" if wanted.unsigned else "sgt"

    def merge(self, keys: SSAValue, dims: Sequence[int], turned: int | None = None) -> SSAValue:
        """Sort bitonic runs along ``dims``, from the highest bit to the lowest: descending where
        the bit of the dim ``turned`` is set. None: the last run, in the order that is wanted.
        """
        for dim in dims:
            swapped = self._swapped(keys, dim)
            if turned is None:
                upper = self._set(keys, dim, "eq" if self._descending else "ne")
            else:
                upper = self._set(keys, dim)
                upper = self._insert(arith.XOrIOp(upper, self._set(keys, turned)))
            larger = self._insert(tt.CmpiOp(self._greater, keys, swapped))
            swap = self._insert(arith.XOrIOp(larger, upper))
            keys = self._insert(tt.SelectOp(swap, swapped, keys))
        return keys

    def _swapped(self, keys: SSAValue, dim: int) -> SSAValue:
        """The partner of each lane along ``dim``: the xor of both, and of the lane itself."""
        both = _along(self._insert, _combined(self._insert, keys, dim, arith.XOrIOp), dim)
        both = self._insert(tt.BroadcastOp(both, tt.shape_of(keys.type)))
        return self._insert(arith.XOrIOp(keys, both))

    def _set(self, keys: SSAValue, dim: int, comparison: str = "ne") -> SSAValue:
        """Mask of the lanes with the bit of ``dim`` set; with ``eq``, of the others."""
        insert, shape = self._insert, tt.shape_of(keys.type)
        row = insert(tt.MakeRangeOp(0, 2))
        bits = insert(tt.CmpiOp(comparison, row, constant(insert, 0, row.type)))
        sizes = [2 if one == dim else 1 for one in range(len(shape))]
        return insert(tt.BroadcastOp(insert(tt.ReshapeOp(bits, sizes)), shape))
