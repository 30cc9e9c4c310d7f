"""The one module that knows Triton's internals, for Triton 3.6.0 to 3.9.0.

Artifacts are compiled through ``triton.compile`` with sources of our own: TTIR text is parsed where
a JIT function would be translated, so every stage from ``ttir`` on runs as it does for Triton's own
kernels, and the result lands in Triton's on-disk cache. Compiling needs neither a GPU nor torch.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import os
import re
import tempfile
import threading
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ninetoothed.artifact import Artifact, Target
from ninetoothed.errors import CompilerError, ConfigurationError, DeviceError, NineToothedError
from ninetoothed.runtime import artifact_cache

CompiledKernel: TypeAlias = Any
"""Triton's ``CompiledKernel``. It is loaded on one device: the current one when first needed."""

_REASON_LINES = 3
_REASON_COLUMNS = 200

# After these the device's context is lost, and whatever runs next is told of them: no fault of the
# configuration at hand.
_LOST_CONTEXT = (
    "illegal",
    "misaligned",
    "unspecified launch failure",
    "device-side assert",
    "hardware",
)

# CompiledKernel._init_handles sets its launcher before its function: a second thread would find the
# one without the other.
_load_lock = threading.Lock()


def available() -> bool:
    """Whether Triton is installed."""
    try:
        spec = importlib.util.find_spec("triton")
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None


def version() -> str:
    """Triton's version.

    Raises:
        DeviceError: Triton is not installed.
    """
    return str(_module("triton").__version__)


def warm_up() -> None:
    """Does what makes a process's first compile costly: imports, the digest of Triton's files."""
    _module("triton")
    _module("triton.runtime.cache").triton_key()


def active_target() -> Target:
    """The current CUDA or HIP device as a target.

    Raises:
        DeviceError: there is none, or torch or Triton cannot use it.
    """
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError as error:
        raise DeviceError("torch is not installed; `pip install torch`") from error
    if not torch.cuda.is_available():
        raise DeviceError(
            f"torch {torch.__version__} sees no CUDA or HIP device here; pass CPU tensors "
            "(`tensor.cpu()`), which are evaluated without one, or install a torch "
            "built for your GPU"
        )
    try:
        target = _module("triton.runtime.driver").driver.active.get_current_target()
    except RuntimeError as error:
        raise DeviceError(
            f"Triton {version()} has no driver for the current device "
            f"({_first_lines(str(error))}); pass CPU tensors (`tensor.cpu()`), or install the "
            "Triton that your torch was built with"
        ) from error
    return Target(str(target.backend), str(target.arch), int(target.warp_size))


def compile_artifact(artifact: Artifact) -> CompiledKernel:
    """Compiles ``artifact`` for its target, or takes the result from Triton's cache.

    Raises:
        ConfigurationError: Triton does not compile it; the text is the reason.
        DeviceError: Triton is not installed.
    """
    triton = _module("triton")
    target = _gpu_target(artifact)
    try:
        return triton.compile(source_of(artifact), target=target, options=options_of(artifact))
    except NineToothedError:
        raise
    except Exception as error:
        # Triton and its passes raise RuntimeError, PTXASError, OutOfResources, CompilationError,
        # AssertionError and more for what a configuration asks too much of.
        raise ConfigurationError(_reason(error)) from error


class _NotCompiledError(Exception):
    """Triton's cache does not hold a source."""


def is_compiled(artifact: Artifact) -> bool:
    """Whether Triton's cache holds what ``artifact`` compiles to."""

    def absent(*arguments: Any) -> Any:
        raise _NotCompiledError

    try:
        triton = _module("triton")
        source = source_of(artifact)
        # Triton asks a source for its IR where the cache has nothing.
        source.make_ir = absent
        triton.compile(source, target=_gpu_target(artifact), options=options_of(artifact))
    except Exception:
        # What else is wrong, compiling tells.
        return False
    return True


