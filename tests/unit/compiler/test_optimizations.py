"""Optimizations can be switched off, and kernels that were compiled without them are others."""

from __future__ import annotations

import importlib

import pytest

from examples.layer_norm import layer_norm_backward_kernel
from examples.matmul import matmul_kernel
from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.compiler.optimizations import CHOICES
from ninetoothed.compiler.space import space
from ninetoothed.errors import ConfigurationError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes import find_pass

SETTING = "NINETOOTHED_DISABLE_OPTIMIZATIONS"
TARGET = Target.parse(DEFAULT_TARGET)


def average_pooling() -> Kernel:
    example = importlib.import_module("examples.avg_pool2d")
    return example.make_kernel((3, 3), (2, 2), (1, 1), True, True)


def test_each_choice_is_an_option_of_its_pass() -> None:
    for choice in CHOICES:
        assert hasattr(find_pass(choice.pass_name)(), choice.option)


def test_a_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = average_pooling()
    on = kernel.source()
    monkeypatch.setenv(SETTING, "loop_stages,pointer_blocks")
    assert kernel.source() == on
    monkeypatch.setenv(SETTING, "unsigned_tests")
    off = kernel.source()
    assert off != on
    monkeypatch.setenv(SETTING, "all")
    assert kernel.source() == off


@pytest.mark.parametrize("name", [choice.name for choice in CHOICES])
def test_a_choice_is_not_offered(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    signature = assumed_signature(layer_norm_backward_kernel.definition, {}, {}, "fp32")
    composed = layer_norm_backward_kernel.composed(signature)
    assert any(name in dict(row) for row in space(composed, signature).legal)
    monkeypatch.setenv(SETTING, name)
    assert not any(name in dict(row) for row in space(composed, signature).legal)
    monkeypatch.setenv(SETTING, "all")
    assert not space(composed, signature).legal


def test_kernels_without_an_optimization_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    signature = assumed_signature(matmul_kernel.definition, {}, {})
    compilation = matmul_kernel._compilation  # pyright: ignore[reportPrivateUsage]
    keys = {compilation.key(signature, TARGET)}
    for names in ("pointer_blocks", "pointer_blocks,loop_stages", "all"):
        monkeypatch.setenv(SETTING, names)
        keys.add(compilation.key(signature, TARGET))
    assert len(keys) == 4
    monkeypatch.setenv(SETTING, "loop_stages, pointer_blocks")
    assert compilation.key(signature, TARGET) in keys


def test_an_unknown_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "pointer_blocks,fast")
    with pytest.raises(ConfigurationError) as caught:
        matmul_kernel.source()
    assert caught.value.message == (
        "NINETOOTHED_DISABLE_OPTIMIZATIONS must be all, or some of unsigned_tests, "
        "alignment_facts, narrow_indices, loop_stages, pointer_blocks, with commas between "
        "them, not 'pointer_blocks,fast'"
    )
