"""Calls ask torch whether it compiles."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from ninetoothed.kernel import tracing


@pytest.mark.parametrize("is_begun", [False, True])
def test_torch_that_another_thread_imports_does_not_compile(
    monkeypatch: pytest.MonkeyPatch, is_begun: bool
) -> None:
    torch = ModuleType("torch")
    if is_begun:
        torch.__dict__["compiler"] = ModuleType("torch.compiler")
    monkeypatch.setitem(sys.modules, "torch", torch)
    first = tracing._asked  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(tracing, "is_compiling", first)
    assert not tracing.is_compiling()
    # It is asked again.
    assert tracing.is_compiling is first
