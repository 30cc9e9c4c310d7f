"""A module of the stage ``tt`` as an artifact."""

from __future__ import annotations

from typing import Literal

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifact import Artifact, Config, Target
from ninetoothed.backend.device_function import arguments, device_function, params
from ninetoothed.backend.launch import launch_source, reads_writes
from ninetoothed.backend.ttir import emit_ttir

Language = Literal["ttir", "triton-python"]
"""The languages that an artifact's text can be in."""


def emit(
    module: ModuleOp,
    language: Language,
    target: Target,
    config: Config,
) -> Artifact:
    """The artifact of ``module``, which is left as it is.

    Raises:
        CompilerError: the module is not of the stage ``tt``, or an op has no spelling.
    """
    function = device_function(module)
    reads, writes = reads_writes(module)
    return Artifact(
        name=function.sym_name.data,
        language=language,
        text=_text(module, language),
        params=tuple(param.name for param in params(function)),
        arguments=arguments(function),
        launch=launch_source(module),
        reads=reads,
        writes=writes,
        target=target,
        config=config,
    )


def _text(module: ModuleOp, language: Language) -> str:
    if language == "ttir":
        return emit_ttir(module)
    # Half of the backend's modules, and rarely asked for: a first kernel does not wait for them.
    from ninetoothed.backend.triton_python import emit_triton_python

    return emit_triton_python(module)
