"""Kernels whose names mean something else in generated source."""

from __future__ import annotations

import pytest

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import offline
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
