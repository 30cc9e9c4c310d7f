"""Text that Triton takes: TTIR, or readable Triton-Python."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifact import Language
from ninetoothed.backend.ttir import emit_ttir


def emit_text(module: ModuleOp, language: Language) -> str:
    """The text of a module of the stage ``tt``.

    Raises:
        CompilerError: the module is not of that stage, or an op has no spelling.
    """
    if language == "ttir":
        return emit_ttir(module)
    # Half of the emitters' modules, and rarely asked for: a first kernel does not wait for them.
    from ninetoothed.backend.triton_python import emit_triton_python

    return emit_triton_python(module)
