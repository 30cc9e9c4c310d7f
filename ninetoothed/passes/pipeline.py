"""The pass pipeline: stages, their passes, and how they run.

Each stage is a few passes and a legality check of what they leave. Symbolic stages run once a
signature, the others once a configuration. :func:`run` is what ``make`` and ``nt-opt`` both call.
In text, as ``nt-opt -p`` takes it, the check of a stage is the pass ``nt-check-stage``.
"""

from __future__ import annotations

import difflib
import io
import os
import shlex
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError, PassFailedException, VerifyException

from ninetoothed import passes
from ninetoothed.errors import (
    ArgumentError,
    CompilerError,
    Loc,
    NineToothedError,
    PluginError,
    counted,
    did_you_mean,
    raise_loc,
)
from ninetoothed.ir.continuation import Continuation
from ninetoothed.ir.diagnostics import verify
from ninetoothed.ir.locations import place_of
from ninetoothed.ir.printing import text_of
from ninetoothed.ir.stages import check_stage, first_strange
from ninetoothed.passes.placement import Stages, check_stages, instance, slots, stage_at
from ninetoothed.plugins import outside_passes
from ninetoothed.plugins.edited_pipeline import BoundPipeline
from ninetoothed.plugins.outside_passes import OutsidePass

# Both by one rule: what the numbering relies on is checked.
_AGREEMENT = ("nt-check-arrangement", "nt-number-programs", "nt-check-definedness")
# The alias analysis follows the meta-operations, before they are composed.
_MEMORY = ("nt-forward-memory", "nt-insert-barriers")

# Stage by stage, in order: the stage's name, and the passes that reach it.
SYMBOLIC: Stages = (
    ("arranged", (*_AGREEMENT, *_MEMORY)),
    ("composed", ("nt-compose-arrangement", "nt-mask-reductions")),
)
# The same for a reader, with the verdicts that are proved.
ANNOTATED: Stages = (
    ("arranged", (*_AGREEMENT, "nt-annotate-verdicts", *_MEMORY)),
    *SYMBOLIC[1:],
)
SPECIALIZED: Stages = (
    # Before lanes are padded, each one that is read exists.
    (
        "specialized",
        (
            "nt-specialize",
            "nt-interchange-reductions",
            # What follows takes the copies' strides for the parameters'.
            "nt-pack-operands",
            "nt-sink-scales",
            "nt-unroll-reductions",
            "nt-defer-reductions",
            # Those that are split are not coarsened.
            "nt-split-reductions",
            "nt-coarsen-programs",
        ),
    ),
    ("padded", ("nt-pad-blocks", "nt-fit-target")),
    (
        "scheduled",
        (
            "nt-schedule-programs",
            "nt-merge-sorted",
            # Where a load is made decides how often its guard is asked for.
            "nt-hoist-loads",
            "nt-advance-loads",
            "nt-fold-guards",
            # Each loop is a loop to all that follows.
            "nt-split-loops",
            "nt-guard-loads",
            "nt-clamp-guards",
            "nt-skip-programs",
            "nt-split-boundaries",
            "nt-stage-loops",
            # Behind all that changes guards.
            "nt-use-descriptors",
            # Where a loop loads ahead, and both copies of a program's work, are known.
            "nt-reread-rows",
            # What those in front read, they read of a program, and of no loop around it.
            "nt-persist-programs",
        ),
    ),
    # Addresses are computed where they are used: loop-invariant ones are hoisted, then cse merges
    # equal ones.
    ("addressed", ("nt-lower-accesses", "nt-hoist-invariants", "cse")),
    # Folding before dce, so that what it frees is gone too.
    ("tt", ("nt-lower-to-tt", "canonicalize", "cse", "nt-widen-products", "dce")),
)

# The pass that is a stage's check.
_CHECK = "nt-check-stage"

