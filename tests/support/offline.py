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
from ninetoothed.errors import ConfigurationError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import profiles
from tests.support.ttir_stage import to_ttir

_MOST_TRIED = 8
"""Configurations. Operands, too, may lie in the tensor memory of sm_100, as Triton chooses."""
LANGUAGES: tuple[Language, ...] = ("ttir", "triton-python")


def artifacts(
    kernel: Kernel, values: Sequence[Any], target: str, place: int = 0, **constexprs: int
) -> Iterator[Artifact]:
    """Artifacts of a call in both languages, for the configuration at a place of the space."""
    signature = bind(kernel.definition.interface, values, constexprs).signature
    module = kernel.composed(signature)
    parsed = Target.parse(target)
    config = space(module, signature, target=parsed).configs[place]
    # The application may ask for its block sizes.
    module = kernel.composed(signature, config)
    for language in LANGUAGES:
        yield compile_kernel(module, signature, config, parsed, language)


def offered(kernel: Kernel, values: Sequence[Any]) -> set[str]:
    """The choices that some configuration of a call has, by name."""
    signature = kernel.signature(values, {})
    found = space(kernel.composed(signature), signature)
    varied = (one for config in found.configs for one in found.varied(config))
    return {name for one in varied for name, _ in one.choices}


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
    """Triton takes both texts; where all is tried, it compiles them: of the first configuration
    that fits the device, as a call does.
    """
    found = artifacts(kernel, values, target, **constexprs)
    if not compat.available():
        assert len(list(found)) == len(LANGUAGES)
    elif not profiles.full():
        for artifact in found:
            to_ttir(artifact)
    else:
        assert any(
            all(map(_fits, artifacts(kernel, values, target, place, **constexprs)))
            for place in range(_MOST_TRIED)
        )


def _fits(artifact: Artifact) -> bool:
    """Compile an artifact; False where its configuration takes more of something than there is."""
    try:
        compat.compile_binary(artifact)
    except ConfigurationError as error:
        if not error.message.startswith("out of resource"):
            raise
        return False
    return True
