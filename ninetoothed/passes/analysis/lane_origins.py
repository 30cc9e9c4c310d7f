"""How the lanes of what is stored come from the lanes of what was loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects import scf
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import Pure

from ninetoothed.ir import nt


def updates(load: nt.LoadOp, store: nt.StoreOp) -> bool:
    """Whether ``store``, to the lanes that ``load`` has read, needs no barrier behind it.

    Each lane that is stored is computed of the lane that was read, so the thread that writes an
    element has waited for the one that read it. Where threads read an element more than once, as
    they do where there are fewer lanes than threads, some may come too late; they hold copies that
    no store of such a block writes, so what was read must serve such stores alone.
    """
    shape = nt.shape_of(load.result.type)
    return _follows(store.value, load.result) and all(
        sink is not None and nt.shape_of(sink.value.type) == shape for sink in _sinks(load.result)
    )


def _follows(value: SSAValue, target: SSAValue) -> bool:
    """Whether each lane of ``value`` is computed of the same lane of ``target``, if of others, too."""
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
                start, argument, end = _carried(owner, position)
                if argument is not None and _follows(end, argument):
                    pending.append(start)
            case scf.IfOp():
                position = cast("OpResult", value).index
                ends = [region.block.last_op for region in owner.regions]
                if all(end and _follows(end.operands[position], target) for end in ends):
                    return True
            case _:
                pass
    return False


def _carried(
    loop: scf.ForOp | scf.WhileOp, position: int
) -> tuple[SSAValue, SSAValue | None, SSAValue]:
    """Of what a loop carries at ``position``: the start, a turn's argument and what it becomes.

    The argument is None where the condition hands on something else than what is carried.
    """
    if isinstance(loop, scf.ForOp):
        end = loop.body.block.last_op
        assert end is not None
        return loop.iter_args[position], loop.body.block.args[position + 1], end.operands[position]
    condition, end = loop.before_region.block.last_op, loop.after_region.block.last_op
    assert condition is not None
    assert end is not None
    same = condition.operands[position + 1] is loop.before_region.block.args[position]
    argument = loop.after_region.block.args[position] if same else None
    return loop.operands[position], argument, end.operands[position]


def _sinks(value: SSAValue) -> Iterator[nt.StoreOp | None]:
    """The stores of what is computed of ``value``; None for any other end that it has."""
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
    """The values that an operand goes into; None: it decides something else."""
    parent = op.parent_op()
    match op, parent:
        case scf.ForOp(), _:
            # The bounds come first.
            carried = position - 3
            return None if carried < 0 else [op.results[carried], op.body.block.args[carried + 1]]
        case scf.WhileOp(), _:
            return [op.before_region.block.args[position]]
        case scf.ConditionOp(), scf.WhileOp():
            carried = position - 1
            after = parent.after_region.block
            return None if carried < 0 else [parent.results[carried], after.args[carried]]
        case scf.YieldOp(), scf.IfOp():
            return [parent.results[position]]
        case scf.YieldOp(), scf.ForOp():
            return [parent.results[position], parent.body.block.args[position + 1]]
        case scf.YieldOp(), scf.WhileOp():
            return [parent.before_region.block.args[position]]
        case _:
            return [*op.results] if op.has_trait(Pure) else None
