"""Branches around what programs do."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter


def program_ops(kernel: nt.KernelOp) -> list[Operation] | None:
    """What programs do once they know their index, without the terminator; None where the kernel
    does not say which program it is.
    """
    ops = list(kernel.apply.block.ops)
    for place, op in enumerate(ops):
        if isinstance(op, nt.ProgramIndexOp):
            return ops[place + 1 : -1]
    return None


def moved(ops: Iterable[Operation]) -> Block:
    """A block that ops are moved to."""
    block = Block()
    for op in ops:
        op.detach()
        block.add_op(op)
    return block


def insert_branch(end: Operation, condition: SSAValue, body: Block, otherwise: Block) -> None:
    """Insert a branch without results in front of ``end``."""
    for arm in (body, otherwise):
        Inserter(InsertPoint.at_end(arm), end).insert(scf.YieldOp())
    branch = scf.IfOp(condition, [], Region(body), Region(otherwise))
    Inserter.before(end).insert(branch)