def _gpu_target(artifact: Artifact) -> Any:
    target = artifact.target
    arch = int(target.arch) if target.backend == "cuda" else target.arch
    made: type[Any] = _module("triton.backends.compiler").GPUTarget
    return made(target.backend, arch, target.warp_size)


def options_of(artifact: Artifact) -> dict[str, Any]:
    """The options with which ``triton.compile`` takes ``artifact``."""
    # Triton leaves assertions of Triton-Python out unless it debugs, and then adds its own.
    asserts = artifact.language == "triton-python" and "tl.device_assert(" in artifact.text
    debugging = {"debug": True, "sanitize_overflow": False} if asserts else {}
    return {
        **debugging,
        "num_warps": artifact.config.num_warps,
        "num_stages": artifact.config.num_stages,
        # Its default depends on Triton's version.
        "enable_fp_fusion": True,
    }


def source_of(artifact: Artifact) -> Any:
    """``artifact`` as what ``triton.compile`` takes."""
    return _ttir_source(artifact) if artifact.language == "ttir" else _python_source(artifact)


def load(compiled: CompiledKernel) -> None:
    """Loads ``compiled`` on the current device, if it is not there yet.

    Raises:
        ConfigurationError: the device has too little shared memory, registers or threads for it.
    """
    with _load_lock:
        try:
            _ = compiled.run
        except Exception as error:
            if _is_lost_context(error):
                raise
            raise ConfigurationError(_reason(error)) from error


def launch(
    compiled: CompiledKernel,
    artifact: Artifact,
    programs: int,
    arguments: Sequence[Any],
    stream: int,
) -> None:
    """Launches ``programs`` programs on the current device and ``stream``.

    ``arguments`` are the device function's, in order, pointers as integers. ``compiled`` has been
    loaded (:func:`load`) on the current device.

    Raises:
        ConfigurationError: the device has too few resources for one program.
    """
    try:
        # The launcher (one convention for CUDA and HIP, 3.6 to 3.9) appends the hidden scratch
        # pointers itself. None: launch metadata, enter hook, exit hook.
        compiled.run(
            *(programs, 1, 1),
            stream,
            compiled.function,
            compiled.packed_metadata,
            *(None, None, None),
            *arguments,
        )
    except Exception as error:
        # CUDA's words, and those of Triton's OutOfResources.
        if "too many resources" in str(error) or "out of resource" in str(error):
            raise ConfigurationError(f"{artifact.name}: {_reason(error)}") from error
        raise


def launcher(compiled: CompiledKernel) -> tuple[Callable[..., None], Any, Any]:
    """What :func:`launch` calls, and two of its arguments: the function and the packed metadata.

    For a kernel that was launched before, so that nothing about its resources can go wrong.
    """
    return compiled.run, compiled.function, compiled.packed_metadata


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DeviceError(
            f"Triton cannot be imported ({error}); `pip install triton`, or pass CPU tensors "
            "(`tensor.cpu()`), which are evaluated without it"
        ) from error


def _is_lost_context(error: Exception) -> bool:
    text = str(error)
    return "Triton Error" in text and any(phrase in text for phrase in _LOST_CONTEXT)


def _reason(error: Exception) -> str:
    # Triton's CompilationError and PTXASError print the source first and hold the cause here.
    text = getattr(error, "error_message", None) or str(error)
    return f"{type(error).__name__}: {_first_lines(str(text)) or 'no reason given'}"


def _first_lines(text: str) -> str:
    lines = [line.strip()[:_REASON_COLUMNS] for line in text.splitlines() if line.strip()]
    return " | ".join(lines[:_REASON_LINES])


def _signature(artifact: Artifact) -> dict[str, str]:
    return {argument.name: argument.type for argument in artifact.arguments}


def _attributes(artifact: Artifact) -> dict[tuple[int], list[list[str | int]]]:
    return {
        (position,): [["tt.divisibility", 16]]
        for position, argument in enumerate(artifact.arguments)
        if argument.divisible_by_16
    }


