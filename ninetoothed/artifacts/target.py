"""Compilation targets, and the back ends that serve them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TypeAlias, cast

from ninetoothed.errors import DeviceError, shown

Language: TypeAlias = str
"""The language of an artifact's text: one of a back end's (see :func:`languages`)."""


@dataclass(frozen=True)
class BackEnd:
    """Back end: ``ninetoothed/backend/NAME`` emits and declares its targets' capabilities,
    ``ninetoothed/runtime/toolchain/NAME`` compiles and loads.

    ``targets``: the values of ``Target.backend`` that it serves. ``languages``: what it emits, the
    default first. ``device``: torch's name for the devices. Of each of ``targets``, ``stages`` are
    its compiler's stages that have a text, in order (see ``runtime.toolchain.inspection``), and
    ``archs`` the architecture that is taken for these where none is named.
    """

    name: str
    targets: tuple[str, ...]
    languages: tuple[Language, ...]
    device: str
    stages: tuple[tuple[str, ...], ...] = ()
    archs: tuple[str, ...] = ()


DEFAULT_TARGET = "sm_90"
"""The target of a compilation that names none."""


BACK_ENDS = [
    BackEnd(
        "triton",
        ("cuda", "hip"),
        ("ttir", "triton-python"),
        device="cuda",
        stages=(("ttir", "ttgir", "llir", "ptx", "sass"), ("ttir", "ttgir", "llir", "amdgcn")),
        archs=(DEFAULT_TARGET, "gfx942"),
    ),
]
"""All back ends; a further one is its two folders, and a line here."""


def languages() -> tuple[Language, ...]:
    """The languages of all back ends."""
    return tuple(language for row in BACK_ENDS for language in row.languages)


@dataclass(frozen=True, order=True)
class Target:
    """Compilation target: ``backend`` is a kind of devices, as ``"cuda"``, and ``arch`` one of its
    architectures, as ``"sm_90"``.
    """

    backend: str
    arch: str
    warp_size: int

    @property
    def back_end(self) -> BackEnd:
        """The back end that serves it."""
        return next(row for row in BACK_ENDS if self.backend in row.targets)

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of its compiler that have a text, in order."""
        row = self.back_end
        return dict(zip(row.targets, row.stages, strict=False)).get(self.backend, ())

    @staticmethod
    def parse(text: str) -> Target:
        """The target of a name, as ``"sm_90"`` or ``"gfx942"``.

        Raises:
            DeviceError: the text names no target.
        """
        for row in BACK_ENDS if isinstance(cast("object", text), str) else ():
            targets = importlib.import_module(f"ninetoothed.backend.{row.name}.targets")
            found: Target | None = targets.parse(text)
            if found is not None:
                return found
        raise DeviceError(f"unknown target {shown(text)}; write for example 'sm_90' or 'gfx942'")

    def __str__(self) -> str:
        return self.arch
