"""Optimizations can be switched off, and kernels that were compiled without them are others."""

from __future__ import annotations

import importlib

import pytest

from examples.layer_norm import layer_norm_backward_kernel
from examples.matmul import matmul_kernel
from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.compiler.optimizations import CHOICES, OPTIMIZATIONS
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


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("pointer_blocks", matmul_kernel),
        ("unsigned_tests", average_pooling()),
    ],
)
def test_a_switch(name: str, kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    on = kernel.source()
    monkeypatch.setenv(SETTING, name)
    off = kernel.source()
    others = ",".join(other for other in OPTIMIZATIONS if other != name)
    monkeypatch.setenv(SETTING, others)
    assert kernel.source() == on
    monkeypatch.setenv(SETTING, "all")
    assert kernel.source() == off
    assert off != on


def test_a_choice_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    signature = assumed_signature(layer_norm_backward_kernel.definition, {}, {}, "fp32")
    composed = layer_norm_backward_kernel.composed(signature)
    assert any(space(composed, signature).legal)
    monkeypatch.setenv(SETTING, "loop_stages")
    assert not space(composed, signature).legal


def test_kernels_without_an_optimization_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    signature = assumed_signature(matmul_kernel.definition, {}, {})
    compilation = matmul_kernel._compilation  # pyright: ignore[reportPrivateUsage]
    keys = {compilation.key(signature, TARGET)}
    for names in ("pointer_blocks", "pointer_blocks,loop_stages", "all"):
        monkeypatch.setenv(SETTING, names)
        keys.add(compilation.key(signature, TARGET))
    assert len(keys) == 4


def test_an_unknown_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "pointer_blocks,fast")
    with pytest.raises(ConfigurationError) as caught:
        matmul_kernel.source()
    assert caught.value.message == (
        "NINETOOTHED_DISABLE_OPTIMIZATIONS must be all, or some of pointer_blocks, "
        "unsigned_tests, loop_stages, with commas between them, not 'pointer_blocks,fast'"
    )
