"""Text that Triton takes: TTIR, or readable Triton-Python."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.target import Language
from ninetoothed.backend.triton.ttir import emit_ttir


def emit_text(module: ModuleOp, language: Language) -> str:
    """The text of a module of the stage ``tt``.

    Raises:
        CompilerError: the module is not of that stage, or an op has no spelling.
    """
    if language == "ttir":
        return emit_ttir(module)
    # Half of the emitters' modules, and rarely asked for: a first kernel does not wait for them.
    from ninetoothed.backend.triton.triton_python import emit_triton_python

    return emit_triton_python(module)