@functools.cache
def _ttir_source_class() -> type[Any]:
    base: type[Any] = _module("triton.compiler").ASTSource
    ir = _module("triton._C.libtriton").ir

    class TtirSource(base):
        """TTIR text in the place of a JIT function.

        A subclass of ASTSource, so that ``triton.compile`` runs every stage: a path to a ``.ttir``
        file would skip the first.
        """

        def __init__(self, artifact: Artifact) -> None:
            signature = _signature(artifact)
            function = types.SimpleNamespace(
                __name__=artifact.name, arg_names=list(signature), launch_metadata=None
            )
            super().__init__(function, signature, attrs=_attributes(artifact))
            self.text = artifact.text

        def hash(self) -> str:
            key = f"ninetoothed-{self.name}-{self.signature}-{self.attrs}-{self.text}"
            return hashlib.sha256(key.encode()).hexdigest()

        def make_ir(self, *arguments: Any) -> Any:
            # The arguments differ between versions; the context has always been the last.
            context = arguments[-1]
            with tempfile.TemporaryDirectory(prefix="ninetoothed-") as folder:
                path = os.path.join(folder, f"{self.name[:100]}.ttir")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(for_this_version(self.text))
                module = ir.parse_mlir_module(path, context)
            module.context = context
            return module

    return TtirSource


_CACHES = ("none", "ca", "cg", "wb", "cs", "wt", "cv")
_EVICTIONS = ("evict_normal", "evict_first", "evict_last")
_POLICY = re.compile(
    r'^(\s*(?:%\w+ = )?"tt\.(?:load|store)"\([^)]*\) <\{)boundaryCheck = array<i32>, '
    r"cache = (\d) : i32, evict = (\d) : i32",
    re.MULTILINE,
)


def for_this_version(text: str) -> str:
    """TTIR as the installed Triton has it.

    From 3.9 on, an access asks of the caches by one attribute, which older ones do not know; what
    they have, 3.9 drops without a word.
    """
    if _minor_version() < (3, 9):
        return text

    def policy(found: re.Match[str]) -> str:
        cache, eviction = _CACHES[int(found[2]) - 1], _EVICTIONS[int(found[3]) - 1]
        return (
            f"{found[1]}cachePolicy = #tt.cache_policy<cache_modifier = {cache}, "
            f"eviction_policy = {eviction}>"
        )

    return _POLICY.sub(policy, text)


def _minor_version() -> tuple[int, int]:
    major, minor = version().split(".")[:2]
    return int(major), int(minor)


def _ttir_source(artifact: Artifact) -> Any:
    return _ttir_source_class()(artifact)


def _python_source(artifact: Artifact) -> Any:
    path = _source_file(artifact)
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    # Not imported by name: that would leave byte code beside the source.
    exec(compile(artifact.text, str(path), "exec"), module.__dict__)
    function = getattr(module, artifact.name, None)
    if not isinstance(function, _module("triton").JITFunction):
        raise CompilerError(
            f"{path} defines no @triton.jit function {artifact.name!r}; if TRITON_INTERPRET is "
            "set, unset it"
        )
    source: type[Any] = _module("triton.compiler").ASTSource
    return source(function, _signature(artifact), constexprs={}, attrs=_attributes(artifact))


def _source_file(artifact: Artifact) -> Path:
    """A file that holds the text: ``@triton.jit`` reads a function's source back from its file."""
    digest = hashlib.sha256(artifact.text.encode()).hexdigest()
    name = f"{artifact.name[:100]}_{digest[:32]}.py"
    try:
        return artifact_cache.keep_source(name, artifact.text)
    except OSError:
        path = Path(_temporary_folder().name) / name
        artifact_cache.write_atomically(path, artifact.text)
        return path


@functools.cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="ninetoothed-sources-")
