"""Places of passes of other packages in the pipeline. This is no pass."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from xdsl.passes import ModulePass, get_pass_option_infos
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from ninetoothed.errors import ArgumentError, PluginError, any_of, did_you_mean
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.optimization import Choice, Optimization
from ninetoothed.ir.stages import STAGES
from ninetoothed.plugins import outside_passes
from ninetoothed.plugins.edited_pipeline import BoundPipeline
from ninetoothed.plugins.outside_passes import OutsidePass, Place

Stages = tuple[tuple[str, tuple[str, ...]], ...]
"""Stage by stage, in order: the stage's name, and the passes that reach it."""


@dataclass(frozen=True)
class Placement:
    """Pass of another package in a pipeline, with the options that the pipeline gives it."""

    outside: OutsidePass
    pass_: type[ModulePass]
    options: tuple[tuple[str, Any], ...]
    place: Place

    @property
    def name(self) -> str:
        """Name of the pass."""
        return self.outside.name

    @property
    def optimizations(self) -> tuple[Optimization, ...]:
        """What the pass declares, but for the options that the pipeline gives it."""
        given = dict(self.options)
        return tuple(one for one in optimizations_of(self.pass_) if one.option not in given)


class Slot(NamedTuple):
    """One pass of a pipeline: its name, the stage that it is on the way to, and, of another
    package, the pass.
    """

    name: str
    stage: str
    placed: Placement | None = None


def optimizations_of(pass_: type[ModulePass]) -> tuple[Optimization, ...]:
    """The optimizations that a pass of another package declares."""
    return getattr(pass_, "optimizations", ())


def placed_passes(pipeline: BoundPipeline | None) -> list[Placement]:
    """The passes that a pipeline puts in, whose modules are imported.

    Raises:
        ArgumentError: a pass has no such option.
        PluginError: a pass cannot be imported, or is another one by now.
    """
    if pipeline is None:
        return []
    found: list[Placement] = []
    for insertion, known in zip(pipeline.pipeline.insertions, pipeline.passes, strict=True):
        registered = outside_passes.load(insertion.name)
        if registered is None or registered.outside != known:
            raise PluginError(
                f"pass {insertion.name} was registered anew since the kernel was made; make the "
                "kernel again"
            )
        options = _options(registered.pass_, insertion.text)
        place = insertion.place or registered.place
        found.append(Placement(known, registered.pass_, options, place))
    return found


def _options(pass_: type[ModulePass], text: str) -> tuple[tuple[str, Any], ...]:
    """The options in the text of one pass.

    Raises:
        ArgumentError: the text is not of this form, or the pass has no such option.
    """
    try:
        specs = list(parse_pipeline(text))
    except ArgSpecParseError as error:
        raise ArgumentError(
            f"the pipeline has {text!r}, which is not of the form '{pass_.name}{{option=value}}'"
        ) from error
    if len(specs) != 1:
        raise ArgumentError(f"the pipeline has {text!r}; give passes one by one, in a tuple")
    spec = specs[0].normalize_parameter_names()
    given = instance(pass_, spec)
    return tuple((name, getattr(given, name)) for name in spec.parameters)


def instance(pass_: type[ModulePass], spec: ArgSpec) -> ModulePass:
    """A pass with the options of a pipeline's text.

    Raises:
        ArgumentError: the pass has no such option, or one has another type.
    """
    options = [field.name for field in dataclasses.fields(pass_)]
    for name in spec.normalize_parameter_names().parameters:
        if name not in options:
            known = f"its options are {', '.join(options)}" if options else "it has none"
            near = did_you_mean(name, options) or known
            raise ArgumentError(f"{spec.name} has no option {name}; {near}")
    try:
        return pass_.from_spec(spec)
    except ValueError as error:
        message = _mistyped(pass_, spec) or str(error)
        raise ArgumentError(
            message if spec.name in message else f"{spec.name}: {message}"
        ) from error


def _mistyped(pass_: type[ModulePass], spec: ArgSpec) -> str | None:
    """What is wrong with the first option whose value is not of its type; None: no value is."""
    # Behind `from __future__ import annotations`, types are texts.
    types = {one.name: one.expected_type.strip("'") for one in get_pass_option_infos(pass_)}
    for name, values in spec.normalize_parameter_names().parameters.items():
        try:
            pass_.from_spec(ArgSpec(spec.name, {name: values}))
        except ValueError as error:
            if "Incompatible types" in str(error):
                given = ",".join(map(str, values)) or "nothing"
                return f"option {name} of {spec.name} is of type {types[name]}, not {given}"
    return None


