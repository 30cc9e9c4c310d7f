"""A GPU for programs in processes of their own: kernels are made for it, and launches are written
down.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.artifacts.target import Target
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.loaded import Host
from ninetoothed.runtime.toolchain import pool
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.runtime.tuning import candidates, model

launches: list[tuple[str, int]] = []
"""The kernels' names, and how many programs each launch had."""


@dataclass(frozen=True)
class Device:
    """The place of a tensor."""

    type: str = "cuda"
    index: int = 0

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"


class Array:
    """Fake tensor: what a call reads of one."""

    requires_grad = False

    def __init__(
        self,
        *shape: int,
        pointer: int = 4096,
        dtype: object = "fp32",
        device: Device = Device(),
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.device = device
        self._pointer = pointer

    def dim(self) -> int:
        return len(self.shape)

    def stride(self, dim: int | None = None) -> Any:
        strides = [1]
        for size in self.shape[:0:-1]:
            strides.insert(0, strides[0] * size)
        return tuple(strides) if dim is None else strides[dim]

    def numel(self) -> int:
        return self.stride(0) * self.shape[0]

    def element_size(self) -> int:
        return 4

    def data_ptr(self) -> int:
        return self._pointer

    def is_neg(self) -> bool:
        return False


class _Loaded:
    def __init__(self, host: Host, binary: Binary) -> None:
        self._host = host
        self.artifact = host.artifact

    def launch(self, values: tuple[Any, ...]) -> None:
        programs, arguments = self._host.checked(values)
        assert len(arguments) == len(self.artifact.given)
        launches.append((self.artifact.name, programs))


class _Driver:
    def relaxed(self) -> AbstractContextManager[None]:
        return contextlib.nullcontext()


def install() -> None:
    """Puts it in the place of a real one, for the rest of the process."""
    for owner, attribute, value in patches():
        assert hasattr(owner, attribute)
        setattr(owner, attribute, value)


def patches() -> list[tuple[Any, str, Any]]:
    """Replacements: owner, attribute, value."""

    def compiled(artifacts: Iterable[Artifact], on_done: Any = None) -> list[Binary]:
        return [_BINARY for _ in artifacts]

    def guard(index: int) -> AbstractContextManager[None]:
        return contextlib.nullcontext()

    def name(index: int) -> str:
        return "a GPU"

    return [
        (compat, "active_target", lambda: Target.parse("sm_90")),
        (compat, "version", lambda: "3.6.0"),
        # Without an import of torch, which takes longer than all else.
        (device, "kind", lambda: "cuda"),
        (device, "guard", guard),
        (device, "name", name),
        (device, "is_capturing", lambda: False),
        (pool, "compile", compiled),
        (candidates, "_loaded", _Loaded),
        (toolchain, "active_driver", _Driver),
        (model.Properties, "of", staticmethod(_properties)),
    ]


def _properties(index: int, target: Target) -> model.Properties:
    return model.Properties(capabilities(target).architecture, 132, 1.7e9, 4e12, 50 << 20)


_BINARY = Binary(b"", "kernel", 0, 128)


def imported(*names: str) -> list[str]:
    """The packages and modules among ``names`` that have been imported."""
    return [name for name in names if name in sys.modules]
