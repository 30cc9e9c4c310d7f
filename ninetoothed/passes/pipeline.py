"""The pass pipeline: stages, their passes, and how they run.

Each stage is a few passes and a legality check of what they leave. Symbolic stages run once a
signature, the others once a configuration. :func:`run` is what ``make`` and ``nt-opt`` both call.
In text, as ``nt-opt -p`` takes it, the check of a stage is the pass ``nt-check-stage``.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from ninetoothed import passes
from ninetoothed.errors import ArgumentError, CompilerError, NineToothedError, did_you_mean
from ninetoothed.ir.continuation import Continuation
from ninetoothed.ir.diagnostics import verify
from ninetoothed.ir.stages import check_stage

Stages = tuple[tuple[str, tuple[str, ...]], ...]

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
    ("specialized", ("nt-specialize",)),
    ("padded", ("nt-pad-blocks", "nt-fit-target")),
    (
        "scheduled",
        (
            "nt-schedule-programs",
            # Where a load is made decides how often its guard is asked for.
            "nt-hoist-loads",
            "nt-fold-guards",
            "nt-guard-loads",
            "nt-skip-programs",
            "nt-stage-loops",
        ),
    ),
    # Addresses are computed where they are used: loop-invariant ones are hoisted, then cse merges
    # equal ones.
    ("addressed", ("nt-lower-accesses", "nt-hoist-invariants", "cse")),
    # Folding before dce, so that what it frees is gone too.
    ("tt", ("nt-lower-to-tt", "canonicalize", "cse", "dce")),
)

# The pass that is a stage's check.
_CHECK = "nt-check-stage"

Options = dict[str, dict[str, Any]]
Observer = Callable[[str, ModuleOp], None]
"""Called behind each pass with its name and the module."""


@dataclass(frozen=True)
class Step:
    """A pass, and the stage that it completes, if any."""

    pass_: ModulePass
    stage: str | None = None


def steps(stages: Stages, options: Options | None = None) -> list[Step]:
    """The steps through ``stages``; ``options`` are fields of passes by the passes' names."""
    found: list[Step] = []
    for stage, names in stages:
        for name in names:
            values = {} if options is None else options.get(name, {})
            last = name == names[-1]
            found.append(Step(passes.find_pass(name)(**values), stage if last else None))
    return found


def pipeline_text(pipeline: Sequence[Step]) -> str:
    """A pipeline in the syntax of ``nt-opt -p``, with all options that are not defaults."""
    specs: list[str] = []
    for step in pipeline:
        specs.append(str(step.pass_.pipeline_pass_spec()))
        if step.stage is not None:
            specs.append(f'{_CHECK}{{stage="{step.stage}"}}')
    return ",".join(specs)


def parse_steps(text: str) -> list[Step]:
    """The inverse of :func:`pipeline_text`.

    Raises:
        ArgumentError: the text is no pipeline, or a pass or an option is unknown or wrong.
    """
    try:
        specs = list(parse_pipeline(text))
    except ArgSpecParseError as error:
        raise ArgumentError(str(error)) from error
    found: list[Step] = []
    for spec in specs:
        one = _parsed(spec)
        if spec.name == _CHECK and found and found[-1].stage is None:
            stage = str(spec.parameters["stage"][0])
            found[-1] = Step(found[-1].pass_, stage)
        else:
            found.append(Step(one))
    return found


def _parsed(spec: ArgSpec) -> ModulePass:
    names = passes.pass_names()
    if spec.name not in names:
        near = did_you_mean(spec.name, names) or "nt-opt --list-passes lists them"
        raise ArgumentError(f"there is no pass {spec.name}; {near}")
    class_ = passes.find_pass(spec.name)
    options = [field.name for field in fields(class_)]
    for name in spec.normalize_parameter_names().parameters:
        if name not in options:
            known = f"its options are {', '.join(options)}" if options else "it has none"
            near = did_you_mean(name, options) or known
            raise ArgumentError(f"{spec.name} has no option {name}; {near}")
    try:
        return class_.from_pass_spec(spec)
    except ValueError as error:
        raise ArgumentError(_option_error(spec, str(error))) from error


def _option_error(spec: ArgSpec, message: str) -> str:
    return message if spec.name in message else f"{spec.name}: {message}"


def run(
    ctx: Context,
    module: ModuleOp,
    pipeline: Sequence[Step],
    observers: Sequence[Observer] = (),
    verifying: bool = False,
) -> None:
    """Run ``pipeline`` over ``module``, in place.

    Raises:
        NineToothedError: the user's program is wrong; at its place.
        CompilerError: a pass failed, or left what its stage may not hold; names the pass and the
            file that reproduces it.
    """
    for index, step in enumerate(pipeline):
        name = step.pass_.name
        before = module.clone() if verifying else None
        try:
            step.pass_.apply(ctx, module)
            if verifying:
                verify(module, name)
            if step.stage is not None:
                check_stage(module, step.stage)
        except CompilerError as error:
            where = reproducer(before, pipeline[index:])
            raise CompilerError(f"pass {name}: {error.message}{where}", error.loc) from error
        except NineToothedError:
            raise
        except Exception as error:
            where = reproducer(before, pipeline[index:])
            raise CompilerError(
                f"pass {name} failed with {type(error).__name__}: {error}{where}; "
                "this is a bug of the compiler"
            ) from error
        for observe in observers:
            observe(name, module)


def reproducer(before: ModuleOp | None, rest: Sequence[Step]) -> str:
    """Write a reproducer: the module before the pass that failed, with the rest of the pipeline.

    Returns the end of the error's message, which names the file.
    """
    if before is None:
        return "; set NINETOOTHED_VERIFY_IR=1 for a file that reproduces it"
    pipeline = pipeline_text(rest)
    handle, path = tempfile.mkstemp(prefix="ninetoothed-", suffix=".mlir")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"{Continuation(pipeline)}\n{before!s}\n")
    return f"; reproduce it with nt-opt {path} -p '{pipeline}'"
