"""From an artifact to a binary: the run half of a back end, and the processes that compile.

- :class:`Toolchain`: what a back end gives as ``TOOLCHAIN`` of the module that it ``runs`` with; of
  ours, of its package here, as ``triton``. The compile half is in ``ninetoothed.backend.protocol``.
- ``inspection``: the texts of a compiler's stages, for a reader, which the module ``stage_texts``
  of a back end's package makes.
- ``pool``, ``process`` and ``worker``: artifacts compiled in processes of their own.

Of the runtime it imports ``launch`` alone, whose :class:`~ninetoothed.runtime.launch.driver.Driver`
a toolchain opens.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.target import BACK_ENDS, BackEnd, Target
from ninetoothed.runtime.launch import device
from ninetoothed.version import __version__

if TYPE_CHECKING:
    from ninetoothed.runtime.launch.driver import Driver


class Toolchain(Protocol):
    """Compiler of one back end's artifacts, and the driver that loads their binaries.

    Importing it imports neither its compiler nor torch.
    """

    def available(self) -> bool:
        """True if its compiler is installed."""
        ...

    def version(self) -> str:
        """Its compiler's version, on which all that it makes depends.

        Raises:
            DeviceError: it is not installed, or too old.
        """
        ...

    def settings(self, environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """The variables of an environment that change what is compiled."""
        ...

    def prepare_environment(self, environment: dict[str, str]) -> None:
        """Changes the environment of a process that compiles."""
        ...

    def prepare(self) -> None:
        """Prepares a process that compiles: does once what is the same for all artifacts.

        Raises:
            DeviceError: the compiler cannot be imported.
        """
        ...

    def rehearse(self, target: Target) -> Iterator[object]:
        """Warms up for a target, step by step: a compiler's first steps take longer."""
        ...

    def compile_binary(self, artifact: Artifact) -> Binary:
        """Compiles an artifact, in this process.

        Raises:
            ConfigurationError: it cannot be compiled; the text is the reason.
            CompilerError: it wants what no launch gives.
            DeviceError: the compiler is not installed.
        """
        ...

    def active_target(self) -> Target:
        """torch's current device as a target.

        Raises:
            DeviceError: there is none, or torch cannot use it.
        """
        ...

    def open_driver(self) -> Driver:
        """The library that loads and launches binaries.

        Raises:
            DeviceError: it cannot be loaded, or is too old.
        """
        ...


def toolchain_of(row: BackEnd) -> Toolchain:
    """The toolchain of a back end."""
    found: Toolchain = importlib.import_module(row.runs).TOOLCHAIN
    return found


def of(target: Target) -> Toolchain:
    """The toolchain that compiles for a target."""
    return toolchain_of(target.back_end)


def every() -> list[Toolchain]:
    """The toolchains of all back ends."""
    return [toolchain_of(row) for row in BACK_ENDS]


def active() -> Toolchain:
    """The toolchain of the devices that torch has."""
    kind = device.kind()
    return next(toolchain_of(row) for row in BACK_ENDS if row.device == kind)


@functools.cache
def active_driver() -> Driver:
    """The driver library of the devices that torch has.

    Raises:
        DeviceError: it cannot be loaded, or is too old.
    """
    return active().open_driver()


def binary_key(artifact: Artifact) -> str:
    """Cache key of an artifact's binary: a digest of all that it depends on.

    Raises:
        DeviceError: the compiler is not installed, or too old.
    """
    toolchain = of(artifact.target)
    row = artifact.target.back_end
    sources = row.origin or _sources(row.runs)
    settings = map("=".join, toolchain.settings(os.environ))
    parts = [artifact.hash, toolchain.version(), sources, *settings]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@functools.cache
def _sources(package: str) -> str:
    """Digest of a toolchain's sources, with this package's version."""
    digest = hashlib.sha256()
    (folder,) = importlib.import_module(package).__path__
    # Where sources are not installed, the version is all.
    with contextlib.suppress(OSError):
        for path in sorted(Path(folder).glob("*.py")):
            digest.update(path.read_bytes())
    return f"{__version__} {digest.hexdigest()}"
