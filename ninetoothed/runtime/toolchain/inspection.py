"""Texts of the stages that an artifact goes through in its target's compiler, for a reader.

    found = inspect(artifact, ["ttgir", "ptx"])
    found.texts["ptx"], found.registers

No device is needed. A launch runs the same, made by ``Toolchain.compile_binary``; but here IR
has the names of the user's values, and assembly has them in comments.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ArgumentError


@dataclass(frozen=True)
class Inspection:
    """Texts by the stages' names, and what the kernel takes of the device.

    ``registers``: of a thread; ``spills``: on NVIDIA's GPUs the instructions that move registers to
    and from local memory, on AMD's the registers that are kept there; ``shared``: bytes of shared
    memory. None where no stage that was asked for tells.
    """

    texts: Mapping[str, str]
    registers: int | None = None
    spills: int | None = None
    shared: int | None = None

    @property
    def summary(self) -> str:
        """The numbers that are known, in words."""
        numbers = {
            "registers a thread": self.registers,
            "spills": self.spills,
            "bytes of shared memory": self.shared,
        }
        return ", ".join(f"{count} {name}" for name, count in numbers.items() if count is not None)


class StageTexts(Protocol):
    """The module ``stage_texts`` of a back end's package."""

    def inspect(self, artifact: Artifact, names: Sequence[str], locations: bool) -> Inspection:
        """See :func:`inspect`; the target has all the stages."""
        ...


def inspect(artifact: Artifact, names: Sequence[str], locations: bool = True) -> Inspection:
    """Compiles an artifact as far as ``names`` of its target's stages ask, and keeps their texts.

    ``locations``: IR is printed with the places of its ops in the user's source.

    Raises:
        ArgumentError: the target has no such stage.
        ConfigurationError: the artifact cannot be compiled; the text is the reason.
        DeviceError: the compiler, or a tool that is needed, is not installed.
    """
    for name in names:
        require_stage(artifact.target, name)
    name = f"{artifact.target.back_end.runs}.stage_texts"
    return cast("StageTexts", importlib.import_module(name)).inspect(artifact, names, locations)


def require_stage(target: Target, name: str) -> None:
    """Check that a target has a stage.

    Raises:
        ArgumentError: it has not.
    """
    if name not in target.stages:
        known = ", ".join(target.stages)
        raise ArgumentError(f"{target} has no stage {name}; its stages are {known}")
