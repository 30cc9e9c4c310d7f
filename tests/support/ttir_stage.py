"""Triton's road up to the end of its stage ``ttir``: what it takes to know that a kernel is well
formed, in a few milliseconds.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from ninetoothed.artifact import Artifact, Target
from ninetoothed.runtime import triton_compat


@functools.cache
def _backend(target: Target) -> tuple[Any, Any]:
    compiler = importlib.import_module("triton.compiler.compiler")
    arch = int(target.arch) if target.backend == "cuda" else target.arch
    gpu = importlib.import_module("triton.backends.compiler").GPUTarget(
        target.backend, arch, target.warp_size
    )
    return gpu, compiler.make_backend(gpu)


def to_ttir(artifact: Artifact) -> str:
    """Triton's text of the kernel behind its passes over ``ttir``.

    Whatever Triton raises where the kernel is wrong is not caught.
    """
    ir = importlib.import_module("triton._C.libtriton").ir
    target, backend = _backend(artifact.target)
    source: Any = triton_compat.source_of(artifact)
    options = backend.parse_options(triton_compat.options_of(artifact))
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions = backend.get_codegen_implementation(options)
    module = source.make_ir(target, options, functions, backend.get_module_map(), context)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, source.language)
    return str(stages["ttir"](module, {}))
