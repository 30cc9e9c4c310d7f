"""Overrides of what a module says that it is for: ``--arch``, ``--num-warps``, ``--num-stages``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ArgumentError
from ninetoothed.ir.continuation import Continuation
from ninetoothed.passes.pipeline import Step
from ninetoothed.tools.nt_opt.command_line import Arguments
from ninetoothed.tools.nt_opt.inputs import ModuleInput

# The first pass that depends on the architecture.
_FIRST = "nt-fit-target"


def overridden(found: ModuleInput, arguments: Arguments, default: str | None) -> ModuleInput:
    """The module with what the command line says in place of its first line, in the options of the
    passes to come, too. ``default``: the architecture where none is named; None: none.

    Raises:
        ArgumentError: its passes have made it for another architecture.
        DeviceError: there is no such architecture.
    """
    known = None if found.settings is None else found.settings.arch
    named = arguments.arch or known or default
    arch = None if named is None else Target.parse(named).arch
    coming = () if found.rest is None else found.rest
    is_made = _FIRST not in [step.pass_.name for step in coming]
    if known not in (None, arch) and is_made:
        raise ArgumentError(
            f"--arch {arch}: the module is for {known}, and passes that depend on it have run; "
            "begin with a stage before them, specialized say"
        )
    given = {"arch": arch, "num_warps": arguments.num_warps, "num_stages": arguments.num_stages}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return found
    settings = replace(found.settings or Continuation(), **given)  # pyright: ignore[reportArgumentType]
    rest = None if found.rest is None else steps_for(found.rest, settings)
    return replace(found, rest=rest, settings=settings)


def steps_for(pipeline: Sequence[Step], settings: Continuation | None) -> tuple[Step, ...]:
    """The steps with the options of our passes that ``settings`` says."""
    if settings is None:
        return tuple(pipeline)
    values = {"target": settings.arch, "num_warps": settings.num_warps}
    known = {name: value for name, value in values.items() if value is not None}
    return tuple(_with(step, known) for step in pipeline)


def _with(step: Step, values: Mapping[str, Any]) -> Step:
    options = {field.name for field in dataclasses.fields(step.pass_)}
    own = {name: value for name, value in values.items() if name in options}
    if not own or step.outside is not None:
        return step
    return replace(step, pass_=replace(step.pass_, **own))
