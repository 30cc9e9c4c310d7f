"""Calls ask torch whether it compiles."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.kernel import tracing


def arrangement(x: Any) -> Any:
    return x.tile((4,))


def clear(x: Any) -> None:
    x = ntl.zeros(x.shape, dtype=ntl.float32)  # pyright: ignore[reportUnusedVariable]


@pytest.mark.parametrize("is_begun", [False, True])
def test_torch_that_another_thread_imports_does_not_compile(
    monkeypatch: pytest.MonkeyPatch, is_begun: bool
) -> None:
    imported = ModuleType("torch")
    if is_begun:
        imported.__dict__["compiler"] = ModuleType("torch.compiler")
    monkeypatch.setitem(sys.modules, "torch", imported)
    first = tracing._asked  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(tracing, "is_compiling", first)
    assert not tracing.is_compiling()
    # It is asked again.
    assert tracing.is_compiling is first


def test_a_kernel_has_asked_before_its_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """What torch's compiler finds in a first call, it finds in the second one."""
    monkeypatch.setattr(tracing, "is_compiling", tracing._asked)  # pyright: ignore[reportPrivateUsage]
    ninetoothed.make(arrangement, clear, (Tensor(1),))
    assert tracing.is_compiling is torch.compiler.is_dynamo_compiling
