"""Kernels compiled for a target that need not be there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.compiler.space import space
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import profiles
from tests.support.ttir_stage import to_ttir

LANGUAGES: tuple[Language, ...] = ("ttir", "triton-python")


def artifacts(
    kernel: Kernel, values: Sequence[Any], target: str, **constexprs: int
) -> Iterator[Artifact]:
    """Artifacts of a call in both languages, for the first configuration."""
    signature = bind(kernel.definition.interface, values, constexprs).signature
    module = kernel.composed(signature)
    parsed = Target.parse(target)
    config = space(module, signature, target=parsed).configs[0]
    for language in LANGUAGES:
        yield compile_kernel(module, signature, config, parsed, language)


def compiled(
    kernel: Kernel,
    target: str,
    language: str,
    dtypes: Mapping[str, str] | None = None,
    constexprs: Mapping[str, int] | None = None,
) -> Artifact:
    """The artifact of the signature and the configuration that are assumed without a call; Triton
    compiles it.
    """
    signature = assumed_signature(kernel.definition, dtypes or {}, constexprs or {})
    module = kernel.composed(signature)
    signature, config = pick(kernel.definition, module, signature, {})
    artifact = compile_kernel(module, signature, config, Target.parse(target), language)
    assert compat.compile_binary(artifact).code
    return artifact


def check(kernel: Kernel, values: Sequence[Any], target: str, **constexprs: int) -> None:
    """Triton takes both texts; where all is tried, it compiles them."""
    for artifact in artifacts(kernel, values, target, **constexprs):
        if not compat.available():
            continue
        if profiles.full():
            compat.compile_binary(artifact)
        else:
            to_ttir(artifact)