def slots(stages: Stages, pipeline: BoundPipeline | None, optional: Sequence[str]) -> list[Slot]:
    """The passes through ``stages``, all of them, with a pipeline's changes.

    ``optional``: the compiler's passes that a pipeline may leave out.

    Raises:
        ArgumentError: a place is not known, or a pass cannot run at its place, or be left out.
        PluginError: a pass cannot be imported, or is another one by now.
    """
    found = [Slot(name, stage) for stage, names in stages for name in names]
    if pipeline is None:
        return found
    pending = placed_passes(pipeline)
    while pending:
        known = {slot.name for slot in found} | {stage for stage, _ in stages}
        ready = next((one for one in pending if one.place.name in known), None)
        if ready is None:
            raise _misplaced(pending[0], known, [one.name for one in pending])
        pending.remove(ready)
        found = _inserted(found, ready)
    left_out = pipeline.pipeline.left_out
    for name in left_out:
        _check_left_out(name, [name for _, names in stages for name in names], optional)
    return [slot for slot in found if slot.name not in left_out]


def _inserted(found: list[Slot], placed: Placement) -> list[Slot]:
    side, name = placed.place
    places = [index for index, slot in enumerate(found) if slot.name == name]
    if len(places) > 1:
        stages = [found[index].stage for index in places]
        raise ArgumentError(
            f"pass {placed.name} runs {side} {name}, which runs in the stages "
            f"{' and '.join(stages)}; name another pass, or a stage"
        )
    if not places:
        # A stage: before its first pass, or behind its last one.
        places = [index for index, slot in enumerate(found) if slot.stage == name]
    index = places[0] if side == "before" else places[-1]
    new = Slot(placed.name, found[index].stage, placed)
    if side == "before":
        return [*found[:index], new, *found[index:]]
    end = index + 1
    # Of several in one place, the one that was put in first runs first.
    while end < len(found) and (other := found[end].placed) and other.place == placed.place:
        end += 1
    return [*found[:end], new, *found[end:]]


def _misplaced(placed: Placement, known: set[str], pending: Sequence[str]) -> ArgumentError:
    name = placed.place.name
    if name in pending:
        return ArgumentError(
            f"passes {' and '.join(sorted(pending))} are placed by one another; place one of them "
            "by a pass or a stage of the compiler"
        )
    if outside_passes.find(name) is not None:
        return ArgumentError(
            f"pass {placed.name} runs {placed.place.side} {name}, which the pipeline does not "
            "have; insert that, too"
        )
    return unknown_place(name, known)


def unknown_place(name: str, known: set[str]) -> ArgumentError:
    """The error about a place that is no pass of the pipeline and no stage."""
    meant = did_you_mean(name, sorted(known))
    known_stages = ", ".join(STAGES)
    return ArgumentError(
        f"there is no pass or stage {name!r} in the pipeline; "
        f"{meant or f'stages are {known_stages}, and nt-opt --list-passes lists the passes'}"
    )


def check_stages(found: Sequence[Slot], stages: Stages, symbolic: Sequence[str]) -> None:
    """Check that each pass of another package can run at its place.

    ``symbolic``: the stages that are reached once a signature.

    Raises:
        ArgumentError: one has choices, which are made per configuration, in front of that; it takes
            modules of other stages; or it takes kernels where there are none any more.
    """
    order = [stage for stage, _ in stages]
    for index, slot in enumerate(found):
        if slot.placed is None:
            continue
        choices = [one.name for one in slot.placed.optimizations if isinstance(one, Choice)]
        if choices and slot.stage in symbolic:
            raise ArgumentError(
                f"pass {slot.name} has the choice {choices[0]}, which is made once a "
                f"configuration, and {slot.placed.place} is run once a signature; place it "
                f"before={order[len(symbolic)]!r} or later"
            )
        takes: tuple[str, ...] = getattr(slot.placed.pass_, "required_stages", ())
        here = stage_at(found, index, stages)
        if takes and here not in takes:
            raise ArgumentError(
                f"pass {slot.name} takes modules of stage {any_of(takes)}, and those "
                f"{slot.placed.place.side} {slot.placed.place.name} are of stage {here}; place it "
                f"after={takes[-1]!r}"
            )
        if here == order[-1] and issubclass(slot.placed.pass_, KernelPass):
            raise ArgumentError(
                f"pass {slot.name} is a KernelPass, and {slot.placed.place.side} "
                f"{slot.placed.place.name} there are no kernels but device functions; derive it from "
                f"FunctionPass, or place it before={stages[-1][1][0]!r}"
            )


def stage_at(found: Sequence[Slot], index: int, stages: Stages) -> str:
    """The stage whose ops a module may hold where a pass runs: behind the first of the compiler's
    passes to a stage, that stage; in front of it, the one before.
    """
    stage = found[index].stage
    order = [name for name, _ in stages]
    place = order.index(stage)
    is_begun = any(slot.stage == stage and slot.placed is None for slot in found[:index])
    return stage if is_begun or place == 0 else order[place - 1]


def _check_left_out(name: str, known: Sequence[str], optional: Sequence[str]) -> None:
    if name in optional:
        return
    if name in known:
        raise ArgumentError(
            f"pass {name} cannot be left out, for later ones need what it does; "
            f"{any_of(optional)} can"
        )
    meant = did_you_mean(name, known)
    raise ArgumentError(
        f"there is no pass {name!r} to leave out; {meant or any_of(optional) + ' can be'}"
    )
