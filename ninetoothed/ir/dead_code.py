"""xDSL's ``dce``, which looks at the effects of each op, round by round; most ops have uses."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Region
from xdsl.pattern_rewriter import PatternRewriterListener
from xdsl.rewriter import Rewriter
from xdsl.transforms import dead_code_elimination as xdsl_dce


def erase_dead_ops(region: Region, listener: PatternRewriterListener | None = None) -> bool:
    """Erase the ops that have no effect and whose results nobody needs, as xDSL's ``region_dce``;
    True if there were any.

    Ops of one block use those in front of them, so that one walk from the last op to the first
    finds all. Where blocks may form a cycle, xDSL's is called.
    """
    if len(region.blocks) > 1:
        return xdsl_dce.region_dce(region, listener)
    changed, block = False, region.first_block
    op = None if block is None else block.last_op
    while op is not None:
        in_front = op.prev_op
        if xdsl_dce.is_trivially_dead(op):
            if listener is not None:
                listener.handle_operation_removal(op)
            Rewriter.erase_op(op)
            changed = True
        else:
            for inner in op.regions:
                changed |= erase_dead_ops(inner, listener)
        op = in_front
    return changed


class DeadCodeElimination(xdsl_dce.DeadCodeElimination):
    """Erase ops that have no effect and whose results nobody needs."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        erase_dead_ops(op.body)
