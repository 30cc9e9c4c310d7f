"""Lane origins: elementwise dependence of stored lanes on loaded lanes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects import scf
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import Pure

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.guards import carried
from ninetoothed.passes.analysis.loop_nests import Loop


def updates(load: nt.LoadOp, store: nt.StoreOp) -> bool:
    """True if ``store`` is an elementwise update of what ``load`` read, and needs no barrier.

    Each stored lane is computed from the same loaded lane, so the thread that writes an element has
    waited for the one that read it. Where threads read an element more than once, as they do where
    there are fewer lanes than threads, some may come too late; they hold copies that no store of
    such a block writes, so the loaded value must serve such stores alone.
    """
    shape = nt.shape_of(load.result.type)
    return follows(store.value, load.result) and all(
        sink is not None and nt.shape_of(sink.value.type) == shape for sink in _sinks(load.result)
    )


def follows(value: SSAValue, target: SSAValue) -> bool:
    """True if each lane of ``value`` depends on the same lane of ``target``, maybe among others."""
    seen: set[SSAValue] = set()
    pending = [value]
    while pending:
        value = pending.pop()
        if value is target:
            return True
        owner = value.owner
        if value in seen or not isinstance(owner, Operation):
            continue
        seen.add(value)
        match owner:
            case nt.ElementwiseOp():
                pending += owner.arguments
            case nt.CastOp() | nt.BitcastOp() | nt.HintOp():
                pending.append(owner.value)
            case nt.DotOp():
                pending.append(owner.acc)
            case scf.ForOp() | scf.WhileOp():
                position = cast("OpResult", value).index
                start, inside, end = carried(owner)[position]
                if _forwards(owner, position) and follows(end, inside[-1]):
                    pending.append(start)
            case scf.IfOp():
                position = cast("OpResult", value).index
                ends = [region.block.last_op for region in owner.regions]
                if all(end and follows(end.operands[position], target) for end in ends):
                    return True
            case _:
                pass
    return False


def _forwards(loop: Loop, position: int) -> bool:
    """True if the condition of a loop, if it has one, forwards the value that is carried."""
    if isinstance(loop, scf.ForOp):
        return True
    before = loop.before_region.block
    return (
        before.last_op is not None
        and before.last_op.operands[position + 1] is before.args[position]
    )


def _sinks(value: SSAValue) -> Iterator[nt.StoreOp | None]:
    """The stores of values computed from ``value``; None for any other sink."""
    seen: set[SSAValue] = set()
    pending = [value]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            op = use.operation
            following = _following(op, use.index)
            if isinstance(op, nt.StoreOp) and value is op.value and value not in op.indices:
                yield op
            elif following is None:
                yield None
            else:
                pending += following


def _following(op: Operation, position: int) -> list[SSAValue] | None:
    """The values that an operand flows into; None: it is used for something else."""
    parent = op.parent_op()
    match op, parent:
        case scf.ForOp(), _:
            # The bounds come first.
            index = position - 3
            return None if index < 0 else [op.results[index], op.body.block.args[index + 1]]
        case scf.WhileOp(), _:
            return [op.before_region.block.args[position]]
        case scf.ConditionOp(), scf.WhileOp():
            index = position - 1
            after = parent.after_region.block
            return None if index < 0 else [parent.results[index], after.args[index]]
        case scf.YieldOp(), scf.IfOp():
            return [parent.results[position]]
        case scf.YieldOp(), scf.ForOp():
            return [parent.results[position], parent.body.block.args[position + 1]]
        case scf.YieldOp(), scf.WhileOp():
            return [parent.before_region.block.args[position]]
        case _:
            return [*op.results] if op.has_trait(Pure) else None
