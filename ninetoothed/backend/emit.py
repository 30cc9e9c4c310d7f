"""Emission of a module of the stage ``tt`` as an artifact."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.artifact import Artifact, Packing
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.backend.device_function import (
    arguments,
    device_function,
    function_name,
    params,
    scratch,
)
from ninetoothed.backend.launch_source import launch_source, reads_writes
from ninetoothed.backend.protocol import emitter
from ninetoothed.ir.scf import loop_over_programs


def emit(
    module: ModuleOp,
    language: Language,
    target: Target,
    config: Config,
    full: bool = False,
    prologue: tuple[Packing, ...] = (),
) -> Artifact:
    """The artifact of ``module``, which is left as it is; ``full`` and ``prologue`` as in the
    artifact.

    Raises:
        CompilerError: the module is not of the stage ``tt``, or an op has no spelling.
    """
    function = device_function(module)
    reads, writes = reads_writes(module)
    return Artifact(
        name=function_name(function),
        language=language,
        text=emitter(target.back_end).emit_text(module, language),
        params=tuple(param.name for param in params(function)),
        arguments=arguments(function),
        launch=launch_source(module),
        reads=reads,
        writes=writes,
        target=target,
        config=config,
        full=full,
        scratch=scratch(function),
        prologue=prologue,
        persistent=loop_over_programs(function.body.block) is not None,
    )
