"""The one module that knows Triton's internals, for Triton 3.6.0 and newer. It only compiles.

An artifact goes through the stages of Triton's backend for its target, as ``triton.compile`` runs
them, but past Triton's cache on disk: its keys cost a digest of all of Triton's files, and
``cache.artifact_store`` keeps the binaries. Compiling needs neither a GPU nor torch, and nothing
but compiling imports Triton.

What is used of Triton, tested with 3.6.0, 3.7.1, 3.8.0 and 3.9.0 (a test each in
``tests/unit/runtime/toolchain/test_triton.py``):

- ``triton/__init__.py`` has a line ``__version__ = '…'``, which is read without an import;
- ``triton.compiler.compiler.make_backend`` of a ``triton.backends.compiler.GPUTarget`` gives a
  backend with ``parse_options``, ``load_dialects``, ``get_codegen_implementation``,
  ``get_module_map``, and ``add_stages``, which fills a dict with the stages in their order, up to
  the binary; a stage takes what the one before it made, and the metadata; ``llir`` makes text;
- ``triton._C.libtriton.ir``: ``context``, ``load_dialects``, and ``parse_mlir_module`` of a file;
  a module keeps its ``context``;
- TTIR's text: from 3.8 on, the type of a tensor descriptor has the box's dims without ``tensor``;
  from 3.9 on, accesses ask of the caches by an attribute of its own;
- the metadata behind the last stage: ``name``, ``num_warps``, ``shared``, ``global_scratch_size``
  and ``global_scratch_align``; ``tensordesc_meta``, a row for each argument that is a tensor
  descriptor: ``swizzle``, ``elem_size``, ``elem_type``, ``block_size``, and ``fp4_padded`` and
  ``is_im2col``, which, with ``num_ctas``, ``profile_scratch_size`` and ``tmem_size``, tell of what
  no launch of ours provides;
- a descriptor among a function's arguments is followed by its tensor's sizes and strides, which
  ``ASTSource`` adds;
- ``triton.compiler.ASTSource`` of a ``triton.JITFunction`` (``@triton.jit`` reads its source back
  from a file), with ``make_ir`` and ``language``: Triton's own frontend;
- errors hold their cause, without the source, as ``error_message``;
- the environment's variables that change what is compiled have the names of ``_SETTING``, and
  ``TRITON_BACKENDS_IN_TREE`` keeps it from looking through all packages for backends.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import re
import sys
import tempfile
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ninetoothed.artifacts.artifact import (
    Argument,
    Artifact,
    Binary,
    DescriptorLayout,
    dims_of_descriptor,
)
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.cache import artifact_store
from ninetoothed.cache.atomic import write_atomically
from ninetoothed.errors import CompilerError, ConfigurationError, DeviceError, NineToothedError

if TYPE_CHECKING:
    from ninetoothed.runtime.launch.driver import Driver

OLDEST = (3, 6)
"""The oldest version that is taken."""

_REASON_LINES = 3
_REASON_COLUMNS = 200

_VERSION = re.compile(r"""^__version__\s*=\s*['"](\d[^'"]*)['"]""", re.MULTILINE)

# What changes the compiler's results, or may: what is known to change none is left out.
_SETTING = re.compile(
    r"(?:TRITON|MLIR|LLVM|AMDGCN|NVPTX)_\w+|DISABLE_(?:LLVM_OPT|MMA_V\d+|PTXAS_OPT)|PTXAS_OPTIONS"
    r"|USE_IR_LOC|ALLOW_LHS_TMEM_LAYOUT_CONVERSION"
)
_NO_SETTING = re.compile(
    r"TRITON_(?:HOME|INTERPRET|BACKENDS_IN_TREE|ALWAYS_COMPILE|STORE_BINARY_ONLY|PRINT_AUTOTUNING"
    r"|(?:CACHE|REDIS|REMOTE_CACHE|KERNEL|PROTON|ROC\w*|HSA|LIBCUDA|LIBHIP|CUDART)_\w+"
    r"|(?:DUMP|OVERRIDE)_DIR)"
)

# Of types of elements, the host's numbers where the device has others: fp32 with flushed
# subnormals, fp64 and bf16.
_ELEMENT_TYPES = {8: 10, 9: 8, 10: 9}

# What Blackwell's tensor memory has, by which Triton's own loader judges too.
_TENSOR_MEMORY_COLUMNS = 512


_NOTHING = """
"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "nothing", sym_visibility = "public"}> ({
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def available() -> bool:
    """True if Triton is installed."""
    try:
        spec = importlib.util.find_spec("triton")
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None


