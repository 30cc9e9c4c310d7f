"""Text of Triton's stages for an artifact."""

from __future__ import annotations

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.runtime.toolchain.triton import compat


def to_ttir(artifact: Artifact) -> str:
    """Triton's text of the kernel behind its passes over ``ttir``: what it takes to know that a
    kernel is well formed, in a few milliseconds.

    Whatever Triton raises where the kernel is wrong is not caught.
    """
    _, module, _ = next(compat.stages(artifact))
    return str(module)


def assembly(artifact: Artifact) -> dict[str, str]:
    """The text behind each stage, by its name (``ttir``, ``ttgir``, ``llir``, ``ptx``, …)."""
    return {name: str(made) for name, made, _ in compat.stages(artifact)}
