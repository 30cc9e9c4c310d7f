"""Placements of a kernel's parameters: what proofs about their elements start from."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ninetoothed.ir import nt
from ninetoothed.layout.inverse import Placement
from ninetoothed.symbolic.intervals import Assumptions


def placement_of(arranged: SSAValue, assumptions: Assumptions) -> Placement:
    """The placement of an arranged value, whose meta-operations are not composed yet."""
    source, ops = nt.chain(arranged)
    return Placement(source.sizes, tuple(op.algebra for op in ops), assumptions, source.own)
