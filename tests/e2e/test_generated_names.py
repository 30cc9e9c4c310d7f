"""Kernels whose names mean something else in generated source."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.ir.stages import STAGES
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import offline
from tests.support.everywhere import everywhere
from tests.support.targets import TARGETS
from tests.support.ttir_stage import to_ttir

_NAMES = ("tl", "triton", "libdevice", "range", "float", "min", "vprintf", "print")


def _arrangement(tl: Tensor, range: Tensor, libdevice: Tensor) -> tuple[Tensor, ...]:
    return tl.tile((4,)), range, libdevice.tile((4,))


def tl(tl, range, libdevice):
    float = tl
    for triton in ntl.range(range):
        float = ntl.libdevice.expm1(float) + triton
    libdevice = ntl.maximum(float, -1e400)


def _kernel(name: str | None) -> Kernel:
    tensors = (Tensor(1), Tensor(0, dtype="int32"), Tensor(1))
    return ninetoothed.make(_arrangement, tl, tensors, kernel_name=name)


@pytest.mark.parametrize("language", offline.LANGUAGES)
@pytest.mark.parametrize("name", [*_NAMES, None])
def test_triton_takes_kernels_of_any_name(name: str | None, language: Language) -> None:
    kernel = _kernel(name)
    given = name or "tl"
    expected = given if given in ("min", "print") else f"{given}_1"
    target = Target.parse(TARGETS[0])
    signature = assumed_signature(kernel.definition, {}, {})
    module = kernel.composed(signature)
    signature, config = pick(kernel.definition, module, signature, {})
    artifact = compile_kernel(module, signature, config, target, language)
    assert artifact.name == expected
    assert (f"def {expected}(" if language == "triton-python" else f'"{expected}"') in artifact.text
    if compat.available():
        assert f"@{expected}(" in to_ttir(artifact)


def _beyond_ascii(输入: Tensor, größe: Tensor) -> tuple[Tensor, Tensor]:
    breite = Symbol("ширина", constexpr=True)
    return 输入.tile((breite,)), größe.tile((breite,))


def 函数(输入: Any, größe: Any) -> None:
    def verdoppelt(wert: Any) -> Any:
        ergebniß = wert * 2
        return ergebniß

    变量 = ntl.exp(输入)
    总 = 变量
    总_1 = 变量 + 1
    for 循环 in range(3):
        总 += 循环
    if ntl.sum(总) > 0:
        é = 总 + 总_1
    else:
        é = 总_1
        é *= 2
    while ntl.sum(é) < 0:
        é += 1
    größe = verdoppelt(é)


@pytest.mark.parametrize("names", [(None, None), ("größe_x", "输出")])
def test_names_beyond_ascii(device: str, names: tuple[str | None, str | None]) -> None:
    """Of parameters, variables, loop variables, functions, tensors and symbols."""

    def check(x: torch.Tensor, output: torch.Tensor) -> None:
        torch.testing.assert_close(output, 2 * (2 * x.exp() + 4))

    tensors = [Tensor(1, name=name) for name in names]
    values = torch.rand(40), torch.zeros(40)
    everywhere(device, _beyond_ascii, 函数, values, check, tensors, ширина=16)


@pytest.mark.parametrize("language", offline.LANGUAGES)
def test_triton_takes_names_beyond_ascii(language: Language) -> None:
    tensors = Tensor(1, name="größe_x"), Tensor(1, name="输出")
    kernel = ninetoothed.make(_beyond_ascii, 函数, tensors)
    signature = assumed_signature(kernel.definition, {}, {"ширина": 16})
    module = kernel.composed(signature)
    signature, config = pick(kernel.definition, module, signature, {"ширина": 16})
    artifact = compile_kernel(module, signature, config, Target.parse(TARGETS[0]), language)
    for stage in STAGES:
        assert kernel.ir(stage, values={"ширина": 16})
    if compat.available():
        assert "tt.store" in to_ttir(artifact)