@functools.cache
def version() -> str:
    """Triton's version. It is not imported for that.

    Raises:
        DeviceError: Triton is not installed, or too old.
    """
    found = _installed_version()
    if _minor(found) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise DeviceError(
            f"Triton {found} is installed, and {oldest} is the oldest that is taken; "
            f"`pip install 'triton>={oldest}'` (a torch that comes with an older one must be newer "
            "too), or pass CPU tensors (`tensor.cpu()`), which are evaluated without it"
        )
    return found


def _installed_version() -> str:
    if "triton" not in sys.modules and available():
        # What cannot be read there, its metadata tell, or else an import.
        with contextlib.suppress(OSError, ValueError):
            spec = importlib.util.find_spec("triton")
            text = Path(str(spec and spec.origin)).read_text(encoding="utf-8")
            if line := _VERSION.search(text):
                return line[1]
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version("triton")
    return str(_module("triton").__version__)


def _minor(text: str) -> tuple[int, int]:
    major, minor = re.findall(r"\d+", text)[:2]
    return int(major), int(minor)


def active_target() -> Target:
    """The current CUDA or HIP device as a target.

    Raises:
        DeviceError: there is none, or torch cannot use it.
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
    return _target_of(torch.cuda.current_device())


@functools.cache
def _target_of(index: int) -> Target:
    torch: Any = importlib.import_module("torch")
    properties = torch.cuda.get_device_properties(index)
    if torch.version.hip is not None:
        # Features follow behind a colon: "gfx942:sramecc+:xnack-".
        return Target("hip", str(properties.gcnArchName).split(":")[0], int(properties.warp_size))
    major, minor = torch.cuda.get_device_capability(index)
    return Target("cuda", f"sm_{major}{minor}", 32)


def settings(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The variables of an environment that change what Triton makes of an artifact."""
    return tuple(
        (name, value)
        for name, value in sorted(environment.items())
        if _SETTING.fullmatch(name) and not _NO_SETTING.fullmatch(name)
    )


def prepare_environment(environment: dict[str, str]) -> None:
    """Changes the environment of a process that compiles."""
    # Looking through all packages for backends that we do not serve takes time.
    environment.setdefault("TRITON_BACKENDS_IN_TREE", "1")
    environment.pop("TRITON_INTERPRET", None)


def open_driver() -> Driver:
    """CUDA's or HIP's library, as torch was built for one.

    Raises:
        DeviceError: it cannot be loaded, or is too old.
    """
    # Compiling needs none.
    from ninetoothed.runtime.toolchain.triton import drivers

    return drivers.open_driver()


def compile_binary(artifact: Artifact) -> Binary:
    """Compiles ``artifact`` for its target, in this process.

    Raises:
        ConfigurationError: Triton does not compile it; the text is the reason.
        CompilerError: Triton wants what no launch gives.
        DeviceError: Triton is not installed.
    """
    code: Any = None
    metadata: dict[str, Any] = {}
    try:
        for _, made, known in stages(artifact):
            code, metadata = made, known
    except NineToothedError:
        raise
    except Exception as error:
        # Triton and its passes raise RuntimeError, PTXASError, OutOfResources, CompilationError,
        # AssertionError and more for what a configuration asks too much of.
        raise ConfigurationError(reason(error)) from error
    return _binary(artifact, code, metadata)


