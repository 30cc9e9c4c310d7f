"""Overrides: ``--arch``, ``--num-warps`` and ``--num-stages`` for a module that says what it is for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ArgumentError
from ninetoothed.ir.continuation import Continuation
from ninetoothed.passes.pipeline import Step
from ninetoothed.tools.nt_opt.command_line import Arguments
from ninetoothed.tools.nt_opt.inputs import ModuleInput

# The first pass that knows the architecture.
_FIRST = "nt-fit-target"


def overridden(found: ModuleInput, arguments: Arguments) -> ModuleInput:
    """The module with what the command line says in place of its first line, in the options of the
    passes to come, too.

    Raises:
        ArgumentError: its passes have made it for another architecture.
        DeviceError: there is no such architecture.
    """
    arch = None if arguments.arch is None else Target.parse(arguments.arch).arch
    known = None if found.settings is None else found.settings.arch
    coming = () if found.rest is None else found.rest
    is_made = found.rest is not None and _FIRST not in [step.pass_.name for step in coming]
    if arch is not None and known not in (None, arch) and is_made:
        raise ArgumentError(
            f"--arch {arch}: the module is made for {known} by now; go on from a stage in front of "
            f"{_FIRST}"
        )
    given = {"arch": arch, "num_warps": arguments.num_warps, "num_stages": arguments.num_stages}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return found
    fields = {"target" if name == "arch" else name: value for name, value in given.items()}
    rest = None if found.rest is None else tuple(_with(step, fields) for step in found.rest)
    settings = replace(found.settings or Continuation(), **given)  # pyright: ignore[reportArgumentType]
    return replace(found, rest=rest, settings=settings)


def _with(step: Step, values: Mapping[str, Any]) -> Step:
    """The step with these values of the options that its pass has, unless it is from outside."""
    options = {field.name for field in dataclasses.fields(step.pass_)}
    own = {name: value for name, value in values.items() if name in options}
    if not own or step.outside is not None:
        return step
    return replace(step, pass_=replace(step.pass_, **own))
