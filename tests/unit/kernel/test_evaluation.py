"""Lowered modules are kept as long as no setting changes them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from examples.matmul import matmul_kernel
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.ir.nt import kernel_of
from ninetoothed.ir.printing import text_of
from ninetoothed.kernel.evaluation import lowered

SIZES = Config(tuple((name, 16) for name, _ in matmul_kernel.configs[0].values))


@pytest.fixture
def signature() -> Signature:
    return matmul_kernel.signature([torch.empty(33, 33) for _ in range(3)], {})


def test_a_module_is_lowered_once(signature: Signature) -> None:
    module = matmul_kernel.composed(signature)
    assert lowered(module, signature, SIZES) is lowered(module, signature, SIZES)


def test_other_passes_are_run_again(signature: Signature, monkeypatch: pytest.MonkeyPatch) -> None:
    module = matmul_kernel.composed(signature)
    first = lowered(module, signature, SIZES)
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "clamped_guards")
    second = lowered(module, signature, SIZES)
    assert text_of(second) != text_of(first)
    monkeypatch.delenv("NINETOOTHED_DISABLE_OPTIMIZATIONS")
    assert lowered(module, signature, SIZES) is first
    others = Config(tuple((name, 2 * size) for name, size in SIZES.values))
    assert text_of(lowered(module, signature, others)) != text_of(first)


def test_settings_that_look_on_have_every_pass(
    signature: Signature, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module = matmul_kernel.composed(signature)
    first = lowered(module, signature, SIZES)
    monkeypatch.setenv("NINETOOTHED_DUMP_IR", str(tmp_path))
    assert lowered(module, signature, SIZES) is not first
    assert any((tmp_path / kernel_of(module).sym_name.data).rglob("*.mlir"))
    monkeypatch.delenv("NINETOOTHED_DUMP_IR")
    monkeypatch.setenv("NINETOOTHED_VERIFY_IR", "1")
    assert lowered(module, signature, SIZES) is not first
