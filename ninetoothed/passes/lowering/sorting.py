"""Bitonic sorting networks, as in Triton (``triton.language.standard.sort``).

The dim is reshaped to dims of size 2, a bit of the index each. A lane and its partner, whose index
differs in one bit, are compared, and swapped where they are in the wrong order.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Block, Region, SSAValue

from ninetoothed.ir import tt
from ninetoothed.passes.lowering.elementwise import Insert, constant


def sort(insert: Insert, value: SSAValue, dim: int, descending: bool, unsigned: bool) -> SSAValue:
    """Sort a block of integers along ``dim``, whose size is a power of two."""
    shape = tt.shape_of(value.type)
    bits = shape[dim].bit_length() - 1
    if bits == 0:
        return value
    keys = insert(tt.ReshapeOp(value, (*shape[:dim], *[2] * bits, *shape[dim + 1 :])))
    network = _Network(insert, dim, bits, "ugt" if unsigned else "sgt")
    for stage in range(1, bits + 1):
        keys = network.merge(keys, stage, descending)
    return insert(tt.ReshapeOp(keys, shape))


class _Network:
    """A bitonic sorting network over ``bits`` dims of size 2 from ``first`` on."""

    def __init__(self, insert: Insert, first: int, bits: int, greater: str) -> None:
        self._insert = insert
        self._first = first
        self._bits = bits
        self._greater = greater

    def merge(self, keys: SSAValue, stage: int, descending: bool) -> SSAValue:
        """Merge into sorted sequences of ``2**stage`` lanes, every other one descending."""
        for bit in reversed(range(stage)):
            swapped = self._swapped(keys, bit)
            if stage < self._bits:
                upper = self._insert(arith.XOrIOp(self._set(keys, bit), self._set(keys, stage)))
            else:
                upper = self._set(keys, bit, "eq" if descending else "ne")
            larger = self._insert(tt.CmpiOp(self._greater, keys, swapped))
            swap = self._insert(arith.XOrIOp(larger, upper))
            keys = self._insert(tt.SelectOp(swap, swapped, keys))
        return keys

    def _dim(self, bit: int) -> int:
        return self._first + self._bits - 1 - bit

    def _swapped(self, keys: SSAValue, bit: int) -> SSAValue:
        """The partner of each lane in ``bit``: the xor of both, and of the lane itself."""
        insert, dim = self._insert, self._dim(bit)
        scalar = tt.scalar_of(keys.type)
        block = Block(arg_types=[scalar, scalar])
        left, right = block.args
        combined = arith.XOrIOp(left, right)
        block.add_ops([combined, tt.ReduceReturnOp([combined])])
        both = insert(tt.ReduceOp([keys], dim, Region(block)))
        both = (
            insert(tt.ExpandDimsOp(both, dim))
            if tt.shape_of(both.type)
            else insert(tt.SplatOp(both, [1]))
        )
        both = insert(tt.BroadcastOp(both, tt.shape_of(keys.type)))
        return insert(arith.XOrIOp(keys, both))

    def _set(self, keys: SSAValue, bit: int, comparison: str = "ne") -> SSAValue:
        """Mask of the lanes with ``bit`` of their index set; with ``eq``, of the others."""
        insert, shape = self._insert, tt.shape_of(keys.type)
        row = insert(tt.MakeRangeOp(0, 2))
        bits = insert(tt.CmpiOp(comparison, row, constant(insert, 0, row.type)))
        sizes = [2 if dim == self._dim(bit) else 1 for dim in range(len(shape))]
        return insert(tt.BroadcastOp(insert(tt.ReshapeOp(bits, sizes)), shape))