def stages(artifact: Artifact) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Compiles ``artifact`` stage by stage: the name of each, what it made, the metadata so far.

    What a stage made is changed by the next one; its text is ``str`` of it. The last one is the
    binary. Whatever Triton raises is not caught.
    """
    module, target, backend, options = _begun(artifact)
    metadata: dict[str, Any] = {"target": target, **vars(options)}
    steps: dict[str, Callable[[Any, dict[str, Any]], Any]] = {}
    backend.add_stages(steps, options, _module("triton.backends.compiler").Language.TRITON)
    for name, step in steps.items():
        module = step(module, metadata)
        if name == "llir":
            module = without_poison_flags(module)
        yield name, module, metadata


def pretty(artifact: Artifact) -> str:
    """TTIR of ``artifact`` as it goes into Triton's stages, in Triton's own form, with locations.

    Whatever Triton raises is not caught.
    """
    return str(_begun(artifact)[0])


_POISON_FLAGS = re.compile(
    r"(= \w+)(?: (?:nuw|nsw|exact|disjoint|nneg|samesign))+(?=(?: [a-z]+)? <\d+ x i\d+>)"
)


def without_poison_flags(llvm: str) -> str:
    """LLVM's text without poison-generating flags (``nuw``, ``exact``, …) on vectors of integers.

    Where LLVM joins two scalar ops of different kinds to vectors, the flags of one stay for lanes
    that had none. Nothing reads those lanes, but with Triton 3.6 a lane that overflows anyway
    spills into the one beside it: wrong addresses, and a store beside its tensor.
    """
    return _POISON_FLAGS.sub(r"\1", llvm)


def prepare() -> None:
    """Imports what compiling needs of Triton.

    Raises:
        DeviceError: Triton is not installed, or cannot be imported.
    """
    for name in ("triton", "triton.compiler.compiler"):
        _module(name)


def rehearse(target: Target) -> Iterator[object]:
    """Compiles an empty kernel, stage by stage."""
    artifact = Artifact("nothing", "ttir", _NOTHING, (), (), "", (), (), target, Config(()))
    return stages(artifact)


def _gpu_target(target: Target) -> Any:
    arch = int(target.arch.removeprefix("sm_")) if target.backend == "cuda" else target.arch
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


def _begun(artifact: Artifact) -> tuple[Any, Any, Any, Any]:
    """Triton's module of an artifact's text, its target, the backend and the options."""
    prepare()
    target = _gpu_target(artifact.target)
    backend = _module("triton.compiler.compiler").make_backend(target)
    options = backend.parse_options(options_of(artifact))
    ir = _module("triton._C.libtriton").ir
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    if artifact.language == "ttir":
        module = _parsed(artifact, ir, context)
    else:
        functions = backend.get_codegen_implementation(options)
        translate = _python_source(artifact).make_ir
        module = translate(target, options, functions, backend.get_module_map(), context)
    return module, target, backend, options


def _parsed(artifact: Artifact, ir: Any, context: Any) -> Any:
    """The module of TTIR text."""
    with tempfile.TemporaryDirectory(prefix="ninetoothed-") as folder:
        path = os.path.join(folder, f"{artifact.name[:100]}.ttir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(for_this_version(artifact.text))
        module = ir.parse_mlir_module(path, context)
    module.context = context
    return module


def _binary(artifact: Artifact, code: bytes, metadata: Mapping[str, Any]) -> Binary:
    if size := metadata.get("profile_scratch_size"):
        raise CompilerError(f"{artifact.name}: a launch would need {size} bytes for profiles")
    if metadata.get("num_ctas", 1) != 1:
        raise CompilerError(f"{artifact.name}: a program has {metadata['num_ctas']} thread blocks")
    columns = metadata.get("tmem_size") or 0
    if columns > _TENSOR_MEMORY_COLUMNS:
        raise ConfigurationError(
            f"out of resource: tensor memory, Required: {columns}, "
            f"Hardware limit: {_TENSOR_MEMORY_COLUMNS}"
        )
    return Binary(
        code,
        str(metadata["name"]),
        int(metadata["shared"]),
        int(metadata["num_warps"]) * artifact.target.warp_size,
        int(metadata.get("global_scratch_size") or 0),
        int(metadata.get("global_scratch_align") or 1),
        _descriptor_layouts(artifact, metadata.get("tensordesc_meta") or ()),
    )


def _descriptor_layouts(
    artifact: Artifact, rows: Sequence[Mapping[str, Any]]
) -> tuple[DescriptorLayout, ...]:
    """The layouts of the descriptors that a launch passes, from Triton's metadata.

    Raises:
        CompilerError: they are others.
    """
    ranks = [dims for one in artifact.arguments if (dims := dims_of_descriptor(one.type))]
    if ranks != [len(row["block_size"]) for row in rows]:
        raise CompilerError(
            f"{artifact.name}: Triton has made {len(rows)} tensor descriptors of {len(ranks)} for "
            f"{artifact.target}; those that the host makes need NVIDIA's GPUs from sm_90 on"
        )
    if any(row.get("fp4_padded") or row.get("is_im2col") for row in rows):
        raise CompilerError(f"{artifact.name}: a launch has no tensor descriptor of this kind")
    return tuple(
        DescriptorLayout(
            _ELEMENT_TYPES.get(int(row["elem_type"]), int(row["elem_type"])),
            row["elem_size"],
            row["swizzle"],
            tuple(row["block_size"]),
        )
        for row in rows
    )


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DeviceError(
            f"Triton cannot be imported ({error}); `pip install triton`, or pass CPU tensors "
            "(`tensor.cpu()`), which are evaluated without it"
        ) from error


def reason(error: Exception) -> str:
    """The first lines of what Triton says of a failure."""
    # Triton's CompilationError and PTXASError print the source first and hold the cause here.
    text = getattr(error, "error_message", None) or str(error)
    return f"{type(error).__name__}: {_first_lines(str(text)) or 'no reason given'}"


def _first_lines(text: str) -> str:
    lines = [line.strip()[:_REASON_COLUMNS] for line in text.splitlines() if line.strip()]
    return " | ".join(lines[:_REASON_LINES])


_CACHES = ("none", "ca", "cg", "wb", "cs", "wt", "cv")
_EVICTIONS = ("evict_normal", "evict_first", "evict_last")
_ON_BOXES = re.compile(
    r'^\s*(?:(?:%\w+ = )?"tt\.(?:make_tensor_descriptor|descriptor_load|descriptor_store|func)"\('
    r"|\^bb0\().*$",
    re.MULTILINE,
)
_BOX = re.compile(r"(?<=!tt\.tensordesc<)tensor<([^<>]*)>(?=>)")
_POLICY = re.compile(
    r'^(\s*(?:%\w+ = )?"tt\.(?:load|store)"\([^)]*\) <\{)boundaryCheck = array<i32>, '
    r"cache = (\d) : i32, evict = (\d) : i32",
    re.MULTILINE,
)


def for_this_version(text: str) -> str:
    """TTIR in the spelling of the installed Triton.

    From 3.8 on, a descriptor's type names dims and elements of its box. From 3.9 on, an access asks
    of the caches by one attribute, which older ones do not know; what they have, 3.9 drops without
    a word.
    """
    if _minor(version()) >= (3, 8):
        text = _ON_BOXES.sub(lambda found: _BOX.sub(r"\1", found[0]), text)
    if _minor(version()) < (3, 9):
        return text

    def policy(found: re.Match[str]) -> str:
        cache, eviction = _CACHES[int(found[2]) - 1], _EVICTIONS[int(found[3]) - 1]
        return (
            f"{found[1]}cachePolicy = #tt.cache_policy<cache_modifier = {cache}, "
            f"eviction_policy = {eviction}>"
        )

    return _POLICY.sub(policy, text)


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
    given: list[Argument] = []
    of_descriptor = 0
    for argument in artifact.arguments:
        if of_descriptor:
            of_descriptor -= 1
        else:
            given.append(argument)
            of_descriptor = 2 * dims_of_descriptor(argument.type)
    signature = {argument.name: argument.type for argument in given}
    attributes = {
        (position,): [["tt.divisibility", argument.divisor]]
        for position, argument in enumerate(given)
        if argument.divisor > 1
    }
    return source(function, signature, constexprs={}, attrs=attributes)


def _source_file(artifact: Artifact) -> Path:
    """A file that holds the text: ``@triton.jit`` reads a function's source back from its file."""
    digest = hashlib.sha256(artifact.text.encode()).hexdigest()
    name = f"{artifact.name[:100]}_{digest[:32]}.py"
    try:
        return artifact_store.keep_source(name, artifact.text)
    except OSError:
        path = Path(_temporary_folder().name) / name
        write_atomically(path, artifact.text)
        return path


@functools.cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="ninetoothed-sources-")
