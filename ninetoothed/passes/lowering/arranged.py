"""Arranged parameters that get another access."""

from __future__ import annotations

from xdsl.rewriter import Rewriter

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.layout.access import Access


def rearrange(kernel: nt.KernelOp, index: int, access: Access) -> nt.TensorType:
    """Give the parameter of a number another access; the type of what is arranged then, whose
    elements are what a program has.
    """
    old = kernel.arranged.values[index].owner
    assert isinstance(old, nt.AccessOp)
    new = Inserter.before(old).add(nt.AccessOp(old.source, nt.AccessAttr(access)))
    kernel.arranged.operands[index] = new
    if not old.result.uses:
        Rewriter.erase_op(old)
    assert isinstance(new.type, nt.TensorType)
    return new.type
