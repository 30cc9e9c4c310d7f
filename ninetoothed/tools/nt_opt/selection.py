"""Selection of passes: those of ``-p``, and those of the pipeline from and to where the command
line says.

The pipeline is the one that the module is known to go on with; of a text that does not say so, the
standard one with the defaults of all options, from where ``--from`` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ninetoothed.errors import ArgumentError, did_you_mean
from ninetoothed.passes import pass_names
from ninetoothed.passes.check_stage import CheckStagePass
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED, Step, parse_steps, steps
from ninetoothed.tools.nt_opt.command_line import Arguments
from ninetoothed.tools.nt_opt.inputs import ModuleInput
from ninetoothed.tools.nt_opt.output_targets import STAGES
from ninetoothed.tools.nt_opt.overriding import steps_for

_STANDARD = (*ANNOTATED, *SPECIALIZED)


@dataclass(frozen=True)
class Selected:
    """``steps`` to run, and the ``rest`` that the result goes on with; None: it is not known."""

    steps: tuple[Step, ...]
    rest: tuple[Step, ...] | None


def select(arguments: Arguments, found: ModuleInput, continues: bool) -> Selected:
    """The steps for a module; ``continues``: all that are known to come are run, unless the command
    line says where to end.

    Raises:
        ArgumentError: it names a pass or a stage that there is not, or that is not to come.
    """
    goal = arguments.target if arguments.target in STAGES else None
    if goal is not None and arguments.stop is not None:
        raise ArgumentError(f"--to {arguments.stop} and -t {goal} both say where to end; give one")
    own = _parsed(arguments.passes or "")
    if arguments.passes is not None and arguments.start is None:
        return _own(arguments, own, goal)
    if goal is None and arguments.start is None and arguments.stop is None and not continues:
        return Selected((), found.rest)
    begun = _pipeline(arguments, found, is_needed=goal is not None)
    option, end = ("-t", goal) if goal is not None else ("--to", arguments.stop)
    count = len(begun) if end is None else _end(begun, end, option)
    return Selected((*own, *begun[:count]), begun[count:])


def _parsed(text: str) -> list[Step]:
    try:
        return parse_steps(text) if text else []
    except ArgumentError as error:
        raise ArgumentError(f"-p: {error}") from error


def _own(arguments: Arguments, own: Sequence[Step], goal: str | None) -> Selected:
    """The passes of ``-p`` alone; a stage that is printed is checked."""
    if arguments.stop is not None:
        raise ArgumentError(
            f"--to {arguments.stop}: behind the passes of -p, say with --from where the pipeline "
            "goes on"
        )
    check = () if goal is None else (Step(CheckStagePass(goal)),)
    return Selected((*own, *check), None)


def _pipeline(arguments: Arguments, found: ModuleInput, is_needed: bool) -> tuple[Step, ...]:
    """The steps of the pipeline, from where the command line says."""
    start = arguments.start
    if start is None:
        if found.rest is None and (is_needed or arguments.stop is not None):
            raise ArgumentError(
                "the text does not say which passes are to come; say with --from which stage it is "
                "in"
            )
        return found.rest or ()
    if found.is_frontends and arguments.passes is None:
        raise ArgumentError(
            f"--from {start}: a Python file goes through all passes; print a stage with -t, and go "
            "on from its text"
        )
    known = found.rest
    if known is None:
        known = steps_for((*steps(ANNOTATED), *steps(SPECIALIZED)), found.settings)
    if start in STAGES:
        return known[_end(known, start, "--from") :]
    return known[_end(known, start, "--from") - 1 :]


def _end(pipeline: Sequence[Step], name: str, option: str) -> int:
    """The number of steps as far as a stage or a pass."""
    for place, step in enumerate(pipeline):
        if name in (step.stage, step.pass_.name):
            return place + 1
    if name == _reached(pipeline):
        return 0
    known = [*STAGES, *pass_names()]
    if name not in known:
        near = did_you_mean(name, known) or f"stages are {', '.join(STAGES)}"
        raise ArgumentError(f"{option}: there is no stage or pass {name}; {near}")
    coming = dict.fromkeys(step.pass_.name for step in pipeline)
    left = f"passes to come are {', '.join(coming)}" if coming else "no pass is"
    raise ArgumentError(f"{option}: {name} is not to come; {left}")


def _reached(pipeline: Sequence[Step]) -> str | None:
    """The stage that a module is in that goes on with ``pipeline``; None inside of a stage."""
    place = next((place for place, step in enumerate(pipeline) if step.stage is not None), None)
    if place is None:
        return None if pipeline else STAGES[-1]
    following = str(pipeline[place].stage)
    first = dict(_STANDARD)[following][0]
    before = STAGES.index(following) - 1
    names = [step.pass_.name for step in pipeline[: place + 1]]
    return STAGES[before] if first in names and before >= 0 else None
