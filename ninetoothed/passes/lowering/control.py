"""Lowering of loops and branches."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Region

from ninetoothed.ir.scf import WhileOp
from ninetoothed.passes.lowering.function import LOWERINGS, Function
from ninetoothed.passes.lowering.types import lowered


@LOWERINGS.register(scf.YieldOp)
def _yield(f: Function, op: scf.YieldOp) -> None:
    f.insert(scf.YieldOp(*(f.value(value) for value in op.arguments)))


@LOWERINGS.register(scf.ForOp)
def _for(f: Function, op: scf.ForOp) -> None:
    old = op.body.block
    block = f.nested(old, [lowered(argument.type) for argument in old.args])
    f.origin = op
    lower, upper, step = (f.value(value) for value in (op.lb, op.ub, op.step))
    initial = [f.value(value) for value in op.iter_args]
    new = scf.ForOp(lower, upper, step, initial, Region(block))
    new.attributes.update(op.attributes)
    f.insert(new)
    f.define(op, *new.results)


@LOWERINGS.register(scf.ConditionOp)
def _condition(f: Function, op: scf.ConditionOp) -> None:
    f.insert(scf.ConditionOp(f.value(op.condition), *(f.value(value) for value in op.args)))


@LOWERINGS.register(WhileOp)
def _while(f: Function, op: WhileOp) -> None:
    initial = [f.value(value) for value in op.arguments]
    blocks = [region.block for region in (op.before_region, op.after_region)]
    before, after = (
        Region(f.nested(block, [lowered(argument.type) for argument in block.args]))
        for block in blocks
    )
    f.origin = op
    new = WhileOp(initial, [lowered(result.type) for result in op.results], before, after)
    f.insert(new)
    f.define(op, *new.results)


@LOWERINGS.register(scf.IfOp)
def _if(f: Function, op: scf.IfOp) -> None:
    # Without a second block, nothing is done where the condition does not hold.
    one, two = (Region([f.nested(block, []) for block in region.blocks]) for region in op.regions)
    f.origin = op
    types = [lowered(result.type) for result in op.results]
    new = scf.IfOp(f.value(op.cond), types, one, two)
    f.insert(new)
    f.define(op, *new.results)
