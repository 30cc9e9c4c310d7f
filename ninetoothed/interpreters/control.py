"""Handlers of ``scf``: programs go through control flow in lockstep, those that do not take part
masked.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import torch
from xdsl.dialects import scf
from xdsl.dialects.builtin import UnrealizedConversionCastOp

from ninetoothed import config
from ninetoothed.interpreters.element_types import element_of, reinterpret
from ninetoothed.interpreters.machine import HANDLERS, Block, Machine, Pointer, Value, choose
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.scf import WhileOp


def _within(
    machine: Machine, active: torch.Tensor | None, run: Callable[[], list[Value]]
) -> list[Value]:
    before = machine.active
    machine.active = active
    try:
        return run()
    finally:
        machine.active = before


@HANDLERS.register(scf.ForOp)
def _for(machine: Machine, op: scf.ForOp) -> None:
    lower, upper, step = (machine.data(bound).to(torch.int64) for bound in (op.lb, op.ub, op.step))
    if bool((step <= 0).any()):
        raise fail(op, "a loop's step must be at least 1")
    counts = torch.clamp(-(-(upper - lower) // step), min=0)
    if machine.active is not None:
        counts = torch.where(machine.active, counts, 0)
    longest = int(counts.max())
    limit = config.interpret_max_steps()
    if longest > limit:
        raise fail(
            op,
            f"a loop runs {longest} times, and the interpreter stops after {limit}; set "
            f"NINETOOTHED_INTERPRET_MAX_STEPS to {longest} or more to let it run",
        )
    element = element_of(op.lb.type)
    shortest = longest if counts.numel() == 1 else _shortest(machine, counts)
    carried = [machine.value(argument) for argument in op.iter_args]
    for trip in range(longest):
        induction = reinterpret(lower + trip * step, element)
        active = machine.active if trip < shortest else counts > trip

        values = [Block(induction), *carried]
        found = _within(machine, active, partial(machine.run, op.body.block, values))
        carried = _updated(machine, active, found, carried)
    machine.values.update(zip(op.res, carried, strict=True))


def _shortest(machine: Machine, counts: torch.Tensor) -> int:
    """How often every program that takes part goes round."""
    return int((counts if machine.active is None else counts[machine.active]).min())


@HANDLERS.register(WhileOp)
def _while(machine: Machine, op: scf.WhileOp) -> None:
    before, after = op.before_region.block, op.after_region.block
    limit = config.interpret_max_steps()
    active = machine.active
    carried = [machine.value(argument) for argument in op.arguments]
    results: list[Value] = []
    for turn in itertools.count():
        condition, *handed = _within(machine, active, partial(machine.run, before, carried))
        assert isinstance(condition, Block)
        # A program's results are those of the turn at which its loop ends.
        results = _updated(machine, active, handed, results) if turn else handed
        taking_part = condition.data
        if active is not None:
            taking_part = torch.masked_select(condition.data, active)
        if not bool(taking_part.any()):
            break
        if turn == limit:
            raise fail(
                op,
                f"a loop runs more than {limit} times, where the interpreter stops; if it ends, "
                "set NINETOOTHED_INTERPRET_MAX_STEPS to more",
            )
        if not bool(taking_part.all()):
            active = condition.data if active is None else condition.data & active
        found = _within(machine, active, partial(machine.run, after, handed))
        carried = _updated(machine, active, found, handed)
    machine.values.update(zip(op.res, results, strict=True))


def _updated(
    machine: Machine, active: torch.Tensor | None, new: list[Value], old: list[Value]
) -> list[Value]:
    """What a turn of a loop leaves: new values in the programs that took part.

    Programs that sit out the whole loop are sorted out by whoever made them sit out.
    """
    if active is None or active is machine.active:
        return new
    return [choose(active, one, two) for one, two in zip(new, old, strict=True)]


@HANDLERS.register(scf.IfOp)
def _if(machine: Machine, op: scf.IfOp) -> None:
    condition = machine.data(op.cond)
    taking_part = condition
    if machine.active is not None:
        taking_part = torch.masked_select(condition, machine.active)
    sides = (op.true_region, op.false_region)

    def run(side: int) -> list[Value]:
        blocks = sides[side].blocks
        return machine.run(blocks[0]) if len(blocks) > 0 else []

    if bool(taking_part.all()):
        found = run(0)
    elif not bool(taking_part.any()):
        found = run(1)
    else:
        active = machine.active
        found = [
            choose(condition, left, right)
            for left, right in zip(
                _within(
                    machine, condition if active is None else condition & active, lambda: run(0)
                ),
                _within(
                    machine, ~condition if active is None else ~condition & active, lambda: run(1)
                ),
                strict=True,
            )
        ]
    machine.values.update(zip(op.output, found, strict=True))


@HANDLERS.register(UnrealizedConversionCastOp)
def _conversion(machine: Machine, op: UnrealizedConversionCastOp) -> None:
    """Between a block of ``nt`` and one of ``tt``: the same bits, where the one knows the sign and
    the other not.
    """
    for operand, result in zip(op.operands, op.results, strict=True):
        value = machine.value(operand)
        if not isinstance(value, Pointer):
            source, target = element_of(operand.type), element_of(result.type)
            if source != target:
                machine.put(result, reinterpret(value.data, target), value.guard)
                continue
        machine.values[result] = value