Options = dict[str, dict[str, Any]]
Observer = Callable[[str, ModuleOp], None]
"""Called behind each pass with its name and the module."""
Timed = Callable[[int, str], AbstractContextManager[None]]
"""Gives a context for ``"pass"`` or ``"verify"`` of the step at a place of the pipeline."""


OPTIONAL = (
    "nt-interchange-reductions",
    "nt-pack-operands",
    "nt-sink-scales",
    "nt-unroll-reductions",
    "nt-defer-reductions",
    "nt-split-reductions",
    "nt-coarsen-programs",
    "nt-merge-sorted",
    "nt-hoist-loads",
    "nt-advance-loads",
    "nt-fold-guards",
    "nt-split-loops",
    "nt-guard-loads",
    "nt-clamp-guards",
    "nt-skip-programs",
    "nt-split-boundaries",
    "nt-stage-loops",
    "nt-use-descriptors",
    "nt-reread-rows",
    "nt-persist-programs",
    "nt-hoist-invariants",
    "nt-widen-products",
)
"""Passes that only optimise: a pipeline may leave them out."""


@dataclass(frozen=True)
class Step:
    """A pass, and the stage that it completes, if any.

    ``outside``: of a pass of another package, what it is. ``legal``: the stage whose ops may appear
    behind it; None: what may is not checked, but for ``stage``.
    """

    pass_: ModulePass
    stage: str | None = None
    outside: OutsidePass | None = None
    legal: str | None = None


def steps(
    stages: Stages, options: Options | None = None, pipeline: BoundPipeline | None = None
) -> list[Step]:
    """The steps through ``stages``; ``options`` are fields of passes by the passes' names.

    ``pipeline``: passes of other packages that are put in, and passes that are left out.

    Raises:
        ArgumentError: a pass that is put in cannot run at its place, or has no such option; or one
            cannot be left out.
        PluginError: a pass that is put in cannot be imported, or is another one by now.
    """
    wanted = dict(stages)
    every = tuple((stage, wanted.get(stage, names)) for stage, names in (*SYMBOLIC, *SPECIALIZED))
    row = slots(every, pipeline, OPTIONAL)
    check_stages(row, every, [stage for stage, _ in SYMBOLIC])
    last = {slot.stage: index for index, slot in enumerate(row)}
    last_own = {slot.stage: index for index, slot in enumerate(row) if slot.placed is None}
    found: list[Step] = []
    for index, slot in enumerate(row):
        if slot.stage not in wanted:
            continue
        values = {} if options is None else options.get(slot.name, {})
        stage = slot.stage if index == last[slot.stage] else None
        if slot.placed is not None:
            pass_ = slot.placed.pass_(**values | dict(slot.placed.options))
            legal = stage_at(row, index, every)
            found.append(Step(pass_, stage, slot.placed.outside, legal))
        else:
            # Behind it may be passes of others, which are not to blame for what it leaves.
            legal = slot.stage if index == last_own[slot.stage] else None
            found.append(Step(passes.find_pass(slot.name)(**values), stage, legal=legal))
    return found


def pipeline_text(pipeline: Sequence[Step]) -> str:
    """A pipeline in the syntax of ``nt-opt -p``, with all options that are not defaults."""
    specs: list[str] = []
    for step in pipeline:
        specs.append(str(step.pass_.pipeline_pass_spec()))
        if step.stage is not None:
            specs.append(f'{_CHECK}{{stage="{step.stage}"}}')
    return ",".join(specs)


def continuation(rest: Sequence[Step], settings: Continuation | None = None) -> Continuation:
    """How a module goes on with ``rest``: its passes, and the modules that register those of other
    packages. ``settings``: what they do not say.
    """
    outside = [step.outside for step in rest if step.outside is not None]
    # Those of entry points, which have no place of their own, are found by name.
    loads = tuple(dict.fromkeys(one.loadable for one in outside if one.place is not None))
    return replace(settings or Continuation(), passes=pipeline_text(rest), loads=loads)


