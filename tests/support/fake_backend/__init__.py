"""A second back end, whose two folders lie here: it emits the names of ops, compiles by copying,
and launches by writing down. It holds the protocols of both halves to what they promise.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import ninetoothed.backend
from ninetoothed.artifacts.target import BACK_ENDS, BackEnd
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch import device
from tests.support import fake_gpu

# The one line.
FAKE = BackEnd(
    "fake", ("fake",), ("words",), device="fake", stages=(("shouts",),), archs=("fake1",)
)

STREAM = 7
_HERE = Path(__file__).parent


@contextlib.contextmanager
def registered() -> Generator[None]:
    """Inside, the back end is one of all, and torch has a device of its kind."""
    with pytest.MonkeyPatch.context() as patch:
        for package, name in ((ninetoothed.backend, "backend"), (toolchain, "toolchain")):
            patch.setattr(package, "__path__", [*package.__path__, str(_HERE / name)])
        patch.setattr(torch, "fake", _Torch, raising=False)
        patch.setattr(torch.autograd.graph, "increment_version", FakeTensor.written)
        BACK_ENDS.insert(0, FAKE)
        _forget()
        try:
            yield
        finally:
            BACK_ENDS.remove(FAKE)
            _forget()


def _forget() -> None:
    caches: list[Any] = [device.kind_of, toolchain.active_driver]
    for cache in caches:
        cache.cache_clear()
    for name in [name for name in sys.modules if name.startswith("ninetoothed.")]:
        if name.split(".")[-1] == "fake" or ".fake." in name:
            del sys.modules[name]


class _Torch:
    """``torch.fake``: what is asked of torch about devices."""

    @staticmethod
    def is_available() -> bool:
        return True

    @staticmethod
    def is_initialized() -> bool:
        return True

    @staticmethod
    def current_device() -> int:
        return 0

    @staticmethod
    def current_stream(index: int) -> object:
        return SimpleNamespace(fake_stream=STREAM)

    @staticmethod
    def is_current_stream_capturing() -> bool:
        return False

    @staticmethod
    def get_device_name(index: int) -> str:
        return "a fake"

    @staticmethod
    def get_device_properties(index: int) -> object:
        return SimpleNamespace(multi_processor_count=4)


class FakeTensor(fake_gpu.Array):
    """A vector on the device; ``version`` counts the launches that wrote it."""

    def __init__(self, size: int, pointer: int) -> None:
        device = fake_gpu.Device("fake")
        super().__init__(size, pointer=pointer, dtype=torch.float32, device=device)
        self.version = 0

    def written(self) -> None:
        self.version += 1
