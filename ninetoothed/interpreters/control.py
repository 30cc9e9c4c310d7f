"""Handlers of ``scf``: programs execute in lockstep, inactive ones masked where they diverge."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import torch
from xdsl.dialects import scf
from xdsl.dialects.builtin import UnrealizedConversionCastOp

from ninetoothed import config
from ninetoothed.errors import NineToothedError
from ninetoothed.interpreters.element_types import element_of, reinterpret
from ninetoothed.interpreters.machine import (
    HANDLERS,
    Block,
    Machine,
    Pointer,
    Value,
    by_program,
    choose,
)
from ninetoothed.interpreters.memory import Memory, integers
from ninetoothed.interpreters.memory_effects import Effects
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.scf import OVER_PROGRAMS, WhileOp

_FIRST_OBSERVED = 1 << 8
"""The first iteration that is observed; the next one is twice as far, and so on."""


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
    own = machine.programs
    for trip in range(longest):
        induction = reinterpret(lower + trip * step, element)
        active = machine.active if trip < shortest else counts > trip

        values = [Block(induction), *carried]
        if OVER_PROGRAMS in op.attributes:
            # What is accessed counts as accessed by the program whose work it is.
            machine.programs = induction.to(torch.int64).expand(own.shape)
        found = _within(machine, active, partial(machine.run, op.body.block, values))
        carried = _updated(machine, active, found, carried)
    machine.programs = own
    machine.values.update(zip(op.res, carried, strict=True))


def _shortest(machine: Machine, counts: torch.Tensor) -> int:
    """The least trip count of the active programs."""
    return int((counts if machine.active is None else counts[machine.active]).min())


@HANDLERS.register(WhileOp)
def _while(machine: Machine, op: scf.WhileOp) -> None:
    before, after = op.before_region.block, op.after_region.block
    limit = config.interpret_max_steps()
    active = machine.active
    carried = [machine.value(argument) for argument in op.arguments]
    results: list[Value] = []
    depth = len(machine.effects)
    for iteration in itertools.count():
        effects: Effects | None = None
        if iteration >= _FIRST_OBSERVED and iteration.bit_count() == 1:
            effects = Effects()
            machine.effects.append(effects)
        condition, *forwarded = _within(machine, active, partial(machine.run, before, carried))
        assert isinstance(condition, Block)
        # A program's results are those of its last iteration.
        results = _updated(machine, active, forwarded, results) if iteration else forwarded
        continuing = condition.data
        if active is not None:
            continuing = torch.masked_select(condition.data, active)
        if not bool(continuing.any()):
            break
        if iteration == limit:
            raise fail(
                op,
                f"a loop runs more than {limit} times, where the interpreter stops; if it ends, "
                "set NINETOOTHED_INTERPRET_MAX_STEPS to more; if it waits for another program, it "
                "does not end here, since programs are interpreted in step",
            )
        leaving = not bool(continuing.all())
        if leaving:
            active = condition.data if active is None else condition.data & active
        found = _within(machine, active, partial(machine.run, after, forwarded))
        new = _updated(machine, active, found, forwarded)
        if effects is not None:
            del machine.effects[depth:]
            unchanged = not leaving and all(map(partial(_same, active), new, carried))
            if unchanged and not effects.changed():
                raise _endless(machine, op, effects.reads)
        carried = new
    del machine.effects[depth:]
    machine.values.update(zip(op.res, results, strict=True))


def _endless(machine: Machine, op: scf.WhileOp, reads: bool) -> NineToothedError:
    """The error of a loop of which an iteration has changed nothing, so that none ever will."""
    if reads and machine.count > 1:
        return fail(
            op,
            "programs wait in this loop for what another program must do, which never happens "
            "here: an iteration changes neither a variable nor memory, and the interpreter runs "
            "each operation for all programs at once, so that none goes on while others wait; "
            "release a lock in the iteration that takes it, use atomics that need no lock, such "
            "as ntl.atomic_add, make two kernels of it, or run it on a GPU",
        )
    return fail(
        op,
        "this loop never ends: an iteration changes neither a variable nor memory; write a "
        "condition that the loop's body changes",
    )


def _same(active: torch.Tensor | None, left: Value, right: Value) -> bool:
    """True if two values have the same bits in active programs."""
    if _memory(left) is not _memory(right):
        return False
    for one, two in zip(_parts(left), _parts(right), strict=True):
        differs = integers(one) != integers(two)
        if active is not None:
            differs = differs & by_program(active, differs)
        if bool(differs.any()):
            return False
    return True


def _memory(value: Value) -> Memory | None:
    return value.memory if isinstance(value, Pointer) else None


def _parts(value: Value) -> list[torch.Tensor]:
    """Offsets, or data and guard."""
    if isinstance(value, Pointer):
        return [value.offsets]
    guard = value.guard
    return [value.data, torch.tensor(True) if guard is None else guard]


def _updated(
    machine: Machine, active: torch.Tensor | None, new: list[Value], old: list[Value]
) -> list[Value]:
    """The values after an iteration: new ones in active programs.

    Programs that are inactive for the whole loop are masked by the op that made them so.
    """
    if active is None or active is machine.active:
        return new
    return [choose(active, one, two) for one, two in zip(new, old, strict=True)]


@HANDLERS.register(scf.IfOp)
def _if(machine: Machine, op: scf.IfOp) -> None:
    condition = machine.data(op.cond)
    active = machine.active
    chosen = condition if active is None else torch.masked_select(condition, active)
    sides = (op.true_region, op.false_region)

    def run(side: int) -> list[Value]:
        blocks = sides[side].blocks
        return machine.run(blocks[0]) if len(blocks) > 0 else []

    if bool(chosen.all()):
        found = run(0)
    elif not bool(chosen.any()):
        found = run(1)
    else:
        then, other = (
            _within(machine, side if active is None else side & active, partial(run, index))
            for index, side in enumerate((condition, ~condition))
        )
        found = [choose(condition, *pair) for pair in zip(then, other, strict=True)]
    machine.values.update(zip(op.output, found, strict=True))


@HANDLERS.register(UnrealizedConversionCastOp)
def _conversion(machine: Machine, op: UnrealizedConversionCastOp) -> None:
    """Between signed or unsigned blocks of ``nt`` and signless ones of ``tt``: the same bits."""
    for operand, result in zip(op.operands, op.results, strict=True):
        value = machine.value(operand)
        if not isinstance(value, Pointer):
            source, target = element_of(operand.type), element_of(result.type)
            if source != target:
                machine.put(result, reinterpret(value.data, target), value.guard)
                continue
        machine.values[result] = value
