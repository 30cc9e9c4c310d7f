"""Text that names the ops."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.target import Language


def emit_text(module: ModuleOp, language: Language) -> str:
    """The names of the ops in order."""
    return " ".join([f"{language}:", *(op.name for op in module.walk())])
