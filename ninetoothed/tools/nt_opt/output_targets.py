"""Output targets: what ``-t`` prints.

A target is a row here, and a function ``(module, options) -> text`` that is imported when it is
asked for: the list, which ``--help`` shows, imports no IR.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from ninetoothed.artifacts.target import BACK_ENDS

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

STAGES = ("arranged", "composed", "specialized", "padded", "scheduled", "addressed", "tt")
"""Stages of the pipeline in order: as targets, a module that the pipeline has run so far."""


@dataclass(frozen=True)
class EmitOptions:
    """What a target's text depends on beside the module.

    ``target`` is its name. ``arch``, as ``sm_90``, ``num_warps`` and ``num_stages`` are None where
    neither the command line nor the module's first line says them.
    """

    target: str
    arch: str | None = None
    num_warps: int | None = None
    num_stages: int | None = None
    generic: bool = False
    debug_info: bool = False
    local_scope: bool = False
    syntax_highlight: bool = False


class Emit(Protocol):
    """The function of a target."""

    def __call__(self, module: ModuleOp, options: EmitOptions) -> str:
        """The text of a module.

        Raises:
            NineToothedError: the module, or an option, is wrong for the target.
        """
        ...


@dataclass(frozen=True)
class OutputTarget:
    """A target: ``function``, as ``"module:name"``, is its :class:`Emit`. ``lowered``: it takes a
    module of the stage ``tt``, to which the pipeline is run where it is known. ``arch``: the
    architecture that its text is for where none is named; None: the text is for any. ``separator``:
    what stands between the texts of several kernels.
    """

    name: str
    summary: str
    function: str
    lowered: bool = True
    arch: str | None = None
    separator: str = "// -----\n"

    def emit(self, module: ModuleOp, options: EmitOptions) -> str:
        """The text of a module, as :class:`Emit` gives it."""
        name, _, attribute = self.function.partition(":")
        return cast("Emit", getattr(importlib.import_module(name), attribute))(module, options)


_HERE = "ninetoothed.tools.nt_opt.emission"
_SUMMARIES = {
    "ttir": "what Triton compiles, in its own form (--generic: in MLIR's, which needs no Triton)",
    "triton-python": "a module with the kernel as @triton.jit function",
    "ttgir": "Triton's IR with layouts",
    "llir": "LLVM's IR",
    "ptx": "NVIDIA's assembly",
    "sass": "NVIDIA's machine code",
    "amdgcn": "AMD's assembly",
}


def targets() -> dict[str, OutputTarget]:
    """All targets but the stages of the pipeline, by name."""
    found = {"mlir": OutputTarget("mlir", "the module as it is", f"{_HERE}:mlir", lowered=False)}
    for back_end in BACK_ENDS:
        for language in back_end.languages:
            summary = _SUMMARIES.get(language, f"the text of back end {back_end.name}")
            separator = "\n\n" if language == "triton-python" else OutputTarget.separator
            found[language] = OutputTarget(
                language, summary, f"{_HERE}:back_end", separator=separator
            )
        for arch, stages in zip(back_end.archs, back_end.stages, strict=True):
            for stage in stages:
                # Text that is emitted is for any architecture, whoever prints it.
                arch_of = None if stage in back_end.languages else arch
                summary = _SUMMARIES.get(stage, f"a stage of back end {back_end.name}")
                row = OutputTarget(stage, summary, f"{_HERE}:compiled", arch=arch_of)
                if stage not in found or found[stage].function != row.function:
                    found[stage] = row
    return found
