"""Loops and branches: those around an op, and the blocks of a kernel that they make."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from ninetoothed.ir import nt

Loop = scf.ForOp | scf.WhileOp

NUM_STAGES = "tt.num_stages"
"""The attribute of a loop whose loads Triton stages: iterations that are at work at once."""


def blocks_of(kernel: nt.KernelOp) -> Iterator[Block]:
    """The blocks of a kernel's application: its own, and those of loops and branches."""
    yield kernel.apply.block
    for op in kernel.apply.walk():
        if isinstance(op, Loop | scf.IfOp):
            for region in op.regions:
                yield from region.blocks


def enclosing(op: Operation) -> Iterator[Operation]:
    """The loops and branches around an op, innermost first."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, nt.KernelOp):
        yield parent
        parent = parent.parent_op()


def is_in_loop(op: Operation) -> bool:
    """True if a loop of the kernel is around ``op``."""
    return any(isinstance(one, Loop) for one in enclosing(op))
