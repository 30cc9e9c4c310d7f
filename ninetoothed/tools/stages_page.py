"""The page ``docs/stages.md``: the stages, each with the IR of one kernel."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from ninetoothed.ir.stages import STAGES
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED
from ninetoothed.tools import nt_opt

EXAMPLE = "softmax"

_TEXTS = {
    "arranged": (
        "What the user wrote. The first region lists the meta-operations that arranged each "
        "parameter, the second holds the application, over tiles whose sizes are symbols. Checks "
        "of the call, renumbered programs, forwarded values and barriers are in the IR."
    ),
    "composed": (
        "Each chain of meta-operations is one `nt.access`: a map from the indices of the program "
        "(`g0`), of the levels and of the block (`b0`) to those of the source, and the guards "
        "under which a lane exists. Reductions read their identity where it does not. One such "
        "module serves all configurations; it is asked which choices its passes have."
    ),
    "specialized": (
        "For one signature and one configuration: block sizes are numbers, and strides of 1 and "
        "sizes that are equal are known."
    ),
    "padded": (
        "Blocks have sizes that are powers of two. The added lanes are outside every guard."
    ),
    "scheduled": (
        "Programs have numbers, `nt.program_id`, and a grid. Loads, stores and dots are still ops "
        "on tiles, and so this is where most optimizations are."
    ),
    "addressed": (
        "Loads and stores have pointers, offsets and masks in `tt` and `arith`; what is computed "
        "with the tiles is still the user's."
    ),
    "tt": "A device function in `tt`, Triton's dialect: what the back ends print.",
}

_INTRODUCTION = """\
# Stages

Every stage prints, parses back, and can be entered and left: `nt-opt examples/{name}.py -t STAGE`
prints one, with a first line that says how it goes on, and `nt-opt FILE.mlir -t STAGE` goes on from
it. Which passes lead from one to the next: [passes](passes/README.md). Legality is checked at the
end of each stage (`ninetoothed/ir/stages.py`); an own pass must leave what the stages around its
place allow.

Below is [examples/{name}.py](../examples/{name}.py) at each of them. Written by `make docs`.
"""


def page(examples: Path) -> str:
    """The page's text, from the folder of the examples."""
    parts = [_INTRODUCTION.format(name=EXAMPLE)]
    before: frozenset[str] = frozenset()
    for stage, names in (*ANNOTATED, *SPECIALIZED):
        ops = STAGES[stage].ops
        parts.append(f"## {stage}\n\n{_TEXTS[stage]}\n")
        lines = ["Passes: " + ", ".join(_link(name) for name in names) + "."]
        if before:
            lines.append(_difference("No longer legal", before - ops))
            lines.append(_difference("Newly legal", ops - before))
        if STAGES[stage].dialects:
            lines.append(f"Whole dialects: {', '.join(STAGES[stage].dialects)}.")
        parts.append("\n".join(filter(None, lines)) + "\n")
        parts.append(f"```mlir\n{_module(examples, stage)}```\n")
        before = ops
    return "\n".join(parts)


def _link(name: str) -> str:
    return f"[`{name}`](passes/{name}.md)" if name.startswith("nt-") else f"`{name}`"


def _difference(title: str, ops: frozenset[str]) -> str:
    """A line of what a stage's ops gain or lose."""
    return f"{title}: {', '.join(f'`{name}`' for name in sorted(ops))}." if ops else ""


def _module(examples: Path, stage: str) -> str:
    """The example's IR in a stage, as ``nt-opt`` prints it, without the line on how it goes on."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = nt_opt.main([str(examples / f"{EXAMPLE}.py"), "-t", stage])
    if status:
        raise SystemExit(f"nt-opt fails on the example {EXAMPLE} in stage {stage}")
    lines = out.getvalue().splitlines()
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))