def parse_steps(text: str, loads: Sequence[str] = ()) -> list[Step]:
    """The inverse of :func:`pipeline_text`. ``loads``: modules that are said to register passes,
    which are not imported.

    Raises:
        ArgumentError: the text is no pipeline, or a pass or an option is unknown or wrong.
    """
    try:
        specs = list(parse_pipeline(text.strip()))
    except ArgSpecParseError as error:
        raise ArgumentError(str(error).rstrip()) from error
    found: list[Step] = []
    for spec in specs:
        one = _parsed(spec, loads)
        if spec.name == _CHECK and found and found[-1].stage is None:
            stage = str(spec.parameters["stage"][0])
            found[-1] = replace(found[-1], stage=stage)
        else:
            found.append(step_of(one))
    return found


def step_of(pass_: ModulePass) -> Step:
    """A step of its own for a pass, which says so if it is one of another package."""
    found = outside_passes.registered().get(pass_.name)
    if found is None or not isinstance(pass_, found.pass_):
        return Step(pass_)
    return Step(pass_, outside=found.outside)


def _parsed(spec: ArgSpec, loads: Sequence[str]) -> ModulePass:
    try:
        class_ = passes.find_pass(spec.name)
    except KeyError:
        names = [*passes.pass_names(), *outside_passes.names()]
        near = did_you_mean(spec.name, names) or (
            "nt-opt --list-passes lists them, and --load imports a module that registers others"
        )
        if loads:
            options = shlex.join([word for name in loads for word in ("--load", name)])
            near = f"the text was made with {options}: give that, too, if you trust its code"
        raise ArgumentError(f"there is no pass {spec.name}; {near}") from None
    return instance(class_, spec)


def _untimed(index: int, part: str) -> AbstractContextManager[None]:
    return nullcontext()


def run(
    ctx: Context,
    module: ModuleOp,
    pipeline: Sequence[Step],
    observers: Sequence[Observer] = (),
    verifying: bool = False,
    timed: Timed = _untimed,
    advice: str = "set NINETOOTHED_VERIFY_IR=1",
) -> None:
    """Run ``pipeline`` over ``module``, in place; ``timed`` is around each pass, and around what
    checks it. ``advice``: what to do for a reproducer where it is run without ``verifying``.

    Raises:
        NineToothedError: the user's program is wrong; at its place.
        CompilerError: a pass failed, or left what its stage may not hold; names the pass and the
            file that reproduces it.
        PluginError: likewise a pass of another package, behind which the module is verified always;
            with what the pass changed.
    """
    for index, step in enumerate(pipeline):
        name = step.pass_.name
        before = module.clone() if verifying or step.outside is not None else None
        try:
            with timed(index, "pass"):
                step.pass_.apply(ctx, module)
            with timed(index, "verify"):
                if before is not None:
                    verify(module, name)
                    _check_body(before, module)
                legal = step.legal or step.stage
                if legal is not None:
                    check_stage(module, legal)
        except CompilerError as error:
            if step.outside is not None and before is not None:
                raise _failed(
                    step, step.outside, error.message, before, module, error.loc
                ) from error
            where = reproducer(before, pipeline[index:], advice)
            raise CompilerError(f"pass {name}: {error.message}{where}", error.loc) from error
        except NineToothedError:
            raise
        except Exception as error:
            if step.outside is not None and before is not None:
                text = f": {error}" if str(error) else ""
                reason = f"it failed with {type(error).__name__}{text}"
                loc = raise_loc(error, step.outside.module)
                raise _failed(step, step.outside, reason, before, module, loc) from error
            where = reproducer(before, pipeline[index:], advice)
            raise _stopped(pipeline[index:], error, before or module, where) from error
        except KeyboardInterrupt as error:
            # As of a pattern that matches what it makes.
            error.add_note(f"pass {name} was running")
            raise
        for observe in observers:
            observe(name, module)


