"""Texts of its only stage."""

from __future__ import annotations

from collections.abc import Sequence

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.runtime.toolchain.inspection import Inspection


def inspect(artifact: Artifact, names: Sequence[str], locations: bool) -> Inspection:
    """The text of an artifact, aloud."""
    return Inspection({name: artifact.text.upper() for name in names})
