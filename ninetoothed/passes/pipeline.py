"""The pass pipeline: stages, their passes, and how they run.

Each stage is a few passes and a legality check of what they leave. Symbolic stages run once a
signature, the others once a configuration. :func:`run` is what ``make`` and ``nt-opt`` both call.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ninetoothed.errors import CompilerError, NineToothedError
from ninetoothed.ir.diagnostics import verify
from ninetoothed.ir.stages import check_stage
from ninetoothed.passes import find_pass

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
            fields = {} if options is None else options.get(name, {})
            last = name == names[-1]
            found.append(Step(find_pass(name)(**fields), stage if last else None))
    return found


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
    pipeline = ",".join(str(step.pass_.pipeline_pass_spec()) for step in rest)
    handle, path = tempfile.mkstemp(prefix="ninetoothed-", suffix=".mlir")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"// RUN: nt-opt %s -p '{pipeline}'\n{before!s}\n")
    return f"; reproduce it with nt-opt {path} -p '{pipeline}'"