def _check_body(before: ModuleOp, after: ModuleOp) -> None:
    """Check that a pass left a module as many kernels as it had, and nothing beside them.

    Raises:
        CompilerError: it did not.
    """
    had, has = len(before.body.block.ops), len(after.body.block.ops)
    if had != has:
        raise CompilerError(
            f"the module's body has {counted(has, 'op')} behind it instead of {had}; a pass keeps "
            "every kernel, and puts nothing beside them",
            place_of(before.location),
        )


def _stopped(rest: Sequence[Step], error: Exception, module: ModuleOp, where: str) -> CompilerError:
    """The error of the first pass of ``rest``, which raised another one; ``module`` is what it was
    given, ``where`` the end of the message.
    """
    name = rest[0].pass_.name
    locs = (place_of(op.location) for op in (*module.body.ops, module))
    loc = next((loc for loc in locs if loc is not None), None)
    stage = next((step.stage for step in rest if step.stage is not None), None)
    strange = None if stage is None else first_strange(module, stage)
    if strange is not None:
        message = f"pass {name} cannot take {strange.name}, which appears nowhere before {stage}"
        return CompilerError(f"{message}{where}", place_of(strange.location))
    if isinstance(error, PassFailedException | VerifyException | ZeroDivisionError):
        return CompilerError(f"pass {name}: {error}{where}", loc)
    if isinstance(error, RecursionError):
        message = f"pass {name}: the module, or an expression in it, is nested too deeply"
        return CompilerError(f"{message}{where}", loc)
    message = f"pass {name} failed with {type(error).__name__}: {error}{where}"
    whose = "; this is a bug of the compiler" if name in passes.pass_names() else ""
    return CompilerError(f"{message}{whose}", loc)


def reproducer(before: ModuleOp | None, rest: Sequence[Step], advice: str = "") -> str:
    """Write a reproducer: the module before the pass that failed, with the rest of the pipeline.

    Returns the end of the error's message, which names the file; where there is no module, it is
    the ``advice`` on how to get one.
    """
    if before is None:
        return f"; {advice} for a file that reproduces it"
    found = continuation(rest)
    words = [f"--load {shlex.quote(name)}" for name in found.loads]
    handle, path = tempfile.mkstemp(prefix="ninetoothed-", suffix=".mlir")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"{found}\n{text_of(before)}\n")
    return f"; reproduce it with {' '.join(['nt-opt', path, *words])} -p '{found.passes}'"


_MOST_LINES = 60
"""Lines of a diff in an error."""


def _failed(
    step: Step,
    outside: OutsidePass,
    reason: str,
    before: ModuleOp,
    after: ModuleOp,
    loc: Loc | None,
) -> PluginError:
    """The error about a pass of another package, with what it changed; at the line of the pass that
    raised, or of the kernel that is wrong behind it.
    """
    return PluginError(
        f"pass {outside.name} ({outside}): {reason}{reproducer(before, [step])}"
        f"{_changes(outside.name, before, after)}",
        loc,
    )


def _changes(name: str, before: ModuleOp, after: ModuleOp) -> str:
    """What a pass changed, as a diff; of what has no text of its own, in the generic form."""
    try:
        texts = [_lines(module, False) for module in (before, after)]
    except Exception:
        try:
            texts = [_lines(module, True) for module in (before, after)]
        except Exception:
            # A pass may leave anything.
            return "; what it left cannot be printed"
    lines = list(
        difflib.unified_diff(
            texts[0], texts[1], f"before {name}", f"after {name}", n=2, lineterm=""
        )
    )
    if not lines:
        return "; it changed nothing"
    if len(lines) > _MOST_LINES:
        more = len(lines) - _MOST_LINES
        lines = [*lines[:_MOST_LINES], f"... and {more} lines more"]
    return "\n".join(["; it changed", *lines])


def _lines(module: ModuleOp, is_generic: bool) -> list[str]:
    if not is_generic:
        return text_of(module).splitlines()
    text = io.StringIO()
    Printer(text, print_generic_format=True).print_op(module)
    return text.getvalue().splitlines()
