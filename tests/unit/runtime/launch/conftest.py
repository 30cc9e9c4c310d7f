"""A GPU whose launches are recorded."""

from __future__ import annotations

from typing import Any

import pytest

from ninetoothed.calls import tensor_guards
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch import device
from tests.support.launching import Gpu


@pytest.fixture(params=["guards", "keys"])
def gpu(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Gpu:
    gpu = Gpu()

    def current() -> int:
        return gpu.current

    def stream(index: int) -> int:
        return 100 + index

    def no_guard(tensors: Any) -> tensor_guards.Guard:
        return tensor_guards.never

    monkeypatch.setattr(device, "raw", lambda: (current, stream))
    monkeypatch.setattr(device, "current", current)
    monkeypatch.setattr(device, "stream", stream)
    monkeypatch.setattr(device, "guard", gpu.guard)
    monkeypatch.setattr(toolchain, "active_driver", lambda: gpu.stub.driver)
    if request.param == "keys":
        monkeypatch.setattr(tensor_guards, "guard", no_guard)
    return gpu
